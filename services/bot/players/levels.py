"""The levels that bots play at."""

import random
from collections.abc import Mapping
from typing import Final

from shared.gen.levata.table.v1 import table_pb2

_LEVELS: Mapping[int, str] = {
    table_pb2.BOT_LEVEL_UNSPECIFIED: "club",
    table_pb2.BOT_LEVEL_NOVICE: "novice",
    table_pb2.BOT_LEVEL_CLUB: "club",
}
LEVELS: Final = tuple(sorted(set(_LEVELS.values())))
"""Their names."""


def name_of(level: int) -> str:
    """The player that a table's bot level means; levels that are not known play as club."""
    return _LEVELS.get(level, "club")


def generator(table_id: str, revision: int, seat: int, purpose: str = "play") -> random.Random:
    """The generator for one decision: always the same for the same one, so that a redelivered turn decides alike."""
    return random.Random(f"{purpose}:{table_id}:{revision}:{seat}")
