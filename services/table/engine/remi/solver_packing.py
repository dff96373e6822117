"""The best choice of uses that have no tile in common: a memoised search over the tiles of a hand.

Tiles are decided from the lowest bit on: each use that has the tile as its lowest, or none. What has been decided
before shows only in which of the next tiles, Jokers and ends are gone, and that is what results are remembered by; so
even a hand of half the pack has few positions, where choices alone would be without number.
"""

from typing import Final

from services.table.engine.remi.solver_planes import KIND_AT
from services.table.engine.remi.solver_uses import Uses
from services.table.engine.remi.tiles import JOKER, KIND_COUNT, NUMBER_OF, SET_POINTS

IMPOSSIBLE: Final = -1
"""What a choice is worth that does not meet the conditions."""
NO_LIMIT: Final = 1_000_000_000
"""As many positions as there are."""

# The conditions and the Jokers are one number: Jokers, then new combinations owed to swapped Jokers, then what of
# NEEDS_RUN and NEEDS_TILE is still to be met, then points still wanted.
_JOKERS: Final = 3
_OWED: Final = 4
_OWED_ALL: Final = 12
_NEEDS: Final = 16
_POINTS: Final = 64

_Use = tuple[int, int, int, int, int, int, int, int, int, int]
_Position = tuple[int, int, int, int]


