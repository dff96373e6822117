"""The options of a match of Remi."""

from dataclasses import dataclass
from typing import Final

SIZES: Final = range(2, 5)
"""Numbers of players (GAP-R1)."""
MOST_ROUNDS: Final = 20


@dataclass(frozen=True, slots=True)
class Options:
    """What the host decides before the start.

    Attributes:
        rounds: Rounds in the match, 1 to 20 (GAP-R27).
    """

    rounds: int = 1
