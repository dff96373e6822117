"""Arzoi for bots."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from services.bot.players.arzoi import observing, reading
from services.bot.players.arzoi.club import Club
from services.bot.players.arzoi.novice import Novice
from services.bot.players.arzoi.view import ArzoiView
from services.bot.players.game import AllOffered, Outcome, Player, Random
from services.bot.players.tricks.thumb import fair_bid, lowest_card
from services.table.engine.arzoi.events import Event, Part, Scored
from services.table.engine.arzoi.match import State
from services.table.engine.arzoi.options import Options
from shared.gen.levata.table.v1 import game_pb2, table_pb2

PLAYERS: Final[Mapping[str, Player]] = {"novice": Novice(), "club": Club(), "random": Random()}
"""Every player by the name of the level."""


class ArzoiBots(AllOffered):
    """Arzoi for `BotGame`."""

    name = "arzoi"
    sizes = range(3, 10)
    cap = 40
    goal = "bids made"
    players = PLAYERS

    def read(
        self,
        table: game_pb2.GameTable,
        private: table_pb2.Private,
        legal: Sequence[game_pb2.GameAction],
        history: Iterable[table_pb2.Event],
    ) -> ArzoiView:
        """What the seat was told."""
        actions = [action.arzoi for action in legal]
        return reading.view_of(table.arzoi, private.seat, private.hand.arzoi, actions, history)

    def rule_of_thumb(self, table: game_pb2.GameTable, legal: Sequence[game_pb2.GameAction]) -> game_pb2.GameAction:
        """The first variant; the bid nearest to a fair share of the tricks; the lowest card; leaving a trick."""
        actions = [action.arzoi for action in legal]
        kinds = [action.WhichOneof("action") for action in actions]
        if all(kind == "bid" for kind in kinds):
            return legal[fair_bid(actions, table.arzoi.cards_each, len(table.arzoi.seats))]
        if "leave" in kinds:
            return legal[kinds.index("leave")]
        if all(kind == "play" for kind in kinds):
            return legal[lowest_card(actions)]
        return legal[0]

    def new(self, seats: int) -> State:
        """A match with the usual options."""
        return State(Options(), seats)

    def observe(self, state: State) -> ArzoiView:
        """What the seat to decide sees."""
        return observing.view_of(state)

    def deal_name(self, state: State) -> str:
        """Orbit, part, variant, round and attempt."""
        part = state.part.value if state.part else ""
        return f"{state.orbit}:{part}:{state.variant}:{state.round}:{state.attempt}"

    def outcomes(self, event: Event) -> Iterable[Outcome]:
        """The row that was scored; bids count in the attempt that decides a round (GAP-A5)."""
        if not isinstance(event, Scored):
            return
        row = event.row
        bids = row.part is Part.WHIST and row.round > 0 and not row.replayed
        yield Outcome(
            row.part.value,
            [cell.change for cell in row.cells],
            row.round > 0,
            [not cell.burned for cell in row.cells] if bids else (),
        )
