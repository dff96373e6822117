"""Drawing, taking from the row, and what a take obliges to: RM-16 to RM-21, GAP-R5, R12, R13, R14, R33, R34."""

import pytest

from services.table.engine.remi import NO_TILE, Drawn, Lay, Phase, PileExhausted, State, Taken, TakeUndone
from services.table.engine.remi.tiles import tiles_text
from tests.support.remi import can, do, held, legal, refusal, set_up

FIVE = "R2 R4 Y6 Y8 B13"
"""Tiles of no use to each other."""
EX_R15 = "K3 R5 Y9 K11 B2"


def row(state: State) -> str:
    return tiles_text(state.row)


def in_hand(state: State, seat: int = 0) -> str:
    return tiles_text(held(state, seat))


@pytest.mark.rule("RM-16")
def test_a_turn_is_a_draw_what_one_likes_and_a_discard() -> None:
    state = set_up([FIVE, "R1"], row="K3", pile="K9", melded=(0, 1))
    assert refusal(state, "discard R2") == ("WRONG_PHASE", "RM-16")
    assert refusal(state, "lay R2 R3 R4") == ("WRONG_PHASE", "RM-16")
    assert refusal(state, "add 0 R2") == ("WRONG_PHASE", "RM-16")
    assert refusal(state, "swap_joker 0 0 R2 for * R4 R5") == ("WRONG_PHASE", "RM-16")
    assert do(state, "draw") == [Drawn(0)]
    assert in_hand(state) == "R2 R4 Y6 Y8 B13 K9"
    assert refusal(state, "draw") == ("WRONG_PHASE", "RM-16")
    assert refusal(state, "take 0") == ("WRONG_PHASE", "RM-16")
    do(state, "discard K9")
    assert (state.seat, row(state)) == (1, "K3 K9")
    do(state, "draw")
    assert refusal(state, Lay(())) == ("NO_MELD", "RM-16")


@pytest.mark.rule("RM-17", "GAP-R5")
@pytest.mark.parametrize("rest", ["", " R5 Y9"])
@pytest.mark.parametrize("melded", [(), (0, 1)])
def test_the_dead_tile_is_never_taken(rest: str, melded: tuple[int, ...]) -> None:
    """Alone or under others, by anybody, however useful it would be."""
    state = set_up(["K1 K2 K4 K5 K10 K11 K12", "R1"], row=f"K3{rest}", turned="R9", melded=melded)
    assert refusal(state, "take 0") == ("DEAD_TILE", "RM-17")
    assert refusal(state, f"take {len(state.row)}") == ("NO_SUCH_PLACE", "RM-16")
    assert "take 0" not in legal(state)


@pytest.mark.rule("GAP-R5", "RM-21")
def test_the_dead_tile_stays_when_everything_above_it_is_taken() -> None:
    state = set_up(["R6 R7 Y1 Y3", "R1"], row="K3 R5 Y9", melded=(0, 1))
    assert do(state, "take 1") == [Taken(0, (4, 21))]
    assert row(state) == "K3"
    do(state, "lay R5 R6 R7", "discard Y1")
    assert row(state) == "K3 Y1"


@pytest.mark.rule("EX-R15", "RM-19", "RM-21")
def test_who_has_melded_takes_from_the_depth_with_all_above() -> None:
    state = set_up(["Y7 Y8 R1 R3", "R1"], row=EX_R15, melded=(0, 1))
    events = do(state, "take 2")
    assert events == [Taken(0, (21, 49, 27))]
    assert in_hand(state) == "R1 R3 Y7 Y8 Y9 B2 K11"
    assert row(state) == "K3 R5"
    assert tiles_text([state.duty]) == "Y9"
    assert refusal(state, "discard B2") == ("TAKEN_TILE_UNUSED", "RM-21")
    do(state, "lay Y7 Y8 Y9")
    assert state.duty == NO_TILE
    assert refusal(state, "undo_take") == ("NOTHING_TO_UNDO", "GAP-R34")
    do(state, "discard K11")


