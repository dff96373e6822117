"""The score sheet as a text in columns: one for the label, one for every seat."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from shared.terminal.games.view import SheetRow
from shared.terminal.widgets.canvas import fitted

LABEL_WIDTH = 12


def sheet_text(names: Sequence[str], rows: Sequence[SheetRow], width: int) -> tuple[Text, Text]:
    """The names, and the rows under them, for a terminal of `width` cells.

    Columns grow with what is in them, so that no figure is ever cut; the rows may then be longer than `width`.
    """
    widest = max((cell.cell_len for row in rows for cell in row.cells), default=0)
    label_width = max([LABEL_WIDTH, *(cell_len(row.label) for row in rows if row.kind != "heading")])
    even = (width - label_width) // max(1, len(names)) - 1
    column = max(widest, min(even, 14), 4)
    header = Text.assemble(fitted("", label_width), *((" " + fitted(name, column), "bold") for name in names))
    lines = []
    for row in rows:
        if row.kind == "heading":
            lines.append(Text(row.label, "bold underline"))
            continue
        line = Text(fitted(row.label, label_width), "bold" if row.kind == "total" else "")
        for cell in row.cells:
            line.append(" " * (1 + column - cell.cell_len))
            line.append_text(cell)
        lines.append(line)
    return header, Text("\n").join(lines)
