"""What a hand of Remi can do, found by trying everything: to judge the solver by.

Nothing of the engine is used. Tiles are text, a hand is a sorted tuple, a table is a tuple of combinations, and every
way of laying, adding and swapping is walked, one after another, in every order. It is written from the rules and made
for small hands.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

COLOURS = "RYBK"


@dataclass(frozen=True)
class Laid:
    """A combination on the table: its tiles in order, who laid it, and who placed each tile."""

    tiles: tuple[str, ...]
    owner: int
    placed: tuple[int, ...]


@dataclass(frozen=True)
class End:
    """A way for the turn to end before its discard: points gained on the table, and the tiles left."""

    points: int
    left: tuple[str, ...]


def name_of(colour: str, place: int) -> str:
    return colour + str(1 if place == 14 else place)


def as_run(tiles: tuple[str, ...]) -> tuple[str, int] | None:
    """Colour and first place of a run; None if the tiles are none."""
    for colour in COLOURS:
        for low in range(1, 15 - len(tiles) + 1):
            if all(tile in ("*", name_of(colour, low + index)) for index, tile in enumerate(tiles)):
                return colour, low
    return None


def is_valid(tiles: tuple[str, ...]) -> bool:
    """Whether tiles in this order are a combination (RM-4 to RM-8)."""
    jokers = tiles.count("*")
    real = [tile for tile in tiles if tile != "*"]
    if len(tiles) < 3 or len(real) < 2 * jokers:
        return False
    if as_run(tiles):
        return True
    numbers = {tile[1:] for tile in real}
    return len(tiles) <= 4 and len(numbers) == 1 and len({tile[0] for tile in real}) == len(real)


def value_of(place: int) -> int:
    return 5 if place < 10 else 10


def values_of(tiles: tuple[str, ...]) -> list[int]:
    """The points of each tile of a combination (RM-15)."""
    run = as_run(tiles)
    if run:
        return [value_of(run[1] + index) for index in range(len(tiles))]
    number = next(int(tile[1:]) for tile in tiles if tile != "*")
    return [10 if number == 1 else value_of(number)] * len(tiles)


def without(hand: tuple[str, ...], tiles: tuple[str, ...]) -> tuple[str, ...] | None:
    """The hand when these tiles are gone; None if they are not all there."""
    left = list(hand)
    for tile in tiles:
        if tile not in left:
            return None
        left.remove(tile)
    return tuple(left)


def combinations_of(hand: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Every combination that can be laid from a hand; sets in one order only."""
    jokers = hand.count("*")
    held = set(hand)
    found = []
    for colour in COLOURS:
        for low in range(1, 13):
            # What can stand at each place from here on, up to the first place for which there is nothing.
            choices: list[list[str]] = []
            for place in range(low, 15):
                choice = [name for name in (name_of(colour, place), "*") if name in held]
                if not choice:
                    break
                choices.append(choice)
            for length in range(3, len(choices) + 1):
                for tiles in product(*choices[:length]):
                    if tiles.count("*") <= jokers and is_valid(tiles) and without(hand, tiles) is not None:
                        found.append(tiles)
    for number in range(1, 14):
        candidates = [colour + str(number) for colour in COLOURS if colour + str(number) in held]
        for size in (2, 3, 4):
            for real in combinations(candidates, size):
                found += [
                    tiles for tiles in (real, (*real, "*")) if is_valid(tiles) and without(hand, tiles) is not None
                ]
    return found


def layings(hand: tuple[str, ...]) -> list[list[tuple[str, ...]]]:
    """Every choice of combinations that can be laid together, none at all included."""
    found: list[list[tuple[str, ...]]] = []

    def walk(hand: tuple[str, ...], so_far: list[tuple[str, ...]]) -> None:
        found.append(so_far)
        for tiles in combinations_of(hand):
            # In one order only.
            if not so_far or tiles >= so_far[-1]:
                left = without(hand, tiles)
                if left is not None:
                    walk(left, [*so_far, tiles])

    walk(hand, [])
    return found


def first_melds(hand: tuple[str, ...]) -> list[list[tuple[str, ...]]]:
    """Every first meld: combinations worth 45 with a run among them (RM-14)."""
    return [
        melds
        for melds in layings(hand)
        if sum(sum(values_of(tiles)) for tiles in melds) >= 45 and any(as_run(tiles) for tiles in melds)
    ]


def stand_ins(tiles: tuple[str, ...], place: int) -> list[str]:
    """The tiles that may be swapped for the Joker at this place (RM-9, GAP-R9)."""
    run = as_run(tiles)
    if run:
        return [name_of(run[0], run[1] + place)]
    number = next(tile[1:] for tile in tiles if tile != "*")
    return [colour + number for colour in COLOURS if colour + number not in tiles]


