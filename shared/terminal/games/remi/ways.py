"""The ways to lay, add or swap tiles: one is simply done, of several the player picks one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.terminal.games.remi.draft import Add, Draft, Lay, Lying, Step, Swap
from shared.terminal.games.remi.melds import Combination, arrangements
from shared.terminal.games.remi.rack import Rack
from shared.terminal.games.remi.tiles import JOKER


@dataclass(frozen=True, slots=True)
class Way:
    """One of several ways.

    Attributes:
        combination: What it makes.
        steps: What is done for it.
        meld: The combination that is changed; None when it is a new one.
    """

    combination: Combination
    steps: tuple[Step, ...]
    meld: int | None = None


def ways_to_lay(rack: Rack, draft: Draft, numbers: Sequence[int]) -> list[Way]:
    """The ways to lay tiles of the rack as one combination, the one worth most first."""
    found = arrangements([rack.tile(number) for number in numbers])
    return [Way(combination, (_laying(rack, draft, combination, numbers),)) for combination in found]


def ways_to_add(rack: Rack, lying: Iterable[Lying], numbers: Sequence[int]) -> list[Way]:
    """The ways to add all of these tiles to one of the combinations; of equal outcomes one."""
    return [way for each in lying for way in _added(rack, each.combination, each.meld, numbers)]


def ways_to_swap(rack: Rack, draft: Draft, lying: Iterable[Lying], number: int) -> list[Way]:
    """The Jokers on the table whose place a tile can take."""
    tile = rack.tile(number)
    return [
        Way(
            each.combination.swapped(place, tile),
            (Swap(each.meld, place, tile, (number,), draft.next_loan),),
            each.meld,
        )
        for each in lying
        for place in each.combination.jokers_for(tile)
        if not each.drafted[place]
    ]


def _laying(rack: Rack, draft: Draft, combination: Combination, numbers: Sequence[int]) -> Lay:
    """Lays a combination of these tiles; if a Joker is among them, the one that has to be laid if any has."""
    free = list(numbers)
    pending = draft.pending
    if pending is not None and pending.joker not in free and JOKER in combination.tiles:
        own = next(number for number in free if rack.tile(number) == JOKER)
        free[free.index(own)] = pending.joker
    used = []
    for tile in combination.tiles:
        number = next(number for number in free if rack.tile(number) == tile)
        free.remove(number)
        used.append(number)
    return Lay(draft.next_meld, combination, tuple(used))


def _added(rack: Rack, combination: Combination, meld: int, numbers: Sequence[int]) -> list[Way]:
    if not numbers:
        return [Way(combination, (), meld)]
    found: dict[object, Way] = {}
    for number in numbers:
        tile = rack.tile(number)
        rest = [other for other in numbers if other != number]
        for end in combination.ends_for(tile):
            step = Add(meld, tile, end, (number,))
            for way in _added(rack, combination.added(tile, end), meld, rest):
                tiles = way.combination.tiles
                outcome = tiles if combination.run else tuple(sorted(tiles))
                found.setdefault(outcome, Way(way.combination, (step, *way.steps), meld))
    return list(found.values())
