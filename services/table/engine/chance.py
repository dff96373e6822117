"""Chance for play-outs: a small generator that whoever searches makes, seeds and passes in.

The same seed gives the same numbers for ever, plain or compiled. They are good enough to play with, and easily
foretold: what is dealt to people comes from elsewhere.
"""

from collections.abc import Sequence
from typing import Final, final

from services.table.engine.cards import card_of, count
from services.table.engine.native import i64

_FACTOR: Final = 698769069
_LOW: Final = 0xFFFFFFFF
"""Multiply with carry, in 32 bits and a carry of 30: no product leaves 62 bits, and the period is above 10^18."""


@final
class Generator:
    """A source of random numbers."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        """Begins the numbers that belong to `seed`, any integer."""
        carry = (seed * 2654435761 + 362436069) % (_FACTOR - 2) + 1
        self._state: i64 = carry << 32 | (seed ^ seed >> 32) & _LOW ^ 521288629
        for _ in range(8):
            self.below(2)

    def below(self, bound: i64) -> i64:
        """A number from 0 up to but not including `bound`, which is 1 to 2^30; all are equally likely."""
        state: i64 = _FACTOR * (self._state & _LOW) + (self._state >> 32)
        self._state = state
        return (state & _LOW) * bound >> 32

    def pick(self, cards: i64) -> i64:
        """One card of a set that is not empty; all are equally likely."""
        for _ in range(self.below(count(cards))):
            cards &= cards - 1
        return card_of(cards & -cards)

    def shuffled(self, cards: Sequence[int]) -> tuple[int, ...]:
        """The cards in a random order."""
        order = list(cards)
        left: i64 = len(order)
        while left > 1:
            place = self.below(left)
            left -= 1
            order[left], order[place] = order[place], order[left]
        return tuple(order)
