"""Rentz for bots."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from services.bot.players.game import AllOffered, Outcome, Player, Random
from services.bot.players.rentz.levels import Club, Novice
from services.bot.players.rentz.view import RentzView, observed, told
from services.bot.players.tricks.thumb import lowest_card
from services.table.engine.rentz import Event, Options, Scored, State
from services.table.engine.rentz.subgames import SEATS
from shared.gen.levata.table.v1 import game_pb2, table_pb2

PLAYERS: Final[Mapping[str, Player]] = {"novice": Novice(), "club": Club(), "random": Random()}
"""Every player by the name of the level."""


class RentzBots(AllOffered):
    """Rentz for `BotGame`."""

    name = "rentz"
    sizes = range(SEATS, SEATS + 1)
    players = PLAYERS
    cap = 1000
    goal = "bids made"

    def read(
        self,
        table: game_pb2.GameTable,
        private: table_pb2.Private,
        legal: Sequence[game_pb2.GameAction],
        history: Iterable[table_pb2.Event],
    ) -> RentzView:
        """What the seat was told."""
        return told(table.rentz, private, [action.rentz for action in legal], history)

    def rule_of_thumb(self, table: game_pb2.GameTable, legal: Sequence[game_pb2.GameAction]) -> game_pb2.GameAction:
        """The first subgame; the lowest card."""
        actions = [action.rentz for action in legal]
        if any(action.WhichOneof("action") == "choose" for action in actions):
            return legal[0]
        return legal[lowest_card(actions)]

    def new(self, seats: int) -> State:
        """A match."""
        return State(Options(), seats)

    def observe(self, state: State) -> RentzView:
        """What the seat to decide sees."""
        return observed(state)

    def deal_name(self, state: State) -> str:
        """The number of the hand; the draw has one of its own."""
        return str(state.number if state.drawn else 0)

    def outcomes(self, event: Event) -> Iterable[Outcome]:
        """The hand that was scored."""
        if isinstance(event, Scored):
            yield Outcome(event.row.subgame.value, event.row.points)
