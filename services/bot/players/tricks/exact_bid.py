"""Bidding exactly: how many tricks the hand is worth, and how the bids before change that."""

from services.bot.players.tricks.chances import (
    Stakes,
    distribution,
    eagerness,
    expected_points,
    later_chances,
    lead_chances,
)
from services.bot.players.tricks.counting import Counted
from services.bot.players.tricks.view import TrickView
from services.table.engine.bidding import Bid

_PULL = 0.25
"""How far the earlier bids pull the estimate: who bids after modest ones finds more tricks, and the reverse."""


def choose_bid(view: TrickView, stakes: Stakes) -> Bid:
    """The bid that promises most points by the chances of the cards."""
    counted = Counted(view)
    leading = lead_chances(counted, eagerness(counted))
    chances = later_chances(counted, leading, view.hand, view.seat == (view.dealer + 1) % view.seats)
    shift = _pull(view, sum(chances))
    count = max(len(chances), 1)
    spread = distribution([min(0.98, max(0.01, chance + shift / count)) for chance in chances])
    best: Bid | None = None
    best_worth = 0.0
    for action in view.legal:
        if not isinstance(action, Bid):
            continue
        worth = expected_points(spread, action.tricks, action.tricks, stakes)
        if best is None or worth > best_worth:
            best, best_worth = action, worth
    assert best is not None
    return best


def _pull(view: TrickView, own: float) -> float:
    """By how much the tricks to expect differ from those the cards alone promise."""
    made = [bid for bid in view.bids if bid is not None]
    if not made:
        return 0.0
    fair = (view.cards_each - own) / max(view.seats - 1, 1)
    return _PULL * (fair * len(made) - sum(made)) / max(view.seats - len(made), 1)