class Turn:
    """Everything that the rest of a turn can come to.

    Args:
        hand: The tiles in hand.
        table: The combinations on the table.
        seat: The player.
        stage: `closed` before the first meld, `opening` in its turn, `open` afterwards.
    """

    def __init__(self, hand: tuple[str, ...], table: tuple[Laid, ...], seat: int, stage: str) -> None:
        self.hand = tuple(sorted(hand))
        self.seat = seat
        self.stage = stage
        self.seen: set[tuple[tuple[str, ...], tuple[Laid, ...]]] = set()
        self.points_before = self.points(table)
        self.table = table

    def points(self, table: tuple[Laid, ...]) -> int:
        """What the player's tiles on the table are worth (GAP-R24)."""
        return sum(
            value
            for meld in table
            for value, seat in zip(values_of(meld.tiles), meld.placed, strict=True)
            if seat == self.seat
        )

    def new(self, tiles: tuple[str, ...]) -> Laid:
        return Laid(tiles, self.seat, (self.seat,) * len(tiles))

    def ends(self, required: str = "", barred: str = "") -> set[End]:
        """Every legal end of the turn, one without any step included.

        Args:
            required: A tile that has to go from hand to table, in the first meld if there is one; empty without.
            barred: A tile that may not be all that is left; empty without.
        """
        positions: set[tuple[tuple[str, ...], tuple[Laid, ...]]] = set()
        if self.stage == "closed":
            positions.add((self.hand, self.table))
            for melds in first_melds(self.hand):
                if not required or any(required in tiles for tiles in melds):
                    left: tuple[str, ...] | None = self.hand
                    for tiles in melds:
                        left = without(left or (), tiles)
                    self.walk(left or (), (*self.table, *(self.new(tiles) for tiles in melds)), own_only=True)
        else:
            self.walk(self.hand, self.table, own_only=self.stage == "opening")
        positions |= self.seen
        return {
            End(self.points(table) - self.points_before, hand)
            for hand, table in positions
            if not required or hand.count(required) < self.hand.count(required)
            if not hand or not barred or any(tile != barred for tile in hand)
        }

    def closes_with_atu(self, atu: str) -> bool:
        """Whether the turn, not begun yet, can close with the Atu: melds with it, then additions, then a discard."""
        hand = tuple(sorted((*self.hand, atu)))
        first = self.stage == "closed"
        for melds in first_melds(hand) if first else layings(hand):
            if not any(atu in tiles for tiles in melds):
                continue
            left: tuple[str, ...] | None = hand
            for tiles in melds:
                left = without(left or (), tiles)
            positions = [(left or (), (*self.table, *(self.new(tiles) for tiles in melds)))]
            while positions:
                position = positions.pop()
                if len(position[0]) <= 1:
                    return True
                positions += self.additions(*position, first)
        return False

    def walk(self, hand: tuple[str, ...], table: tuple[Laid, ...], own_only: bool) -> None:
        """Walks from a position to all that can be reached from it."""
        if (hand, table) in self.seen:
            return
        self.seen.add((hand, table))
        for further in self.steps(hand, table, own_only):
            self.walk(*further, own_only)

    def steps(
        self, hand: tuple[str, ...], table: tuple[Laid, ...], own_only: bool
    ) -> Iterator[tuple[tuple[str, ...], tuple[Laid, ...]]]:
        """Every position after one more step."""
        for tiles in combinations_of(hand):
            left = without(hand, tiles)
            assert left is not None
            yield left, self.sorted_table((*table, self.new(tiles)))
        yield from self.additions(hand, table, own_only)
        for index, meld in enumerate(table):
            if own_only and meld.owner != self.seat:
                continue
            for place, joker in enumerate(meld.tiles):
                if joker != "*":
                    continue
                for tile in stand_ins(meld.tiles, place):
                    left = without(hand, (tile,))
                    if left is None:
                        continue
                    swapped = Laid(
                        (*meld.tiles[:place], tile, *meld.tiles[place + 1 :]),
                        meld.owner,
                        (*meld.placed[:place], self.seat, *meld.placed[place + 1 :]),
                    )
                    for tiles in combinations_of(tuple(sorted((*left, "*")))):
                        if "*" in tiles:
                            rest = without((*left, "*"), tiles)
                            assert rest is not None
                            after = (*self.replaced(table, index, swapped), self.new(tiles))
                            yield tuple(sorted(rest)), self.sorted_table(after)

    def additions(
        self, hand: tuple[str, ...], table: tuple[Laid, ...], own_only: bool
    ) -> Iterator[tuple[tuple[str, ...], tuple[Laid, ...]]]:
        """Every position after one more addition."""
        for index, meld in enumerate(table):
            if own_only and meld.owner != self.seat:
                continue
            for tile in set(hand):
                left = without(hand, (tile,))
                assert left is not None
                for longer, placed in (
                    ((tile, *meld.tiles), (self.seat, *meld.placed)),
                    ((*meld.tiles, tile), (*meld.placed, self.seat)),
                ):
                    if is_valid(longer):
                        yield left, self.sorted_table(self.replaced(table, index, Laid(longer, meld.owner, placed)))

    @staticmethod
    def replaced(table: tuple[Laid, ...], index: int, meld: Laid) -> tuple[Laid, ...]:
        return (*table[:index], meld, *table[index + 1 :])

    @staticmethod
    def sorted_table(table: tuple[Laid, ...]) -> tuple[Laid, ...]:
        """The table in one order, so that the same position is known whatever way led to it."""
        return tuple(sorted(table, key=lambda meld: (meld.tiles, meld.owner, meld.placed)))
