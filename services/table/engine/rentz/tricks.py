"""A hand of a subgame that is played in tricks (RZ-5 to RZ-12)."""

from typing import Final

from services.table.engine.cards import mask_of
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

    def __init__(self, hands: list[int], leader: int, scoring: TrickScoring) -> None:
        super().__init__(hands, leader, _NO_TRUMP)
        self.scoring: TrickScoring = scoring
        self.points: list[int] = [0] * len(hands)
        self.outstanding: int = scoring.counting

    def copy(self) -> "TrickHand":
        """An independent copy."""
        copy = TrickHand(self.hands[:], self.leader, self.scoring)
        self.copy_into(copy)
        copy.led = self.led
        copy.beats = self.beats
        copy.points = self.points[:]
        copy.outstanding = self.outstanding
        return copy

    def play(self, card: int) -> int:
        """The seat to play plays `card`; returns the seat that took the trick with it, or -1."""
        taker = FollowSuit.play(self, card)
        if taker >= 0:
            cards = mask_of(self.history[-1].cards)
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
    return TrickHand(hands, leader, TRICK_SCORINGS[subgame])
