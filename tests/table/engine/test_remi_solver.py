"""The solver of Remi finds exactly what trying everything finds, and keeps every rule on the way."""

import random
from dataclasses import replace
from itertools import product

import pytest

from services.table.engine.remi.actions import Add, CloseWithAtu, Discard, Lay, Step, SwapJoker
from services.table.engine.remi.melds import LaidMeld, laid, meld_of
from services.table.engine.remi.solver import (
    FEWEST,
    POINTS,
    Aim,
    Plan,
    Spot,
    Stage,
    best_first_meld,
    best_rest,
    can_use,
    closing,
    closing_with_atu,
)
from services.table.engine.remi.solver_packing import NO_LIMIT, Packing, most_of
from services.table.engine.remi.solver_planes import Planes
from services.table.engine.remi.solver_prices import prices_of
from services.table.engine.remi.solver_uses import Uses
from services.table.engine.remi.tiles import JOKER, PACK, TEXT, Hand, hand_of, parse_tile, parse_tiles, tiles_text
from tests.support.remi_brute_force import End, Turn, values_of
from tests.support.remi_slow_solver import most_worth
from tests.support.remi_spots import SmallTurn, play, rich_spot, small_turn

STAGES: tuple[Stage, ...] = ("closed", "opening", "open", "open")


def hand(text: str) -> Hand:
    return hand_of(parse_tiles(text))


def table(*melds: str, seat: int = 1) -> list[LaidMeld]:
    return [laid(meld_of(parse_tiles(meld)), seat) for meld in melds]


def laid_text(lay: Lay | None) -> list[str]:
    return [] if lay is None else [tiles_text(tiles) for tiles in lay.melds]


def compare(turn: SmallTurn) -> str:
    """Compares everything that the solver says of a turn with what trying everything finds; returns what there was."""
    brute = Turn(turn.hand, turn.table, 0, turn.stage)
    ends = brute.ends(turn.required, turn.barred)
    spot = turn.spot()

    def best_by_points(end: End) -> tuple[int, int]:
        return end.points, -len(end.left)

    def best_by_tiles(end: End) -> tuple[int, int]:
        return -len(end.left), end.points

    for aim, key in ((POINTS, best_by_points), (FEWEST, best_by_tiles)):
        plan = best_rest(spot, aim)
        if not ends:
            assert plan is None
            continue
        best = max(ends, key=key)
        assert plan is not None
        table_after, left = play(turn, plan.steps)
        found = End(brute.points(table_after) - brute.points_before, left)
        assert found == End(plan.points, tuple(sorted(TEXT[tile] for tile in plan.left.tiles())))
        assert key(found) == key(best)
    if turn.required:
        assert can_use(spot) == bool(ends)

    steps = closing(spot)
    closes = any(not end.left or (len(end.left) == 1 and end.left[0] != turn.barred) for end in ends)
    assert (steps is not None) == closes
    if steps is not None:
        assert play(turn, steps)[1] == ()
        if turn.barred != "*" and any(end.left == ("*",) for end in ends):
            assert isinstance(steps[-1], Add | Discard)
            assert TEXT[steps[-1].tile] == "*"
    return "closing" if closes else "something" if any(len(end.left) < len(turn.hand) for end in ends) else "nothing"


def compare_atu(turn: SmallTurn, atu: str) -> bool:
    """Compares closing with the Atu; returns whether it can be done."""
    brute = Turn(turn.hand, turn.table, 0, turn.stage)
    answer = closing_with_atu(turn.spot(), parse_tile(atu))
    assert (answer is not None) == brute.closes_with_atu(atu)
    if answer is not None:
        assert any(parse_tile(atu) in tiles for tiles in answer.melds)
        steps: list[Step] = [Lay(answer.melds), *answer.additions]
        if answer.discard is not None:
            steps.append(Discard(answer.discard))
        with_atu = SmallTurn(tuple(sorted((*turn.hand, atu))), turn.table, turn.stage)
        assert play(with_atu, steps)[1] == ()
    return answer is not None


