"""What happens in a match of Arzoi by its rules: the events that `State.apply` returns. Everybody may know them all."""

from dataclasses import dataclass
from enum import Enum


class Part(Enum):
    """What is played in a round."""

    WHIST = "whist"
    TOTALE_MINUS = "totale-"
    TOTALE_PLUS = "totale+"
    SEPTICA = "septica"


@dataclass(frozen=True, slots=True)
class Dealt:
    """Cards were dealt.

    Attributes:
        part: What is played with them.
        round: Round of the part, from 1.
        attempt: Attempt at the round, from 1.
        dealer: The dealer.
        cards_each: Cards each.
        trump_card: The turned card; -1 when there is no trump (AZ-13).
    """

    part: Part
    round: int
    attempt: int
    dealer: int
    cards_each: int
    trump_card: int


@dataclass(frozen=True, slots=True)
class BiddingEnded:
    """All have bid; the round is overbid or underbid (AZ-16).

    Attributes:
        bid_sum: Sum of the bids.
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
        seats: Number of players.
        cards: Its cards in the order played.
        points: Points in it; Totale and Septica.
    """

    seat: int
    leader: int
    seats: int
    cards: tuple[int, ...]
    points: int


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of one seat in a row of the score sheet.

    Attributes:
        bid: The bid; None outside whist.
        tricks: Tricks taken.
        points: Points of the cards taken; Totale and Septica.
        change: Change of the score.
        burned: The bid was not made.
    """

    bid: int | None
    tricks: int
    points: int
    change: int
    burned: bool


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A row of the score sheet: one attempt at a round, or the bonus of an orbit.

    Attributes:
        orbit: Orbit of the match, from 1.
        part: What was played.
        variant: The orbit's variant.
        round: Round of the part, from 1; 0 for the bonus of a perfect orbit (AZ-24).
        attempt: Attempt at the round, from 1.
        dealer: The dealer.
        replayed: The round has to be replayed (AZ-25, AZ-45).
        cells: One for each seat.
    """

    orbit: int
    part: Part
    variant: int
    round: int
    attempt: int
    dealer: int
    replayed: bool
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """A row was added to the score sheet."""

    row: ScoreRow


@dataclass(frozen=True, slots=True)
class OrbitEnded:
    """An orbit of whist or of Septica ended.

    Attributes:
        variant: Its variant.
        early: It ended before every player had dealt, because everybody had burned (AZ-27).
        perfect: Seats with a perfect orbit (AZ-24).
        totale_minus: Totale- rounds that follow (AZ-29).
        totale_plus: Totale+ rounds that follow (AZ-30).
    """

    variant: int
    early: bool
    perfect: tuple[int, ...]
    totale_minus: int
    totale_plus: int


Event = Dealt | BiddingEnded | TrickTaken | Scored | OrbitEnded
"""Anything that happens by the rules."""
