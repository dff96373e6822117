"""What is dealt in a match of whist: the pack and the number of cards of every deal (RW-2, RW-3)."""

from typing import Final

from services.table.engine.cards import pack_of
from services.table.engine.whist.options import PATTERNS, Pattern

SIZES: Final = range(3, 7)
"""Numbers of players (RW-1, GAP-W6)."""
MOST_CARDS: Final = 8
"""The greatest number of cards each; then the whole pack is dealt and there is no trump (RW-5)."""

PACKS: Final[dict[int, tuple[int, ...]]] = {seats: pack_of(2 * seats) for seats in SIZES}
"""The pack of each number of players: eight cards for each of them, the highest ranks (RW-2)."""


def _cards(pattern: Pattern, seats: int) -> tuple[int, ...]:
    ends, middle = (1, MOST_CARDS) if pattern == "1-8-1" else (MOST_CARDS, 1)
    steps = tuple(range(2, MOST_CARDS))
    going = steps if ends < middle else steps[::-1]
    return (*[ends] * seats, *going, *[middle] * seats, *going[::-1], *[ends] * seats)


DEALS: Final[dict[tuple[Pattern, int], tuple[int, ...]]] = {
    (pattern, seats): _cards(pattern, seats) for pattern in PATTERNS for seats in SIZES
}
"""Cards each in every deal of a match, in order: 3n + 12 of them (RW-3)."""
