"""The score sheet of Rentz: hand by hand with the totals, what the present hand has brought, who chose what."""

from collections.abc import Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import rentz_pb2, table_pb2
from shared.terminal.games.rentz.captured import captured_in
from shared.terminal.games.rentz.chosen import chosen_rows
from shared.terminal.games.rentz.subgames import subgame_name
from shared.terminal.games.tricks import change_text, signed
from shared.terminal.games.view import SheetRow
from shared.terminal.texts import Texts

CELL = 13
"""Cells of a column in which captured cards are still listed; four such columns fit 80."""


def sheet_rows(table: table_pb2.Table, sheet: rentz_pb2.RentzScoreSheet, texts: Texts) -> Sequence[SheetRow]:
    """A row for each hand under a heading for each round, the totals, the present hand, and the grid of choices."""
    if not table.game.rentz.drawn:
        return []
    seats = max(1, len(table.seats))
    totals = [0] * seats
    rows: list[SheetRow] = []
    for row in sheet.rows:
        if (row.number - 1) % seats == 0:
            rows.append(SheetRow("heading", texts("rentz.sheet.round", round=(row.number - 1) // seats + 1)))
        label = texts("rentz.sheet.row", number=row.number, subgame=subgame_name(row.subgame, texts))
        rows.append(
            SheetRow("row", label, [_cell(change, row.dealer == seat) for seat, change in enumerate(row.points)])
        )
        for seat, change in enumerate(row.points):
            totals[seat] += change
    if sheet.rows:
        rows.append(SheetRow("total", texts("sheet.total"), [Text(signed(total), "bold") for total in totals]))
    return [*rows, *_present(table, texts), *chosen_rows(table, texts)]


def _cell(change: int, chose: bool) -> Text:
    return Text.assemble(("◆" if chose else "", "#8fd0ff"), change_text(change))


def _present(table: table_pb2.Table, texts: Texts) -> Sequence[SheetRow]:
    """What the hand that is being played has brought so far, and the cards that brought it."""
    game = table.game.rentz
    if not game.subgame:
        return []
    name = subgame_name(game.subgame, texts)
    points = [change_text(seat.points) for seat in game.seats]
    rows = [
        SheetRow("heading", texts("rentz.sheet.present", number=game.number, subgame=name)),
        SheetRow("row", texts("rentz.sheet.points"), points),
    ]
    if any(seat.captured for seat in game.seats):
        cells = [captured_in(seat.captured, CELL) or Text("·", "dim") for seat in game.seats]
        rows.append(SheetRow("row", texts("rentz.sheet.captured"), cells))
    return rows