class Packing:
    """A search over the uses of one hand.

    Attributes:
        uses: The uses.
        keep_jokers: Jokers that may be left, at most.
        limit: Positions after which no more alternatives are tried: what is still undecided then takes the use that is
            worth most each time.
        most: For each bit of a plane what a tile there is worth in the use where it is worth most, and at 52 a Joker.
    """

    __slots__ = ("_at", "_choice", "_ends_from", "_watched", "_worth", "keep_jokers", "limit", "most", "uses")

    def __init__(self, uses: Uses, keep_jokers: int = 2, limit: int = NO_LIMIT) -> None:
        self.uses: Uses = uses
        self.limit: int = limit
        self.keep_jokers: int = keep_jokers
        self.most: list[int] = most_of(uses)
        self._worth: dict[_Position, int] = {}
        self._choice: dict[_Position, int] = {}
        self._watched: int = 0
        self._ends_from: list[int] = [0] * KIND_COUNT
        # For each bit the uses that have it as their lowest, the most valuable first.
        self._at: list[list[_Use]] = []
        for bit in range(KIND_COUNT):
            options = [self._use(use) for use in uses.at[bit]]
            options.sort(key=_by_gain)
            self._at.append(options)

    def _use(self, use: int) -> _Use:
        """A use in one tuple, its conditions in the places that they have in the number of conditions."""
        uses = self.uses
        cap = self.most[JOKER] * uses.jokers[use] + self._bound(uses.tiles[use], uses.twice[use])
        return (
            use,
            uses.tiles[use],
            uses.twice[use],
            uses.jokers[use],
            uses.ends[use],
            uses.gain[use],
            cap,
            uses.meets[use] * _NEEDS,
            _OWED if uses.new[use] and uses.jokers[use] else 0,
            uses.points[use] * _POINTS,
        )

    def _watch(self, ends: int) -> None:
        """From now on no two uses may want the same one of these ends, too."""
        self._watched |= ends
        self._worth.clear()
        self._choice.clear()
        later = 0
        for bit in range(KIND_COUNT - 1, -1, -1):
            for use in self.uses.at[bit]:
                later |= self.uses.ends[use] & self._watched
            self._ends_from[bit] = later

    def bound(self, ones: int, twos: int, jokers: int) -> int:
        """What no choice is worth more than."""
        return self._bound(ones, twos) + self.most[JOKER] * jokers

    def _bound(self, ones: int, twos: int) -> int:
        total = 0
        for plane in (ones, twos):
            while plane:
                lowest = plane & -plane
                total += self.most[lowest.bit_length() - 1]
                plane ^= lowest
        return total

    def best(
        self, ones: int, twos: int, jokers: int, needs: int = 0, points: int = 0, owed: int = 0
    ) -> tuple[int, list[int]]:
        """The best choice.

        Args:
            ones: The tiles, as a plane.
            twos: Those that are there twice.
            jokers: Number of Jokers.
            needs: `NEEDS_RUN`, `NEEDS_TILE`, both or none: what has to be met.
            points: Points that have to be reached.
            owed: New combinations with a Joker that there have to be, at least.

        Returns:
            What it is worth, `IMPOSSIBLE` if nothing meets the conditions, and the uses, lowest tiles first.
        """
        rest = jokers + _OWED * owed + _NEEDS * needs + _POINTS * points
        while True:
            worth = self._best(ones, twos, rest, 0, self.bound(ones, twos, jokers))
            if worth < 0:
                return worth, []
            chosen = self._chosen(ones, twos, rest)
            # That two uses want the same end is rare: it is looked after only where it has come up.
            taken = 0
            twice = 0
            for use in chosen:
                twice |= taken & self.uses.ends[use]
                taken |= self.uses.ends[use]
            if not twice:
                return worth, chosen
            self._watch(twice)

    def _best(self, ones: int, twos: int, rest: int, ends: int, bound: int) -> int:
        """What the best choice is worth from here on; no more than `bound`, as is known."""
        at = self._at
        bit = JOKER
        while ones:
            lowest = ones & -ones
            bit = lowest.bit_length() - 1
            if at[bit]:
                break
            bound -= self.most[bit]
            if twos & lowest:
                bound -= self.most[bit]
            ones ^= lowest
            bit = JOKER
        twos &= ones
        ends &= self._ends_from[bit]
        position = (ones, twos, rest, ends)
        known = self._worth.get(position)
        if known is not None:
            return known
        worth = IMPOSSIBLE if ones or rest > self.keep_jokers else 0
        choice = -1
        for use, tiles, twice, jokers, taken, gain, cap, meets, owed, points in at[bit]:
            if ones & tiles != tiles or jokers > rest & _JOKERS or taken & ends or twos & twice != twice:
                continue
            if bound - cap + gain <= worth:
                continue
            further = rest - jokers
            if further > _JOKERS:
                further = _met(further, owed, meets, points)
            value = self._best(ones & ~(tiles & ~twos) & ~twice, twos & ~tiles, further, ends | taken, bound - cap)
            if value >= 0 and value + gain > worth:
                worth = value + gain
                choice = use
                if len(self._worth) >= self.limit:
                    break
        if ones:
            lowest = ones & -ones
            bound -= self.most[bit] * (2 if twos & lowest else 1)
            if bound > worth and (choice < 0 or len(self._worth) < self.limit):
                value = self._best(ones ^ lowest, twos & ~lowest, rest, ends, bound)
                if value > worth:
                    worth = value
                    choice = -1
        self._worth[position] = worth
        self._choice[position] = choice
        return worth

    def _chosen(self, ones: int, twos: int, rest: int) -> list[int]:
        """The uses of the best choice from here on, which has been found before."""
        chosen: list[int] = []
        ends = 0
        while True:
            bit = JOKER
            while ones:
                lowest = ones & -ones
                bit = lowest.bit_length() - 1
                if self._at[bit]:
                    break
                ones ^= lowest
                bit = JOKER
            twos &= ones
            choice = self._choice[ones, twos, rest, ends & self._ends_from[bit]]
            if choice >= 0:
                chosen.append(choice)
                _, tiles, twice, jokers, taken, _, _, meets, owed, points = self._use(choice)
                rest = _met(rest - jokers, owed, meets, points)
                ones &= ~(tiles & ~twos) & ~twice
                twos &= ~tiles
                ends |= taken
            elif ones:
                lowest = ones & -ones
                ones ^= lowest
                twos &= ~lowest
            else:
                return chosen


def _by_gain(use: _Use) -> tuple[int, int]:
    return -use[5], use[0]


def most_of(uses: Uses) -> list[int]:
    """For each bit of a plane what a tile is worth where it is worth most, and at 52 a Joker; 0 if no use has it."""
    aim = uses.aim
    most = [0] * KIND_COUNT
    useful = 0
    jokers = 0
    for use in range(len(uses.tiles)):
        useful |= uses.tiles[use]
        jokers |= uses.jokers[use]
    while useful:
        lowest = useful & -useful
        bit = lowest.bit_length() - 1
        kind = KIND_AT[bit]
        most[bit] = aim.point * SET_POINTS[NUMBER_OF[kind]] + aim.worth(kind)
        useful ^= lowest
    if jokers:
        most[JOKER] = aim.point * 10 + aim.worth(JOKER)
    return most


def _met(rest: int, owed: int, meets: int, points: int) -> int:
    """The conditions that remain after a use that meets so much of them."""
    if rest & _OWED_ALL:
        rest -= owed
    rest &= ~meets
    return rest - points if rest >= points else rest & (_POINTS - 1)
