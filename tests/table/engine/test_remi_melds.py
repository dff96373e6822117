"""Combinations of Remi, what they are worth, and the first meld: RM-4 to RM-8, RM-14, RM-15 and what goes with them."""

import pytest

from services.table.engine.game import IllegalAction
from services.table.engine.remi import Laid, Opened, Phase, meld_of
from services.table.engine.remi.tiles import TEXT, parse_tiles, tiles_text
from tests.support.remi import can, do, refusal, set_up


@pytest.mark.rule("RM-4", "RM-5", "RM-7", "RM-8", "RM-15", "GAP-R7", "GAP-R8", "GAP-R38", "EX-R7")
@pytest.mark.parametrize(
    ("tiles", "points"),
    [
        ("R5 R6 R7", 15),
        ("B1 B2 B3", 15),
        ("Y12 Y13 Y1", 30),
        ("K11 K12 K13 K1", 40),
        ("R8 R9 R10", 20),
        ("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R1", 45 + 40 + 10),
        ("R5 * R7", 15),
        ("* R6 R7", 15),
        ("R12 R13 *", 30),
        ("* R2 R3", 15),
        ("R9 * R11", 25),
        ("R5 * * R8 R9 R10", 35),
        ("* * R3 R4 R5 R6", 30),
        ("R10 R11 R12 R13 * R1", None),
        ("* R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 *", 95),
        ("R13 R1 R2", None),
        ("R12 R13 R1 R2", None),
        ("R7 R6 R5", None),
        ("R5 R6", None),
        ("", None),
        ("R5 R6 R8", None),
        ("R5 R6 Y7", None),
        ("R5 R5 R6", None),
        ("R5 R6 R7 R7", None),
        ("* R1 R2", None),
        ("R12 R13 R1 *", None),
        ("R5 * *", None),
        ("R5 R6 * *", None),
        ("R5 * * R8 R9", None),
        ("* * R3 R4 R5", None),
        ("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R1 *", None),
    ],
)
def test_what_a_run_is_and_what_it_is_worth(tiles: str, points: int | None) -> None:
    if points is None:
        with pytest.raises(IllegalAction):
            meld_of(parse_tiles(tiles))
    else:
        meld = meld_of(parse_tiles(tiles))
        assert meld.run
        assert meld.points() == points


@pytest.mark.rule("RM-6", "RM-7", "RM-8", "RM-15", "GAP-R8", "GAP-R32", "EX-R7")
@pytest.mark.parametrize(
    ("tiles", "points"),
    [
        ("R7 Y7 B7", 15),
        ("K7 R7 Y7 B7", 20),
        ("R10 Y10 K10", 30),
        ("R1 B1 K1", 30),
        ("R1 Y1 B1 K1", 40),
        ("R7 * B7", 15),
        ("* R13 Y13", 30),
        ("R1 * B1", 30),
        ("R7 Y7 B7 *", 20),
        ("R7 R7 B7", None),
        ("R7 Y7 B7 R7", None),
        ("R7 Y7 B7 K7 *", None),
        ("R7 Y7 B8", None),
        ("R7 Y7", None),
        ("R7 Y7 * *", None),
        ("R7 * *", None),
    ],
)
def test_what_a_set_is_and_what_it_is_worth(tiles: str, points: int | None) -> None:
    if points is None:
        with pytest.raises(IllegalAction):
            meld_of(parse_tiles(tiles))
    else:
        meld = meld_of(parse_tiles(tiles))
        assert not meld.run
        assert meld.points() == points


@pytest.mark.rule("GAP-R9", "RM-7", "GAP-R38")
@pytest.mark.parametrize(
    ("tiles", "place", "stands_for"),
    [
        ("R5 * R7", 1, "R6"),
        ("* R6 R7", 0, "R5"),
        ("R12 R13 *", 2, "R1"),
        ("* R2 R3", 0, "R1"),
        ("R5 * * R8 R9 R10", 2, "R7"),
        ("R7 Y7 *", 2, "B7 K7"),
        ("* K1 R1", 0, "Y1 B1"),
        ("R7 Y7 * K7", 2, "B7"),
        ("R5 R6 R7", 1, ""),
    ],
)
def test_what_a_joker_stands_for(tiles: str, place: int, stands_for: str) -> None:
    assert tiles_text(meld_of(parse_tiles(tiles)).stands_for(place)) == stands_for


