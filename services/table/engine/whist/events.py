"""What happens in a match of whist by its rules: the events that `State.apply` returns. Everybody may know them all."""

from dataclasses import dataclass

from services.table.engine.first_dealer import DealerDrawn
from services.table.engine.whist.scoring import Streak


@dataclass(frozen=True, slots=True)
class Dealt:
    """Cards were dealt.

    Attributes:
        number: Number of the deal in the match, from 1.
        dealer: The dealer.
        cards_each: Cards each.
        trump_card: The turned card; -1 when there is no trump (RW-5).
    """

    number: int
    dealer: int
    cards_each: int
    trump_card: int


@dataclass(frozen=True, slots=True)
class BiddingEnded:
    """All have bid.

    Attributes:
        bid_sum: Sum of the bids, never the number of tricks (RW-6).
        overbid: More tricks were bid than there are; otherwise fewer.
    """

    bid_sum: int
    overbid: bool


@dataclass(frozen=True, slots=True)
class TrickTaken:
    """A trick was taken.

    Attributes:
        seat: Who took it.
        leader: Who led it; card i is of seat (leader + i) mod seats.
        cards: Its cards in the order played, one of each seat.
    """

    seat: int
    leader: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of one seat in a hand.

    Attributes:
        bid: The bid.
        tricks: Tricks taken.
        points: Points for the bid (RW-8).
        premium: The premium that the hand completed, negative for misses; mostly 0 (RW-9).
        streak: The streak after the hand; begun again if there was a premium.
    """

    bid: int
    tricks: int
    points: int
    premium: int
    streak: Streak

    @property
    def change(self) -> int:
        """Change of the score."""
        return self.points + self.premium


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A row of the score sheet: one hand.

    Attributes:
        number: Number of the deal in the match, from 1.
        dealer: The dealer.
        cards_each: Cards each.
        cells: One for each seat.
    """

    number: int
    dealer: int
    cards_each: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """A row was added to the score sheet."""

    row: ScoreRow


Event = DealerDrawn | Dealt | BiddingEnded | TrickTaken | Scored
"""Anything that happens by the rules."""
