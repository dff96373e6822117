"""What the tiles of a large hand are worth to each other: prices by which no use is worth more than its tiles.

Each tile has a price, and no use is worth more than the prices of its tiles together. So whatever is chosen, its worth
and the prices of the tiles that it leaves do not come to more than the prices of all tiles: a bound for the search. The
lower all prices are together, the better; at first a tile costs what it brings where it brings most, though no two
combinations can both have it. What a tile is really in demand for is found step by step: prices of tiles that too many
profitable uses want rise, those that nobody wants fall (a subgradient method for the dual of the packing problem).
Everything is done in integers, so that every machine finds the same.
"""

from typing import Final

from services.table.engine.remi.solver_uses import Uses
from services.table.engine.remi.tiles import JOKER, KIND_COUNT

_SCALE: Final = 64
"""Prices are sought in fractions of a point of worth."""
_STEPS: Final = 60
"""Steps at most. The bound gets little better by more."""
_PATIENCE: Final = 5
"""Steps without a better bound after which steps get shorter."""
_SHARES: Final = 1024


def prices_of(uses: Uses, ones: int, twos: int, jokers: int, start: list[int], known: int) -> list[int]:
    """Prices for a hand, one for each bit of a plane and at 52 a Joker's.

    Args:
        uses: Everything that the hand can do.
        ones: The tiles, as a plane.
        twos: Those that are there twice.
        jokers: Number of Jokers.
        start: Prices that are high enough for every use.
        known: What some choice is known to be worth; the bound is sought no further down than there.
    """
    held = [0] * KIND_COUNT
    for bit in range(KIND_COUNT - 1):
        held[bit] = (ones >> bit & 1) + (twos >> bit & 1)
    held[JOKER] = jokers
    tiles = [_tiles_of(uses, use) for use in range(len(uses.tiles))]
    prices = _sought(uses, tiles, held, start, known)
    _raise(uses, tiles, prices)
    _lower(uses, tiles, prices)
    return prices


def _tiles_of(uses: Uses, use: int) -> list[int]:
    """The bits of a use's tiles and Jokers, those that it takes both copies of twice."""
    bits: list[int] = []
    plane = uses.tiles[use]
    while plane:
        lowest = plane & -plane
        bits.append(lowest.bit_length() - 1)
        if uses.twice[use] & lowest:
            bits.append(lowest.bit_length() - 1)
        plane ^= lowest
    return bits + [JOKER] * uses.jokers[use]


def _sought(uses: Uses, tiles: list[list[int]], held: list[int], start: list[int], known: int) -> list[int]:
    """Prices by which tiles are in demand as often as they are held, as nearly as can be; some may be too low."""
    prices = [start[bit] * _SCALE if held[bit] else 0 for bit in range(KIND_COUNT)]
    most = [min([held[bit] for bit in bits]) for bits in tiles]
    best = prices
    best_bound = -1
    share = _SHARES
    waited = 0
    for _ in range(_STEPS):
        wanted = [-count for count in held]
        bound = 0
        for bit in range(KIND_COUNT):
            bound += held[bit] * prices[bit]
        for use, bits in enumerate(tiles):
            profit = uses.gain[use] * _SCALE
            for bit in bits:
                profit -= prices[bit]
            if profit > 0:
                bound += most[use] * profit
                for bit in bits:
                    wanted[bit] += most[use]
        if best_bound < 0 or bound < best_bound:
            best_bound = bound
            best = prices[:]
            waited = 0
        else:
            waited += 1
            if waited == _PATIENCE:
                share = share * 5 // 8
                waited = 0
        length = 0
        for bit in range(KIND_COUNT):
            if prices[bit] or wanted[bit] > 0:
                length += wanted[bit] * wanted[bit]
        step = (bound - known * _SCALE) * share // (_SHARES * length) if length else 0
        if step <= 0:
            break
        for bit in range(KIND_COUNT):
            prices[bit] = max(prices[bit] + step * wanted[bit], 0)
    return [price // _SCALE for price in best]


def _raise(uses: Uses, tiles: list[list[int]], prices: list[int]) -> None:
    """Raises prices until no use is worth more than its tiles, in parts alike for the tiles of a use."""
    for use, bits in enumerate(tiles):
        missing = uses.gain[use]
        for bit in bits:
            missing -= prices[bit]
        if missing > 0:
            part = (missing + len(bits) - 1) // len(bits)
            for bit in bits:
                prices[bit] += part


def _lower(uses: Uses, tiles: list[list[int]], prices: list[int]) -> None:
    """Lowers each price as far as all uses allow."""
    wanting: list[list[int]] = [[] for _ in range(KIND_COUNT)]
    for use, bits in enumerate(tiles):
        for bit in set(bits):
            wanting[bit].append(use)
    for bit in sorted(range(KIND_COUNT), key=lambda bit: -prices[bit]):
        room = prices[bit]
        for use in wanting[bit]:
            over = -uses.gain[use]
            for other in tiles[use]:
                over += prices[other]
            room = min(room, over // tiles[use].count(bit))
        prices[bit] -= max(room, 0)
