"""Totale- and Totale+: the point cards and their score (AZ-31 to AZ-35)."""

from collections.abc import Sequence
from typing import Final

from services.table.engine.cards import BIT, RANK_CARDS, RANKS, SUIT_CARDS, SUITS, parse_card

QUEENS: Final = RANK_CARDS[RANKS.index("Q")]
DIAMONDS: Final = SUIT_CARDS[SUITS.index("D")]
KING_OF_HEARTS: Final = BIT[parse_card("KH")]
POINT_CARDS: Final = QUEENS | DIAMONDS | KING_OF_HEARTS
"""Every card that counts (AZ-33), as a mask."""
TAKES_ALL: Final = 10
"""Points for taking all the points in play (AZ-35)."""


def points_in(cards: int) -> int:
    """The points of a set of cards: 5 for the king of hearts, 2 for a queen, 1 for a diamond (AZ-33)."""
    return 2 * (cards & QUEENS).bit_count() + (cards & DIAMONDS).bit_count() + (5 if cards & KING_OF_HEARTS else 0)


def changes(taken: Sequence[int], in_play: int, plus: bool) -> list[int]:
    """What a Totale brings each seat.

    Args:
        taken: Points of the cards that each seat took.
        in_play: Points of all the cards dealt, set-aside cards not counted (GAP-A11).
        plus: Totale+, in which points are added; otherwise they are subtracted (AZ-34).

    Returns:
        The change of each seat's score. Who took all the points in play gets 10: in Totale- instead of the minus, in
        Totale+ on top (AZ-35, GAP-A10). If no point card was dealt nobody took all of them (GAP-A11).
    """
    result = []
    for points in taken:
        takes_all = in_play > 0 and points == in_play
        if plus:
            result.append(points + (TAKES_ALL if takes_all else 0))
        else:
            result.append(TAKES_ALL if takes_all else -points)
    return result
