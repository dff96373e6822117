"""The layout game, in which everybody lays out cards in runs around the jacks (RZ-13 to RZ-18)."""

from typing import Final, NamedTuple

from services.table.engine.cards import BIT, CARD_COUNT, RANK_CARDS, RANK_COUNT, RANKS, TEXT, mask_of
from services.table.engine.game import IllegalAction
from services.table.engine.native import i64
from services.table.engine.play import CardPlay
from services.table.engine.rentz.subgames import PACK, SEATS

REWARDS: Final = (400, 200, 100, 0)
"""Points for getting rid of all cards first, second, third, and last (RZ-16)."""

PASSED: Final = -1
"""Instead of a card: the seat had no valid one (RZ-14)."""
WAITED: Final = -2
"""Instead of a card: the seat had to wait because of a seven (RZ-18)."""

_JACK: Final = RANKS.index("J")
JACKS: Final = RANK_CARDS[_JACK]
"""The mask of the jacks, with which every run begins (RZ-13, GAP-Z13)."""
_ACES: Final = RANK_CARDS[RANKS.index("A")]
_SEVENS: Final = RANK_CARDS[RANKS.index("7")]
_IN_PLAY: Final = mask_of(PACK)


class Move(NamedTuple):
    """What a seat did when it was its turn.

    Attributes:
        seat: The seat.
        card: The card that it placed, or `PASSED`, or `WAITED`.
    """

    seat: int
    card: int


def _opened_by(card: int) -> int:
    """The cards that become valid when `card` is placed: its neighbours away from the jack, both of a jack's own."""
    rank = card % RANK_COUNT
    opened = 0
    if 0 < rank <= _JACK:
        opened |= BIT[card - 1]
    if rank >= _JACK and card + 1 < CARD_COUNT:
        opened |= BIT[card + 1]
    return opened & _IN_PLAY


OPENED_BY: Final[tuple[int, ...]] = tuple([_opened_by(card) for card in range(CARD_COUNT)])
"""For each card the mask of those that become valid when it is placed."""

# Counted from the end, so that `PASSED` and `WAITED` find theirs as well.
_MOVES: Final[tuple[tuple[Move, ...], ...]] = tuple(
    [tuple([Move(seat, card) for card in (*range(CARD_COUNT), WAITED, PASSED)]) for seat in range(SEATS)]
)


class LayoutHand(CardPlay):
    """A hand of the layout game. Enough in itself for searching: `legal`, `play` and `is_over` know the whole hand.

    It is always the turn of a seat with a valid card: the others pass and wait by themselves (RZ-14, GAP-Z8, GAP-Z10).

    Attributes:
        laid: The cards on the table, as a mask.
        valid: The cards that may be placed now, whoever holds them, as a mask (RZ-13).
        again: The seat to play moves again because of an ace (RZ-17).
        finished: The seats that got rid of all cards, in that order.
        points: What each seat has got for that.
        history: All that was done at turns, oldest first.
    """

    __slots__ = ("again", "finished", "history", "laid", "points", "valid")

    laid: i64
    valid: i64
    again: bool
    finished: tuple[int, ...]
    points: list[int]
    history: tuple[Move, ...]

    def begin(self, hands: list[int], seat: int) -> None:
        """The hands as dealt, and the seat that has the first turn if it has a jack."""
        self.seats = len(hands)
        self.hands = hands
        self.seat = seat
        self.laid = 0
        self.valid = JACKS
        self.again = False
        self.finished = ()
        self.points = [0] * len(hands)
        self.history = ()

    def copy(self) -> "LayoutHand":
        """An independent copy."""
        copy = LayoutHand()
        copy.seats = self.seats
        copy.hands = self.hands[:]
        copy.seat = self.seat
        copy.laid = self.laid
        copy.valid = self.valid
        copy.again = self.again
        copy.finished = self.finished
        copy.points = self.points[:]
        copy.history = self.history
        return copy

    def start(self) -> None:
        """The first turn is that of the seat named at the making; without a jack it passes (RZ-13, RZ-14)."""
        if not self.legal():
            self.history = (_MOVES[self.seat][PASSED],)
            self._pass_on(blocked=False)

    def legal(self) -> int:
        """The cards that the seat to play may play, as a mask: the valid ones in hand (RZ-13, GAP-Z8)."""
        return self.hands[self.seat] & self.valid

    def is_over(self) -> bool:
        """Whether all but one have got rid of their cards: what is left need not be placed (GAP-Z12)."""
        return len(self.finished) >= self.seats - 1

    def play(self, card: int) -> int:
        """The seat to play places `card`; then it is the turn of the next seat that has one. Returns -1: no trick.

        After an ace that is the same seat, if it has a valid card (RZ-17, GAP-Z9). After a seven the next seat that
        still has cards is passed over (RZ-18, GAP-Z10).
        """
        seat = self.seat
        bit = BIT[card]
        hand = self.hands[seat] ^ bit
        self.hands[seat] = hand
        self.laid |= bit
        self.valid = (self.valid ^ bit) | OPENED_BY[card]
        self.again = False
        self.history += (_MOVES[seat][card],)
        if not hand:
            self.points[seat] = REWARDS[len(self.finished)]
            self.finished += (seat,)
            if self.is_over():
                return -1
        elif bit & _ACES and hand & self.valid:
            self.again = True
            return -1
        self._pass_on(bool(bit & _SEVENS))
        return -1

    def _pass_on(self, blocked: bool) -> None:
        """Gives the turn to the next seat that can move.

        There is one: the next card of every run and every jack that is not out are in somebody's hand (GAP-Z12).
        """
        seat = self.seat
        while True:
            seat += 1
            if seat == self.seats:
                seat = 0
            hand = self.hands[seat]
            if not hand:
                continue
            if blocked:
                blocked = False
                self.history += (_MOVES[seat][WAITED],)
            elif hand & self.valid:
                self.seat = seat
                return
            else:
                self.history += (_MOVES[seat][PASSED],)

    def _objection_to_held(self, card: int, rule: str, headline: str) -> IllegalAction:
        """The refusal of a card that the seat to play holds."""
        text = f"{TEXT[card]} is no jack, and next to no card of its suit on the table"
        return IllegalAction("CARD_NOT_VALID", rule, f"{text} [{headline}]")


def layout_hand(hands: list[int], dealer: int) -> LayoutHand:
    """The layout game in which these cards are held and `dealer` has the first turn (RZ-13)."""
    hand = LayoutHand()
    hand.begin(hands, dealer)
    hand.start()
    return hand
