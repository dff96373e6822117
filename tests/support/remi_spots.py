"""Random small turns of Remi in which there is much to do, and the solver's answers played out plainly."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from services.table.engine.remi.actions import Add, Discard, Lay, Step, SwapJoker
from services.table.engine.remi.melds import LaidMeld, laid, meld_of
from services.table.engine.remi.solver import Spot, Stage
from services.table.engine.remi.tiles import JOKER, PACK, TEXT, hand_of, parse_tile, parse_tiles
from tests.support.remi_brute_force import (
    COLOURS,
    Laid,
    as_run,
    combinations_of,
    is_valid,
    stand_ins,
    values_of,
    without,
)


@dataclass(frozen=True)
class SmallTurn:
    """A turn in text."""

    hand: tuple[str, ...]
    table: tuple[Laid, ...]
    stage: Stage
    required: str = ""
    barred: str = ""

    def spot(self) -> Spot:
        """The same for the solver."""
        return Spot(
            hand_of(parse_tiles(" ".join(self.hand))),
            [LaidMeld(meld_of(parse_tiles(" ".join(meld.tiles))), meld.owner, meld.placed) for meld in self.table],
            0,
            self.stage,
            parse_tile(self.required) if self.required else -1,
            parse_tile(self.barred) if self.barred else -1,
        )


def small_turn(rng: random.Random, stage: Stage, most_tiles: int) -> SmallTurn:
    """A random turn with tiles of few numbers, so that most of them go together somehow, and with many Jokers."""
    colours = rng.sample(COLOURS, rng.choice((1, 2, 2, 3, 4)))
    first = rng.randint(1, 13)
    numbers = [(first + index - 1) % 13 + 1 for index in range(rng.randint(3, 8))]
    pack = [colour + str(number) for colour in colours for number in numbers] * 2
    other = [colour + str(number) for colour in COLOURS for number in range(1, 14) if colour + str(number) not in pack]
    pack += rng.sample(other, 3)
    rng.shuffle(pack)
    jokers = rng.choice((0, 1, 1, 2, 2, 2))
    pack = ["*"] * jokers + pack
    table: list[Laid] = []
    for _ in range(0 if stage == "closed" else rng.randint(0, 3)):
        melds = combinations_of(tuple(sorted(pack[:12])))
        if melds:
            tiles = rng.choice(melds)
            pack = list(without(tuple(pack), tiles) or ())
            head = pack[pack.count("*") :]
            rng.shuffle(head)
            pack = ["*"] * pack.count("*") + head
            owner = rng.randint(0, 1)
            table.append(Laid(tiles, owner, tuple(owner if rng.random() < 0.7 else 1 - owner for _ in tiles)))
    hand = tuple(sorted(pack[: rng.randint(3, most_tiles)]))
    required = rng.choice(hand) if rng.random() < 0.4 else ""
    barred = rng.choice(hand) if rng.random() < 0.3 else ""
    return SmallTurn(hand, tuple(table), stage, required, barred)


def rich_spot(rng: random.Random, tiles: int = 15, melds: int = 10, jokers: bool = False) -> Spot:
    """A turn as it may come late in a round: a random hand and a table with much on it, to measure the solver by.

    Args:
        rng: Where chance comes from.
        tiles: Tiles in hand.
        melds: Combinations on the table.
        jokers: Both Jokers are in hand; otherwise they are wherever chance has put them.
    """
    pack = [tile for tile in PACK if tile != JOKER]
    rng.shuffle(pack)
    if jokers:
        pack[0:0] = [JOKER, JOKER]
    else:
        for _ in range(2):
            pack.insert(rng.randrange(len(pack) + 1), JOKER)
    hand, rest = pack[:tiles], pack[tiles:]
    table: list[LaidMeld] = []
    for _ in range(melds):
        choices = combinations_of(tuple(sorted(TEXT[tile] for tile in rest[:25])))
        if choices:
            chosen = [parse_tile(tile) for tile in rng.choice(choices)]
            for tile in chosen:
                rest.remove(tile)
            table.append(laid(meld_of(chosen), rng.randrange(2)))
        rng.shuffle(rest)
    return Spot(hand_of(hand), table, 0, "open")


def play(turn: SmallTurn, steps: Sequence[Step]) -> tuple[tuple[Laid, ...], tuple[str, ...]]:
    """Plays steps out by the rules: the table and the hand afterwards. Fails where a step is not allowed."""
    hand: tuple[str, ...] = turn.hand
    table = list(turn.table)
    stage = turn.stage

    def use(tiles: tuple[str, ...]) -> None:
        nonlocal hand
        left = without(hand, tiles)
        assert left is not None, f"{tiles} not in {hand}"
        hand = left

    for step in steps:
        if isinstance(step, Lay):
            melds = [tuple(TEXT[tile] for tile in tiles) for tiles in step.melds]
            assert all(is_valid(tiles) for tiles in melds)
            if stage == "closed":
                assert sum(sum(values_of(tiles)) for tiles in melds) >= 45
                assert any(as_run(tiles) for tiles in melds)
                assert not turn.required or any(turn.required in tiles for tiles in melds)
                stage = "opening"
            for tiles in melds:
                use(tiles)
                table.append(Laid(tiles, 0, (0,) * len(tiles)))
            continue
        assert stage != "closed"
        if isinstance(step, Discard):
            use((TEXT[step.tile],))
            assert TEXT[step.tile] != turn.barred
            continue
        assert isinstance(step, Add | SwapJoker)
        meld = table[step.meld]
        assert stage == "open" or meld.owner == 0
        tile = TEXT[step.tile]
        use((tile,))
        if isinstance(step, Add):
            low = step.end == "low"
            tiles = (tile, *meld.tiles) if low else (*meld.tiles, tile)
            assert is_valid(tiles), tiles
            table[step.meld] = Laid(tiles, meld.owner, (0, *meld.placed) if low else (*meld.placed, 0))
        else:
            assert meld.tiles[step.place] == "*"
            assert tile in stand_ins(meld.tiles, step.place)
            tiles = (*meld.tiles[: step.place], tile, *meld.tiles[step.place + 1 :])
            placed = (*meld.placed[: step.place], 0, *meld.placed[step.place + 1 :])
            table[step.meld] = Laid(tiles, meld.owner, placed)
            new = tuple(TEXT[tile] for tile in step.new_meld)
            assert is_valid(new)
            assert "*" in new
            hand = (*hand, "*")
            use(new)
            table.append(Laid(new, 0, (0,) * len(new)))
    return tuple(table), tuple(sorted(hand))
