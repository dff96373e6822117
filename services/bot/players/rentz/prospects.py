"""What each subgame of Rentz promises to the player who chooses it with a hand.

All figures are points of the chooser above the mean of the table. They are straight lines through what happened in
thousands of hands that club players played, by what a hand shows before a card is played.
"""

from typing import Final, NamedTuple

from services.bot.players.rentz.layout import WAYS
from services.bot.players.rentz.stakes import FEARS
from services.bot.players.tricks.dodging import risk
from services.table.engine import bidding_thumb
from services.table.engine.cards import CARD_COUNT, RANK_CARDS, RANKS, SUIT_CARDS, SUITS, cards_of, mask_of
from services.table.engine.rentz import PACK, Subgame
from services.table.engine.rentz.subgames import HAND, SEATS


class Line(NamedTuple):
    """What a subgame to be dodged brings: a base, and so much for each unit of the hand's risk (`dodging.Risk`)."""

    base: float
    tricks: float
    own: float
    lead: float


_DODGED: Final[dict[Subgame, Line]] = {
    Subgame.KING_OF_HEARTS: Line(35.9, -13.3, 0.0, -68.2),
    Subgame.QUEENS: Line(58.5, -32.9, -8.9, -19.2),
    Subgame.DIAMONDS: Line(33.7, -20.1, -32.8, -91.2),
    Subgame.TRICKS: Line(146.0, -29.2, 0.0, -43.0),
    Subgame.TOTALE: Line(374.0, -31.3, -11.4, -97.6),
}
_EACH_DIAMOND: Final = 22.0
"""In Diamonds, for each held: what one holds one can give away."""
_TOP_HEARTS: Final = -67.5
"""In King of hearts, for holding the king or the ace."""
_BELOW_TOP: Final = 26.1
"""In King of hearts, for each heart below those."""
_OTHER_HEARTS: Final = 7.0
"""The same without them, and besides with them."""
_WHIST_BASE: Final = -75.7
_WHIST_TRICK: Final = 46.0
_TEN_BASE: Final = -51.6
_TEN_TRICK: Final = 10.7
_TEN_OWN: Final = 7.5
_TEN_OWN_TRICK: Final = -9.8
_TEN_OWN_ABOVE: Final = 40.7
_TEN_ABOVE: Final = {"AC": 74.0, "KC": 28.2, "QC": 22.0, "JC": 1.5}
"""In Ten of clubs, for each of these held without the ten."""
_LAYOUT_BASE: Final = 181.6
_LAYOUT_MISSING: Final = -11.5
"""In Rentz, for each card of others that has to be placed before an own one, counted for each own card."""
_LAYOUT_SEVEN: Final = -33.4

_WHOLE: Final = mask_of(PACK)
_HEARTS: Final = SUIT_CARDS[SUITS.index("H")]
_CLUBS: Final = SUIT_CARDS[SUITS.index("C")]
_DIAMONDS: Final = SUIT_CARDS[SUITS.index("D")]
_TOPS: Final = _HEARTS & (RANK_CARDS[RANKS.index("A")] | RANK_CARDS[RANKS.index("K")])
_SEVENS: Final = RANK_CARDS[RANKS.index("7")]
_TEN: Final = _CLUBS & RANK_CARDS[RANKS.index("T")]
_ABOVE_TEN: Final = {_CLUBS & RANK_CARDS[RANKS.index(card[0])]: worth for card, worth in _TEN_ABOVE.items()}
_BEFORE: Final = tuple(
    [mask_of([before for before in PACK if any(card in way for way in WAYS[before])]) for card in range(CARD_COUNT)]
)
"""For each card those that have to lie before it can be placed."""


def promise(subgame: Subgame, hand: int) -> float:
    """Points above the mean of the table that a subgame promises to the chooser who holds `hand`, a mask."""
    if subgame in _DODGED:
        return _dodged(subgame, hand)
    if subgame is Subgame.RENTZ:
        missing = sum([(_BEFORE[card] & ~hand).bit_count() for card in cards_of(hand)])
        return _LAYOUT_BASE + _LAYOUT_MISSING * missing + _LAYOUT_SEVEN * (hand & _SEVENS).bit_count()
    tricks = bidding_thumb.expected_tricks(hand, -1, PACK, SEATS, HAND)
    if subgame is Subgame.WHIST:
        return _WHIST_BASE + _WHIST_TRICK * tricks
    above = [worth for card, worth in _ABOVE_TEN.items() if card & hand]
    if hand & _TEN:
        return _TEN_BASE + _TEN_OWN + (_TEN_TRICK + _TEN_OWN_TRICK) * tricks + _TEN_OWN_ABOVE * len(above)
    return _TEN_BASE + _TEN_TRICK * tricks + sum(above)


def _dodged(subgame: Subgame, hand: int) -> float:
    line = _DODGED[subgame]
    threat = risk(hand, _WHOLE & ~hand, FEARS[subgame], HAND)
    points = line.base + line.tricks * threat.tricks + line.own * threat.own + line.lead * threat.lead
    if subgame is Subgame.DIAMONDS:
        points += _EACH_DIAMOND * (hand & _DIAMONDS).bit_count()
    if subgame is Subgame.KING_OF_HEARTS:
        below = (hand & _HEARTS & ~_TOPS).bit_count()
        points += _OTHER_HEARTS * below
        if hand & _TOPS:
            points += _TOP_HEARTS + _BELOW_TOP * below
    return points
