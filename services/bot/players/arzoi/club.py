"""The level *club*: sound rules of thumb, and counted cards."""

import random

from services.bot.players.arzoi import septica, totale, whist_stakes
from services.bot.players.arzoi.view import ArzoiView
from services.bot.players.tricks.exact_bid import choose_bid
from services.bot.players.tricks.exact_play import choose_card
from services.table.engine.arzoi.actions import Action
from services.table.engine.arzoi.events import Part
from services.table.engine.arzoi.position import Phase


class Club:
    """Plays all of Arzoi by expectation: what a card or bid promises, by the cards that are still out."""

    def decide(self, view: ArzoiView, rng: random.Random) -> Action:
        """One of the legal actions. It leaves nothing to chance."""
        if len(view.legal) == 1 or view.phase is Phase.CHOOSE:
            return view.legal[0]  # GAP-A29: a bot chooses the lowest whist, else Septica
        if view.phase is Phase.BID:
            return choose_bid(view, whist_stakes.stakes(view))
        if view.part is Part.WHIST:
            return choose_card(view, whist_stakes.stakes(view), whist_stakes.spite(view))
        if view.part is Part.SEPTICA:
            return septica.choose(view)
        return totale.choose_card(view)
