"""Announcing, closing and the end of a round: RM-10, RM-11, RM-25 to RM-29, and the decisions that go with them."""

import pytest

from services.table.engine.remi import (
    AtuTaken,
    Cell,
    Discarded,
    Ending,
    Event,
    FewTiles,
    Lay,
    Phase,
    PileExhausted,
    Scored,
    ScoreRow,
    State,
    TwoTilesMissed,
)
from services.table.engine.remi.tiles import TEXT, tiles_text
from tests.support.remi import can, dealt, do, held, legal, refusal, set_up


def row_of(state: State) -> ScoreRow:
    """The last row of the score sheet."""
    return state.rows[-1]


def few(events: list[Event]) -> list[FewTiles]:
    return [event for event in events if isinstance(event, FewTiles)]


# The Atu


@pytest.mark.rule("RM-10", "GAP-R11")
def test_the_first_player_announces_the_atu_before_the_opening_discard() -> None:
    state = dealt(["K9", "R3"], turned="K9")
    do(state, "announce atu")
    assert state.atu_announced == (True, False)
    assert refusal(state, "announce atu") == ("ALREADY_ANNOUNCED", "GAP-R11")
    decision = state.decision()
    assert decision is not None
    assert decision.continues
    do(state, "discard K9")


@pytest.mark.rule("RM-10", "GAP-R11")
def test_the_others_announce_it_before_they_draw_in_their_first_turn() -> None:
    state = dealt(["R3", "", "K9"], turned="K9", seats=3)
    assert refusal(state, "announce atu") == ("TILE_NOT_IN_HAND", "RM-10")
    do(state, "discard R3", "draw", f"discard {TEXT[state.hand(1).tiles()[0]]}")
    assert state.seat == 2
    assert "announce atu" in legal(state)
    drawn = state.copy()
    do(drawn, "draw")
    assert refusal(drawn, "announce atu") == ("ATU_TOO_LATE", "GAP-R11")
    assert "announce atu" not in legal(drawn)
    do(state, "announce atu")
    assert state.phase is Phase.DRAW
    decision = state.decision()
    assert decision is not None
    assert decision.continues


@pytest.mark.rule("GAP-R11")
def test_from_the_second_turn_on_the_atu_is_not_announced() -> None:
    state = dealt(["K9 R3", ""], turned="K9")
    do(state, "discard R3", "draw", f"discard {TEXT[held(state, 1)[0]]}")
    assert refusal(state, "announce atu") == ("ATU_TOO_LATE", "GAP-R11")


@pytest.mark.rule("GAP-R11")
def test_who_has_laid_the_twin_of_the_atu_does_not_hold_it_any_more() -> None:
    state = dealt(["K9 K10 K11 K12 K13 R3", ""], turned="K9")
    do(state, "lay K9 K10 K11 K12 K13")
    assert refusal(state, "announce atu") == ("TILE_NOT_IN_HAND", "RM-10")


@pytest.mark.rule("RM-10", "GAP-R11", "GAP-R22")
def test_the_bonus_for_the_atu_is_paid_to_a_loser_too() -> None:
    state = set_up(["R3", "K9 B2"], melded=(0, 1), turned="K9", phase=Phase.MELD)
    state.atu_announced = (False, True)
    do(state, "discard R3")
    assert row_of(state).cells[1].atu == 50
    assert row_of(state).cells[1].points == 50 - (5 * 2 + 5)


