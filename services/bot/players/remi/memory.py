"""What a seat remembers of a round of Remi: tiles that everybody saw going into a hand, and what was thrown away."""

from collections.abc import Iterable
from dataclasses import dataclass

from services.table.engine.remi import (
    JOKER,
    Added,
    Discarded,
    Event,
    Hand,
    Laid,
    Swapped,
    Taken,
    TakeUndone,
)


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known beside the table.

    Attributes:
        held: For each seat the tiles that it took from the row and has not shown since, ascending.
        discards: For each seat the tiles that it discarded, oldest first, those that were taken again among them.
    """

    held: tuple[tuple[int, ...], ...]
    discards: tuple[tuple[int, ...], ...]


def remembered(events: Iterable[Event], seats: int) -> Memory:
    """What is known after these events, which go from the deal on; without them nothing is."""
    held = [Hand() for _ in range(seats)]
    before_take = [Hand() for _ in range(seats)]
    discards: list[list[int]] = [[] for _ in range(seats)]
    for event in events:
        match event:
            case Taken(seat, tiles):
                before_take[seat] = held[seat].copy()
                for tile in tiles:
                    held[seat].add(tile)
            case TakeUndone(seat):
                held[seat] = before_take[seat].copy()
            case Laid(seat, melds):
                for one in melds:
                    _shown(held[seat], one.meld.tiles)
            case Added(seat, _, tile):
                _shown(held[seat], (tile,))
            case Swapped(seat, _, tile, new_meld):
                _shown(held[seat], (tile, *[other for other in new_meld.meld.tiles if other != JOKER]))
            case Discarded(seat, tile):
                _shown(held[seat], (tile,))
                discards[seat].append(tile)
    return Memory(tuple([tuple(hand.tiles()) for hand in held]), tuple([tuple(tiles) for tiles in discards]))


def _shown(held: Hand, tiles: Iterable[int]) -> None:
    """Forgets tiles that left the hand."""
    for tile in tiles:
        if held.count(tile):
            held.remove(tile)
