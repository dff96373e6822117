"""Ways to add tiles of a hand to a combination on the table, as uses of the solver.

Additions without Jokers at one end of a run have nothing to do with those at the other, and up to three of them are
enough, for more are fewer of them and a new run. A Joker needs two real tiles in the combination for each of its
Jokers at the moment when it is added (RM-8), so what is added at the other end counts too: additions with Jokers are
taken for both ends together, up to five at each, which leaves what the Jokers need when three are cut off as a run.
"""

from dataclasses import dataclass
from typing import Final

from services.table.engine.remi.melds import LARGEST_SET, REAL_PER_JOKER, Meld
from services.table.engine.remi.solver_planes import PLACE_BIT, TILE_BIT, Planes
from services.table.engine.remi.solver_uses import Uses
from services.table.engine.remi.tiles import HIGH_ACE, JOKER, RUN_POINTS, SET_POINTS, tile_of

MOST_REAL: Final = 3
"""Additions at one end without a Joker."""
MOST_WITH_JOKERS: Final = 5
"""Additions at one end if there are Jokers among them or at the other end."""

LOW: Final = 0
HIGH: Final = 1


@dataclass(frozen=True, slots=True)
class Side:
    """Tiles added at one end of a combination.

    Attributes:
        tiles: The tiles from the combination outwards.
        plane: Those that are no Jokers, as a plane.
        jokers: Number of Jokers.
        points: Their points.
    """

    tiles: tuple[int, ...]
    plane: int
    jokers: int
    points: int


