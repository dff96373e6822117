"""What there is to talk about in any game of bids and tricks: bids, tricks taken for a bid, and how the match stands.

Messages of different games have the same fields here.
"""

from collections.abc import Iterable
from typing import Any

from services.bot.chatter.occasions import Occasion


def bidding(table: Any, seat: int, bid: int, *, everything: bool, begins: bool) -> Iterable[Occasion]:
    """What `seat` could say as it bids.

    Args:
        table: What everybody sees before the bid.
        seat: The speaker.
        bid: The bid.
        everything: It is every trick, and that is something.
        begins: The match begins with this hand.
    """
    if everything:
        yield Occasion.BID_EVERYTHING
    elif bid >= 3 and 2 * bid >= table.cards_each:
        yield Occasion.BID_BIG
    if begins:
        yield Occasion.GREETING
    others_have_bid = all(other.HasField("bid") for index, other in enumerate(table.seats) if index != seat)
    if others_have_bid and table.bid_sum <= table.cards_each:
        yield Occasion.BID_LAST
    if bid == 0:
        yield Occasion.BID_NOTHING


def playing(table: Any, seat: int, *, overbid: bool, underbid: bool) -> Iterable[Occasion]:
    """What `seat` could say as it plays a card to its bid."""
    if not table.last_trick:
        if overbid:
            yield Occasion.OVERBID
        elif underbid:
            yield Occasion.UNDERBID
    elif table.last_taker == seat:
        over = table.seats[seat].tricks - table.seats[seat].bid
        if over == 1:
            yield Occasion.TRICK_UNWANTED
        elif over <= 0:
            yield Occasion.TRICK_TAKEN


def score(table: Any, seat: int, lead: int) -> Iterable[Occasion]:
    """That `seat` is first or last in the match, by so many points at least."""
    mine = table.seats[seat].score
    others = [other.score for index, other in enumerate(table.seats) if index != seat]
    if mine >= max(others) + lead:
        yield Occasion.WINNING
    elif mine <= min(others) - lead:
        yield Occasion.LOSING
