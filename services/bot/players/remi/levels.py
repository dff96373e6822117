"""Who plays Remi: *novice* and *club*."""

import random

from services.bot.players.remi import glance
from services.bot.players.remi.drawing import get_a_tile
from services.bot.players.remi.laying import finish_turn
from services.bot.players.remi.view import RemiView
from services.table.engine.remi import Action, Phase


class Novice:
    """Looks at its own hand and what lies on the table, and at nothing else."""

    def decide(self, view: RemiView, rng: random.Random) -> Action:
        """A legal action; the same for the same view and generator."""
        return glance.get_a_tile(view, rng) if view.phase is Phase.DRAW else glance.finish_turn(view, rng)


class Club:
    """Plays by what a hand promises: solved together with tiles that may come, over and over."""

    def decide(self, view: RemiView, rng: random.Random) -> Action:
        """A legal action; the same for the same view and generator."""
        return get_a_tile(view, rng) if view.phase is Phase.DRAW else finish_turn(view, rng)
