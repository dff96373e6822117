"""What a hand promises: solved for draws that may come, again and again.

A sample is a guess at the next tiles that the seat will draw. Each hand is solved together with them as if they were
there already: what would lie on the table then, and what would be left after as many discards. The mean over samples
says what a hand is worth, and how often a tile is used says how much it is needed.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.bot.players.remi.view import RemiView
from services.table.engine.remi import JOKER, Hand
from services.table.engine.remi.solver import Aim, Plan, Spot, Stage, best_rest
from services.table.engine.remi.tiles import COLOUR_OF, HAND_VALUE, KIND_COUNT

CLOSING: Final = 150.0
"""What closing is worth beside what is laid: its points, and that the others are caught with what they hold."""
TEMPO: Final = 16.0
"""What each tile that is left costs beside its value, since closing has to wait for it."""
BEFORE_OPENING: Final = 4
"""Draws looked ahead by who has not melded."""
AFTER_OPENING: Final = 3
"""Draws looked ahead by who has."""
NEAR_END: Final = 2
"""The same when somebody is about to close."""
LARGE_HAND: Final = 20
"""Larger hands, which come from deep in the row, are looked at with fewer guesses."""
FEWER: Final = 4
"""So many times fewer."""
POSITIONS: Final = 1_500
"""Positions that the solver searches for one guess; only large hands have more."""
FEW_TILES: Final = 3
"""With so many tiles or fewer somebody is."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A guess at draws and what comes of them.

    Attributes:
        worth: Points on the table and points lost in hand by then, in sum.
        opens: Something can be laid by then.
        used: For each kind whether every copy of it is used, so that one less would hurt.
    """

    worth: float
    opens: bool
    used: tuple[bool, ...]


class Prospects:
    """Looks ahead for one decision.

    Args:
        view: The decision.
        rng: Where chance comes from.
        draws: How many draws are looked ahead.
        samples: How many guesses.
    """

    def __init__(self, view: RemiView, rng: random.Random, draws: int, samples: int) -> None:
        unseen = view.unseen
        count = min(draws, len(unseen))
        self._view = view
        self._melded = view.melded[view.seat]
        self._penalty = penalties(view)
        self._aim = aim_of(self._penalty)
        guesses = samples if view.hand.size() <= LARGE_HAND else max(samples // FEWER, 2)
        self._draws = [rng.sample(unseen, count) for _ in range(guesses)]

    def worth(self, hand: Hand, draws: int, discards: int) -> float:
        """What a hand is worth on average.

        Args:
            hand: The tiles.
            draws: Tiles that are drawn, of those looked ahead.
            discards: Tiles that are discarded.
        """
        samples = self.samples(hand, draws, discards)
        return sum([sample.worth for sample in samples]) / len(samples)

    def samples(self, hand: Hand, draws: int, discards: int) -> list[Sample]:
        """What comes of a hand, guess by guess."""
        return [self._sample(hand, drawn[:draws], discards) for drawn in self._draws]

    def _sample(self, hand: Hand, drawn: Sequence[int], discards: int) -> Sample:
        view = self._view
        later = hand.copy()
        for tile in drawn:
            later.add(tile)
        stage: Stage = "open" if self._melded else "closed"
        plan = best_rest(Spot(later, view.melds, view.seat, stage, positions=POSITIONS), self._aim)
        opens = plan is not None and bool(plan.steps)
        if not opens and not self._melded:
            # What could be laid if nothing were asked of a first meld shows at least which tiles go together.
            plan = best_rest(Spot(later, (), view.seat, "open", positions=POSITIONS), self._aim)
        assert plan is not None
        return Sample(self._worth(plan, later, opens, discards), opens, _used(later, plan.left))

    def _worth(self, plan: Plan, later: Hand, opens: bool, discards: int) -> float:
        melded = opens or self._melded
        left = plan.left if melded else later
        costs = sorted([self._penalty[tile] for tile in left.tiles()])
        kept = costs[: max(len(costs) - discards, 0)]
        if not melded:
            return -2.0 * sum(kept)
        return plan.points - sum(kept) - TEMPO * len(kept) + (0.0 if kept else CLOSING)


def penalties(view: RemiView) -> list[int]:
    """For each kind what it costs to be left with one (RM-31, RM-32)."""
    colour = COLOUR_OF[view.turned]
    return [HAND_VALUE[kind] * (2 if kind != JOKER and COLOUR_OF[kind] == colour else 1) for kind in range(KIND_COUNT)]


def aim_of(penalty: Sequence[int]) -> Aim:
    """What is worth laying: points, what is not lost in hand, and every tile that closing will not wait for."""
    return Aim(point=2, tile=16, kinds=tuple(penalty))


def _used(hand: Hand, left: Hand) -> tuple[bool, ...]:
    return tuple([hand.count(kind) > 0 and left.count(kind) == 0 for kind in range(KIND_COUNT)])


def horizon(view: RemiView) -> int:
    """How many draws to look ahead: fewer when the round may soon be over."""
    turns = max(view.pile // view.seats, 1)
    if not view.melded[view.seat]:
        return min(turns, BEFORE_OPENING)
    fewest = min([tiles for seat, tiles in enumerate(view.tiles) if seat != view.seat])
    return min(turns, NEAR_END if fewest <= FEW_TILES else AFTER_OPENING)
