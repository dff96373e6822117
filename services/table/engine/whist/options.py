"""The options of a match of whist."""

from dataclasses import dataclass
from typing import Final, Literal

Pattern = Literal["1-8-1", "8-1-8"]
"""How the number of cards goes up and down in the course of a match (RW-3)."""

PATTERNS: Final[tuple[Pattern, ...]] = ("1-8-1", "8-1-8")
PREMIUMS: Final[tuple[int, ...]] = (10, 5, 0)
"""What a premium may be worth, the usual first (GAP-W1)."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the host decides before the start.

    Attributes:
        pattern: How the number of cards goes up and down (RW-3).
        premium: Points for five exact hands in a row, lost for five misses in a row (RW-9); 0 to play without.
    """

    pattern: Pattern = "1-8-1"
    premium: int = 10