@pytest.mark.rule("EX-R15", "RM-20", "GAP-R14")
@pytest.mark.parametrize(("tiles", "takes"), [("Y8", 0), ("Y7 Y8", 0), ("Y7 Y8 R1", 2), ("Y7 Y8 R1 R3", 2)])
def test_with_one_or_two_tiles_the_whole_row_is_closed(tiles: str, takes: int) -> None:
    """Counted before the draw; the top tile is closed too."""
    state = set_up([tiles, "R1"], row=EX_R15, melded=(0, 1))
    assert len([move for move in legal(state) if move.startswith("take")]) == takes
    if not takes:
        assert refusal(state, "take 2") == ("ROW_CLOSED", "RM-20")
        assert refusal(state, "take 4") == ("ROW_CLOSED", "RM-20")
        do(state, "draw")
    else:
        assert {"take 4", "take 2"} <= set(legal(state))


@pytest.mark.rule("EX-R15", "RM-18", "GAP-R13")
@pytest.mark.parametrize(
    ("tiles", "reason"),
    [
        ("B1 B3 B4 B10 B11 B12 B13 R1 R3", ""),
        ("B1 B3 B10 B11 B12 R1 R3", ""),
        ("B1 B3 B10 B11 R1 R3", "TAKE_WITHOUT_MELD"),
        ("R2 Y2 B10 B11 B12 B13 R1 R3", ""),
        ("R2 Y2 B10 B11 B13 R1 R3", "TAKE_WITHOUT_MELD"),
        ("B1 * B10 B11 B12 R1 R3", ""),
        ("B10 B11 B12 B13 B1 R3 R5", "TAKE_WITHOUT_MELD"),
    ],
)
def test_who_has_not_melded_takes_the_top_only_and_only_to_meld_with_it(tiles: str, reason: str) -> None:
    state = set_up([tiles, "R1"], row=EX_R15, melded=(1,), turned="R9")
    assert refusal(state, "take 2") == ("TOP_TILE_ONLY", "RM-18")
    if reason:
        assert refusal(state, "take 4") == (reason, "GAP-R13")
        assert "take 4" not in legal(state)
    else:
        assert "take 4" in legal(state)
        do(state, "take 4")


@pytest.mark.rule("GAP-R13", "GAP-R33")
def test_the_first_meld_uses_the_tile_that_was_taken_for_it() -> None:
    hand = "B1 B3 B10 B11 B12 B13 R3 R4 R5 K7"
    state = set_up([hand, "R1"], row=EX_R15, turned="R9")
    do(state, "take 4")
    assert tiles_text([state.duty]) == "B2"
    assert refusal(state, "discard K7") == ("TAKEN_TILE_UNUSED", "GAP-R13")
    assert refusal(state, "lay B10 B11 B12 B13 / R3 R4 R5") == ("TAKEN_TILE_UNUSED", "GAP-R33")
    assert refusal(state, "lay B1 B2 B3") == ("FIRST_MELD_TOO_LOW", "RM-14")
    do(state, "lay B1 B2 B3 / B10 B11 B12", "lay R3 R4 R5", "discard K7")
    assert state.melded[0]


