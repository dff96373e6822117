"""Where to get a tile: from the pile, from the row, or the Atu to close."""

import random
from typing import Final

from services.bot.players.remi.laying import turn_with
from services.bot.players.remi.prospects import Prospects, horizon
from services.bot.players.remi.turns import closing_turn
from services.bot.players.remi.view import RemiView
from services.table.engine.remi import ANNOUNCE_ATU, DRAW, Action, CloseWithAtu, Take
from services.table.engine.remi.solver import closing

_LOOKED_AT: Final = 8
"""Takes that are looked at, from the top of the row downwards."""
_WEIGHED: Final = 4
"""Takes that are weighed against drawing."""
_SAMPLES: Final = 4
"""Guesses at the draws to come, for each take and for drawing."""
_ROOM: Final = 22
"""Tiles that are held at most after a take: more are slow to think through, and to get rid of."""


def get_a_tile(view: RemiView, rng: random.Random) -> Action:
    """Announces the Atu, closes if that can be, and otherwise takes what is worth more than a tile of the pile."""
    if ANNOUNCE_ATU in view.legal:
        return ANNOUNCE_ATU
    for action in view.legal:
        if isinstance(action, CloseWithAtu):
            return action
    takes = [action for action in view.legal if isinstance(action, Take) and _has_room(view, action)][:_LOOKED_AT]
    for take in takes:
        steps = closing(view.spot_after_take(take.place))
        if steps is not None:
            return closing_turn(view, steps, take)
    if not takes:
        return DRAW
    if not view.melded[view.seat]:
        return turn_with(view, takes[0], rng)
    best = _best_take(view, takes, rng)
    return DRAW if best is None else turn_with(view, best, rng)


def _has_room(view: RemiView, take: Take) -> bool:
    taken = len(view.row) - take.place
    return taken == 1 or view.hand.size() + taken <= _ROOM


def _best_take(view: RemiView, takes: list[Take], rng: random.Random) -> Take | None:
    """The take that is worth most, if it is worth more than a tile of the pile."""
    draws = horizon(view)
    prospects = Prospects(view, rng, draws, _SAMPLES)
    most = prospects.worth(view.hand, draws, draws)
    best: Take | None = None
    for take in takes[:_WEIGHED]:
        worth = prospects.worth(view.spot_after_take(take.place).hand, draws - 1, draws)
        if worth > most:
            best, most = take, worth
    return best
