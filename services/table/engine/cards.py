"""Playing cards as small integers, sets of cards as bit masks, and their notation.

Cards are numbered from 0 suit by suit (spades, hearts, diamonds, clubs), each suit from the ace down to the card of 1:
`AS` is 0, `KS` is 1, ... `1S` is 13, `AH` is 14, ... `1C` is 55. So inside a suit the lower number is the higher card,
and counting upwards through the bits of a mask lists a hand as people sort it: highest first, suit by suit.

In text a card is its rank and its suit: `AS`, `TH` (the ten of hearts), `1C`.
"""

from collections.abc import Iterable
from typing import Final

from services.table.engine.game import NotationError
from services.table.engine.native import i64

RANKS: Final = "AKQJT987654321"
"""Ranks in text, highest first."""
SUITS: Final = "SHDC"
"""Suits in text, in the order of the numbering."""
RANK_COUNT: Final = 14
CARD_COUNT: Final = 56

BIT: Final[tuple[int, ...]] = tuple(2**card for card in range(CARD_COUNT))
"""The mask of each card alone."""
ALL_CARDS: Final = 0xFFFFFFFFFFFFFF
"""The mask of all cards."""
SUIT_CARDS: Final[tuple[int, ...]] = tuple(sum(BIT[suit * 14 + rank] for rank in range(14)) for suit in range(4))
"""The mask of each suit."""
RANK_CARDS: Final[tuple[int, ...]] = tuple(sum(BIT[suit * 14 + rank] for suit in range(4)) for rank in range(14))
"""The mask of each rank, in the order of `RANKS`."""
SUIT_OF: Final[tuple[int, ...]] = tuple(SUIT_CARDS[card // 14] for card in range(CARD_COUNT))
"""For each card the mask of its suit."""
RANK_OF: Final[tuple[int, ...]] = tuple(RANK_CARDS[card % 14] for card in range(CARD_COUNT))
"""For each card the mask of its rank."""
HIGHER: Final[tuple[int, ...]] = tuple(
    sum(BIT[other] for other in range(card - card % 14, card)) for card in range(CARD_COUNT)
)
"""For each card the mask of the higher cards of its suit."""
TEXT: Final[tuple[str, ...]] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""Each card in text."""

# Literals, which compiled code has at hand without looking anything up.
_FIRST_HEART: Final = 0x4000
_FIRST_DIAMOND: Final = 0x10000000
_FIRST_CLUB: Final = 0x40000000000
_SPADES: Final = 0x3FFF
_HEARTS: Final = 0xFFFC000
_DIAMONDS: Final = 0x3FFF0000000
_CLUBS: Final = 0xFFFC0000000000
_COMPILED: Final = not __file__.endswith(".py")
_NUMBERS: Final[dict[str, int]] = {text: card for card, text in enumerate(TEXT)}


def parse_card(text: str) -> int:
    """The card written as rank and suit. Raises `NotationError`."""
    card = _NUMBERS.get(text)
    if card is None:
        raise NotationError(f"{text!r} is not a card; expected a rank of {RANKS} and a suit of {SUITS}, such as TH")
    return card


def parse_cards(text: str) -> tuple[int, ...]:
    """Cards separated by spaces, in the order written. Raises `NotationError`."""
    return tuple([parse_card(word) for word in text.split()])


def cards_text(cards: Iterable[int]) -> str:
    """Cards in text, separated by spaces, in the order given."""
    return " ".join([TEXT[card] for card in cards])


def mask_of(cards: Iterable[int]) -> int:
    """The set of the cards given."""
    mask = 0
    for card in cards:
        mask |= BIT[card]
    return mask


def cards_of(mask: int) -> list[int]:
    """The cards of a set, ascending: highest first, suit by suit."""
    cards = []
    while mask:
        lowest = mask & -mask
        cards.append(lowest.bit_length() - 1)
        mask ^= lowest
    return cards


def count(bits: i64) -> i64:
    """How many cards a set has."""
    if not _COMPILED:
        return int(bits).bit_count()
    # In C the method of `int` is a call through the interpreter; this is a dozen instructions.
    bits -= bits >> 1 & 0x5555555555555555
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333)
    bits = bits + (bits >> 4) & 0x0F0F0F0F0F0F0F0F
    bits += bits >> 8
    bits += bits >> 16
    return bits + (bits >> 32) & 127


def card_of(bit: i64) -> i64:
    """The one card of a set of one."""
    return int(bit).bit_length() - 1


def suit_of(bit: i64) -> i64:
    """The suit of the one card of a set of one, as a mask."""
    if bit < _FIRST_DIAMOND:
        return _SPADES if bit < _FIRST_HEART else _HEARTS
    return _DIAMONDS if bit < _FIRST_CLUB else _CLUBS


def pack_of(ranks: int) -> tuple[int, ...]:
    """The pack of the `ranks` highest ranks in all four suits, ascending."""
    return tuple([suit * RANK_COUNT + rank for suit in range(4) for rank in range(ranks)])
