"""From chosen uses to the actions of a turn, in an order that the rules allow."""

from dataclasses import dataclass

from services.table.engine.remi.actions import Add, Lay, SwapJoker, Tiles
from services.table.engine.remi.melds import Meld, meld_of
from services.table.engine.remi.solver_additions import LOW, order_of
from services.table.engine.remi.solver_uses import Uses
from services.table.engine.remi.tiles import JOKER, Hand

Swap = tuple[int, int, int]
"""A Joker to be swapped: the place of its combination on the table, its place in it, and the tile for it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do in the rest of a turn but for the discard.

    Attributes:
        steps: The actions, in this order: swaps, additions, and one `Lay`.
        points: What they add to the player's tiles on the table (RM-15, GAP-R24).
        left: The tiles in hand afterwards. To be left alone, for plans may share it.
    """

    steps: tuple[Lay | Add | SwapJoker, ...]
    points: int
    left: Hand


def plan_of(
    hand: Hand, melds: list[tuple[int, Meld]], swaps: tuple[Swap, ...], uses: Uses, chosen: list[int], points: int
) -> Plan:
    """Writes chosen uses as a plan.

    Swaps come first, since they leave more real tiles beside other Jokers; additions next, since they need nothing that
    is laid.

    Args:
        hand: The hand before it.
        melds: Combinations on the table with their places, the swaps done.
        swaps: The swaps.
        uses: All uses.
        chosen: Those chosen.
        points: What the plan adds to the player's points on the table.
    """
    left = hand.copy()
    steps: list[Lay | Add | SwapJoker] = []
    new = [uses.meld_of(use) for use in chosen if uses.new[use]]
    own, shared = _joined(new, len(swaps))
    for index, (place, joker, tile) in enumerate(swaps):
        steps.append(SwapJoker(place, joker, tile, shared[index]))
        left.remove(tile)
        left.add(JOKER)
    at = dict(melds)
    for use in chosen:
        if not uses.new[use]:
            place, low, high = uses.additions[use]
            steps.extend(_additions(place, at[place], low, high))
            for tile in (*low, *high):
                left.remove(tile)
    for meld in shared + own:
        for tile in meld:
            left.remove(tile)
    if own:
        steps.append(Lay(tuple(own)))
    return Plan(tuple(steps), points, left)


def _additions(place: int, meld: Meld, low: tuple[int, ...], high: tuple[int, ...]) -> list[Add]:
    """The additions to one combination, in an order in which each is allowed."""
    steps: list[Add] = []
    lows = 0
    highs = 0
    for end in order_of(meld, low, high) or ():
        if end == LOW:
            steps.append(Add(place, low[lows], "low"))
            lows += 1
        else:
            steps.append(Add(place, high[highs], "high" if meld.run else ""))
            highs += 1
    return steps


def _joined(new: list[Tiles], swaps: int) -> tuple[list[Tiles], list[Tiles]]:
    """Joins runs that continue each other, as a player would lay them.

    Args:
        new: New combinations.
        swaps: How many of them have to hold a swapped Joker; as many have one.

    Returns:
        The combinations without those for swaps, and those for swaps, each with a Joker.
    """
    runs: list[Meld] = []
    sets: list[Meld] = []
    for tiles in new:
        meld = meld_of(tiles)
        if meld.run:
            runs.append(meld)
        else:
            sets.append(meld)
    runs.sort(key=lambda run: (run.colour, run.low, len(run.tiles)))
    joined: list[Meld] = []
    while runs:
        run = runs.pop(0)
        index = 0
        while index < len(runs):
            after = runs[index]
            # Two swapped Jokers go to two combinations.
            if (
                after.colour == run.colour
                and after.low == run.high + 1
                and not (swaps == 2 and after.jokers and run.jokers)
            ):
                run = Meld((*run.tiles, *after.tiles), True, run.low, run.colour)
                runs.pop(index)
                index = 0
            else:
                index += 1
        joined.append(run)
    melds = joined + sets
    shared = [meld for meld in melds if meld.jokers][:swaps]
    return [meld.tiles for meld in melds if not any(meld is other for other in shared)], [meld.tiles for meld in shared]
