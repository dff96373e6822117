"""Playing cards out of hands, in turn: the action and the play that all card games share.

Nothing is checked on the way: a caller plays cards out of `legal()`. Plays are made for searching: hands are masks, a
copy costs a few list copies.
"""

from dataclasses import dataclass
from typing import Final, Self

from services.table.engine.cards import BIT, CARD_COUNT, TEXT
from services.table.engine.game import IllegalAction


@dataclass(frozen=True, slots=True)
class Play:
    """Play a card."""

    card: int


PLAYS: Final[tuple[Play, ...]] = tuple([Play(card) for card in range(CARD_COUNT)])
"""Playing each card, by the card."""


class CardPlay:
    """Card play in progress.

    Attributes:
        seats: Number of players.
        hands: The cards that each seat holds, as masks.
        seat: The seat to play.
    """

    __slots__ = ("hands", "seat", "seats")

    def __init__(self, hands: list[int], seat: int) -> None:
        self.seats: int = len(hands)
        self.hands: list[int] = hands
        self.seat: int = seat

    def copy(self) -> Self:
        """An independent copy."""
        raise NotImplementedError

    def legal(self) -> int:
        """The cards that the seat to play may play, as a mask."""
        raise NotImplementedError

    def play(self, card: int) -> int:
        """The seat to play plays `card`; returns the seat that took a trick with it, or -1."""
        raise NotImplementedError

    def objection(self, card: int, rule: str, headline: str) -> IllegalAction:
        """The refusal of `card`, which the seat to play may not play now.

        Args:
            card: What was tried: any number, perhaps no card at all.
            rule: The statement that forbids it.
            headline: The position, as everybody may see it.
        """
        if not 0 <= card < CARD_COUNT:
            return IllegalAction("CARD_NOT_IN_HAND", rule, f"{card} is no card [{headline}]")
        if not BIT[card] & self.hands[self.seat]:
            return IllegalAction("CARD_NOT_IN_HAND", rule, f"seat {self.seat} does not hold {TEXT[card]} [{headline}]")
        return self._objection_to_held(card, rule, headline)

    def _objection_to_held(self, card: int, rule: str, headline: str) -> IllegalAction:
        """The refusal of a card that the seat to play holds."""
        raise NotImplementedError
