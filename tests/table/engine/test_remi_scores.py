"""What a round of Remi brings, and matches of several rounds: RM-28 to RM-32, GAP-R17 to R27, and the examples."""

import random

import pytest

from services.table.engine.game import Deal
from services.table.engine.remi import Cell, Discard, Ending, Options, Phase, State, Turn
from services.table.engine.remi.scoring import cell, hand_points, is_doubled
from services.table.engine.remi.tiles import JOKER, PACK, parse_tile
from tests.support.remi import NAMES, REMI, do, hand, lively, lucky_deal, new, set_up
from tests.support.steps import random_deal


def result(
    turned: str,
    laid: int = 0,
    held: str = "",
    ending: Ending | None = None,
    melded: bool = True,
    atu: bool = False,
    two: bool = False,
    missed: bool = False,
) -> Cell:
    return cell(laid, hand(held), parse_tile(turned), ending, melded, atu, two, missed)


WINNERS = [
    ("EX-R8", {"turned": "B9", "laid": 70, "atu": True, "two": True}, 245),
    ("plain", {"turned": "B9", "laid": 70}, 170),
    ("RM-12", {"turned": "B1", "laid": 70, "atu": True, "two": True}, 490),
    ("RM-29", {"turned": "B9", "laid": 70, "ending": Ending.CLOSED_WITH_JOKER}, 340),
    ("GAP-R20", {"turned": "B1", "laid": 70, "ending": Ending.CLOSED_WITH_JOKER}, 680),
    ("GAP-R6", {"turned": "*", "laid": 70}, 170),
    ("GAP-R17", {"turned": "B9", "laid": 70, "two": True, "missed": True}, 170 - 500),
    ("GAP-R21", {"turned": "B1", "laid": 70, "missed": True, "ending": Ending.CLOSED_WITH_JOKER}, 680 - 500),
]


@pytest.mark.rule("RM-30", "RM-28", "RM-29", "RM-12", "GAP-R6", "GAP-R17", "GAP-R20", "GAP-R21", "EX-R8")
@pytest.mark.parametrize(("name", "facts", "points"), WINNERS, ids=[name for name, _, _ in WINNERS])
def test_what_the_winner_gets(name: str, facts: dict[str, object], points: int) -> None:
    assert result(**{"ending": Ending.CLOSED, **facts}).points == points  # type: ignore[arg-type]


LOSERS = [
    ("EX-R11", {"turned": "B9", "laid": 55, "held": "B4 R12 *"}, -15),
    ("EX-R13 melded", {"turned": "K9", "laid": 80, "held": "R2 R4 R12"}, 60),
    ("EX-R13 not melded", {"turned": "Y9", "held": "R2 R12 R13 B11 B12", "melded": False}, -90),
    ("GAP-R22", {"turned": "K9", "laid": 55, "atu": True, "held": "R2"}, 100),
    ("GAP-R17", {"turned": "K9", "laid": 55, "two": True, "held": "R2"}, 50),
    ("GAP-R25", {"turned": "K9", "held": "K2 R2", "melded": False}, -(5 * 4 + 5 * 2)),
    ("GAP-R25 doubled", {"turned": "K1", "held": "K2 R2", "melded": False}, -2 * (5 * 4 + 5 * 2)),
    ("GAP-R25 Joker", {"turned": "K9", "held": "*"}, -50),
    ("GAP-R6", {"turned": "*", "held": "* K2", "laid": 60}, 5),
    ("RM-12", {"turned": "K1", "laid": 60, "atu": True, "held": "R2"}, 210),
    ("GAP-R21", {"turned": "K1", "laid": 60, "held": "R2", "missed": True}, 110 - 500),
    ("RM-32", {"turned": "K9", "held": "R1 R9 R10 R13 *"}, -(25 + 5 + 10 + 10 + 50)),
]


@pytest.mark.rule(
    "RM-31", "RM-32", "RM-12", "GAP-R6", "GAP-R17", "GAP-R21", "GAP-R22", "GAP-R23", "GAP-R25", "EX-R11", "EX-R13"
)
@pytest.mark.parametrize(("name", "facts", "points"), LOSERS, ids=[name for name, _, _ in LOSERS])
def test_what_the_others_get(name: str, facts: dict[str, object], points: int) -> None:
    assert result(**facts).points == points  # type: ignore[arg-type]


@pytest.mark.rule("RM-32")
@pytest.mark.parametrize("number", range(1, 14))
def test_what_a_tile_costs_in_hand(number: int) -> None:
    value = 25 if number == 1 else 5 if number <= 9 else 10
    for colour in "RYBK":
        assert hand_points(hand(f"{colour}{number}"), parse_tile("*"), melded=True) == value
    assert hand_points(hand(f"R{number}"), parse_tile("R5"), melded=True) == 2 * value
    assert hand_points(hand(f"R{number} R{number}"), parse_tile("R5"), melded=False) == 8 * value
    assert is_doubled(parse_tile(f"K{number}")) == (number == 1)


@pytest.mark.rule("GAP-R23")
def test_an_ace_is_worth_less_on_the_table_than_in_hand() -> None:
    state = set_up(["K6", "Y1"], melds=["1: R1 R2 R3"], melded=(0, 1), phase=Phase.MELD, turned="K9")
    do(state, "discard K6")
    assert (state.rows[0].cells[1].laid, state.rows[0].cells[1].hand) == (15, 25)


