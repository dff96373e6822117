"""What a hand can do with a table: the best first meld, the best rest of a turn, whether it can close.

What is legal, and what is best, is exact for hands of up to 45 tiles, and the same question always gets the same
answer. (A hand of half the pack can have more to weigh than anybody would wait for: beyond 50,000 positions for a
choice of swaps the best that was found stands. Whether something can be laid at all is exact for every hand.) Twins
are interchangeable, and so are Jokers. Announcements are nobody's business here.

How it works: every way to use tiles is listed (`solver_uses`, `solver_additions`), the best of them that have no tile
in common are found (`solver_packing`, for large hands with the help of `solver_prices`), and written as the actions
of a turn (`solver_plan`). Swaps of Jokers are tried one by one and in pairs (`solver_search`): there are only two
Jokers, and swapping first never hurts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from services.table.engine.remi.actions import Add, CloseWithAtu, Discard, Lay, Step, SwapJoker, Tiles
from services.table.engine.remi.melds import LaidMeld, laid, meld_of
from services.table.engine.remi.solver_plan import Plan
from services.table.engine.remi.solver_search import EXACT, NONE, Question, any_plan, best_keeping, best_plan
from services.table.engine.remi.solver_uses import FEWEST, POINTS, Aim
from services.table.engine.remi.tiles import JOKER, Hand

__all__ = [
    "FEWEST",
    "POINTS",
    "Aim",
    "Plan",
    "Spot",
    "Stage",
    "best_first_meld",
    "best_rest",
    "can_use",
    "closing",
    "closing_with_atu",
    "laid_out",
]

Stage = Literal["closed", "opening", "open"]
"""What a player may do with the table: has not melded; did so in this very turn, so that only own combinations are open
(RM-24); or did so in an earlier turn."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A turn after its draw.

    Attributes:
        hand: The tiles in hand.
        melds: The combinations on the table.
        seat: The player.
        stage: What the player may do with the table.
        required: A tile that has to go from hand to table in this turn (RM-18, RM-21); -1 without.
        barred: A tile that may not be discarded in this turn (GAP-R12); -1 without.
        positions: About so many positions are searched for the best; 0, the usual, for as many as it takes. What is
            legal is certain whatever it says. Hands of up to 25 tiles have a few hundred at most; who would rather have
            a good answer soon than the best one for half the pack names some.
    """

    hand: Hand
    melds: Sequence[LaidMeld]
    seat: int
    stage: Stage
    required: int = NONE
    barred: int = NONE
    positions: int = EXACT

    def question(self) -> Question:
        """The spot as the search wants it."""
        usable = [
            place
            for place, meld in enumerate(self.melds)
            if self.stage == "open" or (self.stage == "opening" and meld.seat == self.seat)
        ]
        first = self.stage == "closed"
        return Question(
            self.hand,
            self.melds,
            usable,
            self.seat,
            first,
            self.required,
            barred=self.barred,
            positions=self.positions,
        )


def best_first_meld(hand: Hand, required: int = NONE, barred: int = NONE, aim: Aim = POINTS) -> Lay | None:
    """The best first meld (RM-14); None if there is none.

    Args:
        hand: The tiles in hand.
        required: A tile that has to be in it (RM-18, GAP-R33); -1 without.
        barred: A tile that may not be discarded in this turn (GAP-R12); -1 without.
        aim: What is sought: most points, or fewest tiles left.
    """
    plan = best_rest(Spot(hand, (), 0, "closed", required, barred), aim)
    for step in plan.steps if plan is not None else ():
        if isinstance(step, Lay):
            return step
    return None


def best_rest(spot: Spot, aim: Aim = POINTS) -> Plan | None:
    """The best that can be done before the discard.

    Returns:
        A plan, without steps if nothing can be laid; None if what is required cannot be used. If it leaves tiles, one
        of them may be discarded.
    """
    found = best_plan(spot.question(), aim)
    if found is not None:
        return found.plan
    if spot.stage == "closed" and spot.required == NONE:
        return Plan((), 0, spot.hand.copy())
    return None


def can_use(spot: Spot) -> bool:
    """Whether some legal rest of the turn uses what is required (GAP-R13, GAP-R34)."""
    return any_plan(spot.question())


def closing(spot: Spot) -> tuple[Step, ...] | None:
    """How to close now (RM-28); None if it cannot be done.

    Returns:
        The steps, a discard as the last one if a tile is left. If it can be done so that a Joker is discarded last it
        is, and better still, added last (RM-29, GAP-R19); otherwise as many tiles as possible are laid.
    """
    question = spot.question()
    if spot.hand.jokers and spot.barred != JOKER:
        found = best_keeping(question, FEWEST, JOKER)
        if found is not None and found.plan.left.size() == 1:
            return (*found.plan.steps, _last_joker(spot, found.plan.steps))
    found = best_plan(question, FEWEST)
    if found is None:
        return None
    left = found.plan.left.tiles()
    if not left:
        return found.plan.steps
    return (*found.plan.steps, Discard(left[0])) if len(left) == 1 else None


def laid_out(spot: Spot, steps: Sequence[Step]) -> list[LaidMeld]:
    """The combinations on the table after these steps of the turn, which are legal. Others are let be."""
    melds = list(spot.melds)
    for step in steps:
        if isinstance(step, SwapJoker):
            melds[step.meld] = melds[step.meld].swapped(spot.seat, step.place, step.tile)
            melds.append(laid(meld_of(step.new_meld), spot.seat))
        elif isinstance(step, Add):
            melds[step.meld] = melds[step.meld].added(spot.seat, step.tile, step.end)
        elif isinstance(step, Lay):
            melds.extend([laid(meld_of(tiles), spot.seat) for tiles in step.melds])
    return melds


def _last_joker(spot: Spot, steps: Sequence[Step]) -> Add | Discard:
    """The last step when a Joker is all that is left: an addition, where it counts most, or else the discard."""
    best: Add | Discard = Discard(JOKER)
    most = 0
    for place, meld in enumerate(laid_out(spot, steps)):
        if spot.stage != "open" and meld.seat != spot.seat:
            continue
        for end in meld.meld.ends_for(JOKER):
            points = meld.meld.added(JOKER, end).points() - meld.meld.points()
            if points > most:
                most = points
                best = Add(place, JOKER, end)
    return best


def closing_with_atu(spot: Spot, atu: int) -> CloseWithAtu | None:
    """How to close with the Atu (RM-11, GAP-R15); None if it cannot be done.

    Args:
        spot: The turn before its draw.
        atu: The Atu, a tile that is no Joker.
    """
    hand = spot.hand.copy()
    hand.add(atu)
    first = spot.stage == "closed"
    usable = [] if first else list(range(len(spot.melds)))
    question = Question(hand, spot.melds, usable, spot.seat, first, atu, True, NONE, False)
    found = best_keeping(question, FEWEST, JOKER) if hand.jokers else None
    last: Add | Discard | None = None
    if found is not None and found.plan.left.size() == 1:
        last = _last_joker(spot, found.plan.steps)
    else:
        found = best_plan(question, FEWEST)
        if found is None or found.plan.left.size() > 1:
            return None
        left = found.plan.left.tiles()
        last = Discard(left[0]) if left else None
    melds: tuple[Tiles, ...] = ()
    additions: list[Add] = []
    for step in found.plan.steps:
        if isinstance(step, Lay):
            melds = step.melds
        elif isinstance(step, Add):
            additions.append(step)
    if isinstance(last, Add):
        return CloseWithAtu(melds, (*additions, last), None)
    return CloseWithAtu(melds, tuple(additions), None if last is None else last.tile)
