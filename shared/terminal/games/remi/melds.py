"""Combinations as a player puts them together: in which orders tiles make one, what they are worth, what fits where.

This is arithmetic for arranging tiles on the screen. Whether something may be laid is the table's business alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from shared.terminal.games.remi.tiles import COLOURS, JOKER, colour_of, number_of

LEAST = 3
LONGEST_RUN = 14
LARGEST_SET = 4
REAL_FOR_A_JOKER = 2
"""So many other tiles a combination has for each Joker, at least (RM-8)."""
HIGH_ACE = 14
"""The place of an ace after 13 (RM-5); the places before are those of the numbers."""

End = Literal["", "low", "high"]
"""An end of a run; empty for a set."""


@dataclass(frozen=True, slots=True)
class Combination:
    """Tiles that go together.

    Attributes:
        tiles: The tiles; those of a run in ascending order.
        run: It is a run; otherwise a set.
    """

    tiles: tuple[str, ...]
    run: bool

    @property
    def first(self) -> int:
        """Of a run the place of its first tile, 1 to 12; of a set its number."""
        for index, tile in enumerate(self.tiles):
            if number_of(tile) > 1:
                return number_of(tile) - (index if self.run else 0)
        return 1

    @property
    def last(self) -> int:
        """Of a run the place of its last tile, 3 to 14; of a set its number."""
        return self.first + len(self.tiles) - 1 if self.run else self.first

    def points(self) -> int:
        """What its tiles are worth on the table, a Joker as the tile that it replaces (RM-15)."""
        if self.run:
            return sum(5 if place < 10 else 10 for place in range(self.first, self.last + 1))
        return len(self.tiles) * (5 if 2 <= self.first <= 9 else 10)

    def stands_for(self, index: int) -> tuple[str, ...]:
        """The tiles whose place the Joker at `index` has: one in a run, those of the missing colours in a set."""
        if self.tiles[index] != JOKER:
            return ()
        if not self.run:
            present = {colour_of(tile) for tile in self.tiles}
            return tuple(f"{colour}{self.first}" for colour in COLOURS if colour not in present)
        colour = next(colour_of(tile) for tile in self.tiles if tile != JOKER)
        return (_at(colour, self.first + index),)

    def ends_for(self, tile: str) -> tuple[End, ...]:
        """Where a tile can be added: `low`, `high` or both for a run, the empty end for a set; nothing if nowhere."""
        jokers = self.tiles.count(JOKER) + (tile == JOKER)
        if jokers * REAL_FOR_A_JOKER > len(self.tiles) + 1 - jokers:
            return ()
        if not self.run:
            fits = len(self.tiles) < LARGEST_SET and _makes_set([*self.tiles, tile])
            return ("",) if fits else ()
        colour = next(colour_of(each) for each in self.tiles if each != JOKER)
        ends: list[End] = []
        if self.first > 1 and tile in (JOKER, _at(colour, self.first - 1)):
            ends.append("low")
        if self.last < HIGH_ACE and tile in (JOKER, _at(colour, self.last + 1)):
            ends.append("high")
        return tuple(ends)

    def added(self, tile: str, end: End) -> "Combination":
        """With one more tile, at an end that `ends_for` names."""
        tiles = (tile, *self.tiles) if end == "low" else (*self.tiles, tile)
        return Combination(tiles, self.run)

    def jokers_for(self, tile: str) -> tuple[int, ...]:
        """The places of the Jokers that a tile could take the place of."""
        return tuple(index for index in range(len(self.tiles)) if tile in self.stands_for(index))

    def swapped(self, index: int, tile: str) -> "Combination":
        """With a tile in the place of the Joker at `index`."""
        return Combination((*self.tiles[:index], tile, *self.tiles[index + 1 :]), self.run)


def arrangements(tiles: Sequence[str]) -> list[Combination]:
    """All the ways in which tiles make one combination, the one worth most first; none if they do not.

    A run has one way for each place where it could begin, so several only if a Joker, or an ace among Jokers, could
    be at either end. The order within a set means nothing.
    """
    real = [tile for tile in tiles if tile != JOKER]
    jokers = len(tiles) - len(real)
    if len(tiles) < LEAST or jokers * REAL_FOR_A_JOKER > len(real):
        return []
    if len({colour_of(tile) for tile in real}) > 1:
        in_order = sorted(real, key=lambda tile: COLOURS.index(tile[0])) + [JOKER] * jokers
        return [Combination(tuple(in_order), False)] if _makes_set(tiles) else []
    found: list[Combination] = []
    for first in range(1, HIGH_ACE + 2 - len(tiles)):
        for run in _runs_from(first, real, len(tiles)):
            if run not in found:
                found.append(run)
    return sorted(found, key=lambda run: (-run.points(), run.tiles))


def _at(colour: str, place: int) -> str:
    return f"{colour}{1 if place == HIGH_ACE else place}"


def _makes_set(tiles: Sequence[str]) -> bool:
    real = [tile for tile in tiles if tile != JOKER]
    colours = [colour_of(tile) for tile in real]
    return len(tiles) <= LARGEST_SET and len({number_of(tile) for tile in real}) == 1 and len(set(colours)) == len(real)


def _runs_from(first: int, real: Sequence[str], length: int) -> list[Combination]:
    """The runs of `length` tiles that begin at the place `first` and hold exactly the tiles `real`, else Jokers."""
    last = first + length - 1
    colour = colour_of(real[0])
    aces = sum(number_of(tile) == 1 for tile in real)
    numbers = [number_of(tile) for tile in real if number_of(tile) > 1]
    if len(set(numbers)) < len(numbers) or any(not first <= number <= last for number in numbers) or not numbers:
        return []
    ends = [place for place in (1, HIGH_ACE) if first <= place <= last]
    if aces > len(ends):
        return []
    # Each choice of ends for the aces: with one ace in the longest run there are two, which are told apart.
    choices = [ends] if aces == len(ends) else [[end] for end in ends] if aces else [[]]
    runs = []
    for chosen in choices:
        filled = {*numbers, *chosen}
        tiles = tuple(_at(colour, place) if place in filled else JOKER for place in range(first, last + 1))
        runs.append(Combination(tiles, True))
    return runs