@pytest.mark.rule("GAP-R34")
@pytest.mark.parametrize(
    ("why", "hand", "melds", "legal_take"),
    [
        ("in a new run", "Y7 Y8 R1 R3", [], True),
        ("in a new set", "R9 K9 R1 R3", [], True),
        ("with a Joker", "Y8 * R1 R3", [], True),
        ("with a tile that lay above it", "Y10 R1 R3 R13", [], False),
        ("added to a run", "B4 B6 R1 R3", ["1: Y6 Y7 Y8"], True),
        ("added to a set", "B4 B6 R1 R3", ["1: R9 B9 K9"], True),
        ("not added to a full set", "B4 B6 R1 R3", ["1: R9 B9 K9 Y9"], False),
        ("added after another addition", "Y8 B6 R1 R3", ["1: Y5 Y6 Y7"], True),
        ("added after two others", "Y8 Y7 R1 R3", ["1: Y4 Y5 Y6"], True),
        ("added to a run that is laid first", "Y4 Y5 Y6 Y7 Y8 R3", ["1: R9 B9 K9 Y9"], True),
        ("as the real tile of a swap", "B4 B5 R1 R3", ["1: Y8 * Y10"], True),
        ("not where the Joker has no new combination", "B8 K4 R1 R5", ["1: Y8 * Y10"], False),
        ("in the combination of a swapped Joker", "Y10 R6 R1 R13", ["1: R5 * R7"], True),
        ("not with nothing", "R2 B4 R12 K6", ["1: R5 R6 R7"], False),
    ],
)
def test_a_tile_is_taken_from_the_depth_only_if_some_rest_of_the_turn_uses_it(
    why: str, hand: str, melds: list[str], legal_take: bool
) -> None:
    state = set_up([hand, "R1"], melds=melds, row=EX_R15, melded=(0, 1), turned="R8")
    assert can(state, "take 2") == legal_take, why
    assert ("take 2" in legal(state)) == legal_take
    if not legal_take:
        assert refusal(state, "take 2") == ("TAKE_WITHOUT_USE", "GAP-R34")


@pytest.mark.rule("GAP-R34")
@pytest.mark.parametrize(
    ("hand", "melds", "moves"),
    [
        ("Y7 Y8 R1 R3", [], ["lay Y7 Y8 Y9"]),
        ("Y8 B6 R1 R3", ["1: Y5 Y6 Y7"], ["add 0 Y8", "add 0 Y9"]),
        ("B4 B5 R1 R3", ["1: Y8 * Y10"], ["swap_joker 0 1 Y9 for * B4 B5"]),
        ("Y10 R6 R3 R13", ["1: R5 * R7"], ["swap_joker 0 1 R6 for Y9 Y10 *"]),
        ("Y7 Y8 Y9 R3", [], ["lay Y7 Y8 Y9"]),
    ],
)
def test_a_duty_is_done_when_a_tile_like_it_goes_to_the_table(hand: str, melds: list[str], moves: list[str]) -> None:
    """In whatever way; if the player held its twin, either will do."""
    state = set_up([hand, "R1"], melds=melds, row=EX_R15, melded=(0, 1), turned="R8")
    do(state, "take 2")
    for move in moves:
        assert refusal(state, "discard R3")[0] == "TAKEN_TILE_UNUSED"
        do(state, move)
    assert state.duty == NO_TILE
    assert state.before_take is None
    do(state, "discard R3")


@pytest.mark.rule("GAP-R34")
def test_a_joker_that_was_taken_is_used_when_it_is_laid() -> None:
    state = set_up(
        ["B4 B5 B6 Y9 R1", "R1"], melds=["1: Y8 * Y10"], row="K3 * K11", melded=(0, 1), turned="R8", phase=Phase.DRAW
    )
    do(state, "take 1")
    assert tiles_text([state.duty]) == "*"
    do(state, "swap_joker 0 1 Y9 for B4 B5 *")
    assert tiles_text([state.duty]) == "*", "the Joker in the new combination is the one that lay on the table"
    do(state, "add 0 * high")
    assert state.duty == NO_TILE
    do(state, "discard R1")