@pytest.mark.rule("RM-11", "GAP-R15", "GAP-R36", "GAP-R14")
@pytest.mark.parametrize(
    ("hand", "move", "reason"),
    [
        ("K7 K8", "close_with_atu K7 K8 K9", ""),
        ("K7 K8 R2", "close_with_atu K7 K8 K9, discard R2", ""),
        ("K7 K8 R8 R4", "close_with_atu K7 K8 K9, add 0 R8, add 0 R4", ""),
        ("K7 K8 K10 R8", "close_with_atu K7 K8 K9, add 1 K10, discard R8", ""),
        ("R9 Y9 B9 R8", "close_with_atu R9 Y9 K9, discard R8", "NOT_CLOSED"),
        ("R9 Y9 B9 R8", "close_with_atu R9 Y9 K9, add 1 B9, discard R8", ""),
        ("K7 K8 R2", "close_with_atu K7 K8 K9", "NOT_CLOSED"),
        ("K7 K8", "close_with_atu K7 K8 K9, discard R2", "TILE_NOT_IN_HAND"),
        ("R4 R8", "close_with_atu R4 R8 R3", "ATU_NOT_LAID"),
        ("K7 K8 R2 R3", "close_with_atu K7 K8 K9, add 0 R3, discard R2", "NO_FIT"),
        ("K7 K10", "close_with_atu K7 K9 K10", "NOT_CONSECUTIVE"),
        ("K9 R9 Y9", "close_with_atu R9 Y9 K9, discard K9", ""),
        ("K9 R9 Y9", "close_with_atu K9 R9 Y9, discard R9", "TILE_NOT_IN_HAND"),
        ("K7 K8 R8", "close_with_atu K7 K8 K9, add 0 R8, add 0 R8", "TILE_NOT_IN_HAND"),
    ],
)
def test_the_atu_is_taken_only_to_close_at_once(hand: str, move: str, reason: str) -> None:
    state = set_up([hand, "R1"], melds=["1: R5 R6 R7"], melded=(0, 1), turned="K9", row="Y3 Y4")
    if reason:
        assert refusal(state, move)[0] == reason
        return
    events = do(state, move)
    assert events[0] == AtuTaken(0, 47)
    assert isinstance(events[-1], Scored)
    assert row_of(state).ending is Ending.CLOSED
    assert row_of(state).closer == 0


@pytest.mark.rule("RM-11", "GAP-R15", "GAP-R3")
def test_the_atu_is_taken_instead_of_a_draw() -> None:
    state = set_up(["K7 K8 R2", "R1"], melded=(0, 1), turned="K9")
    assert "close_with_atu K7 K8 K9, discard R2" in legal(state)
    do(state, "draw")
    assert refusal(state, "close_with_atu K7 K8 K9, discard R2") == ("WRONG_PHASE", "RM-11")
    opening = dealt(["K7 K8"], turned="K9")
    assert refusal(opening, "close_with_atu K7 K8 K9") == ("WRONG_PHASE", "RM-11")


@pytest.mark.rule("GAP-R15", "RM-14", "RM-24")
@pytest.mark.parametrize(
    ("hand", "move", "reason"),
    [
        ("K7 K8 Y10 R10 B10 R2", "close_with_atu K7 K8 K9 / Y10 R10 B10, discard R2", ""),
        ("K7 K8 Y10 R10 B10 K10", "close_with_atu K7 K8 K9 / Y10 R10 B10, add 1 K10", ""),
        ("K7 K8 Y10 R10 B10 R8", "close_with_atu K7 K8 K9 / Y10 R10 B10, add 0 R8", "MELD_OF_ANOTHER"),
        ("K7 K8 Y2 R2 B2 R3", "close_with_atu K7 K8 K9 / Y2 R2 B2, discard R3", "FIRST_MELD_TOO_LOW"),
        (
            "R9 Y9 Y10 R10 B10 Y13 R13 B13",
            "close_with_atu R9 Y9 K9 / Y10 R10 B10 / Y13 R13 B13",
            "FIRST_MELD_WITHOUT_RUN",
        ),
    ],
)
def test_who_has_not_melded_closes_with_the_atu_in_a_first_meld(hand: str, move: str, reason: str) -> None:
    state = set_up([hand, "R1"], melds=["1: R5 R6 R7"], melded=(1,), turned="K9")
    if reason:
        assert refusal(state, move)[0] == reason
    else:
        do(state, move)
        assert row_of(state).cells[0].melded


@pytest.mark.rule("GAP-R15")
def test_a_refused_closing_leaves_everything_as_it_was() -> None:
    state = set_up(["K7 K8 R2 R3", "R1"], melds=["1: R5 R6 R7"], melded=(0, 1), turned="K9")
    assert refusal(state, "close_with_atu K7 K8 K9, discard R2") == ("NOT_CLOSED", "GAP-R15")
    assert refusal(state, Lay(())) == ("WRONG_PHASE", "RM-16")
    assert state.atu == 47


