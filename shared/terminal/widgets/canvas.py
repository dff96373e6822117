"""A sheet of terminal cells to draw on: what the table is painted with."""

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip


def fitted(text: str, width: int) -> str:
    """`text` in exactly `width` cells: cut with an ellipsis, or filled with blanks."""
    if width <= 0:
        return ""
    if cell_len(text) > width:
        return set_cell_size(text, width - 1) + "…"
    return set_cell_size(text, width)


class Canvas:
    """Cells of one character and one style each.

    Attributes:
        width: Cells in a line.
        height: Lines.
        spilled: Texts that did not fit where they were put; what was outside has been cut off.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.spilled: list[str] = []
        self._cells: list[list[tuple[str, Style]]] = [[(" ", Style())] * width for _ in range(height)]

    def put(self, x: int, y: int, text: Text, width: int | None = None) -> None:
        """Writes `text` from cell `x` of line `y` on; cut (and noted in `spilled`) at `width` cells or the edge."""
        limit = self.width if width is None else min(self.width, x + width)
        if not 0 <= y < self.height:
            self.spilled.append(text.plain)
            return
        at = x
        for character, style in _characters(text):
            cells = cell_len(character)
            if cells == 0:
                continue
            if at < 0 or at + cells > limit:
                self.spilled.append(text.plain)
                return
            self._cells[y][at] = (character, style)
            for follower in range(at + 1, at + cells):
                self._cells[y][follower] = ("", style)
            at += cells

    def center(self, x: int, y: int, width: int, text: Text) -> None:
        """Writes `text` in the middle of `width` cells from `x`."""
        self.put(x + max(0, (width - text.cell_len) // 2), y, text, width - max(0, (width - text.cell_len) // 2))

    def strip(self, y: int, base: Style) -> Strip:
        """Line `y`, its styles laid over `base`."""
        if not 0 <= y < self.height:
            return Strip.blank(self.width, base)
        return Strip([Segment(character, base + style) for character, style in self._cells[y]], self.width).simplify()

    def lines(self) -> list[str]:
        """What is written, without styles."""
        return ["".join(character for character, _ in row) for row in self._cells]


def _characters(text: Text) -> list[tuple[str, Style]]:
    """The characters of a text with the styles that hold for them."""
    base = text.style if isinstance(text.style, Style) else Style.parse(text.style or "")
    styles = [base] * len(text.plain)
    for span in text.spans:
        style = span.style if isinstance(span.style, Style) else Style.parse(span.style)
        for index in range(span.start, min(span.end, len(styles))):
            styles[index] = styles[index] + style
    return list(zip(text.plain, styles, strict=True))
