"""Who plays Rentz: *novice* and *club*."""

import random
from collections.abc import Sequence

from services.bot.players.rentz import choosing, hunting, layout
from services.bot.players.rentz.stakes import FEARS
from services.bot.players.rentz.view import RentzView
from services.bot.players.tricks import dodging
from services.bot.players.tricks.glance import CARELESS, follow
from services.table.engine.cards import BIT
from services.table.engine.play import Play
from services.table.engine.rentz import Action, Phase, Subgame


class Novice:
    """Looks at its own hand and the trick on the table, and at nothing else."""

    def decide(self, view: RentzView, rng: random.Random) -> Action:
        """One of the legal actions; the same for the same view and generator."""
        if len(view.legal) == 1:
            return view.legal[0]
        if view.phase is Phase.CHOOSE:
            return choosing.at_a_glance(view, rng)
        if rng.random() < CARELESS or view.subgame is Subgame.RENTZ:
            return rng.choice(view.legal)
        fears = FEARS.get(view.subgame) if view.subgame is not None else None
        if fears is None:
            return follow(view, wants=True)

        def dearest(losing: Sequence[Play]) -> Play:
            return max(losing, key=lambda play: (fears.cost(BIT[play.card]), -(play.card % 14)))

        return follow(view, wants=False, shed=dearest)


class Club:
    """Plays by expectation: what a card or a choice promises, by the cards that are still out."""

    def decide(self, view: RentzView, rng: random.Random) -> Action:
        """One of the legal actions. It leaves nothing to chance."""
        if len(view.legal) == 1:
            return view.legal[0]
        if view.phase is Phase.CHOOSE:
            return choosing.by_prospects(view)
        match view.subgame:
            case Subgame.RENTZ:
                return layout.choose_card(view)
            case Subgame.WHIST:
                return hunting.most_tricks(view)
            case Subgame.TEN_OF_CLUBS:
                return hunting.the_ten(view)
            case subgame:
                assert subgame is not None
                return dodging.choose_card(view, FEARS[subgame])