@pytest.mark.rule("GAP-R36", "GAP-R19", "RM-29")
@pytest.mark.parametrize(
    ("hand", "move", "ending"),
    [
        ("K7 K8 *", "close_with_atu K7 K8 K9, discard *", Ending.CLOSED_WITH_JOKER),
        ("K7 K8 R8 *", "close_with_atu K7 K8 K9, add 0 R8, add 0 * high", Ending.CLOSED_WITH_JOKER),
        ("K7 K8 R8 *", "close_with_atu K7 K8 K9, add 0 * low, add 0 R8", Ending.CLOSED),
        ("K7 *", "close_with_atu K7 * K9", Ending.CLOSED),
    ],
)
def test_the_last_tile_of_closing_with_the_atu(hand: str, move: str, ending: Ending) -> None:
    state = set_up([hand, "R1"], melds=["1: R5 R6 R7"], melded=(0, 1), turned="K9")
    do(state, move)
    assert row_of(state).ending is ending


# Two tiles


@pytest.mark.rule("RM-25", "RM-26", "GAP-R16", "GAP-R37")
def test_two_tiles_are_announced_before_the_discard() -> None:
    state = set_up(["R3", "B5 B6 B7 Y2 Y4"], melded=(0, 1), pile="R9")
    assert refusal(state, "announce two_tiles") == ("WRONG_PHASE", "GAP-R37")
    do(state, "draw")
    assert "announce two_tiles" in legal(state)
    do(state, "announce two_tiles")
    assert refusal(state, "announce two_tiles") == ("ALREADY_ANNOUNCED", "GAP-R16")
    assert TwoTilesMissed(0) not in do(state, "discard R9")
    assert state.two_tiles_missed == (False, False)


@pytest.mark.rule("RM-26", "GAP-R16", "GAP-R21")
def test_a_missed_announcement_costs_500_once_a_round() -> None:
    state = set_up(["R3", "B5 B6 B7 Y2 Y4"], melded=(0, 1), pile="R9 R10 R11 R12 R13")
    assert do(state, "draw", "discard R9")[2] == TwoTilesMissed(0)
    do(state, "draw", "discard R10", "draw")
    again = state.copy()
    assert TwoTilesMissed(0) not in do(again, "discard R11")
    do(state, "announce two_tiles", "discard R11")
    assert state.two_tiles_missed == (True, False)


@pytest.mark.rule("RM-26", "GAP-R21", "GAP-R17")
def test_a_winner_who_missed_loses_the_500_and_the_bonus_too() -> None:
    state = set_up(["R3 R4", "Y2"], melds=["1: R5 R6 R7"], melded=(0, 1), phase=Phase.MELD, turned="R1", pile="K2 K3")
    do(state, "discard R3", "draw", "discard K2", "draw", "announce two_tiles", "add 0 R4", "discard K3")
    assert row_of(state).cells[0] == Cell(5, 0, 0, 0, 100, 2, 500, True)
    assert row_of(state).cells[0].points == (100 + 5) * 2 - 500


@pytest.mark.rule("GAP-R16")
@pytest.mark.parametrize(
    ("hand", "moves", "missed"),
    [
        ("R3 R9", ["discard R3"], True),
        ("R3 R9", ["announce two_tiles", "discard R3"], False),
        ("R3 B5 B6 B7", ["lay B5 B6 B7", "discard R3"], False),
        ("R3 R9 B5 B6 B7", ["lay B5 B6 B7", "discard R3"], True),
        ("R3 R9 B5 B6 B7", ["lay B5 B6 B7", "announce two_tiles", "discard R3"], False),
        ("R3 R9 R1", ["discard R3"], False),
    ],
)
def test_the_duty_is_there_at_a_discard_from_exactly_two_tiles(hand: str, moves: list[str], missed: bool) -> None:
    state = set_up([hand, "Y2 Y4"], melded=(0, 1), phase=Phase.MELD)
    assert (TwoTilesMissed(0) in do(state, *moves)) == missed
    assert can(state, "draw") or state.is_over()


@pytest.mark.rule("GAP-R37")
@pytest.mark.parametrize(
    ("hand", "reason"),
    [("R3", "NOT_TWO_TILES"), ("R3 R4", ""), ("R3 R4 R9", "NOT_TWO_TILES")],
)
def test_two_tiles_are_announced_with_two_tiles_only(hand: str, reason: str) -> None:
    state = set_up([hand, "Y2 Y4"], melded=(0, 1), phase=Phase.MELD)
    if reason:
        assert refusal(state, "announce two_tiles") == (reason, "GAP-R37")
    else:
        do(state, "announce two_tiles")


