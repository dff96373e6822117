"""Who chose what: a grid of the players and the subgames."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.games.rentz.subgames import SUBGAMES, Subgame, colour, subgame_mark, subgame_name
from shared.terminal.games.tricks import seat_name
from shared.terminal.games.view import SheetRow
from shared.terminal.texts import Texts
from shared.terminal.widgets.canvas import Canvas, fitted

WIDEST_COLUMN = 4
WIDEST_NAME = 16
NOW = "bold #ffd75f"
OPEN = "·"


def chosen_by(table: table_pb2.Table, seat: int) -> Sequence[Subgame]:
    """The subgames that a player has chosen, in the order of the rounds, this hand's included."""
    game = table.game.rentz
    if seat >= len(game.seats):
        return []
    now = [game.subgame] if game.subgame and game.dealer == seat else []
    return [*game.seats[seat].chosen, *now]


def left_to(table: table_pb2.Table, seat: int) -> Sequence[Subgame]:
    """The subgames that a player has still to choose after this hand."""
    gone = chosen_by(table, seat)
    return [subgame for subgame in SUBGAMES if subgame not in gone]


def chosen_rows(table: table_pb2.Table, texts: Texts) -> Sequence[SheetRow]:
    """The grid for the score sheet: a row for each subgame, in the column of each player the round of the choice."""
    seats = range(len(table.seats))
    rows = [SheetRow("heading", texts("rentz.sheet.chosen"))]
    for subgame in SUBGAMES:
        cells = []
        for seat in seats:
            gone = chosen_by(table, seat)
            cells.append(Text(str(gone.index(subgame) + 1)) if subgame in gone else Text(OPEN, "dim"))
        rows.append(SheetRow("row", subgame_name(subgame, texts), cells))
    return rows


@dataclass(frozen=True, slots=True)
class ChosenSpread:
    """The grid on the table while somebody chooses: a row for each player, in each column the round of the choice."""

    table: table_pb2.Table
    texts: Texts

    def draw(self, canvas: Canvas, x: int, y: int, width: int, height: int) -> None:
        """Draws the marks of the subgames and the players under them; columns are as wide as there is room."""
        rows = len(self.table.seats) + 1
        column = max(2, min(WIDEST_COLUMN, width // (2 * len(SUBGAMES))))
        names = min(WIDEST_NAME, width - column * len(SUBGAMES))
        left = x + (width - names - column * len(SUBGAMES)) // 2
        line = 2 if height >= 2 * rows else 1
        top = y + max(0, height - rows * line + line - 1) // 2
        if names <= 0 or height < rows:
            return
        for index, subgame in enumerate(SUBGAMES):
            mark = Text(subgame_mark(subgame, self.texts).rjust(column), f"bold {colour(subgame)}")
            canvas.put(left + names + index * column, top, mark)
        for seat in range(rows - 1):
            at = top + (seat + 1) * line
            chooses = self.table.game.rentz.dealer == seat
            name = fitted(seat_name(self.table, seat), names - 1)
            canvas.put(left, at, Text(name, "bold" if chooses else ""))
            gone = chosen_by(self.table, seat)
            for index, subgame in enumerate(SUBGAMES):
                round_of = str(gone.index(subgame) + 1) if subgame in gone else OPEN
                style = NOW if chooses and subgame not in gone else "dim" if subgame not in gone else ""
                canvas.put(left + names + index * column, at, Text(round_of.rjust(column), style))