@pytest.mark.rule("GAP-R13", "GAP-R34")
def test_undoing_a_take_goes_back_to_before_it_and_draws() -> None:
    """With all that was laid, added, swapped and announced since; announced before it stays."""
    hand = "R8 Y7 B4 B5 R6 K2 K4 Y11"
    melds = ["0: R5 * R7", "1: K3 R3 B3"]
    state = set_up(["R1", hand], melds=melds, row="K12 R5 Y9 K11 B2", seat=1, melded=(0, 1), pile="R13", turned="Y7")
    state.turns = 1
    do(state, "announce atu")
    before = state.copy()
    do(state, "take 2", "add 0 R8", "swap_joker 0 1 R6 for B4 B5 *")
    assert len(state.melds) == 3
    assert do(state, "undo_take") == [TakeUndone(1, (21, 49, 27))]
    assert row(state) == row(before)
    assert state.melds == before.melds
    assert in_hand(state, 1) == "R6 R8 R13 Y7 Y11 B4 B5 K2 K4"
    assert (state.duty, state.barred, state.pile) == (NO_TILE, NO_TILE, before.pile - 1)
    assert state.phase is Phase.MELD
    assert state.atu_announced == (False, True)
    assert refusal(state, "undo_take") == ("NOTHING_TO_UNDO", "GAP-R34")
    do(state, "discard R13")
    assert row(state) == "K12 R5 Y9 K11 B2 R13"


@pytest.mark.rule("GAP-R34", "GAP-R37")
def test_two_tiles_announced_after_a_take_are_taken_back_with_it() -> None:
    state = set_up(["Y8 B4 B5 B6", "R1"], melds=["1: Y5 Y6 Y7"], row="K3 Y9 K11", melded=(0, 1), pile="R13")
    do(state, "take 1", "lay B4 B5 B6")
    assert in_hand(state) == "Y8 Y9 K11"
    do(state, "add 0 Y8", "announce two_tiles")
    assert state.two_tiles_announced == (True, False)
    do(state, "undo_take")
    assert state.two_tiles_announced == (False, False)
    assert in_hand(state) == "R13 Y8 B4 B5 B6"


@pytest.mark.rule("GAP-R13", "GAP-R12")
def test_undoing_the_take_of_who_has_not_melded() -> None:
    state = set_up(["B1 B3 B10 B11 B12 R3 K7", "R1"], row=EX_R15, turned="R9", pile="B2")
    do(state, "take 4", "undo_take")
    assert row(state) == EX_R15
    assert in_hand(state) == "R3 B1 B2 B3 B10 B11 B12 K7"
    assert state.barred == NO_TILE
    do(state, "discard B2")


@pytest.mark.rule("GAP-R26", "GAP-R34")
def test_undoing_may_draw_the_last_tile() -> None:
    state = set_up(["B1 B3 B10 B11 B12 R3 K7", "R1"], row=EX_R15, turned="R9", pile="B2")
    state.stock = state.stock[:1]
    events = do(state, "take 4", "undo_take")
    assert events[1:] == [TakeUndone(0, (27,)), PileExhausted()]


@pytest.mark.rule("GAP-R12")
def test_the_top_tile_need_not_be_used_but_may_not_be_discarded() -> None:
    state = set_up([FIVE, "R1"], row=EX_R15, melded=(0, 1))
    do(state, "take 4")
    assert state.duty == NO_TILE
    assert tiles_text([state.barred]) == "B2"
    assert refusal(state, "discard B2") == ("TILE_BARRED", "GAP-R12")
    assert "discard B2" not in legal(state)
    assert refusal(state, "undo_take") == ("NOTHING_TO_UNDO", "GAP-R34")
    do(state, "discard R2")
    assert state.barred == NO_TILE


@pytest.mark.rule("GAP-R12")
@pytest.mark.parametrize("melded", [(0, 1), (1,)])
def test_nor_may_its_twin(melded: tuple[int, ...]) -> None:
    state = set_up(["B1 B2 B3 B10 B11 B12 B13 R3", "R1"], row=EX_R15, melded=melded, turned="R9")
    do(state, "take 4", "lay B1 B2 B3 / B10 B11 B12 B13")
    assert in_hand(state) == "R3 B2"
    assert refusal(state, "discard B2") == ("TILE_BARRED", "GAP-R12")
    do(state, "announce two_tiles", "discard R3")


@pytest.mark.rule("GAP-R12")
def test_a_take_from_the_depth_bars_nothing() -> None:
    state = set_up(["Y7 Y8 Y9 R3", "R1"], row=EX_R15, melded=(0, 1))
    do(state, "take 2", "lay Y7 Y8 Y9", "discard Y9")
    assert row(state) == "K3 R5 Y9"


