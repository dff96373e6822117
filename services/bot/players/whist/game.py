"""Whist for bots."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from services.bot.players.game import AllOffered, Outcome, Player, Random
from services.bot.players.tricks.thumb import fair_bid, lowest_card
from services.bot.players.whist.levels import Club, Novice
from services.bot.players.whist.view import WhistView, observed, told
from services.table.engine.whist import Event, Options, Scored, State
from services.table.engine.whist.course import SIZES
from shared.gen.levata.table.v1 import game_pb2, table_pb2

PLAYERS: Final[Mapping[str, Player]] = {"novice": Novice(), "club": Club(), "random": Random()}
"""Every player by the name of the level."""


class WhistBots(AllOffered):
    """Whist for `BotGame`."""

    name = "whist"
    sizes = SIZES
    cap = 40
    goal = "bids made"
    players = PLAYERS

    def read(
        self,
        table: game_pb2.GameTable,
        private: table_pb2.Private,
        legal: Sequence[game_pb2.GameAction],
        history: Iterable[table_pb2.Event],
    ) -> WhistView:
        """What the seat was told."""
        return told(table.whist, private, [action.whist for action in legal], history)

    def rule_of_thumb(self, table: game_pb2.GameTable, legal: Sequence[game_pb2.GameAction]) -> game_pb2.GameAction:
        """The bid nearest to a fair share of the tricks; the lowest card."""
        actions = [action.whist for action in legal]
        if all(action.WhichOneof("action") == "bid" for action in actions):
            return legal[fair_bid(actions, table.whist.cards_each, len(table.whist.seats))]
        return legal[lowest_card(actions)]

    def new(self, seats: int) -> State:
        """A match with the usual options."""
        return State(Options(), seats)

    def observe(self, state: State) -> WhistView:
        """What the seat to decide sees."""
        return observed(state)

    def deal_name(self, state: State) -> str:
        """The number of the hand; the draw has one of its own."""
        return str(state.number if state.drawn else 0)

    def outcomes(self, event: Event) -> Iterable[Outcome]:
        """The hand that was scored."""
        if isinstance(event, Scored):
            cells = event.row.cells
            made = [cell.bid == cell.tricks for cell in cells]
            yield Outcome("whist", [cell.change for cell in cells], True, made)