@pytest.mark.rule("GAP-R16", "GAP-R37", "GAP-R17")
def test_an_announcement_holds_and_brings_its_points_even_if_more_is_laid() -> None:
    state = set_up(["R3 B8 K11", "Y2 Y4 Y9 K1"], melds=["1: B5 B6 B7"], melded=(0, 1), pile="R9 B1 R10")
    do(state, "draw", "add 0 B8", "discard R9")
    do(state, "draw", "discard B1", "draw", "discard R10")
    assert state.two_tiles_missed == (False, False)
    state = set_up(["R3 B8", "Y2 Y4"], melds=["1: B5 B6 B7"], melded=(0, 1), phase=Phase.MELD)
    do(state, "announce two_tiles", "add 0 B8", "discard R3")
    assert row_of(state).cells[0].two_tiles == 25


# Few tiles


@pytest.mark.rule("RM-27", "GAP-R37", "RM-20")
def test_everybody_is_told_once_when_a_player_falls_to_three_tiles_or_fewer() -> None:
    state = set_up(["R3 B5 B6 B7 K1 K2 K3", "Y2 Y4 Y9 K1 K11"], melded=(0, 1), phase=Phase.MELD)
    assert few(do(state, "lay B5 B6 B7")) == []
    assert few(do(state, "lay K1 K2 K3")) == [FewTiles(0, 1)]
    state = set_up(["R3 B5 B6 B7 K2 K5", "Y2 Y4 Y9 K1 K11"], melded=(0, 1), phase=Phase.MELD, pile="R12 R13")
    assert few(do(state, "lay B5 B6 B7")) == [FewTiles(0, 3)]
    assert few(do(state, "discard R3")) == []
    assert few(do(state, "draw", "discard Y2")) == []
    assert few(do(state, "draw", "discard R13")) == [], "from two to three and back is no fall"


@pytest.mark.rule("GAP-R37")
def test_who_rises_above_three_tiles_and_falls_again_is_told_of_again() -> None:
    state = set_up(["R3 R9 B5", "Y2 Y4 Y9 K1 K11"], melded=(0, 1), pile="R12")
    assert few(do(state, "draw", "discard R12")) == [FewTiles(0, 3)]


@pytest.mark.rule("RM-27")
def test_closing_from_above_three_is_a_fall_too() -> None:
    state = set_up(["B5 B6 B7 B8", "Y2"], melded=(0, 1), phase=Phase.MELD)
    events = do(state, "lay B5 B6 B7 B8")
    assert few(events) == [FewTiles(0, 0)]
    assert isinstance(events[-1], Scored)


# Closing


@pytest.mark.rule("RM-28", "RM-29", "GAP-R18", "GAP-R19", "GAP-R36")
@pytest.mark.parametrize(
    ("hand", "move", "ending"),
    [
        ("R3", "discard R3", Ending.CLOSED),
        ("*", "discard *", Ending.CLOSED_WITH_JOKER),
        ("R8", "add 0 R8", Ending.CLOSED),
        ("*", "add 0 * high", Ending.CLOSED_WITH_JOKER),
        ("B2 B3 *", "lay B2 B3 *", Ending.CLOSED),
        ("B2 B3 B4", "lay B2 B3 B4", Ending.CLOSED),
        ("K6 B2 B3", "swap_joker 1 1 K6 for * B2 B3", Ending.CLOSED),
    ],
)
def test_a_round_is_closed_as_soon_as_the_hand_is_empty(hand: str, move: str, ending: Ending) -> None:
    state = set_up(
        [hand, "Y2"], melds=["1: R5 R6 R7", "1: K5 * K7"], melded=(0, 1), phase=Phase.MELD, rounds=2, turned="Y9"
    )
    events = do(state, move)
    scored = events[-1]
    assert isinstance(scored, Scored)
    assert scored.row.ending is ending
    assert scored.row.closer == 0
    assert scored.row.cells[0].closing == 100
    assert scored.row.cells[0].factor == (2 if ending is Ending.CLOSED_WITH_JOKER else 1)
    assert state.needs_deal()


