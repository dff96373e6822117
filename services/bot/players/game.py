"""The seam of the games: all that the bot service asks of one game."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from services.table.engine.game import State
from shared.gen.levata.table.v1 import game_pb2, table_pb2


class View(Protocol):
    """A decision to be made, and all that its seat may know; each game has its own."""

    @property
    def seat(self) -> int:
        """The seat that decides."""

    @property
    def legal(self) -> tuple[Any, ...]:
        """What the seat was offered, in the game's order: all legal actions, or the best where they are too many."""


class Player(Protocol):
    """Somebody who plays one game."""

    def decide(self, view: Any, rng: random.Random) -> Any:
        """One of `view.legal`, or where these are not all that the rules allow, any legal action.

        Args:
            view: What the player sees.
            rng: Where chance comes from; the same generator and view give the same answer.
        """


class Random:
    """Any legal action: the measure of what knowing the rules alone is worth. Not offered at tables."""

    def decide(self, view: View, rng: random.Random) -> Any:
        """Any of the actions offered, each with the same chance."""
        return rng.choice(view.legal)


class AllOffered:
    """Of games in which everything legal is offered: a `BotGame` derives from it to have nothing else to write."""

    def write(self, action: Any) -> game_pb2.GameAction:
        """Raises `ValueError`: a player made an action up."""
        raise ValueError(f"{type(action).__name__} is none of the actions offered")

    def out_of_time(
        self, table: game_pb2.GameTable, legal: Sequence[game_pb2.GameAction]
    ) -> game_pb2.GameAction | None:
        """None: a bot decides as it would for itself."""
        return None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A row of a score sheet, as the arena counts it.

    Attributes:
        part: What was played, for people.
        changes: What it brought each seat.
        counts: It is a round; otherwise a bonus beside the rounds.
        made: Whether each seat did what it set out to (`BotGame.goal`); empty where there was nothing, or where it does
            not count.
    """

    part: str
    changes: Sequence[int]
    counts: bool = True
    made: Sequence[bool] = ()


class BotGame(Protocol):
    """One game for bots: who plays it at which level, and what they see."""

    name: str
    """As on the wire: `arzoi`."""
    sizes: range
    """Numbers of players."""
    cap: int
    """The most that a row of the score sheet counts in the arena, so that one row does not decide."""
    goal: str
    """What `Outcome.made` tells, for people: `bids made`."""
    players: Mapping[str, Player]
    """Every player by the name of the level, `random` among them."""

    def read(
        self,
        table: game_pb2.GameTable,
        private: table_pb2.Private,
        legal: Sequence[game_pb2.GameAction],
        history: Iterable[table_pb2.Event],
    ) -> View:
        """What the seat of `private` was told; its legal actions in the order of `legal`.

        Raises:
            UnreadableViewError: The messages contradict each other.
        """

    def write(self, action: Any) -> game_pb2.GameAction:
        """The message for an action of a player's own making, which is none of those that it was offered.

        Raises:
            ValueError: In this game everything legal is offered.
        """

    def rule_of_thumb(self, table: game_pb2.GameTable, legal: Sequence[game_pb2.GameAction]) -> game_pb2.GameAction:
        """A sensible one of the legal actions that needs no understanding of the view."""

    def out_of_time(
        self, table: game_pb2.GameTable, legal: Sequence[game_pb2.GameAction]
    ) -> game_pb2.GameAction | None:
        """What the rules say is to be done for a person whose time is out; None if that is left to the bot."""

    def new(self, seats: int) -> State:
        """A match with the usual options, for the arena."""

    def observe(self, state: Any) -> View:
        """What the seat to decide sees of a state of the engine: the same view that is read from its turn."""

    def deal_name(self, state: Any) -> str:
        """Which deal of the match is due: the same wherever the play before it went."""

    def outcomes(self, event: Any) -> Iterable[Outcome]:
        """The rows that an event of the engine adds to the score sheet."""
