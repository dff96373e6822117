"""Counting cards: what the others can hold, and how likely a card is to take a trick.

Chances are estimates: every card that a seat could hold is taken to be in its hand with the same chance, and seats are
taken one by one as if independent. That is what a good player does in the head, and it is quick.
"""

from services.bot.players.tricks.view import TrickView
from services.table.engine.cards import BIT, HIGHER, SUIT_OF
from services.table.engine.tricks import Trick


class Counted:
    """What a view tells about the other hands in a trick game with following suit.

    Attributes:
        view: The view.
        unseen: Cards that the seat has not seen, as a mask.
        possible: For each seat the cards that it could hold; the seat itself holds its hand.
    """

    __slots__ = ("_none", "possible", "unseen", "view")

    def __init__(self, view: TrickView) -> None:
        self.view = view
        self.unseen = view.unseen
        self._none: dict[tuple[int, int], float] = {}
        missing = voids(view)
        self.possible: tuple[int, ...] = tuple(
            [
                view.hand if seat == view.seat else self.unseen & ~missing[seat] if view.cards[seat] else 0
                for seat in range(view.seats)
            ]
        )

    def has_none(self, seat: int, cards: int) -> float:
        """The chance that `seat` holds none of `cards`."""
        key = (seat, cards)
        known = self._none.get(key)
        if known is None:
            known = self._none[key] = self._draw_none(seat, cards)
        return known

    def _draw_none(self, seat: int, cards: int) -> float:
        possible = self.possible[seat]
        wanted = (cards & possible).bit_count()
        if not wanted:
            return 1.0
        held = self.view.cards[seat]
        among = possible.bit_count()
        chance = 1.0
        for drawn in range(wanted):
            free = among - drawn
            if free <= held:
                return 0.0
            chance *= 1.0 - held / free
        return chance

    def beaten_by(self, seat: int, card: int, led: int, eager: float) -> float:
        """The chance that `seat` beats `card` when it comes to play.

        Args:
            seat: Somebody who has not played yet.
            card: The card that takes the trick so far.
            led: The mask of the suit led.
            eager: The chance that it plays higher when it could also play lower.
        """
        trump = self.view.trump
        suit = SUIT_OF[card]
        out_of_led = self.has_none(seat, led)
        if suit == led:
            lower = led & ~HIGHER[card] & ~BIT[card]
            has_higher = 1.0 - self.has_none(seat, HIGHER[card])
            only_higher = max(0.0, self.has_none(seat, lower) - out_of_led)
            beaten = min(has_higher, only_higher + eager * max(0.0, has_higher - only_higher))
            if trump and led != trump:
                beaten += out_of_led * (1.0 - self.has_none(seat, trump))
            return min(1.0, beaten)
        if suit != trump:
            return 1.0
        return out_of_led * (1.0 - self.has_none(seat, HIGHER[card]))

    def takes(self, card: int, led: int, after: tuple[int, ...], eager: tuple[float, ...]) -> float:
        """The chance that `card`, holding the trick now, holds it to the end.

        Args:
            card: The card.
            led: The mask of the suit led.
            after: The seats that have not played yet.
            eager: For each seat of the table the chance that it plays higher when it could also play lower.
        """
        chance = 1.0
        for seat in after:
            chance *= 1.0 - self.beaten_by(seat, card, led, eager[seat])
        return chance

    def higher_out(self, card: int) -> int:
        """How many higher cards of its suit the seat has not seen."""
        return (HIGHER[card] & self.unseen).bit_count()

    def lower_out(self, card: int) -> int:
        """How many lower cards of its suit the seat has not seen."""
        return (SUIT_OF[card] & ~HIGHER[card] & ~BIT[card] & self.unseen).bit_count()


def voids(view: TrickView) -> list[int]:
    """For each seat the cards of the suits that it has shown not to hold, as masks."""
    missing = [0] * view.seats
    if not view.follows_suit:
        return missing
    tricks = [*view.past]
    if view.trick:
        tricks.append(Trick(view.leader, view.trick, view.leader))
    for trick in tricks:
        led = SUIT_OF[trick.cards[0]]
        for offset, card in enumerate(trick.cards):
            suit = SUIT_OF[card]
            if suit != led:
                seat = (trick.leader + offset) % view.seats
                missing[seat] |= led
                if view.trump and suit != view.trump:
                    missing[seat] |= view.trump
    return missing


def winning_card(view: TrickView) -> tuple[int, int]:
    """The card that takes the trick as it lies and the seat that played it; (-1, -1) when none lies."""
    best, holder = -1, -1
    for offset, card in enumerate(view.trick):
        if best < 0 or beats(card, best, view.trump):
            best, holder = card, (view.leader + offset) % view.seats
    return best, holder


def beats(card: int, best: int, trump: int) -> bool:
    """Whether `card`, played later, takes the trick from `best`."""
    if SUIT_OF[card] == SUIT_OF[best]:
        return card < best
    return bool(BIT[card] & trump)
