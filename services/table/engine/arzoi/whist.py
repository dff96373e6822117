"""Whist Arzoi: bids and their score (AZ-14 to AZ-16, AZ-21 to AZ-23)."""

from collections.abc import Sequence
from typing import Final

MADE: Final = 5
"""Points for an exact bid, besides the tricks bid (AZ-21)."""
ALL_IN: Final = 10
"""More points for bidding and making every trick (AZ-23)."""
PERFECT: Final = 20
"""Points for an orbit without a burn (AZ-24); never multiplied (GAP-A6)."""


def points(bid: int, tricks: int, cards: int, multiplier: int) -> int:
    """The points of one player in a round of `cards` tricks (AZ-21 to AZ-23), multiplied as a whole (GAP-A6)."""
    if bid != tricks:
        return -abs(bid - tricks) * multiplier
    return (MADE + bid + (ALL_IN if bid == cards else 0)) * multiplier


def burned(bids: Sequence[int], tricks: Sequence[int]) -> int:
    """The seats whose bid and tricks differ, as a mask of seats."""
    mask = 0
    for seat in range(len(bids)):
        if bids[seat] != tricks[seat]:
            mask |= 1 << seat
    return mask
