"""The level *novice*: plausible at a glance, counts nothing, and makes mistakes."""

import random
from collections.abc import Sequence

from services.bot.players.arzoi.view import ArzoiView
from services.bot.players.tricks.glance import CARELESS, follow, guess_bid
from services.table.engine.arzoi.actions import LEAVE, Action, Play
from services.table.engine.arzoi.events import Part
from services.table.engine.arzoi.packs import Size
from services.table.engine.arzoi.position import Phase
from services.table.engine.arzoi.totale import points_in
from services.table.engine.cards import BIT, RANK_OF, mask_of


class Novice:
    """Looks at its own hand and the trick on the table, and at nothing else."""

    def decide(self, view: ArzoiView, rng: random.Random) -> Action:
        """One of the legal actions; the same for the same view and generator."""
        if len(view.legal) == 1 or view.phase is Phase.CHOOSE:
            return view.legal[0]  # GAP-A29: a bot chooses the lowest whist, else Septica
        if view.phase is Phase.BID:
            return guess_bid(view, rng)
        if rng.random() < CARELESS:
            return rng.choice(view.legal)
        if view.part is Part.SEPTICA:
            return _septica(view)
        if view.part is Part.WHIST:
            return follow(view, wants=view.tricks[view.seat] < (view.bids[view.seat] or 0))
        if view.part is Part.TOTALE_PLUS:
            return follow(view, wants=True)
        return follow(view, wants=False, shed=_dearest)


def _dearest(losing: Sequence[Play]) -> Play:
    """The card with most points, in Totale-."""
    return max(losing, key=lambda play: (points_in(BIT[play.card]), -(play.card % 14)))


def _septica(view: ArzoiView) -> Action:
    """Cuts when points lie on the table, leaves otherwise, and throws away what is worth least."""
    size = view.size
    points = (mask_of(view.trick) & size.septica_points).bit_count()
    plays = sorted(
        [action for action in view.legal if isinstance(action, Play)], key=lambda play: _septica_price(size, play.card)
    )
    if LEAVE in view.legal and not points:
        return LEAVE
    if view.trick and points:
        fitting = RANK_OF[view.led] | size.cutters
        taking = [play for play in plays if BIT[play.card] & fitting]
        if taking:
            return taking[0]
    return plays[0]


def _septica_price(size: Size, card: int) -> tuple[int, int]:
    bit = BIT[card]
    return (2 if bit & size.cutters else 1 if bit & size.septica_points else 0, -(card % 14))
