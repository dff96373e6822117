"""Tiles as small integers, hands as two bit planes and a number of Jokers, values, and notation.

A tile is its *kind*: colour * 13 + number - 1 for the colours red, yellow, blue and black, and 52 for a Joker (RM-1).
Twins, the two copies of a tile, are equal; nothing in the rules tells them apart.

In text a tile is its colour and its number: `R7`, `K13`; a Joker is `*`.
"""

from collections.abc import Iterable
from typing import Final

from services.table.engine.game import NotationError

COLOURS: Final = "RYBK"
"""Colours in text, in the order of the numbering: red, yellow, blue, black."""
NUMBER_COUNT: Final = 13
JOKER: Final = 52
"""The kind of both Jokers."""
KIND_COUNT: Final = 53
HIGH_ACE: Final = 14
"""The place of an ace at the end of a run, after 13 (RM-5)."""

PACK: Final[tuple[int, ...]] = tuple([kind for kind in range(KIND_COUNT) for _ in range(2)])
"""All 106 tiles, ascending (RM-1)."""
BIT: Final[tuple[int, ...]] = tuple([2**kind for kind in range(JOKER)])
"""The mask of each kind but the Joker."""
TEXT: Final[tuple[str, ...]] = (*(f"{colour}{number}" for colour in COLOURS for number in range(1, 14)), "*")
"""Each kind in text."""
COLOUR_OF: Final[tuple[int, ...]] = (*(kind // NUMBER_COUNT for kind in range(JOKER)), -1)
"""For each kind its colour, 0 to 3; -1 for a Joker, which has none (GAP-R25)."""
NUMBER_OF: Final[tuple[int, ...]] = (*(kind % NUMBER_COUNT + 1 for kind in range(JOKER)), 0)
"""For each kind its number, 1 to 13; 0 for a Joker."""
HAND_VALUE: Final[tuple[int, ...]] = (
    *(25 if number == 1 else 5 if number < 10 else 10 for number in NUMBER_OF[:JOKER]),
    50,
)
"""For each kind its value when it is left in hand, before any multiplier (RM-32)."""
RUN_POINTS: Final[tuple[int, ...]] = (0, *(5 if place < 10 else 10 for place in range(1, HIGH_ACE + 1)))
"""Points of a tile at each place of a run: places 1 to 13 by number, 14 for an ace at the end (RM-15)."""
SET_POINTS: Final[tuple[int, ...]] = (0, 10, *(5 if number < 10 else 10 for number in range(2, 14)))
"""Points of a tile in a set of each number (RM-15)."""

_KINDS: Final[dict[str, int]] = {text: kind for kind, text in enumerate(TEXT)}


def tile_of(colour: int, number: int) -> int:
    """The tile of a colour and a number; 14 is the ace as well."""
    return colour * NUMBER_COUNT + (number - 1) % NUMBER_COUNT


def parse_tile(text: str) -> int:
    """The tile written as colour and number, or `*`. Raises `NotationError`."""
    kind = _KINDS.get(text)
    if kind is None:
        raise NotationError(f"{text!r} is not a tile; expected a colour of {COLOURS} and 1 to 13, such as K13, or *")
    return kind


def parse_tiles(text: str) -> tuple[int, ...]:
    """Tiles separated by spaces, in the order written. Raises `NotationError`."""
    return tuple([parse_tile(word) for word in text.split()])


def tiles_text(tiles: Iterable[int]) -> str:
    """Tiles in text, separated by spaces, in the order given."""
    return " ".join([TEXT[kind] for kind in tiles])


class Hand:
    """Tiles that somebody holds: any tiles of the pack, none more than twice.

    Attributes:
        ones: The kinds held at least once, as a mask (bit k for kind k), Jokers apart.
        twos: The kinds held twice, as a mask.
        jokers: Number of Jokers.
    """

    __slots__ = ("jokers", "ones", "twos")

    def __init__(self, ones: int = 0, twos: int = 0, jokers: int = 0) -> None:
        self.ones: int = ones
        self.twos: int = twos
        self.jokers: int = jokers

    def copy(self) -> "Hand":
        """An independent copy."""
        return Hand(self.ones, self.twos, self.jokers)

    def size(self) -> int:
        """Number of tiles."""
        return self.ones.bit_count() + self.twos.bit_count() + self.jokers

    def count(self, tile: int) -> int:
        """How many of this tile there are: 0, 1 or 2."""
        if tile == JOKER:
            return self.jokers
        bit = BIT[tile]
        return 2 if self.twos & bit else 1 if self.ones & bit else 0

    def add(self, tile: int) -> None:
        """Takes a tile up. There are no more than two of a kind in the game."""
        if tile == JOKER:
            self.jokers += 1
        elif self.ones & BIT[tile]:
            self.twos |= BIT[tile]
        else:
            self.ones |= BIT[tile]

    def remove(self, tile: int) -> None:
        """Gives a tile away. It has to be there."""
        if tile == JOKER:
            self.jokers -= 1
        elif self.twos & BIT[tile]:
            self.twos ^= BIT[tile]
        else:
            self.ones ^= BIT[tile]

    def holds(self, tiles: Iterable[int]) -> bool:
        """Whether all of these tiles, each as often as it occurs, are there."""
        rest = self.copy()
        for tile in tiles:
            if not rest.count(tile):
                return False
            rest.remove(tile)
        return True

    def tiles(self) -> list[int]:
        """The tiles, ascending: colour by colour, Jokers last."""
        tiles: list[int] = []
        mask = self.ones
        while mask:
            bit = mask & -mask
            kind = bit.bit_length() - 1
            tiles.append(kind)
            if self.twos & bit:
                tiles.append(kind)
            mask ^= bit
        tiles.extend([JOKER] * self.jokers)
        return tiles

    def value(self, atu_colour: int = -1) -> int:
        """What the tiles are worth in hand (RM-32), those of the colour of the Atu twice (RM-31)."""
        value = 0
        for tile in self.tiles():
            value += HAND_VALUE[tile] * (2 if COLOUR_OF[tile] == atu_colour and tile != JOKER else 1)
        return value

    def key(self) -> tuple[int, int, int]:
        """The tiles as a comparable value."""
        return self.ones, self.twos, self.jokers

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same tiles."""
        return isinstance(other, Hand) and self.key() == other.key()

    def __hash__(self) -> int:
        """Not to be relied on after a change, as with any container."""
        return hash(self.key())

    def __repr__(self) -> str:
        return f"Hand({tiles_text(self.tiles())})"


def hand_of(tiles: Iterable[int]) -> Hand:
    """A hand of the tiles given."""
    hand = Hand()
    for tile in tiles:
        hand.add(tile)
    return hand
