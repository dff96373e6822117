"""A hand of a subgame that is played in tricks (RZ-5 to RZ-12)."""

from typing import Final

from services.table.engine.cards import mask_of
from services.table.engine.native import i64
from services.table.engine.rentz.subgames import TRICK_SCORINGS, Subgame, TrickScoring
from services.table.engine.tricks import FollowSuit

_NO_TRUMP: Final = 0


class TrickHand(FollowSuit):
    """A hand that is played in tricks, with what they bring.

    Suit is followed, there is no trump (RZ-5). Enough in itself for searching: `legal`, `play` and `is_over` know the
    whole hand.

    Attributes:
        scoring: What a trick and the cards in it are worth.
        points: What each seat has got for the tricks taken.
        outstanding: The cards that are worth something and have not been taken, as a mask.
    """

    __slots__ = ("outstanding", "points", "scoring")

    scoring: TrickScoring
    points: list[int]
    outstanding: i64

    def _begin(self, hands: list[int], leader: int, scoring: TrickScoring) -> None:
        self._begin_suits(hands, leader, _NO_TRUMP)
        self.scoring = scoring
        self.points = [0] * len(hands)
        self.outstanding = scoring.counting

    def copy(self) -> "TrickHand":
        """An independent copy."""
        copy = TrickHand()
        self._copy_suits(copy)
        copy.scoring = self.scoring
        copy.points = self.points[:]
        copy.outstanding = self.outstanding
        return copy

    def play(self, card: int) -> int:
        """The seat to play plays `card`; returns the seat that took the trick with it, or -1."""
        taker = FollowSuit.play(self, card)
        if taker >= 0:
            cards = mask_of(self.last_trick().cards)
            self.points[taker] += self.scoring.points_in(cards)
            self.outstanding &= ~cards
        return taker

    def is_over(self) -> bool:
        """Whether no card is to be played any more: none is left, or none could change the score (GAP-Z5)."""
        if self.trick:
            return False
        return not self.hands[self.seat] or (self.scoring.ends_early and not self.outstanding)


def trick_hand(subgame: Subgame, hands: list[int], leader: int) -> TrickHand:
    """The hand of `subgame` in which these cards are held and `leader` leads."""
    hand = TrickHand()
    hand._begin(hands, leader, TRICK_SCORINGS[subgame])
    return hand