def random_atu(turn: SmallTurn, rng: random.Random) -> str:
    """A tile that may be the Atu: one that goes well with the hand, of which not both copies are held."""
    real = [tile for tile in turn.hand if tile != "*"] or ["R7"]
    near = [colour + number for colour, number in product(sorted({t[0] for t in real}), sorted({t[1:] for t in real}))]
    return rng.choice([tile for tile in (*near, "R7", "Y8") if turn.hand.count(tile) < 2])


@pytest.mark.parametrize("part", range(4))
@pytest.mark.rule("GAP-R34", "RM-14", "RM-22", "RM-24", "GAP-R10", "GAP-R12", "GAP-R33")
def test_the_solver_and_trying_everything_never_differ_on_small_turns(part: int) -> None:
    most_tiles = 8 if STAGES[part] == "closed" else 6
    seen = {compare(small_turn(random.Random(part * 150 + index), STAGES[part], most_tiles)) for index in range(150)}
    assert seen == {"nothing", "something", "closing"}


@pytest.mark.rule("RM-11", "GAP-R15")
def test_closing_with_the_atu_and_trying_everything_never_differ() -> None:
    closed = 0
    for index in range(400):
        rng = random.Random(f"atu {index}")
        turn = small_turn(rng, ("closed", "open")[index % 2], 7)
        turn = SmallTurn(turn.hand, turn.table, turn.stage)
        closed += compare_atu(turn, random_atu(turn, rng))
    assert closed > 10


@pytest.mark.soak
def test_ten_thousand_small_turns_never_make_the_solver_and_trying_everything_differ() -> None:
    for index in range(10_000):
        rng = random.Random(f"small turn {index}")
        compare(small_turn(rng, rng.choice(STAGES), 7))


@pytest.mark.soak
def test_larger_turns_never_make_the_solver_and_trying_everything_differ() -> None:
    for index in range(1_500):
        rng = random.Random(f"larger turn {index}")
        compare(small_turn(rng, rng.choice(STAGES), 9))


@pytest.mark.rule("EX-R1", "EX-R2", "EX-R3", "EX-R4", "EX-R5", "RM-14", "RM-15")
@pytest.mark.parametrize(
    ("tiles", "melds"),
    [
        ("R5 R6 R7 R10 Y10 B10 K2", ["R5 R6 R7", "R10 Y10 B10"]),
        ("B10 B11 B12 B13 K2", []),
        ("B10 B11 B12 B13 B1 K2", ["B10 B11 B12 B13 B1"]),
        ("K1 K2 K3 R13 Y13 B13", ["K1 K2 K3", "R13 Y13 B13"]),
        ("R1 Y1 B1 R13 Y13 B13", []),
        ("R11 * R13 K4 K5 K6", ["K4 K5 K6", "R11 * R13"]),
    ],
)
def test_the_best_first_meld_is_found(tiles: str, melds: list[str]) -> None:
    assert sorted(laid_text(best_first_meld(hand(tiles)))) == sorted(melds)


@pytest.mark.rule("RM-14")
def test_a_first_meld_may_leave_points_in_hand_to_leave_fewer_tiles() -> None:
    tiles = hand("R2 R3 R4 R5 R6 R7 R8 R9 R10 Y9 B9 K9 Y10 B10")
    assert best_rest(Spot(tiles, (), 0, "closed"), FEWEST) is not None
    by_tiles = best_rest(Spot(tiles, (), 0, "closed"), FEWEST)
    by_points = best_rest(Spot(tiles, (), 0, "closed"), POINTS)
    assert by_tiles is not None
    assert by_points is not None
    assert by_tiles.left.size() <= by_points.left.size()
    assert by_points.points >= by_tiles.points


@pytest.mark.rule("GAP-R33", "RM-18")
def test_the_first_meld_uses_the_tile_taken_for_it() -> None:
    tiles = hand("R5 R6 R7 R10 Y10 B10 K10 K11 K12 B2")
    lay = best_first_meld(tiles, required=parse_tile("K12"))
    assert lay is not None
    assert any(parse_tile("K12") in meld for meld in lay.melds)
    assert best_first_meld(tiles, required=parse_tile("B2")) is None


