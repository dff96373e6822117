"""Dodging tricks in which something costs points: weigh this trick, and what the cards kept may still cost.

A card that is kept is feared by the chance that it gets stuck with a trick: the more lower cards of its suit are out,
and the fewer are held with it, the likelier. Suits that the hand has run out of are ways to get rid of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from services.bot.players.tricks.counting import Counted, beats, winning_card
from services.bot.players.tricks.view import TrickView
from services.table.engine.cards import BIT, HIGHER, SUIT_CARDS, SUIT_OF, cards_of, mask_of
from services.table.engine.play import Play

# Found by trial in the arena, against rules of thumb.
_EAGER: Final = 0.13
"""How often others play higher when they could play lower."""
_STUCK: Final = 1.08
"""The power of the share of lower cards among those out at which a card gets stuck."""
_COMPANY: Final = 0.93
"""How much each lower card of one's own in the suit adds to that power."""
_NONE_OUT: Final = 0.02
"""The chance to get stuck with a card of whose suit none is out."""
_WAY_OUT: Final = 0.2
"""By which share each suit that the hand has run out of makes cards less likely to get stuck."""
_LATER: Final = 0.33
"""How much the cards kept weigh against this trick."""
_IN_TRICK: Final = 0.8
"""How much of what is left to be feared, shared out evenly among the tricks left, is expected in one."""
_GIVEN: Final = 0.64
"""How likely a player who follows suit under a card gives a card that costs points."""
_ON_LEAD: Final = 0.15
"""How much having to lead next counts."""
_STEADY: Final = 0.001
"""For equal worth: how much a higher card is preferred to be played."""


@dataclass(frozen=True, slots=True)
class Fears:
    """What costs points in a deal; a card that costs least costs about 1.

    Attributes:
        kinds: What a card costs, and which cards, as a mask, cost so much; dearest first, each card once.
        trick: What a trick itself costs.
    """

    kinds: Sequence[tuple[float, int]]
    trick: float = 0.0

    def cost(self, cards: int) -> float:
        """What a set of cards, a mask, costs, the trick not counted."""
        total = 0.0
        for each, some in self.kinds:
            total += each * (cards & some).bit_count()
        return total


class Risk(NamedTuple):
    """What a hand may still cost.

    Attributes:
        tricks: By tricks that its cards get stuck with, their own cost not counted.
        own: By what those cards cost themselves.
        lead: The share of lower cards among those out, of the card that is led most safely; 1 when none is out.
    """

    tricks: float
    own: float
    lead: float


def risk(hand: int, unseen: int, fears: Fears, tricks_left: int) -> Risk:
    """What `hand` may still cost.

    Args:
        hand: Cards, as a mask; some.
        unseen: The cards that others hold, as a mask.
        fears: What costs points.
        tricks_left: Tricks that whatever is feared is left for.
    """
    in_trick = fears.trick + _IN_TRICK * fears.cost(unseen | hand) / tricks_left
    held = 1.0
    for suit in SUIT_CARDS:
        if suit & unseen and not suit & hand:
            held -= _WAY_OUT
    stuck_with = own = 0.0
    lead = 1.0
    for card in cards_of(hand):
        lower_of_suit = SUIT_OF[card] & ~HIGHER[card] & ~BIT[card]
        lower = (lower_of_suit & unseen).bit_count()
        out = lower + (HIGHER[card] & unseen).bit_count()
        if out:
            share = lower / out
            lead = min(lead, share)
            stuck = share ** (_STUCK + _COMPANY * (lower_of_suit & hand).bit_count())
        else:
            stuck = _NONE_OUT
        stuck_with += stuck
        own += stuck * fears.cost(BIT[card])
    held = max(held, 0.0)
    return Risk(held * stuck_with * in_trick, held * own, lead)


def choose_card(view: TrickView, fears: Fears) -> Play:
    """The card that costs least, by this trick and by the cards that are kept."""
    counted = Counted(view)
    eager = (_EAGER,) * view.seats
    best_card, _ = winning_card(view)
    lying = fears.trick + fears.cost(mask_of(view.trick))
    left = view.hand.bit_count()
    best: Play | None = None
    best_cost = 0.0
    for action in view.legal:
        if not isinstance(action, Play):
            continue
        card = action.card
        led = SUIT_OF[view.led if view.trick else card]
        cost = -_STEADY * (13 - card % 14)
        takes = 0.0
        if not view.trick or beats(card, best_card, 0):
            takes = counted.takes(card, led, view.next_seats, eager)
        if takes:
            cost += takes * (lying + fears.cost(BIT[card]) + _still_to_come(counted, card, led, fears))
        if left > 1:
            kept = risk(view.hand & ~BIT[card], counted.unseen, fears, left)
            cost += _LATER * (kept.tricks + kept.own)
            if takes:
                in_trick = fears.trick + _IN_TRICK * fears.cost(counted.unseen | view.hand) / left
                cost += _ON_LEAD * takes * kept.lead * in_trick
        if best is None or cost < best_cost:
            best, best_cost = action, cost
    assert best is not None
    return best


def _still_to_come(counted: Counted, card: int, led: int, fears: Fears) -> float:
    """What the seats that have not played to this trick may add to it, if `card` takes it.

    Who follows suit gives a dear card when it is lower; who cannot follow throws the dearest there is.
    """
    view = counted.view
    total = 0.0
    for seat in view.next_seats:
        possible = counted.possible[seat]
        if not possible:
            continue
        each = view.cards[seat] / possible.bit_count()
        void = counted.has_none(seat, led)
        thrown = void
        for cost, cards in fears.kinds:
            under = (possible & cards & led & ~HIGHER[card]).bit_count()
            total += (1.0 - void) * each * cost * _GIVEN * under
            elsewhere = (possible & cards & ~led).bit_count()
            if thrown > 0.0 and elsewhere:
                has = 1.0 - max(0.0, 1.0 - each) ** elsewhere
                total += thrown * has * cost
                thrown *= 1.0 - has
    return total