@pytest.mark.rule("GAP-R12")
@pytest.mark.parametrize(
    ("hand", "melds", "move", "allowed"),
    [
        ("B5 B6 B7", ["1: R5 R6 R7"], "lay B5 B6 B7", False),
        ("B5 B6 B7", ["1: B3 B4 B5"], "lay B5 B6 B7", True),
        ("B5 B6 B7 B2", ["1: B3 B4 B5"], "lay B5 B6 B7", False),
        ("B5 B6 B7 B2", ["1: B3 B4 B5", "1: R2 Y2 K2"], "lay B5 B6 B7", True),
        ("B1 B3 B4", ["1: R5 R6 R7"], "lay B1 B2 B3 B4", True),
        ("R8 R9 B11", ["1: R5 R6 R7", "1: B3 B4 B5 B6 B7 B8 B9 B10"], "lay R8 R9 B11", False),
    ],
)
def test_a_laying_may_not_leave_only_the_tile_that_may_not_be_discarded(
    hand: str, melds: list[str], move: str, allowed: bool
) -> None:
    """Unless it can be added at once; with its twin, both."""
    state = set_up([hand, "R1"], melds=melds, row=EX_R15, melded=(0, 1), turned="R13")
    do(state, "take 4")
    assert can(state, move) == allowed
    if not allowed and move.startswith("lay B"):
        assert refusal(state, move) == ("BARRED_TILE_LEFT", "GAP-R12")


@pytest.mark.rule("GAP-R12")
def test_nor_may_an_addition_or_a_swap_leave_only_that_tile() -> None:
    melds = ["1: R5 R6 R7", "1: Y8 * Y10"]
    state = set_up(["R8 R9 R4", "R1"], melds=melds, row=EX_R15, melded=(0, 1), turned="R13")
    do(state, "take 4", "add 0 R8", "add 0 R9")
    assert refusal(state, "add 0 R4") == ("BARRED_TILE_LEFT", "GAP-R12")
    assert "add 0 R4" not in legal(state)
    state = set_up(["Y9 R2 R3", "R1"], melds=melds, row=EX_R15, melded=(0, 1), turned="R13")
    do(state, "take 4")
    assert refusal(state, "swap_joker 1 1 Y9 for * R2 R3") == ("BARRED_TILE_LEFT", "GAP-R12")


@pytest.mark.rule("GAP-R12", "RM-24")
def test_in_the_turn_of_the_first_meld_the_tile_left_must_fit_ones_own() -> None:
    hand = "B1 B2 B3 B10 B11 B12 B13"
    state = set_up([hand, "R1"], melds=["1: R2 Y2 K2"], row=EX_R15, melded=(1,), turned="R9")
    assert can(state, "take 4"), "B13 may be kept to discard"
    do(state, "take 4")
    assert refusal(state, "lay B1 B2 B3 / B10 B11 B12 B13") == ("BARRED_TILE_LEFT", "GAP-R12")
    do(state, "lay B1 B2 B3 / B10 B11 B12", "announce two_tiles", "discard B13")


@pytest.mark.rule("GAP-R12", "GAP-R13")
def test_a_take_whose_only_first_meld_would_leave_a_barred_tile_is_refused() -> None:
    hand = "B1 B2 B3 R11 R12 R13"
    state = set_up([hand, "R1"], row=EX_R15, turned="R9")
    assert refusal(state, "take 4") == ("TAKE_WITHOUT_MELD", "GAP-R13")
    state = set_up([f"{hand} K7", "R1"], row=EX_R15, turned="R9")
    assert can(state, "take 4")


@pytest.mark.rule("RM-19")
def test_who_has_melded_takes_the_top_even_if_it_is_of_no_use() -> None:
    state = set_up([FIVE, "R1"], row=EX_R15, melded=(0, 1))
    assert can(state, "take 4")
    assert [move for move in legal(state) if move.startswith("take")] == ["take 4"]