@pytest.mark.rule("GAP-R12")
def test_a_plan_keeps_a_tile_that_may_be_discarded() -> None:
    tiles = hand("R5 R6 R7 R10 Y10 B10 K2")
    barred = best_rest(Spot(tiles, (), 0, "closed", barred=parse_tile("K2")))
    assert barred is not None
    assert not barred.steps
    spot = Spot(hand("R5 R6 R7 R8 K2"), (), 0, "open", barred=parse_tile("K2"))
    plan = best_rest(spot)
    assert plan is not None
    assert plan.left.size() == 2
    assert closing(spot) is None
    can_be_added = Spot(hand("R5 R6 R7 R8 K2"), table("K3 K4 K5"), 0, "open", barred=parse_tile("K2"))
    steps = closing(can_be_added)
    assert steps is not None
    assert Add(0, parse_tile("K2"), "low") in steps


@pytest.mark.rule("RM-24")
def test_in_the_turn_of_the_first_meld_only_own_combinations_are_open() -> None:
    tiles = hand("R8 K2")
    others = best_rest(Spot(tiles, table("R5 R6 R7"), 0, "opening"))
    assert others is not None
    assert not others.steps
    own = best_rest(Spot(tiles, table("R5 R6 R7", seat=0), 0, "opening"))
    assert own is not None
    assert own.steps == (Add(0, parse_tile("R8"), "high"),)


@pytest.mark.rule("GAP-R34", "RM-21")
@pytest.mark.parametrize(
    ("tiles", "melds", "target", "legal"),
    [
        ("R5 R6 R7 K2", [], "R6", True),
        ("R5 R6 K2", [], "R6", False),
        ("R9 K2 B4", ["R6 R7 R8"], "R9", True),
        ("R9 R10 B4", ["R6 R7 R8"], "R10", True),
        ("R10 B4 K2", ["R6 R7 R8"], "R10", False),
        ("R10 R11 R12 R13", ["R6 R7 R8 R9"], "R13", True),
        ("K7 R2 R3 B9", ["R7 Y7 B7 *"], "K7", True),
        ("K7 R2 B5 B9", ["R7 B7 Y7 *"], "K7", False),
        ("K7 R2 B5 B9", ["R7 B7 *"], "K7", True),
        ("R6 B2 K9 Y4", ["R5 * R7"], "R6", False),
        ("R6 B2 B3 Y4", ["R5 * R7"], "R6", True),
        ("R6 B2 B3 Y4", ["R5 * R7"], "B3", True),
        ("R6 B2 B3 Y4", ["R5 * R7"], "Y4", False),
        ("* R2 R3 B9", [], "*", True),
        ("* R2 B6 B9", ["K5 K6 K7"], "*", True),
        ("* R2 B6 B9", ["K5 K6 *"], "*", False),
        ("* K4 B6 B9 R2", ["K6 K7 * K9"], "*", False),
        ("* K5 B6 B9 R2", ["K6 K7 * K9"], "*", True),
    ],
)
def test_a_target_may_be_taken_if_some_rest_of_the_turn_uses_it(
    tiles: str, melds: list[str], target: str, legal: bool
) -> None:
    assert can_use(Spot(hand(tiles), table(*melds), 0, "open", required=parse_tile(target))) is legal


@pytest.mark.rule("RM-9", "GAP-R10")
def test_a_swapped_joker_goes_into_a_new_combination_at_once() -> None:
    plan = best_rest(Spot(hand("R6 B12 B13 K2"), table("R5 * R7"), 0, "open"))
    assert plan is not None
    assert plan.steps == (SwapJoker(0, 1, parse_tile("R6"), parse_tiles("B12 B13 *")),)
    assert plan.points == 5 + 30


@pytest.mark.rule("GAP-R24")
def test_a_joker_of_ones_own_brings_nothing_for_the_tile_in_its_place() -> None:
    plan = best_rest(Spot(hand("R6 B12 B13 K2"), table("R5 * R7", seat=0), 0, "open"))
    assert plan is not None
    assert plan.points == 30


