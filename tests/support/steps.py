"""Going on in a match of any game at random."""

import random
from typing import Any

from services.table.engine.game import Deal
from services.table.engine.games import GAMES


def random_deal(state: Any, chance: random.Random) -> Deal:
    pack = list(state.pack())
    chance.shuffle(pack)
    return Deal(tuple(pack))


def step(state: Any, chance: random.Random) -> tuple[Any, ...]:
    """One random legal action, or a random deal; what happened."""
    decision = state.decision()
    events: tuple[Any, ...]
    if decision is None:
        events = state.apply(None, random_deal(state, chance))
    else:
        events = state.apply(decision.seat, chance.choice(state.legal_actions()))
    return events


def mostly_sensible(game: str, state: Any, chance: random.Random, share: float) -> tuple[Any, ...]:
    """The rule of thumb in so large a share of the decisions, otherwise a random step; what happened."""
    decision = state.decision()
    if decision is None or chance.random() >= share:
        return step(state, chance)
    events: tuple[Any, ...] = state.apply(decision.seat, GAMES[game].rule_of_thumb(state))
    return events
