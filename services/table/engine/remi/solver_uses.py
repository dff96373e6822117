"""Ways to use tiles: the new combinations that a hand can make, each as small as it can be, with what they bring.

A *use* takes some tiles from hand to table. Long runs need no uses of their own, for they are several short ones in a
row: runs of 3 to 5 with one Joker at most, and runs of 6 to 8 with two (RM-8 wants four real tiles) unless they fall
into two with one each. What can be laid at all can be laid as uses without a tile in common, for the same points.
"""

from dataclasses import dataclass
from typing import Final

from services.table.engine.remi.solver_planes import PLACE_BIT, Planes, kinds_of
from services.table.engine.remi.tiles import HIGH_ACE, JOKER, KIND_COUNT, RUN_POINTS, SET_POINTS, tile_of


@dataclass(frozen=True, slots=True)
class Aim:
    """What is worth how much when the best use of a hand is sought. Nothing is worth less than 0.

    Attributes:
        point: Each point on the table (RM-15).
        tile: Each tile out of the hand.
        kinds: Beside that, a tile of each kind out of the hand; empty when all are worth the same.
    """

    point: int
    tile: int
    kinds: tuple[int, ...] = ()

    def worth(self, tile: int) -> int:
        """What it is worth to have this tile out of the hand."""
        return self.tile + (self.kinds[tile] if self.kinds else 0)


POINTS: Final = Aim(point=128, tile=1)
"""Most points; among equals, fewest tiles left."""
FEWEST: Final = Aim(point=1, tile=1024)
"""Fewest tiles left; among equals, most points."""

ANY: Final = Aim(point=0, tile=0)
"""Whatever meets the conditions."""

NEEDS_RUN: Final = 1
"""A run has to be among the uses (RM-14)."""
NEEDS_TILE: Final = 2
"""The tile required has to be used."""

_SMALL: Final = sum(PLACE_BIT[colour][place] for colour in range(4) for place in range(2, 10))
"""The tiles worth 5 wherever they are."""
_FULL: Final[tuple[int, ...]] = tuple([2**length - 1 for length in range(HIGH_ACE + 1)])
_RUN_MASK: Final[tuple[tuple[tuple[int, ...], ...], ...]] = tuple(
    [
        tuple(
            [tuple([sum(PLACE_BIT[colour][low : low + length]) for length in range(9)]) for low in range(HIGH_ACE + 1)]
        )
        for colour in range(4)
    ]
)
"""For each colour, first place and length the tiles of the run."""
_RUN_TOTAL: Final[tuple[tuple[int, ...], ...]] = tuple(
    [tuple([sum(RUN_POINTS[low : low + length]) for length in range(9)]) for low in range(HIGH_ACE + 1)]
)
"""For each first place and length the points of the run."""
_SUBSETS: Final[tuple[tuple[tuple[int, ...], ...], ...]] = tuple(
    [
        tuple(
            [
                tuple([part for part in range(16) if part & colours == part and part.bit_count() == size])
                for size in range(5)
            ]
        )
        for colours in range(16)
    ]
)
"""For each set of colours and each size the sets of colours in it of that size."""