@pytest.mark.rule("GAP-R10")
def test_two_swapped_jokers_go_into_two_combinations() -> None:
    one_each = Spot(hand("R6 K6 B12 B13 Y2 Y3 K1"), table("R5 * R7", "K5 * K7"), 0, "open")
    steps = closing(one_each)
    assert steps is not None
    assert sum(isinstance(step, SwapJoker) for step in steps) == 2
    both_in_one = Spot(hand("R6 K6 B2 B5 B6 B7 K1 R13"), table("R5 * R7", "K5 * K7"), 0, "open", parse_tile("B2"))
    assert not can_use(both_in_one)


@pytest.mark.rule("RM-29", "GAP-R19")
def test_closing_leaves_a_joker_for_the_last() -> None:
    added = closing(Spot(hand("R7 R8 R9 *"), (), 0, "open"))
    assert added == (Lay((parse_tiles("R7 R8 R9"),)), Add(0, parse_tile("*"), "high"))
    full = table("R1 Y1 B1 K1")
    discarded = closing(Spot(hand("R7 Y7 B7 K7 *"), full, 0, "open"))
    assert discarded == (Lay((parse_tiles("R7 Y7 B7 K7"),)), Discard(parse_tile("*")))


@pytest.mark.rule("RM-11", "GAP-R15", "GAP-R36")
def test_closing_with_the_atu_lays_it_in_a_new_combination() -> None:
    atu = parse_tile("R7")
    assert closing_with_atu(Spot(hand("R5 R6 K2"), table(), 0, "open"), atu) == CloseWithAtu(
        (parse_tiles("R5 R6 R7"),), (), parse_tile("K2")
    )
    assert closing_with_atu(Spot(hand("K2"), table("R4 R5 R6"), 0, "open"), atu) is None
    assert closing_with_atu(Spot(hand("R5 R6 K2"), table(), 0, "closed"), atu) is None
    with_addition = closing_with_atu(Spot(hand("R5 R6 K2 K9"), table("K3 K4 K5"), 0, "open"), atu)
    assert with_addition == CloseWithAtu(
        (parse_tiles("R5 R6 R7"),), (Add(0, parse_tile("K2"), "low"),), parse_tile("K9")
    )


@pytest.mark.rule("GAP-R7", "RM-5")
def test_a_run_of_fourteen_is_laid_as_one() -> None:
    plan = best_rest(Spot(hand("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R1 K5"), (), 0, "closed"))
    assert plan is not None
    assert plan.steps == (Lay((parse_tiles("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R1"),)),)
    assert plan.points == 95


@pytest.mark.rule("RM-8", "GAP-R8")
def test_two_jokers_side_by_side_need_four_real_tiles() -> None:
    plan = best_rest(Spot(hand("R3 * * R6 R7 R8 K1"), (), 0, "open"), FEWEST)
    assert plan is not None
    assert plan.steps == (Lay((parse_tiles("R3 * * R6 R7 R8"),)),)
    assert best_rest(Spot(hand("R3 * * R6 R7"), (), 0, "open"), FEWEST).left.size() > 0  # type: ignore[union-attr]


def test_the_same_question_gets_the_same_answer() -> None:
    for index in range(40):
        turn = small_turn(random.Random(index), "open", 14)
        answers: set[Plan] = set()
        for _ in range(3):
            plan = best_rest(turn.spot())
            if plan is not None:
                answers.add(plan)
        assert len(answers) <= 1


def large_hand(name: str, least: int, most: int, jokers: int) -> list[int]:
    """A random hand of many tiles."""
    rng = random.Random(name)
    tiles = [tile for tile in PACK if tile != JOKER]
    rng.shuffle(tiles)
    return tiles[: rng.randint(least, most)] + [JOKER] * jokers