@pytest.mark.rule("GAP-R24", "RM-23", "RM-30", "RM-31")
def test_a_round_as_it_is_booked() -> None:
    """The swapped Joker counts for who laid it last, the tile in its place for who swapped it."""
    state = set_up(
        ["R8 Y5 B2 B3 K13", "Y1 K2"],
        melds=["1: R5 R6 R7", "1: Y4 * Y6", "0: B10 B11 B12"],
        melded=(0, 1),
        phase=Phase.MELD,
    )
    do(state, "add 0 R8", "swap_joker 1 1 Y5 for * B2 B3", "discard K13")
    row = state.rows[0]
    assert row.cells[0] == Cell(5 + 5 + 15 + 30, 0, 0, 0, 100, 1, 0, True)
    assert row.cells[1] == Cell(15 + 10, 25 + 2 * 5, 0, 0, 0, 1, 0, True)
    assert state.scores() == (155, -10)


@pytest.mark.rule("GAP-R27", "RM-3")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_first_player_moves_one_seat_to_the_right_each_round(seats: int) -> None:
    chance = random.Random(seats)
    state = new(seats, rounds=5)
    firsts = []
    while not state.is_over():
        assert state.progress() == (len(state.rows), 5)
        if state.needs_deal():
            state.apply(None, lucky_deal(state, chance))
            firsts.append(state.decider())
            assert state.hand_sizes()[state.first] >= 14
        state.apply(state.seat, REMI.rule_of_thumb(state))
    assert firsts == [number % seats for number in range(5)]
    assert [row.first for row in state.rows] == firsts
    assert state.progress() == (5, 5)
    for seat in range(seats):
        assert state.scores()[seat] == sum(row.cells[seat].points for row in state.rows)
    assert state.winners() == tuple(seat for seat in range(seats) if state.scores()[seat] == max(state.scores()))


@pytest.mark.rule("GAP-R27")
def test_a_match_is_one_round_unless_the_table_wants_more() -> None:
    assert Options().rounds == 1
    state = set_up(["R3", "Y2"], melded=(0, 1), phase=Phase.MELD)
    do(state, "discard R3")
    assert state.is_over()
    assert state.progress() == (1, 1)


def by_the_formula(state: State, discarded: int, seat: int) -> int:
    """Points of a round by the formulas of RULES.md, from the position before the discard that ended it."""
    laid = 0
    for one in state.melds:
        for index, owner in enumerate(one.placed):
            laid += one.meld.points_at(index) if owner == seat else 0
    tiles = state.hand(seat).tiles()
    missed = state.two_tiles_missed[seat]
    if seat == state.seat:
        missed = missed or (len(tiles) == 2 and not state.two_tiles_announced[seat])
        tiles.remove(discarded)
    double = 2 if state.turned != JOKER and state.turned % 13 == 0 else 1
    atu = 50 if state.atu_announced[seat] else 0
    penalty = 500 if missed else 0
    if not tiles:
        two = 25 if state.two_tiles_announced[seat] and not missed else 0
        return (100 + laid + atu + two) * double * (2 if discarded == JOKER else 1) - penalty
    held = 0
    for tile in tiles:
        value = 50 if tile == JOKER else 25 if tile % 13 == 0 else 5 if tile % 13 < 9 else 10
        same = tile != JOKER and state.turned != JOKER and tile // 13 == state.turned // 13
        held += value * (2 if same else 1) * (1 if state.melded[seat] else 2)
    return (laid + atu - held) * double - penalty


def tiles_of(state: State) -> list[int]:
    """Every tile there is, wherever it is."""
    tiles = [tile for seat in range(state.seats) for tile in state.hand(seat).tiles()]
    tiles.extend([*state.row, *state.stock[state.drawn :], *[tile for one in state.melds for tile in one.meld.tiles]])
    if state.atu >= 0:
        tiles.append(state.atu)
    return sorted(tiles)


@pytest.mark.rule("RM-1", "GAP-R16", "GAP-R30", "RM-28", "RM-30", "RM-31", "GAP-R22")
@pytest.mark.parametrize("turned", ["", "*", "K1"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_tiles_are_conserved_and_scores_follow_the_formulas(seats: int, turned: str) -> None:
    chance = random.Random(f"conserved {seats} {turned}")
    state = new(seats, rounds=12)
    checked = 0
    while not state.is_over():
        if state.needs_deal():
            state.apply(None, lucky_deal(state, chance, turned))
        assert tiles_of(state) == list(PACK)
        before = state.copy()
        action = lively(state, chance)
        state.apply(state.seat, action)
        if len(state.rows) == len(before.rows):
            if state.turns > before.turns and before.two_tiles_announced[before.seat]:
                assert state.hand_sizes()[before.seat] <= 2, "an announcement never lapses"
            continue
        last: object = action
        if isinstance(action, Turn):
            for step in action.steps[:-1]:
                before.apply(before.seat, step)
            last = action.steps[-1]
        if isinstance(last, Discard):
            checked += 1
            for seat in range(seats):
                assert state.rows[-1].cells[seat].points == by_the_formula(before, last.tile, seat)
    assert checked > 3


def test_a_sheet_says_how_every_round_went() -> None:
    chance = random.Random(11)
    state = new(3, rounds=3)
    assert "No round has been played." in REMI.score_sheet(state)
    while not state.is_over():
        action = random_deal(state, chance) if state.needs_deal() else lively(state, chance)
        state.apply(None if isinstance(action, Deal) else state.seat, action)
    sheet = REMI.score_sheet(state, NAMES[:3])
    assert all(name in sheet for name in NAMES[:3])
    assert sheet.count("\n") == 3 + 4
    assert f"with {max(state.scores())} points" in sheet
