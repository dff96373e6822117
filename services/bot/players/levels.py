"""The levels that bots play at."""

import random
from collections.abc import Mapping
from typing import Protocol

from services.bot.players.arzoi.club import Club
from services.bot.players.arzoi.novice import Novice
from services.bot.players.arzoi.view import ArzoiView
from services.table.engine.arzoi.actions import Action
from shared.gen.levata.table.v1 import table_pb2


class Player(Protocol):
    """Somebody who plays Arzoi."""

    def decide(self, view: ArzoiView, rng: random.Random) -> Action:
        """One of `view.legal`.

        Args:
            view: What the player sees.
            rng: Where chance comes from; the same generator and view give the same answer.
        """


class Random:
    """Any legal action: the measure of what knowing the rules alone is worth. Not offered at tables."""

    def decide(self, view: ArzoiView, rng: random.Random) -> Action:
        """Any of the legal actions, each with the same chance."""
        return rng.choice(view.legal)


PLAYERS: Mapping[str, Player] = {"novice": Novice(), "club": Club(), "random": Random()}
"""Every player by name."""

_LEVELS: Mapping[int, str] = {
    table_pb2.BOT_LEVEL_UNSPECIFIED: "club",
    table_pb2.BOT_LEVEL_NOVICE: "novice",
    table_pb2.BOT_LEVEL_CLUB: "club",
}


def name_of(level: int) -> str:
    """The player that a table's bot level means; levels that are not known play as club."""
    return _LEVELS.get(level, "club")


def generator(table_id: str, revision: int, seat: int, purpose: str = "play") -> random.Random:
    """The generator for one decision: always the same for the same one, so that a redelivered turn decides alike."""
    return random.Random(f"{purpose}:{table_id}:{revision}:{seat}")
