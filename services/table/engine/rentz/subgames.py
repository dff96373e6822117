"""The eight subgames, and what a trick is worth in those that are played in tricks (RZ-6 to RZ-12)."""

from enum import Enum
from typing import Final, NamedTuple

from services.table.engine.cards import BIT, RANK_CARDS, RANKS, SUIT_CARDS, SUITS, mask_of, pack_of, parse_card

PACK: Final = pack_of(8)
"""The cards from the ace to the seven in all four suits, ascending (RZ-1)."""
SEATS: Final = 4
"""Number of players (RZ-1)."""
HAND: Final = 8
"""Cards each (RZ-1)."""


class Subgame(Enum):
    """What a hand is played for. The value names it in text; the order is that of choices."""

    KING_OF_HEARTS = "king of hearts"
    """Not to take the king of hearts (RZ-6)."""
    QUEENS = "queens"
    """To take no queen (RZ-7)."""
    DIAMONDS = "diamonds"
    """To take no diamond (RZ-8)."""
    TRICKS = "tricks"
    """To take no trick (RZ-9)."""
    TOTALE = "totale"
    """To take nothing of all that (RZ-10)."""
    TEN_OF_CLUBS = "ten of clubs"
    """To take the ten of clubs (RZ-11)."""
    WHIST = "whist"
    """To take tricks (RZ-12)."""
    RENTZ = "rentz"
    """To lay out all cards first (RZ-13)."""


SUBGAMES: Final[tuple[Subgame, ...]] = tuple(Subgame)
"""All of them, in the order of choices."""


class TrickScoring(NamedTuple):
    """What tricks and the cards in them are worth in a subgame.

    Attributes:
        trick: Points for each trick.
        cards: Sets of cards, as masks, with the points for each card of the set; a card may be in several (RZ-10).
        counting: All cards that are worth something, as a mask.
        ends_early: The hand is over when all those are taken: nothing else is worth anything (GAP-Z5).
    """

    trick: int
    cards: tuple[tuple[int, int], ...]
    counting: int
    ends_early: bool

    def points_in(self, cards: int) -> int:
        """The points that a trick of these cards, a mask, brings to who takes it."""
        points = self.trick
        for some, each in self.cards:
            points += each * (cards & some).bit_count()
        return points


_IN_PLAY: Final = mask_of(PACK)
_KING_OF_HEARTS: Final = (BIT[parse_card("KH")], -200)
_QUEENS: Final = (RANK_CARDS[RANKS.index("Q")], -40)
_DIAMONDS: Final = (SUIT_CARDS[SUITS.index("D")] & _IN_PLAY, -30)
_TEN_OF_CLUBS: Final = (BIT[parse_card("TC")], 200)
_TRICK: Final = 50


def _scoring(trick: int, *cards: tuple[int, int]) -> TrickScoring:
    counting = 0
    for some, _ in cards:
        counting |= some
    return TrickScoring(trick, cards, counting, not trick)


TRICK_SCORINGS: Final[dict[Subgame, TrickScoring]] = {
    Subgame.KING_OF_HEARTS: _scoring(0, _KING_OF_HEARTS),
    Subgame.QUEENS: _scoring(0, _QUEENS),
    Subgame.DIAMONDS: _scoring(0, _DIAMONDS),
    Subgame.TRICKS: _scoring(-_TRICK),
    Subgame.TOTALE: _scoring(-_TRICK, _KING_OF_HEARTS, _QUEENS, _DIAMONDS),
    Subgame.TEN_OF_CLUBS: _scoring(0, _TEN_OF_CLUBS),
    Subgame.WHIST: _scoring(_TRICK),
}
"""Of each subgame that is played in tricks."""
