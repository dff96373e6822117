"""Hands as the solver sees them: bit planes number by number.

A plane has bit 4 * (number - 1) + colour for each kind. So the lowest bit of a hand is a tile that goes together with
tiles of its number and of the next few only (an ace also with the highest), and deciding about tiles from the lowest on
keeps what is undecided in a narrow band.
"""

from typing import Final

from services.table.engine.remi.tiles import COLOUR_OF, HIGH_ACE, JOKER, NUMBER_OF, Hand, tile_of

TILE_BIT: Final[tuple[int, ...]] = (
    *(2 ** (4 * (NUMBER_OF[kind] - 1) + COLOUR_OF[kind]) for kind in range(JOKER)),
    0,
)
"""For each kind its mask; 0 for a Joker, which is in no plane."""
PLACE_BIT: Final[tuple[tuple[int, ...], ...]] = tuple(
    [(0, *(TILE_BIT[tile_of(colour, place)] for place in range(1, HIGH_ACE + 1))) for colour in range(4)]
)
"""For each colour and each place of a run, 1 to 14, the mask of its tile."""
KIND_AT: Final[tuple[int, ...]] = tuple(sorted(range(JOKER), key=lambda kind: TILE_BIT[kind]))
"""For each bit its kind."""


class Planes:
    """The tiles of a hand.

    Attributes:
        ones: The kinds held at least once.
        twos: The kinds held twice.
        jokers: Number of Jokers.
        rows: For each colour the places of a run that there is a tile for: bit place - 1, the ace at both ends.
    """

    __slots__ = ("jokers", "ones", "rows", "twos")

    def __init__(self, hand: Hand) -> None:
        self.ones: int = plane(hand.ones)
        self.twos: int = plane(hand.twos)
        self.jokers: int = hand.jokers
        self.rows: list[int] = []
        mask = hand.ones
        for _ in range(4):
            row = mask & 8191
            self.rows.append(row | (row & 1) * 8192)
            mask >>= 13


def plane(mask: int) -> int:
    """A plane of kinds, as a hand has it, number by number."""
    result = 0
    while mask:
        bit = mask & -mask
        result |= TILE_BIT[bit.bit_length() - 1]
        mask ^= bit
    return result


def kinds_of(mask: int) -> list[int]:
    """The kinds in a plane of the solver, number by number."""
    kinds: list[int] = []
    while mask:
        bit = mask & -mask
        kinds.append(KIND_AT[bit.bit_length() - 1])
        mask ^= bit
    return kinds