FIRST_MELDS = [
    ("EX-R1", "R5 R6 R7 / R10 Y10 B10", 45, ""),
    ("EX-R2", "B10 B11 B12 B13", 40, "FIRST_MELD_TOO_LOW"),
    ("EX-R2", "B10 B11 B12 B13 B1", 50, ""),
    ("EX-R3", "K1 K2 K3 / R13 Y13 B13", 45, ""),
    ("EX-R4", "R1 Y1 B1 / R13 Y13 B13", 60, "FIRST_MELD_WITHOUT_RUN"),
    ("EX-R5", "R11 * R13 / K4 K5 K6", 45, ""),
    ("R5", "R11 R12 R13 / K4 K5 *", 45, ""),
    ("low", "R4 R5 R6 R7 R8 R9 / Y7 B7", 0, "TOO_FEW_TILES"),
    ("low", "R2 R3 R4 R5 R6 R7 R8 R9", 40, "FIRST_MELD_TOO_LOW"),
    ("run of nine", "R1 R2 R3 R4 R5 R6 R7 R8 R9", 45, ""),
    ("two runs", "R3 R4 R5 / Y6 Y7 Y8 / K7 K8 K9", 45, ""),
    ("bad second", "B10 B11 B12 B13 B1 / R4 R5 R7", 0, "NOT_CONSECUTIVE"),
]


@pytest.mark.rule("RM-14", "RM-15", "GAP-R33", "EX-R1", "EX-R2", "EX-R3", "EX-R4", "EX-R5")
@pytest.mark.parametrize(("name", "melds", "points", "reason"), FIRST_MELDS, ids=lambda value: str(value)[:24])
def test_what_a_first_meld_is(name: str, melds: str, points: int, reason: str) -> None:
    tiles = melds.replace("/", "")
    state = set_up([f"{tiles} K8", "R2"], phase=Phase.MELD, turned="K5")
    if reason:
        assert refusal(state, f"lay {melds}")[0] == reason
        return
    events = do(state, f"lay {melds}")
    assert isinstance(events[0], Laid)
    assert events[1] == Opened(0, points)
    assert state.melded == (True, False)
    assert state.laid_points(0) == points
    assert [" ".join(TEXT[tile] for tile in one.meld.tiles) for one in state.melds] == melds.split(" / ")


@pytest.mark.rule("RM-14")
def test_refusals_of_a_first_meld_name_its_statement() -> None:
    state = set_up(["B10 B11 B12 B13 R1 Y1 K1 R13 Y13 K13 K8", "R2"], phase=Phase.MELD)
    assert refusal(state, "lay B10 B11 B12 B13") == ("FIRST_MELD_TOO_LOW", "RM-14")
    assert refusal(state, "lay R1 Y1 K1 / R13 Y13 K13") == ("FIRST_MELD_WITHOUT_RUN", "RM-14")


@pytest.mark.rule("RM-14", "GAP-R33")
def test_after_the_first_meld_a_combination_needs_no_points_and_no_run() -> None:
    state = set_up(["B10 B11 B12 B13 B1 R2 Y2 K2 K8", "R2"], phase=Phase.MELD)
    assert refusal(state, "lay R2 Y2 K2") == ("FIRST_MELD_TOO_LOW", "RM-14")
    do(state, "lay B10 B11 B12 B13 B1", "lay R2 Y2 K2")
    assert state.laid_points(0) == 65
    assert Opened(0, 50) in state.happened
    assert sum(isinstance(event, Opened) for event in state.happened) == 1


@pytest.mark.rule("GAP-R4")
def test_one_may_meld_in_the_opening_turn_and_in_ones_first() -> None:
    state = set_up(["B10 B11 B12 B13 B1 K8 K9", "Y10 Y11 Y12 Y13 Y1 R3"], phase=Phase.MELD)
    state.turns = 0
    do(state, "lay B10 B11 B12 B13 B1", "discard K8", "draw")
    assert can(state, "lay Y10 Y11 Y12 Y13 Y1")


@pytest.mark.rule("RM-16", "RM-1")
@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("lay R9 R10 R11", "TILE_NOT_IN_HAND"),
        ("lay R5 R6 R7 / R5 Y5 B5", "TILE_NOT_IN_HAND"),
        ("discard K1", "TILE_NOT_IN_HAND"),
        ("add 0 K1", "TILE_NOT_IN_HAND"),
        ("lay R5 R6 Y5", "NOT_A_MELD"),
        ("lay R5 R6 *", "TILE_NOT_IN_HAND"),
        ("lay R5 R6", "TOO_FEW_TILES"),
    ],
)
def test_only_what_is_held_and_fits_together_is_laid(move: str, reason: str) -> None:
    state = set_up(["R5 R6 R7 Y5 B5 K8", "R2"], melds=["1: Y1 Y2 Y3"], melded=(0, 1), phase=Phase.MELD)
    assert refusal(state, move)[0] == reason
    do(state, "lay R5 Y5 B5")
    assert refusal(state, "lay R5 R6 R7")[0] == "TILE_NOT_IN_HAND"


@pytest.mark.rule("GAP-R29")
def test_what_lies_on_the_table_is_never_taken_apart() -> None:
    """No action moves a tile from one combination to another: all but a swapped Joker stays where it was laid."""
    state = set_up(["R5 R6 Y9", "R2"], melds=["0: R7 Y7 B7 K7", "1: R8 R9 R10"], melded=(0, 1), phase=Phase.MELD)
    assert refusal(state, "lay R5 R6 R7")[0] == "TILE_NOT_IN_HAND"
    assert {type(action).__name__ for action in state.legal_actions()} == {"Discard"}
