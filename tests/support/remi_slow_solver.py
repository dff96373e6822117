"""What a large hand of Remi can lay, found number by number: to judge the solver by where there is too much to try.

Nothing of the engine is used, and nothing is cut short. Numbers are gone through from 1 to the ace at the end; of every
colour it is remembered how far the runs are that have just got a tile, and of everything else only what it was worth.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

COLOURS = "RYBK"
LAST = 14
"""The place of the ace at the end of a run."""

Run = tuple[int, int]
"""Real tiles, of which more than four are as good as four, and Jokers."""
Runs = tuple[Run, ...]
"""The runs of one colour that have just got a tile."""
State = tuple[tuple[Runs, ...], tuple[int, ...], int]
"""The runs of each colour, the aces of each colour that are kept for the end, and the Jokers that are left."""


def points_at(place: int) -> int:
    """The points of a place in a run (RM-15)."""
    return 5 if place < 10 else 10


def points_in_set(number: int) -> int:
    """The points of a tile in a set (RM-15)."""
    return 10 if number == 1 else points_at(number)


def is_whole(run: Run) -> bool:
    """Whether a run may end: three tiles (RM-4), and two real ones for each Joker (RM-8)."""
    real, jokers = run
    return real + jokers >= 3 and real >= 2 * jokers


@cache
def make_sets(tiles: tuple[int, ...], jokers: int) -> bool:
    """Whether so many tiles of each colour, of one number, and so many Jokers make sets without a rest (RM-6, RM-8)."""
    if not any(tiles):
        return jokers == 0
    for chosen in range(1, 16):
        real = [colour for colour in range(4) if chosen >> colour & 1]
        if any(not tiles[colour] for colour in real):
            continue
        rest = tuple(count - (colour in real) for colour, count in enumerate(tiles))
        for used in (0, 1):
            if len(real) >= 2 and 3 <= len(real) + used <= 4 and used <= jokers and make_sets(rest, jokers - used):
                return True
    return False


def ways_on(runs: Runs, tiles: int, jokers: int, place: int) -> Iterator[tuple[Runs, int, int]]:
    """How runs of a colour may go on or end at a place: what they are then, tiles used and Jokers used."""
    ways: dict[tuple[Runs, int, int], None] = {((), 0, 0): None}
    for run in runs:
        further: dict[tuple[Runs, int, int], None] = {}
        for so_far, real, wild in ways:
            if is_whole(run):
                further[so_far, real, wild] = None
            if real < tiles:
                further[(*so_far, (min(run[0] + 1, 4), run[1])), real + 1, wild] = None
            if wild < jokers:
                further[(*so_far, (run[0], run[1] + 1)), real, wild + 1] = None
        ways = further
    if place < LAST - 1:
        for _ in range(2):
            for so_far, real, wild in list(ways):
                if real < tiles:
                    ways[(*so_far, (1, 0)), real + 1, wild] = None
                if wild < jokers:
                    ways[(*so_far, (0, 1)), real, wild + 1] = None
    for so_far, real, wild in ways:
        yield tuple(sorted(so_far)), real, wild


def most_worth(hand: Iterable[str], point: int, tile: int) -> int:
    """What the best that a hand can lay without a table is worth: so much for each point, and for each tile laid."""
    held = Counter(hand)
    empty: State = (((),) * 4, (0,) * 4, held["*"])
    best: dict[State, int] = {empty: 0}
    for place in range(1, LAST + 1):
        # Colour by colour, with what goes into sets beside it.
        beside: dict[tuple[State, tuple[int, ...]], int] = {(state, ()): worth for state, worth in best.items()}
        for colour in range(4):
            further: dict[tuple[State, tuple[int, ...]], int] = {}
            for ((runs, kept, wild), sets), worth in beside.items():
                tiles = kept[colour] if place == LAST else held[COLOURS[colour] + str(place)]
                for after, real, used in ways_on(runs[colour], tiles, wild, place):
                    gained = worth + (real + used) * (point * points_at(place) + tile)
                    now = (*runs[:colour], after, *runs[colour + 1 :])
                    rest = tiles - real
                    for in_sets in range(rest + 1 if place < LAST else 1):
                        for saved in range(rest - in_sets + 1 if place == 1 else 1):
                            aces = (*kept[:colour], saved, *kept[colour + 1 :]) if place == 1 else kept
                            key = ((now, aces, wild - used), (*sets, in_sets))
                            if gained > further.get(key, -1):
                                further[key] = gained
            beside = further
        best = {}
        for ((runs, kept, wild), sets), worth in beside.items():
            for used in range(min(wild, sum(sets)) + 1):
                if make_sets(sets, used):
                    gained = worth + (sum(sets) + used) * (point * points_in_set(place) + tile)
                    state = (runs, kept, wild - used)
                    if gained > best.get(state, -1):
                        best[state] = gained
    return max(worth for (runs, _, _), worth in best.items() if all(is_whole(run) for one in runs for run in one))
