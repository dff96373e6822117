"""Who plays whist: *novice* and *club*."""

import random

from services.bot.players.tricks.chances import Stakes
from services.bot.players.tricks.exact_bid import choose_bid
from services.bot.players.tricks.exact_play import choose_card
from services.bot.players.tricks.glance import CARELESS, follow, guess_bid
from services.bot.players.whist.view import WhistView
from services.table.engine.whist import Action, Phase
from services.table.engine.whist.scoring import IN_A_ROW, points

_HITS = 0.6
"""How often a bid is made in hands to come, roughly."""
_SPITE = 0.3
"""What it is worth to leave a trick to somebody who misses by it, or to keep it from somebody who needs it."""


class Novice:
    """Looks at its own hand and the trick on the table, and at nothing else."""

    def decide(self, view: WhistView, rng: random.Random) -> Action:
        """One of the legal actions; the same for the same view and generator."""
        if len(view.legal) == 1:
            return view.legal[0]
        if view.phase is Phase.BID:
            return guess_bid(view, rng)
        if rng.random() < CARELESS:
            return rng.choice(view.legal)
        return follow(view, wants=view.tricks[view.seat] < (view.bids[view.seat] or 0))


class Club:
    """Plays by expectation: what a card or bid promises, by the cards that are still out, streaks included."""

    def decide(self, view: WhistView, rng: random.Random) -> Action:
        """One of the legal actions. It leaves nothing to chance."""
        if len(view.legal) == 1:
            return view.legal[0]
        if view.phase is Phase.BID:
            return choose_bid(view, stakes(view))
        return choose_card(view, stakes(view), [_SPITE] * view.seats)


def stakes(view: WhistView) -> Stakes:
    """Points for each bid (RW-8), with what an exact hand or a miss means for the premiums (RW-9).

    A streak is worth the premium at its end, by the chance to get there in the hands that are left.
    """
    exact = missed = 0.0
    if view.premium and view.cards_each > 1:
        streak = view.streaks[view.seat]
        left = view.counting_hands_left
        hope, fear = _promise(streak.exact, left, _HITS), _promise(streak.missed, left, 1 - _HITS)
        exact = view.premium * (_promise(streak.exact + 1, left, _HITS) - hope + fear)
        missed = view.premium * (_promise(streak.missed + 1, left, 1 - _HITS) - fear + hope)
    return Stakes([points(bid, bid) + exact for bid in range(view.cards_each + 1)], missed)


def _promise(in_a_row: int, left: int, chance: float) -> float:
    """The chance that a streak of `in_a_row` becomes a premium in the `left` hands to come."""
    missing = IN_A_ROW - in_a_row
    return 0.0 if missing > left or in_a_row == 0 else float(chance**missing)
