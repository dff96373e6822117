"""The score sheet of Remi: under each round how it ended, and line by line what made up its points."""

from collections.abc import Callable, Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import remi_pb2, table_pb2
from shared.terminal.games.remi.tiles import tile_name
from shared.terminal.games.tricks import change_text, seat_name, signed
from shared.terminal.games.view import SheetRow
from shared.terminal.texts import Texts

ENDINGS = {
    remi_pb2.REMI_ENDING_CLOSED: "remi.sheet.closed",
    remi_pb2.REMI_ENDING_CLOSED_WITH_JOKER: "remi.sheet.closed.joker",
    remi_pb2.REMI_ENDING_PILE_EXHAUSTED: "remi.sheet.pile",
    remi_pb2.REMI_ENDING_NOTHING_MOVED: "remi.sheet.idle",
}
LINES: Sequence[tuple[str, Callable[[remi_pb2.RemiCell], str]]] = (
    ("remi.sheet.laid", lambda cell: str(cell.laid)),
    ("remi.sheet.hand", lambda cell: f"−{cell.hand}" if cell.hand else ""),
    ("remi.sheet.closing", lambda cell: f"+{cell.closing}" if cell.closing else ""),
    ("remi.sheet.atu", lambda cell: f"+{cell.atu}" if cell.atu else ""),
    ("remi.sheet.two", lambda cell: f"+{cell.two_tiles}" if cell.two_tiles else ""),
    ("remi.sheet.factor", lambda cell: f"×{cell.factor}" if cell.factor > 1 else ""),
    ("remi.sheet.penalty", lambda cell: f"−{cell.penalty}" if cell.penalty else ""),
)
"""What makes up the points of a round; a line in which nobody has anything is left out."""


def sheet_rows(table: table_pb2.Table, sheet: remi_pb2.RemiScoreSheet, texts: Texts) -> Sequence[SheetRow]:
    """Every round with its parts, and the totals."""
    rows: list[SheetRow] = []
    totals = [0] * len(table.seats)
    for row in sheet.rows:
        rows.append(SheetRow("heading", _heading(table, row, texts)))
        for key, words in LINES:
            cells = [Text(words(cell), "dim") for cell in row.cells]
            if any(cells):
                rows.append(SheetRow("row", f" {texts(key)}", cells))
        if not all(cell.melded for cell in row.cells):
            cells = [Text("" if cell.melded else texts("remi.sheet.not_melded"), "dim") for cell in row.cells]
            rows.append(SheetRow("row", "", cells))
        points = [change_text(cell.points) for cell in row.cells]
        rows.append(SheetRow("row", f" {texts('remi.sheet.points')} {row.number}", points))
        for seat, cell in enumerate(row.cells):
            totals[seat] += cell.points
    if rows:
        rows.append(SheetRow("total", texts("sheet.total"), [Text(signed(total), "bold") for total in totals]))
    return rows


def _heading(table: table_pb2.Table, row: remi_pb2.RemiScoreRow, texts: Texts) -> str:
    key = ENDINGS.get(row.ending)
    ending = ""
    if key is not None:
        ending = texts(key, name=seat_name(table, row.closer)) if row.HasField("closer") else texts(key)
    tile = tile_name(row.turned, texts) if row.turned else ""
    return texts("remi.sheet.heading", number=row.number, tile=tile, ending=ending)
