"""A move that needs no understanding: for views that contradict themselves, and players that fail."""

from collections.abc import Sequence
from typing import Any

_RANKS_LOW_FIRST = "123456789TJQKA"


def fair_bid(actions: Sequence[Any], cards_each: int, seats: int) -> int:
    """Which of the bids is nearest to a fair share of the tricks."""
    share = cards_each / max(seats, 1)
    return min(range(len(actions)), key=lambda index: abs(actions[index].bid - share))


def lowest_card(actions: Sequence[Any]) -> int:
    """Which of the plays is of the lowest rank."""
    return min(range(len(actions)), key=lambda index: _RANKS_LOW_FIRST.find(actions[index].play[:1]))
