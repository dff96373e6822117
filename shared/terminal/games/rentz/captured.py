"""Cards that somebody has captured, in few cells: the king and the ten by name, queens by suits, diamonds by ranks."""

from collections.abc import Sequence

from rich.text import Text

from shared.terminal.widgets.cards import GLYPHS, card_name

RANKS = "AKQJT987"
QUEEN = "Q"
DIAMOND = "D"


def captured_text(cards: Sequence[str]) -> Text:
    """Each of the cards, grouped and sorted; the queen of diamonds is among the queens."""
    queens = [GLYPHS[suit] for suit in GLYPHS if QUEEN + suit in cards]
    diamonds = [card_name(card)[:-1] for card in sorted(cards, key=_rank) if _plain_diamond(card)]
    return _joined(cards, "".join(queens), "".join(diamonds))


def captured_in(cards: Sequence[str], cells: int) -> Text:
    """The cards in at most so many cells if they can be listed in them; else how many there are of each group."""
    listed = captured_text(cards)
    return listed if listed.cell_len <= cells else captured_counts(cards)


def captured_counts(cards: Sequence[str]) -> Text:
    """How many there are of each group."""
    queens = sum(card[0] == QUEEN for card in cards)
    diamonds = sum(_plain_diamond(card) for card in cards)
    return _joined(cards, str(queens or ""), str(diamonds or ""))


def _rank(card: str) -> int:
    return RANKS.index(card[0])


def _plain_diamond(card: str) -> bool:
    return card[1] == DIAMOND and card[0] != QUEEN


def _joined(cards: Sequence[str], queens: str, diamonds: str) -> Text:
    alone = [card_name(card) for card in cards if card[0] != QUEEN and card[1] != DIAMOND]
    return Text(" ".join([*alone, *([f"Q{queens}"] if queens else []), *([f"♦{diamonds}"] if diamonds else [])]))
