"""The level *novice*: plausible at a glance, counts nothing, and makes mistakes."""

import random

from services.bot.players.arzoi.counting import beats, winning_card
from services.bot.players.arzoi.view import ArzoiView
from services.table.engine.arzoi.actions import LEAVE, Action, Bid, Play
from services.table.engine.arzoi.events import Part
from services.table.engine.arzoi.packs import Size
from services.table.engine.arzoi.position import Phase
from services.table.engine.arzoi.totale import points_in
from services.table.engine.cards import BIT, RANK_OF, cards_of, mask_of

_CARELESS = 0.2
"""How often it plays any card that is allowed."""
_MISJUDGES = 0.3
"""How often its bid is one beside what it thinks."""


class Novice:
    """Looks at its own hand and the trick on the table, and at nothing else."""

    def decide(self, view: ArzoiView, rng: random.Random) -> Action:
        """One of the legal actions; the same for the same view and generator."""
        if len(view.legal) == 1 or view.phase is Phase.CHOOSE:
            return view.legal[0]  # GAP-A29: a bot chooses the lowest whist, else Septica
        if view.phase is Phase.BID:
            return _bid(view, rng)
        if rng.random() < _CARELESS:
            return rng.choice(view.legal)
        if view.part is Part.SEPTICA:
            return _septica(view)
        if view.part is Part.WHIST:
            return _follow(view, wants=view.tricks[view.seat] < (view.bids[view.seat] or 0))
        return _follow(view, wants=view.part is Part.TOTALE_PLUS)


def _bid(view: ArzoiView, rng: random.Random) -> Bid:
    """Counts aces, kings and half of the trumps, and sometimes miscounts."""
    strength = 0.0
    for card in cards_of(view.hand):
        rank = card % 14
        if BIT[card] & view.trump:
            strength += 0.9 if rank <= 2 else 0.4
        else:
            strength += (0.7, 0.4, 0.1)[rank] if rank <= 2 else 0.0
    aim = round(strength)
    if rng.random() < _MISJUDGES:
        aim += rng.choice((-1, 1))
    bids = [action for action in view.legal if isinstance(action, Bid)]
    return min(bids, key=lambda bid: (abs(bid.tricks - aim), bid.tricks))


def _follow(view: ArzoiView, wants: bool) -> Action:
    """The highest card when it wants the trick and can have it, otherwise the lowest; the reverse when it does not."""
    plays = [action for action in view.legal if isinstance(action, Play)]
    low_to_high = sorted(plays, key=lambda play: (-(play.card % 14), play.card))
    best_card, _ = winning_card(view)
    if not view.trick:
        return low_to_high[-1] if wants else low_to_high[0]
    taking = [play for play in low_to_high if beats(play.card, best_card, view.trump)]
    losing = [play for play in low_to_high if play not in taking]
    if wants:
        return taking[-1] if taking else low_to_high[0]
    if losing:
        if view.part is Part.TOTALE_MINUS:
            return max(losing, key=lambda play: (points_in(BIT[play.card]), -(play.card % 14)))
        return losing[-1]
    return low_to_high[0]


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
