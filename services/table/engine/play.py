"""Playing cards out of hands, in turn: the action and the play that all card games share.

Nothing is checked on the way: a caller plays cards out of `legal()`. Plays are made for searching: hands are masks, and
a copy costs little more than the copies of a few lists. For that they are made by functions (such as `follow_suit`)
and not by calling the class: a copy then starts as an empty object and is filled once.
"""

from dataclasses import dataclass
from typing import Final, Self

from services.table.engine.cards import BIT, CARD_COUNT, TEXT, card_of
from services.table.engine.chance import Generator
from services.table.engine.game import IllegalAction
from services.table.engine.native import i64


@dataclass(frozen=True, slots=True)
class Play:
    """Play a card."""

    card: int


PLAYS: Final[tuple[Play, ...]] = tuple([Play(card) for card in range(CARD_COUNT)])
"""Playing each card, by the card."""


def plays_of(cards: int) -> list[Play]:
    """Playing each card of a set, in the order of a hand: highest first, suit by suit."""
    plays = []
    left: i64 = cards
    while left:
        lowest = left & -left
        plays.append(PLAYS[card_of(lowest)])
        left ^= lowest
    return plays


def deal(pack: tuple[int, ...], seats: int, cards_each: int, first: int) -> list[int]:
    """The hands that are dealt from a shuffled pack, as masks: card i goes to seat (first + i) mod seats."""
    hands = []
    for seat in range(seats):
        hand: i64 = 0
        for place in range((seat - first) % seats, seats * cards_each, seats):
            hand |= BIT[pack[place]]
        hands.append(hand)
    return hands


class CardPlay:
    """Card play in progress.

    Attributes:
        seats: Number of players.
        hands: The cards that each seat holds, as masks.
        seat: The seat to play.
    """

    __slots__ = ("hands", "seat", "seats")

    seats: i64
    hands: list[int]
    seat: i64

    def copy(self) -> Self:
        """An independent copy."""
        raise NotImplementedError

    def legal(self) -> int:
        """The cards that the seat to play may play, as a mask."""
        raise NotImplementedError

    def play(self, card: int) -> int:
        """The seat to play plays `card`; returns the seat that took a trick with it, or -1."""
        raise NotImplementedError

    def is_over(self) -> bool:
        """Whether nothing is to be done any more."""
        return not self.legal()

    def act_at_random(self, generator: Generator) -> None:
        """The seat whose turn it is does one of the things that it may do, all equally likely."""
        self.play(generator.pick(self.legal()))

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
