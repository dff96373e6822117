"""What one seat sees of a match of Arzoi, as bots think about it.

The same view is read from a turn of the work queue (`reading`) and from a state of the engine (`observing`), so that
the arena measures exactly what plays at the tables. Seats, cards and actions are those of `services.table.engine`.
"""

from dataclasses import dataclass

from services.table.engine.arzoi.actions import Action
from services.table.engine.arzoi.events import Part
from services.table.engine.arzoi.packs import SIZES, Size
from services.table.engine.arzoi.position import Phase
from services.table.engine.cards import BIT, SUIT_OF, mask_of
from services.table.engine.tricks import Trick


@dataclass(frozen=True, slots=True)
class ArzoiView:
    """A decision to be made, and all that its seat may know.

    Attributes:
        seat: The seat that decides.
        seats: Number of players.
        phase: Which kind of decision.
        part: What is played; None while a variant is chosen.
        variants_left: Variants that can still be chosen.
        dealer: The dealer of this round.
        round: Round of the part, from 1.
        rounds: Rounds that the part has at most.
        attempt: Attempt at the round, from 1.
        multiplier: What the points of this attempt are multiplied by.
        cards_each: Cards each at the deal.
        trump_card: The turned card; -1 when there is no trump (AZ-13).
        hand: The seat's cards, as a mask.
        legal: Everything the seat may do, in the game's order.
        scores: Points of each seat in the match so far.
        cards: Cards in each hand.
        bids: Bid of each seat; None before it is made, and outside whist.
        tricks: Tricks taken by each seat.
        points: Points of the cards taken by each seat; Totale and Septica.
        burned: Whether each seat has burned in this orbit.
        leader: The seat that led the trick on the table; -1 when no card lies.
        trick: Cards on the table; card i is of seat (leader + i) mod seats.
        past: Tricks taken since the deal that the seat remembers, oldest first.
        stock: Cards left to draw in Septica.
        teams: Teams in Septica; 0 outside.
    """

    seat: int
    seats: int
    phase: Phase
    part: Part | None
    variants_left: tuple[int, ...]
    dealer: int
    round: int
    rounds: int
    attempt: int
    multiplier: int
    cards_each: int
    trump_card: int
    hand: int
    legal: tuple[Action, ...]
    scores: tuple[int, ...]
    cards: tuple[int, ...]
    bids: tuple[int | None, ...]
    tricks: tuple[int, ...]
    points: tuple[int, ...]
    burned: tuple[bool, ...]
    leader: int
    trick: tuple[int, ...]
    past: tuple[Trick, ...]
    stock: int
    teams: int

    @property
    def size(self) -> Size:
        """The row of AZ-4."""
        return SIZES[self.seats]

    @property
    def trump(self) -> int:
        """The mask of the trump suit; 0 without trump."""
        return SUIT_OF[self.trump_card] if self.trump_card >= 0 else 0

    @property
    def led(self) -> int:
        """The card that led the trick on the table; -1 when no card lies."""
        return self.trick[0] if self.trick else -1

    @property
    def unseen(self) -> int:
        """The cards of the pack that the seat has not seen, as a mask: others' hands, the stock, cards set aside."""
        seen = self.hand | mask_of(self.trick)
        for trick in self.past:
            seen |= mask_of(trick.cards)
        if self.trump_card >= 0:
            seen |= BIT[self.trump_card]
        return mask_of(self.size.pack) & ~seen

    @property
    def next_seats(self) -> tuple[int, ...]:
        """The seats that play to this circle of the trick after this one, in order."""
        played = len(self.trick) % self.seats
        return tuple([(self.seat + step) % self.seats for step in range(1, self.seats - played)])
