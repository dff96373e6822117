"""One question to the solver: the best plan for a hand, swaps of Jokers included."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.table.engine.remi.melds import LaidMeld, Meld
from services.table.engine.remi.solver_additions import put_additions
from services.table.engine.remi.solver_packing import NO_LIMIT, QUICK, Packing
from services.table.engine.remi.solver_plan import Plan, Swap, plan_of
from services.table.engine.remi.solver_planes import TILE_BIT, Planes
from services.table.engine.remi.solver_uses import ANY, FEWEST, NEEDS_RUN, NEEDS_TILE, Aim, Uses
from services.table.engine.remi.tiles import COLOUR_OF, JOKER, NUMBER_OF, Hand

NOTHING: Final = -1_000_000_000
"""Less than any plan is worth."""
EXACT: Final = 0
"""As many positions as it takes to find the best."""
FIRST_MELD: Final = 45
"""Points of a first meld, at least (RM-14)."""
NONE: Final = -1
"""No tile."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be found.

    Attributes:
        hand: The tiles.
        melds: The combinations on the table.
        usable: The places of those that may be added to and swapped from.
        seat: The player.
        first: A first meld is to be found, or nothing (RM-14).
        required: A tile that has to go from hand to table; `NONE` without.
        only_new: It has to go into a new combination (RM-11).
        barred: A tile that may not be all that is left, since it may not be discarded (GAP-R12); `NONE` without.
        swaps: Jokers may be swapped.
        positions: Positions to be searched for the best with each choice of swaps: about so many, or `EXACT`.
    """

    hand: Hand
    melds: Sequence[LaidMeld]
    usable: Sequence[int]
    seat: int
    first: bool = False
    required: int = NONE
    only_new: bool = False
    barred: int = NONE
    swaps: bool = True
    positions: int = EXACT


@dataclass(frozen=True, slots=True)
class Found:
    """A plan and what it is worth by the aim."""

    worth: int
    plan: Plan


def best_plan(question: Question, aim: Aim) -> Found | None:
    """The best plan; None if nothing meets the conditions. It has no steps if nothing is better than that."""
    best: Found | None = None
    for swaps in ways_to_swap(question):
        found = _best_with(question, aim, swaps, NOTHING if best is None else best.worth)
        if found is not None:
            best = found
    return best


def best_keeping(question: Question, aim: Aim, kept: int) -> Found | None:
    """The best plan that keeps a tile in hand, whatever is barred."""
    best: Found | None = None
    for swaps in ways_to_swap(question):
        found = _best_keeping(question, aim, swaps, kept, NOTHING if best is None else best.worth)
        if found is not None:
            best = found
    return best


def any_plan(question: Question) -> bool:
    """Whether any plan meets the conditions."""
    ways = ways_to_swap(question)
    if question.barred != NONE:
        # What is left matters then, so tiles beside those that are wanted do too.
        return any(_best_with(question, FEWEST, swaps, NOTHING) is not None for swaps in ways)
    if question.required not in (NONE, JOKER) and not question.first:
        # Without swaps a tile is used with others of its number or its colour, and most rows are decided by these.
        if _best_with(_near(question), ANY, (), NOTHING) is not None:
            return True
        ways = ways[1:]
    return any(_best_with(question, ANY, swaps, NOTHING) is not None for swaps in ways)


def _near(question: Question) -> Question:
    """The question for those tiles and combinations only that the tile required can go together with."""
    number = NUMBER_OF[question.required]
    colour = COLOUR_OF[question.required]
    hand = Hand()
    for tile in question.hand.tiles():
        if tile == JOKER or NUMBER_OF[tile] == number or COLOUR_OF[tile] == colour:
            hand.add(tile)
    usable: list[int] = []
    for place in question.usable:
        meld = question.melds[place].meld
        if meld.colour == colour if meld.run else meld.low == number:
            usable.append(place)
    return Question(hand, question.melds, usable, question.seat, False, question.required, question.only_new)


def ways_to_swap(question: Question) -> list[tuple[Swap, ...]]:
    """Every choice of Jokers to swap for tiles in hand, none of them first (RM-9).

    A Joker is never swapped twice in one turn: the tile of the first swap's new combination would do as well there.
    """
    ways: list[tuple[Swap, ...]] = [()]
    if not question.swaps:
        return ways
    singles: list[Swap] = []
    for place in question.usable:
        meld = question.melds[place].meld
        if meld.jokers:
            for index in range(len(meld.tiles)):
                for tile in meld.stands_for(index):
                    if question.hand.count(tile):
                        singles.append((place, index, tile))
    ways.extend([(swap,) for swap in singles])
    for number, (place, index, tile) in enumerate(singles):
        for other in singles[number + 1 :]:
            if other[:2] != (place, index) and (other[2] != tile or question.hand.count(tile) == 2):
                ways.append(((place, index, tile), other))
    return ways


def _best_with(question: Question, aim: Aim, swaps: tuple[Swap, ...], floor: int) -> Found | None:
    """The best plan with exactly these swaps, if it is worth more than `floor`."""
    found = _best_keeping(question, aim, swaps, NONE, floor)
    barred = question.barred
    if barred == NONE or found is None or not _leaves_only(found.plan.left, barred):
        return found
    # Something that can be discarded has to be left, or nothing: the best plan keeps some other tile, or none at all.
    best: Found | None = None
    found = _best_keeping(question, FEWEST, swaps, NONE, NOTHING)
    if found is not None and not found.plan.left.size():
        worth = aim.point * found.plan.points
        for tile in question.hand.tiles():
            worth += aim.worth(tile)
        if worth > floor:
            best = Found(worth, found.plan)
    for tile in sorted(set(question.hand.tiles())):
        if tile != barred:
            found = _best_keeping(question, aim, swaps, tile, floor if best is None else best.worth)
            if found is not None:
                best = found
    return best


def _leaves_only(left: Hand, tile: int) -> bool:
    """Whether tiles are left and all of them are like this one."""
    count = left.count(tile)
    return count > 0 and left.size() == count


def _best_keeping(question: Question, aim: Aim, swaps: tuple[Swap, ...], kept: int, floor: int) -> Found | None:
    """The best plan with exactly these swaps, if worth more than `floor`; it keeps a tile in hand (`NONE` for none)."""
    hand = question.hand.copy()
    melds = {place: question.melds[place].meld for place in question.usable}
    points = 0
    worth = 0
    for place, index, tile in swaps:
        if question.melds[place].placed[index] != question.seat:
            points += melds[place].points_at(index)
        # The Joker comes and goes, but counts as a tile of the hand among the uses.
        worth += aim.worth(tile) - aim.worth(JOKER)
        melds[place] = melds[place].swapped(index, tile)
        hand.remove(tile)
    keep_jokers = 2
    required = question.required
    if required == JOKER:
        keep_jokers = hand.jokers - 1 - (1 if kept == JOKER else 0)
    elif any(tile == required for _, _, tile in swaps):
        required = NONE
    if kept != NONE:
        if not hand.count(kept):
            return None
        hand.remove(kept)
    if keep_jokers < 0 or (required != NONE and required != JOKER and not hand.count(required)):
        return None
    hand.jokers += len(swaps)

    planes = Planes(hand)
    uses = Uses(aim, TILE_BIT[required] if required != NONE else 0, question.only_new)
    uses.put_runs(planes)
    uses.put_sets(planes)
    table: list[tuple[int, Meld]] = list(melds.items())
    needs = NEEDS_TILE if required not in (NONE, JOKER) else 0
    wanted = 0
    if question.first:
        needs |= NEEDS_RUN
        wanted = FIRST_MELD
    else:
        put_additions(uses, planes, table)
    if not uses.can_meet(needs, wanted, planes):
        return None
    if aim is ANY and not question.first:
        uses.forget_all_but(needs)
    if aim is ANY:
        packing = Packing(uses, keep_jokers, NO_LIMIT, False)
    else:
        packing = Packing(uses, keep_jokers, question.positions or QUICK, question.positions == EXACT)
    worth += aim.point * points
    if worth + packing.bound(planes.ones, planes.twos, planes.jokers) <= floor:
        return None
    gain, chosen = packing.best(planes.ones, planes.twos, planes.jokers, needs, wanted, len(swaps), floor - worth)
    worth += gain
    if gain < 0 or worth <= floor:
        return None
    for use in chosen:
        points += uses.points[use]
    return Found(worth, plan_of(question.hand, table, swaps, uses, chosen, points))
