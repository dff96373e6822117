"""Rules of thumb: a sensible move at once, for whoever cannot wait for a bot.

Everything here reads the public part of a match and the hand of the seat to decide, and nothing else.
"""

from typing import Final

from services.table.engine import bidding_thumb, points_thumb
from services.table.engine.cards import BIT, CARD_COUNT, cards_of, mask_of
from services.table.engine.rentz.actions import CHOICES, PLAYS, Action
from services.table.engine.rentz.layout import OPENED_BY, LayoutHand
from services.table.engine.rentz.match import State
from services.table.engine.rentz.position import Phase
from services.table.engine.rentz.subgames import HAND, PACK, SEATS, Subgame

_HUNTED: Final = (Subgame.TEN_OF_CLUBS, Subgame.WHIST)
"""The subgames played in tricks in which points are wanted."""
_UNIT: Final = 30
"""Points are counted in so many when cards are compared."""

# Straight lines through what choosers got in play-outs by rule of thumb, by the tricks their hand is worth or, in the
# layout game, by the cards of others that are in the way.
_TRICK_PROMISES: Final[dict[Subgame, tuple[float, float]]] = {
    Subgame.KING_OF_HEARTS: (22.0, -17.0),
    Subgame.QUEENS: (21.0, -13.0),
    Subgame.DIAMONDS: (30.0, -21.0),
    Subgame.TRICKS: (58.0, -40.0),
    Subgame.TOTALE: (133.0, -92.0),
    Subgame.TEN_OF_CLUBS: (-35.0, 11.0),
    Subgame.WHIST: (-92.0, 55.0),
}
_LAYOUT_BASE: Final = 190.0
_PER_MISSING: Final = -15.5


def rule_of_thumb(state: State) -> Action:
    """A sensible legal action for the seat to decide.

    The subgame that promises most for the hand; in tricks dodging or hunting what counts; in the layout game cards that
    open the way for the own ones.
    """
    play = state.play
    if state.phase is Phase.CHOOSE:
        hand = state.hand(state.dealer)
        return CHOICES[max(state.choices_left(), key=lambda subgame: promise(subgame, hand))]
    if play is None:
        raise ValueError("no seat has to decide")
    if isinstance(play, LayoutHand):
        return PLAYS[_placed(play)]
    scoring = play.scoring
    subgame = state.subgame
    return PLAYS[
        points_thumb.card_for_points(
            play, PACK, lambda cards: abs(scoring.points_in(cards)) // _UNIT, hunting=subgame in _HUNTED
        )
    ]


def promise(subgame: Subgame, hand: int) -> float:
    """Points that a subgame promises to the chooser who holds `hand`, above a quarter of what all get together."""
    if subgame is Subgame.RENTZ:
        return _LAYOUT_BASE + _PER_MISSING * _missing(hand)
    base, per_trick = _TRICK_PROMISES[subgame]
    return base + per_trick * bidding_thumb.expected_tricks(hand, -1, PACK, SEATS, HAND)


def _missing(hand: int) -> int:
    """How many cards of others have to be placed before own ones, counted for each own card."""
    return sum([(_BEFORE[card] & ~hand).bit_count() for card in cards_of(hand)])


def _placed(play: LayoutHand) -> int:
    """The card behind which most own cards wait, and which opens fewest of others'."""
    hand = play.hands[play.seat]
    return max(
        cards_of(play.legal()),
        key=lambda card: ((_BEHIND[card] & hand).bit_count() - (OPENED_BY[card] & ~hand).bit_count(), -card),
    )


def _behind(card: int) -> int:
    """All cards that can only be placed after `card`, as a mask."""
    behind = 0
    for opened in cards_of(OPENED_BY[card]):
        behind |= BIT[opened] | _behind(opened)
    return behind


_BEHIND: Final[tuple[int, ...]] = tuple([_behind(card) for card in range(CARD_COUNT)])
_BEFORE: Final[tuple[int, ...]] = tuple(
    [mask_of([other for other in range(CARD_COUNT) if _BEHIND[other] & BIT[card]]) for card in range(CARD_COUNT)]
)
