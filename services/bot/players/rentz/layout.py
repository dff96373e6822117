"""The layout game (RZ-13 to RZ-18): which way to open, and what to hold back."""

from typing import Final

from services.bot.players.rentz.view import RentzView
from services.table.engine.cards import BIT, CARD_COUNT, RANK_CARDS, RANKS, cards_of
from services.table.engine.play import Play
from services.table.engine.rentz.layout import OPENED_BY
from services.table.engine.rentz.subgames import HAND

# Found by trial in the arena, against rules of thumb.
_OWN_BEHIND: Final = 0.82
"""For each own card that can only be placed after the card."""
_ON_THE_WAY: Final = 0.46
"""For each card of others between the card and the last own one: what is far takes longest, and is begun first."""
_GIVES: Final = -0.29
"""For each card of others that waits behind the card when none of one's own does: such a card blocks, and is held."""
_OPENS: Final = -0.21
"""For a card of others that becomes valid at once."""
_ACE: Final = 0.1
"""For an ace: it opens nothing and can wait for the turn that it brings, with another card to place (RZ-17)."""
_SEVEN: Final = 3.0
"""For a seven when the player who has to wait is about to finish; less, the more cards that player has (RZ-18)."""
_ACES: Final = RANK_CARDS[RANKS.index("A")]
_SEVENS: Final = RANK_CARDS[RANKS.index("7")]


def _ways(card: int) -> tuple[tuple[int, ...], ...]:
    """The cards that can only be placed after `card`, in each direction, the nearest first."""
    ways = []
    for following in cards_of(OPENED_BY[card]):
        way = [following]
        while True:
            further = [other for other in cards_of(OPENED_BY[way[-1]]) if abs(other - card) > abs(way[-1] - card)]
            if not further:
                break
            way.append(further[0])
        ways.append(tuple(way))
    return tuple(ways)


WAYS: Final[tuple[tuple[tuple[int, ...], ...], ...]] = tuple([_ways(card) for card in range(CARD_COUNT)])
"""For each card the cards that can only be placed after it, in each direction, the nearest first."""


def choose_card(view: RentzView) -> Play:
    """The card that serves the own hand most and the others least."""
    plays = [action for action in view.legal if isinstance(action, Play)]
    return max(plays, key=lambda play: (_worth(view, play.card), -play.card))


def _worth(view: RentzView, card: int) -> float:
    worth = 0.0
    for way in WAYS[card]:
        worth += _way_worth(view, way)
    if BIT[card] & _ACES:
        worth += _ACE
    if BIT[card] & _SEVENS:
        worth += _SEVEN * (HAND - view.cards[_next_with_cards(view)]) / HAND
    return worth


def _way_worth(view: RentzView, way: tuple[int, ...]) -> float:
    """What it is worth to open `way`."""
    worth = 0.0 if BIT[way[0]] & view.hand else _OPENS
    others = 0
    for card in way:
        if BIT[card] & view.hand:
            worth += _OWN_BEHIND + _ON_THE_WAY * others
            others = 0
        else:
            others += 1
    return worth + _GIVES * others


def _next_with_cards(view: RentzView) -> int:
    """The next player who has cards: the one who waits if a seven is placed (GAP-Z10)."""
    seats = [(view.seat + step) % view.seats for step in range(1, view.seats)]
    return next((seat for seat in seats if view.cards[seat]), view.seat)
