"""The best choice of uses that have no tile in common: a memoised search over the tiles of a hand.

Tiles are decided from the lowest bit on: each use that has the tile as its lowest, or none. What has been decided
before shows only in which of the next tiles, Jokers and ends are gone, and that is what results are remembered by; so
even a hand of half the pack has few positions, where choices alone would be without number.

A quick look is enough for nearly every hand. Where it is not, the tiles are given prices (`solver_prices`), by which
the search knows early which choices cannot be the best any more: it looks for one that is worth nearly as much as the
bound allows, and as long as there is none for one that is worth a little less.
"""

from typing import Final

from services.table.engine.remi.solver_planes import KIND_AT
from services.table.engine.remi.solver_prices import prices_of
from services.table.engine.remi.solver_uses import Uses
from services.table.engine.remi.tiles import JOKER, KIND_COUNT, NUMBER_OF, SET_POINTS

IMPOSSIBLE: Final = -1
"""What a choice is worth that does not meet the conditions."""
NO_LIMIT: Final = 1_000_000_000
"""As many positions as there are."""
QUICK: Final = 1_000
"""Positions of a quick look."""
MOST_POSITIONS: Final = 50_000
"""Positions of the thorough search, at most. Hands of up to 45 tiles have a few thousand, and so for them the answer is
exact; those that hold half of the pack may have more, and then the best that was found stands."""

_TRIED: Final = -1
"""In the memory of choices: none is best, and what the position is worth is known."""
_BOUNDED: Final = -2
"""In the memory of choices: it is known only that the position is worth no more than what is remembered."""

# The conditions and the Jokers are one number: Jokers, then new combinations owed to swapped Jokers, then what of
# NEEDS_RUN and NEEDS_TILE is still to be met, then points still wanted.
_JOKERS: Final = 3
_OWED: Final = 4
_OWED_ALL: Final = 12
_NEEDS: Final = 16
_POINTS: Final = 64

_Use = tuple[int, int, int, int, int, int, int, int, int, int]
_Position = tuple[int, int, int, int]


class TooManyPositions(Exception):  # noqa: N818 - nothing is wrong
    """The thorough search has taken as many positions as it may."""


