"""What to do once there is a tile: close, lay, and discard."""

import random
from typing import Final

from services.bot.players.remi.discarding import choose_discard
from services.bot.players.remi.prospects import Prospects, aim_of, horizon, penalties
from services.bot.players.remi.turns import closing_turn, whole_turn
from services.bot.players.remi.view import RemiView
from services.table.engine.remi import ANNOUNCE_ATU, UNDO_TAKE, Action, Step, Take
from services.table.engine.remi.solver import Spot, best_rest, closing

_SAMPLES: Final = 24
"""Guesses at the draws to come, for a discard."""


def finish_turn(view: RemiView, rng: random.Random) -> Action:
    """The rest of a turn in which the seat has its tile."""
    if ANNOUNCE_ATU in view.legal:
        return ANNOUNCE_ATU
    spot = view.spot()
    steps = closing(spot)
    if steps is not None:
        return closing_turn(view, steps)
    return _lay_and_discard(view, spot, [], rng)


def turn_with(view: RemiView, take: Take, rng: random.Random) -> Action:
    """A whole turn that begins with a take and does not close."""
    return _lay_and_discard(view, view.spot_after_take(take.place), [take], rng)


def _lay_and_discard(view: RemiView, spot: Spot, before: list[Step], rng: random.Random) -> Action:
    penalty = penalties(view)
    plan = best_rest(spot, aim_of(penalty))
    if plan is None:
        return UNDO_TAKE
    after = view.laid(plan, spot)
    draws = horizon(after)
    samples = Prospects(after, rng, draws, _SAMPLES).samples(plan.left, draws, draws)
    discard = choose_discard(after, plan.left, samples, penalty)
    return whole_turn(view, [*before, *plan.steps], discard)
