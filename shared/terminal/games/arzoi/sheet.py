"""The score sheet of Arzoi, orbit by orbit, with what everybody has after each."""

from collections.abc import Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import arzoi_pb2, table_pb2
from shared.terminal.games.arzoi.words import variant_name
from shared.terminal.games.tricks import BAD, GOOD, change_text, signed
from shared.terminal.games.view import SheetRow
from shared.terminal.texts import Texts

PART_LABELS = {
    arzoi_pb2.ARZOI_PART_WHIST: "arzoi.sheet.whist",
    arzoi_pb2.ARZOI_PART_TOTALE_MINUS: "arzoi.sheet.minus",
    arzoi_pb2.ARZOI_PART_TOTALE_PLUS: "arzoi.sheet.plus",
    arzoi_pb2.ARZOI_PART_SEPTICA: "arzoi.sheet.septica",
}


def sheet_rows(table: table_pb2.Table, sheet: arzoi_pb2.ArzoiScoreSheet, texts: Texts) -> Sequence[SheetRow]:
    """The rows of the sheet under a heading for every orbit, each orbit closed by the running totals."""
    rows: list[SheetRow] = []
    totals = [0] * len(table.seats)
    orbit = 0
    for row in sheet.rows:
        if row.orbit != orbit:
            if orbit:
                rows.append(_total(totals, texts))
            orbit = row.orbit
            heading = texts("arzoi.sheet.heading", orbit=orbit, variant=variant_name(row.variant, texts))
            rows.append(SheetRow("heading", heading))
        rows.append(SheetRow("row", _label(row, texts), [_cell(row, cell) for cell in row.cells]))
        for seat, cell in enumerate(row.cells):
            totals[seat] += cell.change
    if orbit:
        rows.append(_total(totals, texts))
    return rows


def _total(totals: Sequence[int], texts: Texts) -> SheetRow:
    return SheetRow("total", texts("sheet.total"), [Text(signed(total), "bold") for total in totals])


def _label(row: arzoi_pb2.ArzoiScoreRow, texts: Texts) -> str:
    if row.round == 0:
        return texts("arzoi.sheet.bonus")
    label = texts("arzoi.sheet.round", part=texts(PART_LABELS.get(row.part, "arzoi.sheet.whist")), round=row.round)
    return label if row.attempt <= 1 else f"{label} ×{1 << (row.attempt - 1)}"


def _cell(row: arzoi_pb2.ArzoiScoreRow, cell: arzoi_pb2.ArzoiCell) -> Text:
    if row.round == 0:
        return change_text(cell.change) if cell.change else Text("")
    if row.part == arzoi_pb2.ARZOI_PART_WHIST:
        return Text(f"{cell.tricks}/{cell.bid} {signed(cell.change)}", BAD if cell.burned else GOOD)
    return Text.assemble(f"{cell.points}p ", change_text(cell.change))