@pytest.mark.rule("GAP-R36", "GAP-R18", "GAP-R3")
def test_who_empties_the_hand_in_the_opening_turn_has_closed() -> None:
    state = dealt(["R1 R2 R3 R4 R5 Y6 Y7 Y8 Y9 Y10 B9 B10 B11 B12 B13"])
    events = do(state, "lay R1 R2 R3 R4 R5 / Y6 Y7 Y8 Y9 Y10 / B9 B10 B11 B12 B13")
    assert isinstance(events[-1], Scored)
    assert events[-1].row.closer == 0
    assert state.is_over()


@pytest.mark.rule("GAP-R26", "EX-R13")
def test_the_round_ends_with_the_turn_in_which_the_last_tile_is_drawn() -> None:
    state = set_up(["R3 R9", "Y2 Y4"], melded=(0, 1), pile="R12", rounds=2)
    state.stock = state.stock[:1]
    assert PileExhausted() in do(state, "draw")
    assert state.pile == 0
    assert state.phase is Phase.MELD
    events = do(state, "discard R12")
    assert isinstance(events[-1], Scored)
    row = events[-1].row
    assert (row.ending, row.closer) == (Ending.PILE_EXHAUSTED, -1)
    assert [cell.closing for cell in row.cells] == [0, 0]
    assert [cell.points for cell in row.cells] == [-10, -10]


@pytest.mark.rule("GAP-R26")
def test_in_that_turn_one_may_still_close() -> None:
    state = set_up(["R3 R4", "Y2 Y4"], melded=(0, 1), pile="R5")
    state.stock = state.stock[:1]
    do(state, "draw", "lay R3 R4 R5")
    assert row_of(state).ending is Ending.CLOSED


@pytest.mark.rule("GAP-R26", "GAP-R17")
def test_without_a_closer_nobody_gets_the_bonus_for_two_tiles() -> None:
    state = set_up(["R3", "Y2 Y4"], melded=(0, 1), pile="R12")
    state.stock = state.stock[:1]
    do(state, "draw", "announce two_tiles", "discard R12")
    assert row_of(state).cells[0].two_tiles == 0
    assert row_of(state).cells[0].points == -5


def pass_the_top_around(state: State) -> None:
    """The player at turn takes the top tile and discards another that is equally useless."""
    do(state, f"take {len(state.row) - 1}")
    do(state, next(move for move in legal(state) if move.startswith("discard")))


@pytest.mark.rule("GAP-R35")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_round_ends_when_nothing_moved_for_ten_turns_of_each(seats: int) -> None:
    hands = ["R2 R5 Y8 Y11", "B2 B5 K8 K11", "R3 R6 Y9 Y12", "B3 B6 K9 K12"][:seats]
    state = set_up(hands, melded=(0, 1, 2, 3), row="K1 R13", turned="K4", rounds=2)
    for turn in range(10 * seats - 1):
        assert state.idle_turns == turn
        pass_the_top_around(state)
    assert not state.rows
    pass_the_top_around(state)
    assert row_of(state).ending is Ending.NOTHING_MOVED
    assert row_of(state).closer == -1


@pytest.mark.rule("GAP-R35")
@pytest.mark.parametrize(
    "moves",
    [["draw"], ["take 1", "lay R13 Y13 B13"], ["take 1", "add 0 R13"]],
)
def test_a_draw_or_a_tile_laid_begins_the_count_again(moves: list[str]) -> None:
    state = set_up(
        ["R2 Y13 B13 Y11", "B2 B5 K8"], melds=["1: R10 R11 R12"], melded=(0, 1), row="K1 R13", turned="K4", pile="B9"
    )
    state.idle_turns = 7
    do(state, *moves, "discard R2")
    assert state.idle_turns == 0


@pytest.mark.rule("GAP-R35")
def test_an_opening_turn_in_which_nothing_is_laid_counts() -> None:
    state = dealt(["R3"])
    do(state, "discard R3")
    assert state.idle_turns == 1


def test_nothing_is_done_after_the_match() -> None:
    state = set_up(["R3", "Y2"], melded=(0, 1), phase=Phase.MELD)
    assert do(state, "discard R3")[0] == Discarded(0, 2)
    assert state.is_over()
    assert refusal(state, "draw", seat=1) == ("MATCH_OVER", "GAP-R27")
    assert state.legal_actions() == []
    assert tiles_text(state.row) == ""