class Packing:
    """A search over the uses of one hand.

    Attributes:
        uses: The uses.
        keep_jokers: Jokers that may be left, at most.
        quick: Positions of the quick look, after which no more alternatives are tried: what is still undecided then
            takes the use that is worth most each time. Whether the conditions can be met is certain all the same.
        thorough: Where that was too few, the search goes on until the best is found.
        prices: For each bit of a plane a price of a tile there, and at 52 of a Joker: no use is worth more than its
            tiles. At first what a tile is worth in the use where it is worth most.
    """

    __slots__ = (
        "_at",
        "_choice",
        "_ends_from",
        "_limit",
        "_strict",
        "_watched",
        "_worth",
        "keep_jokers",
        "prices",
        "quick",
        "thorough",
        "uses",
    )

    def __init__(self, uses: Uses, keep_jokers: int = 2, quick: int = QUICK, thorough: bool = True) -> None:
        self.uses: Uses = uses
        self.quick: int = quick
        self.thorough: bool = thorough
        self.keep_jokers: int = keep_jokers
        self.prices: list[int] = most_of(uses)
        self._worth: dict[_Position, int] = {}
        self._choice: dict[_Position, int] = {}
        self._limit: int = quick
        self._strict: bool = False
        self._watched: int = 0
        self._ends_from: list[int] = [0] * KIND_COUNT
        # For each bit the uses that have it as their lowest, the most valuable first.
        self._at: list[list[_Use]] = []
        self._list_uses()

    def _list_uses(self) -> None:
        self._at = []
        for bit in range(KIND_COUNT):
            options = [self._use(use) for use in self.uses.at[bit]]
            options.sort(key=_by_gain)
            self._at.append(options)

    def _use(self, use: int) -> _Use:
        """A use in one tuple, its conditions in the places that they have in the number of conditions."""
        uses = self.uses
        cap = self.prices[JOKER] * uses.jokers[use] + self._bound(uses.tiles[use], uses.twice[use])
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

    def _forget(self) -> None:
        self._worth.clear()
        self._choice.clear()

    def _watch(self, ends: int) -> None:
        """From now on no two uses may want the same one of these ends, too."""
        self._watched |= ends
        self._forget()
        later = 0
        for bit in range(KIND_COUNT - 1, -1, -1):
            for use in self.uses.at[bit]:
                later |= self.uses.ends[use] & self._watched
            self._ends_from[bit] = later

    def bound(self, ones: int, twos: int, jokers: int) -> int:
        """What no choice is worth more than."""
        return self._bound(ones, twos) + self.prices[JOKER] * jokers

    def _bound(self, ones: int, twos: int) -> int:
        total = 0
        for plane in (ones, twos):
            while plane:
                lowest = plane & -plane
                total += self.prices[lowest.bit_length() - 1]
                plane ^= lowest
        return total

    def best(
        self, ones: int, twos: int, jokers: int, needs: int = 0, points: int = 0, owed: int = 0, floor: int = IMPOSSIBLE
    ) -> tuple[int, list[int]]:
        """The best choice.

        Args:
            ones: The tiles, as a plane.
            twos: Those that are there twice.
            jokers: Number of Jokers.
            needs: `NEEDS_RUN`, `NEEDS_TILE`, both or none: what has to be met.
            points: Points that have to be reached.
            owed: New combinations with a Joker that there have to be, at least.
            floor: Only what is worth more is wanted.

        Returns:
            What it is worth, `IMPOSSIBLE` if nothing meets the conditions and is worth more than `floor`, and the uses,
            lowest tiles first.
        """
        rest = jokers + _OWED * owed + _NEEDS * needs + _POINTS * points
        floor = max(floor, IMPOSSIBLE)
        while True:
            worth, chosen = self._search(ones, twos, rest, floor)
            if worth <= floor:
                return IMPOSSIBLE, []
            # That two uses want the same end is rare: it is looked after only where it has come up.
            taken = 0
            twice = 0
            for use in chosen:
                twice |= taken & self.uses.ends[use]
                taken |= self.uses.ends[use]
            if not twice:
                return worth, chosen
            self._watch(twice)

    def _search(self, ones: int, twos: int, rest: int, floor: int) -> tuple[int, list[int]]:
        """The best choice as far as is known by now which uses exclude each other, if it is worth more than `floor`."""
        jokers = rest & _JOKERS
        self._limit = self.quick
        self._strict = False
        worth = self._best(ones, twos, rest, 0, self.bound(ones, twos, jokers), IMPOSSIBLE)
        if worth < 0:
            return IMPOSSIBLE, []
        chosen = self._chosen(ones, twos, rest)
        if len(self._worth) < self.quick or not self.thorough:
            return worth, chosen
        known = max(worth, floor)
        self.prices = prices_of(self.uses, ones, twos, jokers, self.prices, known)
        self._list_uses()
        self._forget()
        self._limit = MOST_POSITIONS
        self._strict = True
        bound = self.bound(ones, twos, jokers)
        slack = max(self.prices) // 4 + 1
        try:
            while bound > known:
                aimed = max(known, bound - slack)
                found = self._best(ones, twos, rest, 0, bound, aimed)
                if found > aimed:
                    return found, self._chosen(ones, twos, rest)
                if aimed == known:
                    break
                slack *= 2
        except TooManyPositions:
            self._forget()
        return worth, chosen

    def _best(self, ones: int, twos: int, rest: int, ends: int, bound: int, floor: int) -> int:
        """What the best choice is worth from here on, if it is worth more than `floor`; otherwise a bound for it.

        It is worth no more than `bound`, as is known.
        """
        at = self._at
        bit = JOKER
        while ones:
            lowest = ones & -ones
            bit = lowest.bit_length() - 1
            if at[bit]:
                break
            bound -= self.prices[bit]
            if twos & lowest:
                bound -= self.prices[bit]
            ones ^= lowest
            bit = JOKER
        twos &= ones
        ends &= self._ends_from[bit]
        position = (ones, twos, rest, ends)
        known = self._worth.get(position)
        if known is not None and (known <= floor or self._choice[position] != _BOUNDED):
            return known
        worth = IMPOSSIBLE if ones or rest > self.keep_jokers else 0
        most = worth
        low = max(floor, worth)
        choice = _TRIED
        for use, tiles, twice, jokers, taken, gain, cap, meets, owed, points in at[bit]:
            if ones & tiles != tiles or jokers > rest & _JOKERS or taken & ends or twos & twice != twice:
                continue
            value = bound - cap + gain
            if value > low:
                further = rest - jokers
                if further > _JOKERS:
                    further = _met(further, owed, meets, points)
                # A quick look wants any choice soon, and so asks for nothing better than what it has.
                wanted = low - gain if self._strict else IMPOSSIBLE
                value = self._best(
                    ones & ~(tiles & ~twos) & ~twice, twos & ~tiles, further, ends | taken, bound - cap, wanted
                )
                if value < 0:
                    continue
                value += gain
                if value > low:
                    worth = low = value
                    choice = use
                    if len(self._worth) >= self._limit:
                        most = max(most, value)
                        break
            most = max(most, value)
        if ones:
            lowest = ones & -ones
            value = bound - self.prices[bit] * (2 if twos & lowest else 1)
            if value > low and (choice < 0 or len(self._worth) < self._limit):
                value = self._best(
                    ones ^ lowest, twos & ~lowest, rest, ends, value, low if self._strict else IMPOSSIBLE
                )
                if value > low:
                    worth = value
                    choice = _TRIED
            most = max(most, value)
        if worth <= floor and most > worth:
            worth = most
            choice = _BOUNDED
        self._worth[position] = worth
        self._choice[position] = choice
        if self._strict and len(self._worth) >= self._limit:
            raise TooManyPositions
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