class Uses:
    """The uses found for a hand, as parallel lists.

    Attributes:
        aim: What is worth how much.
        required: Plane of the tile that has to be used; 0 for none.
        only_new: The tile required has to be in a new combination.
        tiles: The tiles of each use, as a plane.
        twice: Those of them that it takes both copies of.
        jokers: Its Jokers.
        ends: The ends of combinations on the table that it takes up, as a mask of bits given out by `end`.
        points: Its points (RM-15).
        gain: What it is worth.
        meets: Which of `NEEDS_RUN` and `NEEDS_TILE` it meets.
        new: It is a new combination; otherwise additions to one on the table.
        form: How a new combination looks. A run: colour, first place, length, mask of the places of Jokers counted
            from the first. A set: -1, number, mask of colours, Jokers.
        additions: For each use that adds, by its number: the place of the combination on the table, what is added
            before its lowest tile, and what after its highest or to a set, both outwards.
        alone: For combinations that only Jokers are added to, by their places, their bits in `ends`.
        at: For each bit of a plane the uses whose lowest tile it is, and at 52 those that have Jokers only.
    """

    __slots__ = (
        "additions",
        "aim",
        "alone",
        "at",
        "end_count",
        "ends",
        "form",
        "gain",
        "jokers",
        "meets",
        "new",
        "only_new",
        "points",
        "required",
        "tiles",
        "twice",
    )

    def __init__(self, aim: Aim, required: int = 0, only_new: bool = False) -> None:
        self.aim: Aim = aim
        self.required: int = required
        self.only_new: bool = only_new
        self.tiles: list[int] = []
        self.twice: list[int] = []
        self.jokers: list[int] = []
        self.ends: list[int] = []
        self.points: list[int] = []
        self.gain: list[int] = []
        self.meets: list[int] = []
        self.new: list[bool] = []
        self.form: list[tuple[int, int, int, int]] = []
        self.at: list[list[int]] = [[] for _ in range(KIND_COUNT)]
        self.end_count: int = 0
        self.additions: dict[int, tuple[int, tuple[int, ...], tuple[int, ...]]] = {}
        self.alone: dict[int, int] = {}

    def end(self) -> int:
        """A bit for one more end of a combination on the table."""
        self.end_count += 1
        bit: int = 2 ** (self.end_count - 1)
        return bit

    def put(self, tiles: int, jokers: int, points: int, form: tuple[int, int, int, int]) -> None:
        """Notes one more new combination."""
        meets = NEEDS_RUN if form[0] >= 0 else 0
        self._put(tiles, 0, jokers, 0, points, meets | (NEEDS_TILE if tiles & self.required else 0), form)

    def put_addition(
        self,
        tiles: int,
        twice: int,
        jokers: int,
        ends: int,
        points: int,
        addition: tuple[int, tuple[int, ...], tuple[int, ...]],
    ) -> None:
        """Notes additions to one combination on the table, which take up these ends."""
        self.additions[len(self.tiles)] = addition
        meets = NEEDS_TILE if tiles & self.required and not self.only_new else 0
        self._put(tiles, twice, jokers, ends, points, meets, (0, 0, 0, 0))

    def _put(
        self, tiles: int, twice: int, jokers: int, ends: int, points: int, meets: int, form: tuple[int, int, int, int]
    ) -> None:
        aim = self.aim
        gain = aim.point * points + aim.tile * (tiles.bit_count() + twice.bit_count() + jokers)
        if aim.kinds:
            gain += aim.kinds[JOKER] * jokers
            for kind in kinds_of(tiles) + kinds_of(twice):
                gain += aim.kinds[kind]
        self.at[(tiles & -tiles).bit_length() - 1 if tiles else JOKER].append(len(self.tiles))
        self.tiles.append(tiles)
        self.twice.append(twice)
        self.jokers.append(jokers)
        self.ends.append(ends)
        self.points.append(points)
        self.gain.append(gain)
        self.meets.append(meets)
        self.new.append(ends == 0)
        self.form.append(form)

    def put_runs(self, planes: Planes) -> None:
        """Notes every new run."""
        for colour in range(4):
            row = planes.rows[colour]
            for low in range(1, HIGH_ACE - 1):
                window = row >> (low - 1)
                if planes.jokers:
                    self._put_runs_with_jokers(colour, low, window, planes.jokers)
                else:
                    for length in range(3, 6):
                        if window & _FULL[length] != _FULL[length]:
                            break
                        self._put_run(colour, low, length, 0)

    def _put_runs_with_jokers(self, colour: int, low: int, window: int, jokers: int) -> None:
        """Notes the runs from one place on. `window` has the tiles from there on: bit 0 for that place."""
        for length in range(3, min(5, HIGH_ACE + 1 - low) + 1):
            missing = _FULL[length] & ~window
            if missing & (missing - 1):
                break
            if not missing:
                self._put_run(colour, low, length, 0)
            first = self._first_joker(low, length)
            for index in range(first, length):
                joker = _FULL[index + 1] ^ _FULL[index]
                if missing & ~joker == 0:
                    self._put_run(colour, low, length, joker)
        if jokers < 2:
            return
        for length in range(6, min(8, HIGH_ACE + 1 - low) + 1):
            missing = _FULL[length] & ~window
            if missing.bit_count() > 2:
                break
            for index in range(self._first_joker(low, length), length - 1):
                for other in range(index + 1, length):
                    pair = (_FULL[index + 1] ^ _FULL[index]) | (_FULL[other + 1] ^ _FULL[other])
                    # Two runs with one Joker each do as well, if there is a cut between the Jokers.
                    if missing & ~pair == 0 and max(index + 1, 3) > min(other, length - 3):
                        self._put_run(colour, low, length, pair)

    @staticmethod
    def _first_joker(low: int, length: int) -> int:
        """The first place for a Joker: one before all other tiles does better behind them, if there is a place."""
        return 0 if low + length - 1 == HIGH_ACE else 1

    def _put_run(self, colour: int, low: int, length: int, jokers: int) -> None:
        tiles = _RUN_MASK[colour][low][length]
        count = 0
        if jokers:
            for index in range(length):
                if jokers & _FULL[index + 1] & ~_FULL[index]:
                    tiles ^= PLACE_BIT[colour][low + index]
                    count += 1
        self.put(tiles, count, _RUN_TOTAL[low][length], (colour, low, length, jokers))

    def put_sets(self, planes: Planes) -> None:
        """Notes every new set."""
        least = 2 if planes.jokers else 3
        rest = planes.ones
        for number in range(1, 14):
            colours = rest & 15
            rest >>= 4
            if colours.bit_count() < least:
                continue
            points = SET_POINTS[number]
            for size in range(3, 5):
                for jokers in range(2 if planes.jokers else 1):
                    for part in _SUBSETS[colours][size - jokers]:
                        tiles = part * 2 ** (4 * number - 4)
                        self.put(tiles, jokers, points * size, (-1, number, part, jokers))

    def forget_all_but(self, needs: int) -> None:
        """Leaves only uses that meet one of these conditions or have a Joker, for a search that wants nothing else."""
        for bit in range(KIND_COUNT):
            self.at[bit] = [use for use in self.at[bit] if self.meets[use] & needs or self.jokers[use]]

    def can_meet(self, needs: int, points: int, planes: Planes) -> bool:
        """A quick look whether conditions are out of reach for a hand: they certainly are if it says no."""
        met = 0
        for meets in self.meets:
            met |= meets
        if needs & ~met:
            return False
        if not points:
            return True
        useful = 0
        for tiles in self.tiles:
            useful |= tiles
        small = useful & _SMALL
        # An ace is worth 10 where it is worth most, and so is a Joker.
        most = 5 * (small.bit_count() + (planes.twos & small).bit_count())
        large = useful ^ small
        most += 10 * (large.bit_count() + (planes.twos & large).bit_count() + planes.jokers)
        return most >= points

    def meld_of(self, use: int) -> tuple[int, ...]:
        """The tiles of a use that is a new combination, as it is laid."""
        colour, low, length, jokers = self.form[use]
        if colour >= 0:
            return tuple(
                [
                    JOKER if jokers & _FULL[index + 1] & ~_FULL[index] else tile_of(colour, low + index)
                    for index in range(length)
                ]
            )
        tiles = [tile_of(colour, low) for colour in range(4) if length & _FULL[colour + 1] & ~_FULL[colour]]
        return (*tiles, *([JOKER] * jokers))
