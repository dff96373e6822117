"""Which tile to discard: what it is worth to keep it, and what it is worth to others."""

from collections.abc import Sequence
from typing import Final

from services.bot.players.remi.prospects import Sample
from services.bot.players.remi.view import RemiView
from services.table.engine.remi import JOKER, NO_TILE, Hand
from services.table.engine.remi.tiles import COLOUR_OF, NUMBER_OF, SET_POINTS

_HOPE: Final = 0.35
"""How much a sample counts in which nothing can be laid yet, beside one in which something can."""
_RELIEF: Final = 0.5
"""How much of what a tile costs in hand is saved by discarding it where it is not needed."""
_FITS: Final = 12.0
"""What it is worth to the next player to add a tile to the table."""
_KNOWN: Final = 4.0
"""What it is worth to the next player that a tile goes with one that it is known to hold."""


def choose_discard(view: RemiView, hand: Hand, samples: Sequence[Sample], penalty: Sequence[int]) -> int:
    """The tile that is missed least.

    Args:
        view: The decision.
        hand: The tiles left in hand; at least one of them may be discarded.
        samples: What comes of that hand.
        penalty: What each kind costs in hand.
    """
    best = NO_TILE
    least = 0.0
    total = sum([_weight(sample) for sample in samples])
    for tile in sorted(set(hand.tiles())):
        if tile == view.barred or (tile == JOKER and hand.size() > 1):
            continue
        needed = sum([_weight(sample) for sample in samples if sample.used[tile]]) / total
        worth = penalty[tile] + (SET_POINTS[NUMBER_OF[tile]] if tile != JOKER else 10)
        cost = needed * worth - _RELIEF * (1 - needed) * penalty[tile] + danger(view, tile)
        if best == NO_TILE or cost < least:
            best, least = tile, cost
    return best if best != NO_TILE else JOKER


def _weight(sample: Sample) -> float:
    return 1.0 if sample.opens else _HOPE


def danger(view: RemiView, tile: int) -> float:
    """What a discard may bring the next player, who can take it at once."""
    after = view.after_seat(1)
    cost = 0.0
    if view.melded[after] and view.tiles[after] > 2:
        if any(one.meld.ends_for(tile) for one in view.melds):
            cost += _FITS
        if after < len(view.memory.held):
            cost += _KNOWN * sum([_go_together(tile, other) for other in view.memory.held[after]])
    return cost


def _go_together(one: int, other: int) -> bool:
    """Whether two tiles can be in one combination next to each other or in one set."""
    if JOKER in (one, other):
        return True
    if NUMBER_OF[one] == NUMBER_OF[other]:
        return COLOUR_OF[one] != COLOUR_OF[other]
    return COLOUR_OF[one] == COLOUR_OF[other] and abs(NUMBER_OF[one] - NUMBER_OF[other]) in (1, 2, 11, 12)
