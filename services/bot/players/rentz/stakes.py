"""What is at stake in each subgame of Rentz that is played in tricks, as bots count it."""

from typing import Final

from services.bot.players.tricks.dodging import Fears
from services.table.engine.cards import BIT, cards_of
from services.table.engine.rentz import TRICK_SCORINGS, Subgame, TrickScoring

UNIT: Final = 30
"""Points that count as 1: those of the cheapest card."""
DODGED: Final = (Subgame.KING_OF_HEARTS, Subgame.QUEENS, Subgame.DIAMONDS, Subgame.TRICKS, Subgame.TOTALE)
"""The subgames in which nothing is to be taken (RZ-6 to RZ-10)."""


def _fears(scoring: TrickScoring) -> Fears:
    kinds: dict[float, int] = {}
    for card in cards_of(scoring.counting):
        cost = (scoring.trick - scoring.points_in(BIT[card])) / UNIT
        kinds[cost] = kinds.get(cost, 0) | BIT[card]
    return Fears(sorted(kinds.items(), reverse=True), -scoring.trick / UNIT)


FEARS: Final[dict[Subgame, Fears]] = {subgame: _fears(TRICK_SCORINGS[subgame]) for subgame in DODGED}
"""What costs points in each of them."""
