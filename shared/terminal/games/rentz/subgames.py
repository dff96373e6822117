"""The subgames of Rentz in words: what they are called, what they score, in few letters and in many."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from rich.text import Text

from shared.gen.levata.table.v1 import rentz_pb2
from shared.terminal.games.tricks import BAD, GOOD
from shared.terminal.texts import Texts

Subgame: TypeAlias = rentz_pb2.RentzSubgame.ValueType

KEYS: Final[Mapping[Subgame, str]] = {
    rentz_pb2.RENTZ_SUBGAME_KING_OF_HEARTS: "king",
    rentz_pb2.RENTZ_SUBGAME_QUEENS: "queens",
    rentz_pb2.RENTZ_SUBGAME_DIAMONDS: "diamonds",
    rentz_pb2.RENTZ_SUBGAME_TRICKS: "tricks",
    rentz_pb2.RENTZ_SUBGAME_TOTALE: "totale",
    rentz_pb2.RENTZ_SUBGAME_TEN_OF_CLUBS: "ten",
    rentz_pb2.RENTZ_SUBGAME_WHIST: "whist",
    rentz_pb2.RENTZ_SUBGAME_RENTZ: "rentz",
}
"""The subgames in their order, and how the catalogue calls them."""
SUBGAMES: Final[Sequence[Subgame]] = tuple(KEYS)
POSITIVE: Final = frozenset(
    {rentz_pb2.RENTZ_SUBGAME_TEN_OF_CLUBS, rentz_pb2.RENTZ_SUBGAME_WHIST, rentz_pb2.RENTZ_SUBGAME_RENTZ}
)
"""Those that bring points; the others cost some."""


def colour(subgame: Subgame) -> str:
    """The colour of what a subgame is about: points to be won, or to be lost."""
    return GOOD if subgame in POSITIVE else BAD


def subgame_name(subgame: Subgame, texts: Texts) -> str:
    """A subgame as people call it; empty when none is meant."""
    return texts(f"rentz.name.{KEYS[subgame]}") if subgame in KEYS else ""


def subgame_mark(subgame: Subgame, texts: Texts) -> str:
    """A subgame in one letter or sign."""
    return texts(f"rentz.mark.{KEYS[subgame]}")


def subgame_figures(subgame: Subgame, texts: Texts) -> str:
    """What there is to be won or lost in a subgame, in figures."""
    return texts(f"rentz.figures.{KEYS[subgame]}")


def subgame_rule(subgame: Subgame, texts: Texts) -> Text:
    """What a subgame scores, in a few words."""
    return Text(texts(f"rentz.rule.{KEYS[subgame]}"), colour(subgame)) if subgame in KEYS else Text("")
