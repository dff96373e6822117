"""Playing to an exact bid: take what is needed, duck the rest."""

from collections.abc import Sequence

from services.bot.players.tricks.chances import (
    Stakes,
    distribution,
    eagerness,
    expected_points,
    later_chances,
    lead_chances,
)
from services.bot.players.tricks.counting import Counted, beats, winning_card
from services.bot.players.tricks.view import TrickView
from services.table.engine.cards import BIT, SUIT_OF
from services.table.engine.play import Play

_STEADY = 0.02
"""For equal chances: how much a higher card is preferred to be kept."""


def choose_card(view: TrickView, stakes: Stakes, spite: Sequence[float]) -> Play:
    """The card that promises most points, by the chances of this trick and of those to come.

    Args:
        view: What the seat sees.
        stakes: What is played for.
        spite: What it is worth that each seat misses its bid.
    """
    counted = Counted(view)
    bid = view.bids[view.seat] or 0
    needed = bid - view.tricks[view.seat]
    eager = eagerness(counted)
    leading = lead_chances(counted, eager)
    best_card, holder = winning_card(view)
    led = SUIT_OF[view.led] if view.trick else 0
    best: Play | None = None
    best_worth = 0.0
    for action in view.legal:
        if not isinstance(action, Play):
            continue
        card = action.card
        takes = 0.0
        if not view.trick or beats(card, best_card, view.trump):
            takes = counted.takes(card, led or SUIT_OF[card], view.next_seats, eager)
        rest = view.hand & ~BIT[card]
        worth = 0.0
        if takes > 0.0:
            spread = distribution(later_chances(counted, leading, rest, True))
            worth += takes * expected_points(spread, needed - 1, bid, stakes)
        if takes < 1.0:
            spread = distribution(later_chances(counted, leading, rest, False))
            others = _others_gain(view, holder, spite[holder]) if not takes and not view.next_seats else 0.0
            worth += (1.0 - takes) * (expected_points(spread, needed, bid, stakes) + others)
        worth += _STEADY * (card % 14) / 14
        if best is None or worth > best_worth:
            best, best_worth = action, worth
    assert best is not None
    return best


def _others_gain(view: TrickView, holder: int, spite: float) -> float:
    """What it is worth to us that `holder` takes this trick: it may miss its bid by it, or need it."""
    bid = view.bids[holder]
    if bid is None:
        return 0.0
    over = view.tricks[holder] - bid
    if over == 0:
        return spite
    return -spite if over < 0 else 0.0
