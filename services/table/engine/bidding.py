"""Bidding tricks: the action and the one restriction that such games share."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Bid:
    """Bid so many tricks."""

    tricks: int


BIDS: Final[tuple[Bid, ...]] = tuple([Bid(tricks) for tricks in range(9)])
"""Every bid there is, by its number of tricks."""


def forbidden_bid(seats: int, cards: int, bids_made: int, bid_sum: int) -> int:
    """The bid that the next bidder may not make: the last one may not make the sum equal to the tricks.

    Args:
        seats: Number of players.
        cards: Cards each, so the tricks there are.
        bids_made: Bids made before.
        bid_sum: Their sum.

    Returns:
        The bid; -1 if every bid is allowed.
    """
    if bids_made != seats - 1 or bid_sum > cards:
        return -1
    return cards - bid_sum
