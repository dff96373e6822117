"""Remi for bots."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from services.bot.players.game import Outcome, Player, Random
from services.bot.players.remi.levels import Club, Novice
from services.bot.players.remi.observing import observed
from services.bot.players.remi.reading import told
from services.bot.players.remi.view import RemiView
from services.bot.players.remi.writing import written
from services.table.engine.remi import Action, Event, Options, Scored, State
from services.table.engine.remi.options import SIZES
from shared.gen.levata.table.v1 import game_pb2, table_pb2

PLAYERS: Final[Mapping[str, Player]] = {"novice": Novice(), "club": Club(), "random": Random()}
"""Every player by the name of the level."""


class RemiBots:
    """Remi for `BotGame`."""

    name = "remi"
    sizes = SIZES
    cap = 1000
    goal = "rounds closed"
    players = PLAYERS

    def read(
        self,
        table: game_pb2.GameTable,
        private: table_pb2.Private,
        legal: Sequence[game_pb2.GameAction],
        history: Iterable[table_pb2.Event],
    ) -> RemiView:
        """What the seat was told."""
        return told(table.remi, private, [action.remi for action in legal], history)

    def write(self, action: Action) -> game_pb2.GameAction:
        """The message for an action, also for one that is not among those sent."""
        return game_pb2.GameAction(remi=written(action))

    def rule_of_thumb(self, table: game_pb2.GameTable, legal: Sequence[game_pb2.GameAction]) -> game_pb2.GameAction:
        """Draws; gives back what is not used; lays what can be laid, as long as anything can; then discards."""
        kinds = [action.remi.WhichOneof("action") for action in legal]
        for kind in ("close_with_atu", "announce", "draw", "undo_take", "turn", "lay", "discard"):
            if kind in kinds:
                return legal[kinds.index(kind)]
        return legal[0]

    def out_of_time(
        self, table: game_pb2.GameTable, legal: Sequence[game_pb2.GameAction]
    ) -> game_pb2.GameAction | None:
        """Gives back what was taken from the row and is not used yet (GAP-R13)."""
        if not table.remi.duty:
            return None
        return next((action for action in legal if action.remi.HasField("undo_take")), None)

    def new(self, seats: int) -> State:
        """A match with the usual options."""
        return State(Options(), seats)

    def observe(self, state: State) -> RemiView:
        """What the seat to decide sees."""
        return observed(state)

    def deal_name(self, state: State) -> str:
        """The number of the round."""
        return str(state.number)

    def outcomes(self, event: Event) -> Iterable[Outcome]:
        """The round that was scored."""
        if isinstance(event, Scored):
            row = event.row
            closed = [seat == row.closer for seat in range(len(row.cells))]
            yield Outcome("remi", [cell.points for cell in row.cells], True, closed)
