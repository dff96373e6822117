"""How a novice sees it: the own hand and the table, looking no turn ahead, and sometimes carelessly."""

import random
from typing import Final

from services.bot.players.remi.turns import whole_turn
from services.bot.players.remi.view import RemiView
from services.table.engine.remi import (
    ANNOUNCE_ATU,
    DRAW,
    JOKER,
    UNDO_TAKE,
    Action,
    CloseWithAtu,
    Hand,
    Take,
)
from services.table.engine.remi.solver import POINTS, best_rest, closing
from services.table.engine.remi.tiles import COLOUR_OF, HAND_VALUE, NUMBER_OF

_OVERLOOKS: Final = 0.3
"""How often it does not see what could be laid."""
_CARELESS: Final = 0.2
"""How often it discards any tile."""


def get_a_tile(view: RemiView, rng: random.Random) -> Action:
    """The Atu if it closes; the top of the row if that opens or can be laid at once, and it is seen; or the pile."""
    if ANNOUNCE_ATU in view.legal:
        return ANNOUNCE_ATU
    for action in view.legal:
        if isinstance(action, CloseWithAtu):
            return action
    top = Take(len(view.row) - 1)
    if top in view.legal and rng.random() >= _OVERLOOKS:
        spot = view.spot_after_take(top.place)
        plan = best_rest(spot, POINTS)
        if plan is not None and plan.steps and plan.left.count(view.row[-1]) < spot.hand.count(view.row[-1]):
            return top
    return DRAW


def finish_turn(view: RemiView, rng: random.Random) -> Action:
    """Closes if it can, lays what brings most points unless it overlooks it, and discards what stands alone."""
    if ANNOUNCE_ATU in view.legal:
        return ANNOUNCE_ATU
    spot = view.spot()
    steps = closing(spot)
    if steps is not None:
        return whole_turn(view, steps)
    plan = best_rest(spot, POINTS)
    if plan is None:
        return UNDO_TAKE
    if view.duty < 0 and rng.random() < _OVERLOOKS:
        return whole_turn(view, [], _discard(view, spot.hand, rng))
    return whole_turn(view, plan.steps, _discard(view, plan.left, rng))


def _discard(view: RemiView, hand: Hand, rng: random.Random) -> int:
    """A tile without company, the dearest of them; now and then any."""
    tiles = [tile for tile in sorted(set(hand.tiles())) if tile not in (JOKER, view.barred)]
    if not tiles:
        tiles = [tile for tile in hand.tiles() if tile != view.barred]
    if rng.random() < _CARELESS:
        return rng.choice(tiles)
    return min(tiles, key=lambda tile: (_company(hand, tile), -HAND_VALUE[tile], tile))


def _company(hand: Hand, tile: int) -> int:
    """Tiles of the hand that go together with a tile."""
    count = 0
    for other in set(hand.tiles()):
        if JOKER in (tile, other):
            continue
        if COLOUR_OF[tile] == COLOUR_OF[other]:
            count += abs(NUMBER_OF[tile] - NUMBER_OF[other]) in (1, 2)
        else:
            count += NUMBER_OF[tile] == NUMBER_OF[other]
    return count
