"""The subgames of Rentz in which something is to be taken: tricks (RZ-12), or the ten of clubs (RZ-11)."""

from typing import Final

from services.bot.players.rentz.view import RentzView
from services.bot.players.tricks.chances import later_chances, lead_chances
from services.bot.players.tricks.counting import Counted, beats, winning_card
from services.table.engine.cards import BIT, HIGHER, SUIT_OF, cards_of, mask_of, parse_card
from services.table.engine.play import Play

# Found by trial in the arena, against rules of thumb.
_EAGER_LATER: Final = 0.4
"""How often others play higher than a card of ours in tricks to come when they could play lower, in Whist."""
_EAGER_NOW: Final = 0.75
"""The same in the trick on the table."""
_EAGER_TEN: Final = 0.75
"""The same in tricks to come of Ten of clubs."""
_FORCED_OUT: Final = 0.15
"""How likely the ten falls to a lead of clubs although its holder has other clubs."""
_TEN: Final = parse_card("TC")
_LOST: Final = 0.5
"""What giving up the own ten costs."""
_KEEP_TEN: Final = 0.5
"""What the own ten is worth in hand, by its chance to take a trick."""
_KEEP_ABOVE: Final = 0.25
"""What a club above the ten is worth in hand while the ten is out, by its chance to take a trick."""
_KEEP_OTHER: Final = 0.0375
"""What any other card is worth in hand, by its chance to take a trick."""
_STEADY: Final = 0.0005
"""For equal worth: how much a lower card is preferred to be played."""


def most_tricks(view: RentzView) -> Play:
    """The card that promises most tricks in all."""
    counted = Counted(view)
    leading = lead_chances(counted, (_EAGER_LATER,) * view.seats)

    def worth(card: int, takes: float) -> float:
        rest = view.hand & ~BIT[card]
        worth = 0.0
        if takes > 0.0:
            worth += takes * (1.0 + sum(later_chances(counted, leading, rest, True)))
        if takes < 1.0:
            worth += (1.0 - takes) * sum(later_chances(counted, leading, rest, False))
        return worth

    return _best(view, {card: worth(card, takes) for card, takes in _takes(view, counted).items()})


def the_ten(view: RentzView) -> Play:
    """The card that promises most to take the ten of clubs, with this trick or with those to come."""
    counted = Counted(view)
    leading = lead_chances(counted, (_EAGER_TEN,) * view.seats)
    ten = BIT[_TEN]
    out = bool(ten & counted.unseen)
    lies = 1.0 if ten & mask_of(view.trick) else 0.0
    keep = {}
    for card in cards_of(view.hand):
        above = out and BIT[card] & HIGHER[_TEN]
        keep[card] = leading[card] * (_KEEP_TEN if card == _TEN else _KEEP_ABOVE if above else _KEEP_OTHER)
    whole = sum(keep.values())
    worth = {}
    for card, takes in _takes(view, counted).items():
        stake = 1.0 if card == _TEN else lies
        if out and takes > 0.0:
            stake += _falls(counted, SUIT_OF[view.led if view.trick else card])
        worth[card] = takes * stake + whole - keep[card]
        if card == _TEN:
            worth[card] -= (1.0 - takes) * _LOST
    return _best(view, worth)


def _takes(view: RentzView, counted: Counted) -> dict[int, float]:
    """For each card that may be played the chance that it takes the trick."""
    best_card, _ = winning_card(view)
    eager = (_EAGER_NOW,) * view.seats
    chances = {}
    for action in view.legal:
        if isinstance(action, Play):
            card = action.card
            led = SUIT_OF[view.led if view.trick else card]
            winning = not view.trick or beats(card, best_card, 0)
            chances[card] = counted.takes(card, led, view.next_seats, eager) if winning else 0.0
    return chances


def _falls(counted: Counted, led: int) -> float:
    """The chance that one who plays after us has to give the ten of clubs to this trick."""
    view = counted.view
    ten = BIT[_TEN]
    chance = 0.0
    for seat in view.next_seats:
        possible = counted.possible[seat]
        if not possible & ten:
            continue
        holds = view.cards[seat] / possible.bit_count()
        if led & ten:
            chance += holds * (_FORCED_OUT + (1.0 - _FORCED_OUT) * counted.has_none(seat, possible & led & ~ten))
        else:
            chance += holds * counted.has_none(seat, led) / view.cards[seat]
    return min(1.0, chance)


def _best(view: RentzView, worth: dict[int, float]) -> Play:
    """The play of the card that is worth most."""
    plays = [action for action in view.legal if isinstance(action, Play)]
    return max(plays, key=lambda play: worth[play.card] + _STEADY * (play.card % 14))
