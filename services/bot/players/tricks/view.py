"""What one seat sees of a deal in which tricks are taken, as bots think about it.

Games add what is theirs. Seats, cards and actions are those of `services.table.engine`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from services.table.engine.cards import BIT, SUIT_OF, mask_of
from services.table.engine.tricks import Trick


class TrickFacts(TypedDict):
    """What the messages, and the engine's states, of all games with tricks say alike: named as in `TrickView`."""

    seat: int
    seats: int
    dealer: int
    hand: int
    scores: tuple[int, ...]
    cards: tuple[int, ...]
    tricks: tuple[int, ...]
    leader: int
    trick: tuple[int, ...]
    past: tuple[Trick, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrickView:
    """A decision to be made, and what its seat may know of the deal.

    Attributes:
        seat: The seat that decides.
        seats: Number of players.
        dealer: The dealer of this deal.
        cards_each: Cards each at the deal.
        trump_card: The turned card; -1 when there is no trump.
        hand: The seat's cards, as a mask.
        legal: Everything the seat may do, in the game's order.
        scores: Points of each seat in the match so far.
        cards: Cards in each hand.
        bids: Bid of each seat; None before it is made, and where there is no bidding.
        tricks: Tricks taken by each seat.
        leader: The seat that led the trick on the table; -1 when no card lies.
        trick: Cards on the table; card i is of seat (leader + i) mod seats.
        past: Tricks taken since the deal that the seat remembers, oldest first.
    """

    seat: int
    seats: int
    dealer: int
    cards_each: int
    trump_card: int
    hand: int
    legal: tuple[Any, ...]
    scores: tuple[int, ...]
    cards: tuple[int, ...]
    bids: tuple[int | None, ...]
    tricks: tuple[int, ...]
    leader: int
    trick: tuple[int, ...]
    past: tuple[Trick, ...]

    @property
    def pack(self) -> Sequence[int]:
        """The cards of the pack."""
        raise NotImplementedError

    @property
    def follows_suit(self) -> bool:
        """Whether suit has to be followed, so that who does not has none of it."""
        return True

    @property
    def trump(self) -> int:
        """The mask of the trump suit; 0 without trump."""
        return SUIT_OF[self.trump_card] if self.trump_card >= 0 else 0

    @property
    def led(self) -> int:
        """The card that led the trick on the table; -1 when no card lies."""
        return self.trick[0] if self.trick else -1

    @property
    def shown(self) -> int:
        """The cards that everybody sees beside the tricks, as a mask: the turned card."""
        return BIT[self.trump_card] if self.trump_card >= 0 else 0

    @property
    def unseen(self) -> int:
        """The cards of the pack that the seat has not seen, as a mask: others' hands, and cards not dealt."""
        seen = self.hand | self.shown | mask_of(self.trick)
        for trick in self.past:
            seen |= mask_of(trick.cards)
        return mask_of(self.pack) & ~seen

    @property
    def next_seats(self) -> tuple[int, ...]:
        """The seats that play to this circle of the trick after this one, in order."""
        played = len(self.trick) % self.seats
        return tuple([(self.seat + step) % self.seats for step in range(1, self.seats - played)])
