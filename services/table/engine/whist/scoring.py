"""What a hand of whist brings: points by bid and tricks, and premiums for hands in a row (RW-8, RW-9)."""

from typing import Final, NamedTuple

EXACT: Final = 5
"""Points for an exact bid, besides the tricks bid (RW-8)."""
IN_A_ROW: Final = 5
"""So many exact hands in a row bring a premium, so many misses cost it (RW-9)."""


class Streak(NamedTuple):
    """Hands in a row that count towards a premium; at most one of the two is not 0 (GAP-W5).

    Attributes:
        exact: Exact hands in a row since the last miss or premium.
        missed: Missed hands in a row since the last exact one or premium.
    """

    exact: int
    missed: int


NONE: Final = Streak(0, 0)
"""No streak: at the start, and after a premium (GAP-W4)."""


def points(bid: int, tricks: int) -> int:
    """The points of one player for a hand, the premium not counted (RW-8)."""
    return EXACT + bid if bid == tricks else -abs(bid - tricks)


def after(streak: Streak, exact: bool, cards: int, premium: int) -> tuple[Streak, int]:
    """The streak after a hand, and the premium that the hand brings.

    Hands of one card are passed over: they neither count nor break a streak (GAP-W2); those of eight count (GAP-W3).

    Args:
        streak: The streak before.
        exact: The bid was made.
        cards: Cards each in the hand.
        premium: What a premium is worth; with 0 no streak is counted.

    Returns:
        The streak that goes on, begun again after a premium (GAP-W4); and the premium, negative for misses, or 0.
    """
    if cards == 1 or premium == 0:
        return streak, 0
    if exact:
        return (NONE, premium) if streak.exact + 1 == IN_A_ROW else (Streak(streak.exact + 1, 0), 0)
    return (NONE, -premium) if streak.missed + 1 == IN_A_ROW else (Streak(0, streak.missed + 1), 0)