NOTHING: Final = Side((), 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Addition:
    """Tiles added to one combination.

    Attributes:
        place: The place of the combination on the table.
        low: What is added before its lowest tile.
        high: What is added after its highest tile, or to a set.
    """

    place: int
    low: Side
    high: Side

    def jokers(self) -> int:
        """Number of Jokers."""
        return self.low.jokers + self.high.jokers

    def points(self) -> int:
        """Their points."""
        return self.low.points + self.high.points

    def put(self, uses: Uses, ends: int) -> None:
        """Notes this as a use that takes up these ends."""
        tiles = self.low.plane | self.high.plane
        twice = self.low.plane & self.high.plane
        form = (self.place, self.low.tiles, self.high.tiles)
        uses.put_addition(tiles, twice, self.jokers(), ends, self.points(), form)


def put_additions(uses: Uses, planes: Planes, melds: list[tuple[int, Meld]]) -> None:
    """Notes every use that adds to one of these combinations, each given with its place on the table."""
    alone: list[Addition] = []
    for place, meld in melds:
        if meld.run:
            _put_for_run(uses, planes, place, meld, alone)
        else:
            _put_for_set(uses, planes, place, meld, alone)
    # Where nothing but Jokers can be added, one combination is as good as another but for the points.
    for jokers in range(1, planes.jokers + 1):
        best: dict[int, Addition] = {}
        for addition in alone:
            known = best.get(addition.place)
            if addition.jokers() == jokers and (known is None or addition.points() > known.points()):
                best[addition.place] = addition
        ranked = sorted(best.values(), key=_by_points)
        for addition in ranked[: 1 if jokers == 2 else planes.jokers]:
            addition.put(uses, _ends_of(uses, addition.place))


def _by_points(addition: Addition) -> tuple[int, int]:
    return -addition.points(), addition.place


def _ends_of(uses: Uses, place: int) -> int:
    """The bit of a combination that takes nothing but Jokers."""
    known = uses.alone.get(place)
    if known is None:
        known = uses.end()
        uses.alone[place] = known
    return known


def _put_for_set(uses: Uses, planes: Planes, place: int, meld: Meld, alone: list[Addition]) -> None:
    """Notes what a set of three takes: a tile of a missing colour, or a Joker if it has none."""
    if len(meld.tiles) >= LARGEST_SET:
        return
    points = SET_POINTS[meld.low]
    found: list[Side] = []
    for colour in meld.missing_colours():
        tile = tile_of(colour, meld.low)
        if planes.ones & TILE_BIT[tile]:
            found.append(Side((tile,), TILE_BIT[tile], 0, points))
    joker = Side((JOKER,), 0, 1, points)
    takes_joker = planes.jokers > 0 and meld.jokers == 0
    if found:
        ends = uses.end()
        if takes_joker:
            found.append(joker)
        for side in found:
            Addition(place, NOTHING, side).put(uses, ends)
    elif takes_joker:
        alone.append(Addition(place, NOTHING, joker))


def _put_for_run(uses: Uses, planes: Planes, place: int, meld: Meld, alone: list[Addition]) -> None:
    """Notes what a run takes."""
    low_ends = 0
    high_ends = 0
    lows = sides_of(planes, meld, LOW, 0, MOST_REAL)
    highs = sides_of(planes, meld, HIGH, 0, MOST_REAL)
    if lows:
        low_ends = uses.end()
        for side in lows:
            Addition(place, side, NOTHING).put(uses, low_ends)
    if highs:
        high_ends = uses.end()
        for side in highs:
            Addition(place, NOTHING, side).put(uses, high_ends)
    if not planes.jokers:
        return
    found: list[Addition] = []
    lows = [NOTHING, *sides_of(planes, meld, LOW, planes.jokers, MOST_WITH_JOKERS)]
    highs = [NOTHING, *sides_of(planes, meld, HIGH, planes.jokers, MOST_WITH_JOKERS)]
    for low in lows:
        for high in highs:
            if 0 < low.jokers + high.jokers <= planes.jokers:
                twice = low.plane & high.plane
                if planes.twos & twice == twice and order_of(meld, low.tiles, high.tiles) is not None:
                    found.append(Addition(place, low, high))
    if not low_ends and not high_ends and not any(addition.low.plane | addition.high.plane for addition in found):
        alone.extend(found)
        return
    ends = (low_ends or uses.end()) | (high_ends or uses.end())
    for addition in found:
        addition.put(uses, ends)


def sides_of(planes: Planes, meld: Meld, end: int, jokers: int, most: int) -> list[Side]:
    """All that can be added at one end of a run but nothing, RM-8 apart.

    Args:
        planes: The hand.
        meld: The run.
        end: `LOW` or `HIGH`.
        jokers: Jokers that may be among the tiles.
        most: Tiles at most.
    """
    found: list[Side] = []
    reached = [NOTHING]
    place = meld.low if end == LOW else meld.high
    for _ in range(most):
        place += -1 if end == LOW else 1
        if not reached or place < 1 or place > HIGH_ACE:
            break
        bit = planes.ones & PLACE_BIT[meld.colour][place]
        points = RUN_POINTS[place]
        further: list[Side] = []
        for side in reached:
            if bit:
                tile = tile_of(meld.colour, place)
                further.append(Side((*side.tiles, tile), side.plane | bit, side.jokers, side.points + points))
            if side.jokers < jokers:
                further.append(Side((*side.tiles, JOKER), side.plane, side.jokers + 1, side.points + points))
        found.extend(further)
        reached = further
    return found


def order_of(meld: Meld, low: tuple[int, ...], high: tuple[int, ...]) -> tuple[int, ...] | None:
    """An order in which tiles can be added to a combination so that RM-8 holds after each; None if there is none.

    Args:
        meld: The combination.
        low: What is added before its lowest tile, outwards.
        high: What is added after its highest tile, outwards, or to a set.

    Returns:
        For each addition its end, `LOW` or `HIGH`.
    """
    return _order(len(meld.tiles) - meld.jokers, meld.jokers, low, high)


def _order(real: int, jokers: int, low: tuple[int, ...], high: tuple[int, ...]) -> tuple[int, ...] | None:
    """As `order_of`, for a combination of so many real tiles and Jokers. Real tiles come first: they only help."""
    done: list[int] = []
    while low and low[0] != JOKER:
        low = low[1:]
        done.append(LOW)
    while high and high[0] != JOKER:
        high = high[1:]
        done.append(HIGH)
    if not low and not high:
        return tuple(done)
    real += len(done)
    jokers += 1
    if jokers * REAL_PER_JOKER > real:
        return None
    if low:
        rest = _order(real, jokers, low[1:], high)
        if rest is not None:
            return (*done, LOW, *rest)
    if high:
        rest = _order(real, jokers, low, high[1:])
        if rest is not None:
            return (*done, HIGH, *rest)
    return None
