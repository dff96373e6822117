"""What happens in a match of Rentz by its rules: the events that `State.apply` returns. Everybody may know them all."""

from dataclasses import dataclass

from services.table.engine.first_dealer import DealerDrawn
from services.table.engine.rentz.subgames import Subgame


@dataclass(frozen=True, slots=True)
class Dealt:
    """Cards were dealt.

    Attributes:
        number: Number of the hand in the match, from 1.
        dealer: The player who chooses and leads (GAP-Z2).
    """

    number: int
    dealer: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """The subgame was chosen (RZ-3)."""

    seat: int
    subgame: Subgame


@dataclass(frozen=True, slots=True)
class TrickTaken:
    """A trick was taken.

    Attributes:
        seat: Who took it.
        leader: Who led it; card i is of seat (leader + i) mod 4.
        cards: Its cards in the order played, one of each seat.
        points: What it brought in the subgame.
    """

    seat: int
    leader: int
    cards: tuple[int, ...]
    points: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A card was placed on the layout (RZ-13)."""

    seat: int
    card: int


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat had no valid card when it was its turn (RZ-14)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Waited:
    """A seat had to wait one turn because of a seven (RZ-18)."""

    seat: int


@dataclass(frozen=True, slots=True)
class MovesAgain:
    """A seat placed an ace and moves again (RZ-17)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Finished:
    """A seat got rid of all cards in the layout game.

    Attributes:
        seat: The seat.
        place: 1 for the first, up to 3: the last seat keeps its cards (GAP-Z12).
    """

    seat: int
    place: int


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A row of the score sheet: one hand.

    Attributes:
        number: Number of the hand in the match, from 1.
        dealer: The player who chose.
        subgame: What was played.
        points: What it brought each seat.
    """

    number: int
    dealer: int
    subgame: Subgame
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """A row was added to the score sheet."""

    row: ScoreRow


Event = DealerDrawn | Dealt | Chosen | TrickTaken | Placed | Passed | Waited | MovesAgain | Finished | Scored
"""Anything that happens by the rules."""