def compare_large(tiles: list[int]) -> int:
    """Compares what the best is worth with what a search number by number finds; returns how many tiles it had."""
    for aim in (POINTS, FEWEST):
        plan = best_rest(Spot(hand_of(tiles), (), 0, "open"), aim)
        assert plan is not None
        table_after, left = play(SmallTurn(tuple(TEXT[tile] for tile in tiles), (), "open"), plan.steps)
        laid_tiles = sum(len(meld.tiles) for meld in table_after)
        points = sum(sum(values_of(meld.tiles)) for meld in table_after)
        assert (points, len(tiles) - laid_tiles) == (plan.points, len(left))
        assert aim.point * points + aim.tile * laid_tiles == most_worth([TEXT[t] for t in tiles], aim.point, aim.tile)
    return len(tiles)


def test_the_best_of_large_hands_is_what_a_slow_search_finds_number_by_number() -> None:
    sizes = [compare_large(large_hand(f"large {index}", 28, 36, 0)) for index in range(8)]
    assert max(sizes) > 33
    for index in range(12):
        compare_large(large_hand(f"jokers {index}", 14, 24, 1 + index % 2))


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_the_best_of_two_hundred_hands_of_up_to_45_tiles_is_what_a_slow_search_finds() -> None:
    for index in range(200):
        jokers = index % 3
        compare_large(large_hand(f"larger {index}", 20, (45, 34, 28)[jokers], jokers))


def test_a_thorough_search_finds_on_a_full_table_what_one_without_end_does() -> None:
    """With additions and swaps, where a quick look is not enough."""
    for index in range(6):
        spot = rich_spot(random.Random(f"thorough {index}"), tiles=34, melds=8, jokers=index % 2 == 0)
        for aim in (POINTS, FEWEST):
            plan, endless = best_rest(spot, aim), best_rest(replace(spot, positions=NO_LIMIT), aim)
            assert plan is not None
            assert endless is not None
            assert worth_of(spot, plan, aim) == worth_of(spot, endless, aim)


def test_a_search_cut_short_finds_something_that_can_be_laid() -> None:
    for index in range(10):
        spot = rich_spot(random.Random(f"short {index}"), tiles=34, melds=0, jokers=True)
        short, best = best_rest(replace(spot, positions=50), FEWEST), best_rest(spot, FEWEST)
        assert short is not None
        assert best is not None
        assert 0 < worth_of(spot, short, FEWEST) <= worth_of(spot, best, FEWEST)
        play(SmallTurn(tuple(TEXT[tile] for tile in spot.hand.tiles()), (), "open"), short.steps)


def worth_of(spot: Spot, plan: Plan, aim: Aim) -> int:
    return aim.point * plan.points + aim.tile * (spot.hand.size() - plan.left.size())


@pytest.mark.parametrize("aim", [POINTS, FEWEST])
def test_prices_are_a_bound_that_no_use_exceeds_and_lower_than_at_first(aim: Aim) -> None:
    for index in range(5):
        hand_tiles = hand_of(large_hand(f"prices {index}", 34, 40, index % 3))
        planes, uses = Planes(hand_tiles), Uses(aim)
        uses.put_runs(planes)
        uses.put_sets(planes)
        start = most_of(uses)
        prices = prices_of(uses, planes.ones, planes.twos, planes.jokers, start, 0)
        for use in range(len(uses.tiles)):
            bits = [bit for bit in range(52) for plane in (uses.tiles, uses.twice) if plane[use] >> bit & 1]
            assert sum(prices[bit] for bit in bits) + prices[JOKER] * uses.jokers[use] >= uses.gain[use]
        first, then = Packing(uses), Packing(uses)
        then.prices = prices
        best = first.best(planes.ones, planes.twos, planes.jokers)[0]
        assert best <= then.bound(planes.ones, planes.twos, planes.jokers)
        assert then.bound(planes.ones, planes.twos, planes.jokers) < Packing(uses).bound(
            planes.ones, planes.twos, planes.jokers
        )


def test_half_the_pack_in_hand_is_answered_within_bounds() -> None:
    rng = random.Random(7)
    tiles = [kind for kind in range(52) for _ in range(2)] + [52, 52]
    rng.shuffle(tiles)
    spot = Spot(hand_of(tiles[:60]), table(), 0, "open")
    plan = best_rest(spot, FEWEST)
    assert plan is not None
    # Nearly everything goes out: the search is cut short, but never silly.
    assert plan.left.size() <= 12
