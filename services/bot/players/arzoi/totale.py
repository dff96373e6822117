"""Totale- and Totale+ (AZ-31 to AZ-35): run from the point cards, or hunt them."""

from services.bot.players.arzoi.view import ArzoiView
from services.bot.players.tricks import dodging
from services.bot.players.tricks.counting import Counted, beats, winning_card
from services.table.engine.arzoi.actions import Play
from services.table.engine.arzoi.events import Part
from services.table.engine.arzoi.totale import DIAMONDS, KING_OF_HEARTS, POINT_CARDS, QUEENS, points_in
from services.table.engine.cards import BIT, HIGHER, SUIT_OF, cards_of, mask_of

_FEARS = dodging.Fears(
    [(5.0, KING_OF_HEARTS), (3.0, QUEENS & DIAMONDS), (2.0, QUEENS & ~DIAMONDS), (1.0, DIAMONDS & ~QUEENS)]
)
"""What is dodged in Totale- (AZ-33)."""
_EAGER_MINUS = 0.1
"""How often others play higher in Totale- when they could play lower."""
_EAGER_PLUS = 0.75
"""The same in Totale+."""
_LATER = 0.9
"""How much a later trick weighs against this one."""
_SHOOTER_SHARE = 0.5
"""From this share of all points on, somebody who has taken all so far is suspected of taking all (AZ-35)."""
_SPOIL = 3.0
"""What it is worth to take a point from one who is suspected of that."""


def choose_card(view: ArzoiView) -> Play:
    """The card that promises most, by the points at stake now and those it would bring or cost later."""
    counted = Counted(view)
    hunting = view.part is Part.TOTALE_PLUS or _takes_all(view, counted)
    shooter = _shooter(view)
    if not hunting and shooter < 0:
        return dodging.choose_card(view, _FEARS)
    sign = 1.0 if hunting else -1.0
    eager = (_EAGER_PLUS if hunting else _EAGER_MINUS,) * view.seats
    best_card, holder = winning_card(view)
    led = SUIT_OF[view.led] if view.trick else 0
    lying = points_in(mask_of(view.trick))
    best: Play | None = None
    best_worth = 0.0
    for action in view.legal:
        if not isinstance(action, Play):
            continue
        card = action.card
        takes = 0.0
        if not view.trick or beats(card, best_card, 0):
            takes = counted.takes(card, led or SUIT_OF[card], view.next_seats, eager)
        own = points_in(BIT[card])
        stake = lying + own + _still_to_come(counted, led or SUIT_OF[card])
        worth = sign * takes * stake
        if hunting:
            worth -= 0.5 * (1.0 - takes) * own
        worth -= sign * _potential(counted, card, hunting)
        if shooter >= 0 and not hunting and lying + own:
            worth += _SPOIL * takes if holder in (shooter, -1) else 0.0
            worth -= _SPOIL * (1.0 - takes) * (1.0 if own and holder == shooter else 0.0)
        if best is None or worth > best_worth:
            best, best_worth = action, worth
    assert best is not None
    return best


def _still_to_come(counted: Counted, led: int) -> float:
    """The points to expect from the seats that have not played to this trick."""
    view = counted.view
    total = 0.0
    for seat in view.next_seats:
        possible = counted.possible[seat]
        if not possible:
            continue
        void = counted.has_none(seat, led)
        following = possible & led
        if following and void < 1.0:
            total += (1.0 - void) * points_in(following) / following.bit_count()
        if void > 0.0:
            thrown = points_in(possible & ~led)
            total += void * min(2.5, thrown * view.cards[seat] / possible.bit_count())
    return total


def _potential(counted: Counted, card: int, hunting: bool) -> float:
    """The points that `card` may bring its holder in later tricks: to be feared in Totale-, to be kept in Totale+."""
    view = counted.view
    higher, lower = counted.higher_out(card), counted.lower_out(card)
    out = higher + lower
    tricks_left = view.hand.bit_count() - 1
    if not tricks_left:
        return 0.0
    opponents = max(view.seats - 1, 1)
    if hunting:
        stands = 1.0
        for seat in range(view.seats):
            if seat != view.seat:
                stands *= 1.0 - _EAGER_PLUS * (1.0 - counted.has_none(seat, HIGHER[card]))
    else:
        # With company below and little above, a card gets stuck; small cards of one's own suit are the way out of it.
        suit_mates = view.hand & SUIT_OF[card] & ~HIGHER[card] & ~BIT[card]
        stands = lower / out if out else 0.0
        stands = stands ** (1.0 + 0.5 * suit_mates.bit_count())
        if out < opponents:
            stands *= 0.6 + 0.4 * out / opponents
    unplayed = points_in(counted.unseen | view.hand)
    in_suit = points_in(SUIT_OF[card] & counted.unseen)
    stake = points_in(BIT[card]) + 0.5 * unplayed / (tricks_left + 1) + 0.5 * min(in_suit, 4)
    return _LATER * stands * stake


def _points_so_far(view: ArzoiView) -> int:
    return sum(view.points)


def _takes_all(view: ArzoiView, counted: Counted) -> bool:
    """Whether taking all the points is in reach (AZ-35): all so far are ours, and the hand is strong enough."""
    mine = view.points[view.seat]
    if mine != _points_so_far(view):
        return False
    left = points_in(counted.unseen | view.hand | mask_of(view.trick))
    cards = cards_of(view.hand)
    tops = sum(1 for card in cards if counted.higher_out(card) == 0)
    if mine == 0:
        return len(cards) >= 6 and tops >= len(cards) - 1
    enough = mine >= _SHOOTER_SHARE * (mine + left)
    return enough and tops >= 0.75 * len(cards)


def _shooter(view: ArzoiView) -> int:
    """The other seat that seems to be taking all the points; -1 when there is none."""
    total = points_in(mask_of(view.size.pack) & POINT_CARDS)
    for seat in range(view.seats):
        points = view.points[seat]
        if seat != view.seat and points == _points_so_far(view) and points >= _SHOOTER_SHARE * total:
            return seat
    return -1
