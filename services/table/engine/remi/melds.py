"""Combinations: runs and sets, what Jokers in them stand for, their points, and what can be added or swapped.

A run lies in ascending order and a Joker in it stands for the tile of its place (GAP-R9, GAP-R38), so the places of a
run are numbers from 1 to 13, and 14 for an ace at the end (RM-5, GAP-R7). In a set the order is free.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from services.table.engine.game import IllegalAction
from services.table.engine.remi.actions import End
from services.table.engine.remi.tiles import (
    COLOUR_OF,
    HIGH_ACE,
    JOKER,
    NUMBER_OF,
    RUN_POINTS,
    SET_POINTS,
    TEXT,
    tile_of,
    tiles_text,
)

SHORTEST = 3
"""Tiles that a combination has at least (RM-4, RM-6)."""
LARGEST_SET = 4
"""Tiles of a complete set (RM-6)."""
REAL_PER_JOKER = 2
"""Real tiles that a combination has for each of its Jokers, at least (RM-8)."""


@dataclass(frozen=True, slots=True)
class Meld:
    """A valid combination. `meld_of` makes one.

    Attributes:
        tiles: The tiles; those of a run in ascending order.
        run: It is a run; otherwise a set.
        low: Of a run the place of its first tile, 1 to 12; of a set its number, 1 to 13.
        colour: Of a run its colour, 0 to 3; of a set -1.
    """

    tiles: tuple[int, ...]
    run: bool
    low: int
    colour: int

    @property
    def high(self) -> int:
        """Of a run the place of its last tile, 3 to 14; of a set its number."""
        return self.low + len(self.tiles) - 1 if self.run else self.low

    @property
    def jokers(self) -> int:
        """Number of Jokers in it."""
        return self.tiles.count(JOKER)

    def points_at(self, index: int) -> int:
        """Points of the tile at this index; of a Joker those of the tile that it replaces (RM-15)."""
        return RUN_POINTS[self.low + index] if self.run else SET_POINTS[self.low]

    def points(self) -> int:
        """Points of all its tiles (RM-15)."""
        total = 0
        for index in range(len(self.tiles)):
            total += self.points_at(index)
        return total

    def missing_colours(self) -> tuple[int, ...]:
        """The colours that no real tile of a set has, ascending; of a run none."""
        if self.run:
            return ()
        present = [COLOUR_OF[tile] for tile in self.tiles]
        return tuple([colour for colour in range(4) if colour not in present])

    def stands_for(self, index: int) -> tuple[int, ...]:
        """The tiles that may take the place of the Joker at this index, ascending; none if it is not a Joker.

        In a run it is the tile of the place, in a set each tile whose colour is missing (GAP-R9).
        """
        if self.tiles[index] != JOKER:
            return ()
        if self.run:
            return (tile_of(self.colour, self.low + index),)
        return tuple([tile_of(colour, self.low) for colour in self.missing_colours()])

    def ends_for(self, tile: int) -> tuple[End, ...]:
        """Where this tile may be added (RM-22).

        Returns:
            For a set `("",)`, for a run `low` or `high` or both in this order; empty if it fits nowhere.
        """
        if tile == JOKER and self._is_full_of_jokers():
            return ()
        if not self.run:
            if len(self.tiles) >= LARGEST_SET:
                return ()
            fits = tile == JOKER or (NUMBER_OF[tile] == self.low and COLOUR_OF[tile] in self.missing_colours())
            return ("",) if fits else ()
        ends: list[End] = []
        if self.low > 1 and tile in (JOKER, tile_of(self.colour, self.low - 1)):
            ends.append("low")
        if self.high < HIGH_ACE and tile in (JOKER, tile_of(self.colour, self.high + 1)):
            ends.append("high")
        return tuple(ends)

    def _is_full_of_jokers(self) -> bool:
        """Whether one more Joker would be too many (RM-8)."""
        return (self.jokers + 1) * REAL_PER_JOKER > len(self.tiles) - self.jokers

    def added(self, tile: int, end: End = "") -> "Meld":
        """The combination with one more tile (RM-22).

        Raises:
            IllegalAction: It does not fit; SET_COMPLETE, TOO_MANY_JOKERS, NO_FIT or NAME_THE_END.
        """
        if not self.run and len(self.tiles) >= LARGEST_SET:
            raise IllegalAction("SET_COMPLETE", "RM-6", f"{self} is complete")
        if tile == JOKER and self._is_full_of_jokers():
            raise IllegalAction("TOO_MANY_JOKERS", "RM-8", f"{self} has too few real tiles for one more Joker")
        ends = self.ends_for(tile)
        if not ends or (end and end not in ends):
            where = f" at the {end} end" if end else ""
            raise IllegalAction("NO_FIT", "RM-22", f"{TEXT[tile]} does not fit {self}{where}")
        if not end and len(ends) > 1:
            raise IllegalAction("NAME_THE_END", "RM-22", f"{TEXT[tile]} fits both ends of {self}; name one")
        if (end or ends[0]) == "low":
            return Meld((tile, *self.tiles), True, self.low - 1, self.colour)
        return Meld((*self.tiles, tile), self.run, self.low, self.colour)

    def swapped(self, index: int, tile: int) -> "Meld":
        """The combination with the Joker at this index replaced by the tile that it stands for (RM-9).

        Raises:
            IllegalAction: NO_JOKER_THERE or NOT_ITS_TILE.
        """
        if not 0 <= index < len(self.tiles) or self.tiles[index] != JOKER:
            raise IllegalAction("NO_JOKER_THERE", "RM-9", f"{self} has no Joker at place {index}")
        stands_for = self.stands_for(index)
        if tile not in stands_for:
            wanted = tiles_text(stands_for).replace(" ", " or ")
            raise IllegalAction("NOT_ITS_TILE", "RM-9", f"the Joker at place {index} of {self} stands for {wanted}")
        return Meld((*self.tiles[:index], tile, *self.tiles[index + 1 :]), self.run, self.low, self.colour)

    def __str__(self) -> str:
        return tiles_text(self.tiles)


def meld_of(tiles: Sequence[int]) -> Meld:
    """Reads tiles as a combination.

    Two real tiles, which RM-8 makes the least, tell a run from a set: those of a run have one colour.

    Raises:
        IllegalAction: They are none. TOO_FEW_TILES, TOO_MANY_JOKERS, TOO_MANY_TILES, TWICE_THE_SAME, ACE_INSIDE,
            NOT_CONSECUTIVE or NOT_A_MELD.
    """
    shown = tiles_text(tiles)
    if len(tiles) < SHORTEST:
        raise IllegalAction("TOO_FEW_TILES", "RM-4", f"{shown or 'nothing'} is fewer than {SHORTEST} tiles")
    real = [index for index in range(len(tiles)) if tiles[index] != JOKER]
    if (len(tiles) - len(real)) * REAL_PER_JOKER > len(real):
        raise IllegalAction("TOO_MANY_JOKERS", "RM-8", f"{shown} has not {REAL_PER_JOKER} real tiles for each Joker")
    numbers = [NUMBER_OF[tiles[index]] for index in real]
    colours = [COLOUR_OF[tiles[index]] for index in real]
    if min(colours) != max(colours):
        if min(numbers) != max(numbers):
            raise IllegalAction("NOT_A_MELD", "RM-6", f"{shown} has neither one colour nor one number")
        if len(tiles) > LARGEST_SET:
            raise IllegalAction("TOO_MANY_TILES", "RM-6", f"{shown} has more than {LARGEST_SET} tiles")
        if len(set(colours)) < len(colours):
            raise IllegalAction("TWICE_THE_SAME", "GAP-R32", f"{shown} has a colour twice")
        return Meld(tuple(tiles), False, numbers[0], -1)
    return _run_of(tuple(tiles), real, numbers)


def _run_of(tiles: tuple[int, ...], real: list[int], numbers: list[int]) -> Meld:
    """Reads tiles of one colour as a run; `real` are the indices of those that are no Jokers."""
    shown = tiles_text(tiles)
    inner = [index for index in range(len(real)) if numbers[index] != 1]
    if not inner or any(numbers.count(numbers[index]) > 1 for index in inner):
        raise IllegalAction("TWICE_THE_SAME", "GAP-R32", f"{shown} has a number twice")
    if any(numbers[index] == 1 and 0 < real[index] < len(tiles) - 1 for index in range(len(real))):
        raise IllegalAction("ACE_INSIDE", "RM-5", f"{shown} has an ace inside")
    # Any tile but an ace tells where the run begins, and then where each tile has to be.
    low = numbers[inner[0]] - real[inner[0]]
    high = low + len(tiles) - 1
    for index, number in zip(real, numbers, strict=True):
        place = low + index
        if place != number and (number != 1 or place != HIGH_ACE):
            raise IllegalAction("NOT_CONSECUTIVE", "RM-4", f"{shown} is not consecutive in ascending order")
    if low < 1 or high > HIGH_ACE:
        raise IllegalAction("TOO_MANY_TILES", "GAP-R7", f"{shown} reaches beyond an ace")
    return Meld(tiles, True, low, COLOUR_OF[tiles[real[0]]])


@dataclass(frozen=True, slots=True)
class LaidMeld:
    """A combination on the table, and whose its tiles are.

    Attributes:
        meld: The combination as it lies now.
        seat: The seat that laid it first, whose own it is (GAP-R38).
        placed: For each tile the seat that placed it (GAP-R24).
    """

    meld: Meld
    seat: int
    placed: tuple[int, ...]

    def added(self, seat: int, tile: int, end: End = "") -> "LaidMeld":
        """With one more tile, placed by `seat`. Raises `IllegalAction` as `Meld.added`."""
        meld = self.meld.added(tile, end)
        placed = (seat, *self.placed) if meld.run and meld.low < self.meld.low else (*self.placed, seat)
        return LaidMeld(meld, self.seat, placed)

    def swapped(self, seat: int, index: int, tile: int) -> "LaidMeld":
        """With a Joker replaced by `seat`. Raises `IllegalAction` as `Meld.swapped`."""
        meld = self.meld.swapped(index, tile)
        return LaidMeld(meld, self.seat, (*self.placed[:index], seat, *self.placed[index + 1 :]))

    def points_of(self, seat: int) -> int:
        """Points of the tiles that `seat` placed (RM-15, GAP-R24)."""
        total = 0
        for index in range(len(self.placed)):
            if self.placed[index] == seat:
                total += self.meld.points_at(index)
        return total


def laid(meld: Meld, seat: int) -> LaidMeld:
    """A combination just laid by `seat`."""
    return LaidMeld(meld, seat, (seat,) * len(meld.tiles))
