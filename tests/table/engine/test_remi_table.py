"""Adding, swapping Jokers, and the turn of the first meld: RM-9, RM-22 to RM-24, GAP-R9, R10, R24, R28, R38."""

import pytest

from services.table.engine.remi import Add, Added, Lay, Phase, State, Swapped
from services.table.engine.remi.tiles import tiles_text
from tests.support.remi import can, do, legal, refusal, set_up


def melds(state: State) -> list[str]:
    return [tiles_text(one.meld.tiles) for one in state.melds]


def melding(hand: str, *on_table: str, melded: tuple[int, ...] = (0, 1)) -> State:
    return set_up([hand, "Y1"], melds=on_table, melded=melded, phase=Phase.MELD, turned="K9")


@pytest.mark.rule("RM-22", "RM-6", "RM-8", "GAP-R28", "GAP-R7")
@pytest.mark.parametrize(
    ("meld", "move", "after"),
    [
        ("R5 R6 R7", "add 0 R8", "R5 R6 R7 R8"),
        ("R5 R6 R7", "add 0 R8 high", "R5 R6 R7 R8"),
        ("R5 R6 R7", "add 0 R4", "R4 R5 R6 R7"),
        ("R5 R6 R7", "add 0 R4 low", "R4 R5 R6 R7"),
        ("R5 R6 R7", "add 0 R4 high", "NO_FIT"),
        ("R5 R6 R7", "add 0 R9", "NO_FIT"),
        ("R5 R6 R7", "add 0 B8", "NO_FIT"),
        ("R5 R6 R7", "add 0 R6", "NO_FIT"),
        ("R5 R6 R7", "add 0 *", "NAME_THE_END"),
        ("R5 R6 R7", "add 0 * low", "* R5 R6 R7"),
        ("R5 R6 R7", "add 0 * high", "R5 R6 R7 *"),
        ("R11 R12 R13", "add 0 R1", "R11 R12 R13 R1"),
        ("R2 R3 R4", "add 0 R1", "R1 R2 R3 R4"),
        ("R12 R13 R1", "add 0 R2", "NO_FIT"),
        ("R12 R13 R1", "add 0 *", "* R12 R13 R1"),
        ("R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13", "add 0 R1", "NAME_THE_END"),
        (
            "R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13",
            "add 0 R1 high",
            "R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R1",
        ),
        ("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R1", "add 0 *", "NO_FIT"),
        ("R5 * R7", "add 0 R8", "R5 * R7 R8"),
        ("R5 * R7", "add 0 * high", "TOO_MANY_JOKERS"),
        ("R5 * R7 R8", "add 0 * high", "TOO_MANY_JOKERS"),
        ("R5 * R7 R8 R9", "add 0 * high", "R5 * R7 R8 R9 *"),
        ("R7 Y7 B7", "add 0 K7", "R7 Y7 B7 K7"),
        ("R7 Y7 B7", "add 0 R7", "NO_FIT"),
        ("R7 Y7 B7", "add 0 K8", "NO_FIT"),
        ("R7 Y7 B7", "add 0 K7 low", "NO_FIT"),
        ("R7 Y7 B7", "add 0 *", "R7 Y7 B7 *"),
        ("R7 Y7 *", "add 0 B7", "R7 Y7 * B7"),
        ("R7 Y7 *", "add 0 K7", "R7 Y7 * K7"),
        ("R7 Y7 *", "add 0 *", "TOO_MANY_JOKERS"),
        ("R7 Y7 B7 K7", "add 0 *", "SET_COMPLETE"),
        ("R7 Y7 B7 *", "add 0 K7", "SET_COMPLETE"),
    ],
)
@pytest.mark.parametrize("owner", [0, 1])
def test_what_can_be_added(owner: int, meld: str, move: str, after: str) -> None:
    """To ones own combinations and to those of others alike."""
    tile = move.split()[2]
    state = melding(f"{tile} B11 K2", f"{owner}: {meld}")
    if after.isupper() and "_" in after:
        assert refusal(state, move)[0] == after
        return
    events = do(state, move)
    assert isinstance(events[0], Added)
    assert melds(state) == [after]
    assert state.hand_sizes()[0] == 2
    assert state.melds[0].seat == owner


@pytest.mark.rule("RM-22", "GAP-R10")
def test_who_has_not_melded_neither_adds_nor_swaps() -> None:
    state = melding("R8 R6 B1 B2 B11", "1: R5 * R7", melded=(1,))
    assert refusal(state, "add 0 R8") == ("NOT_MELDED", "RM-22")
    assert refusal(state, "swap_joker 0 1 R6 for * B1 B2") == ("NOT_MELDED", "GAP-R10")
    assert {type(action).__name__ for action in state.legal_actions()} == {"Discard"}


@pytest.mark.rule("RM-22", "GAP-R38")
def test_a_combination_is_named_by_its_place() -> None:
    state = melding("R8 B1 B11", "1: R5 R6 R7")
    assert refusal(state, "add 1 R8") == ("NO_SUCH_MELD", "RM-22")
    assert refusal(state, Add(-1, 7)) == ("NO_SUCH_MELD", "RM-22")
    assert refusal(state, "swap_joker 3 0 R8 for * B1 B2") == ("NO_SUCH_MELD", "GAP-R10")
    assert refusal(state, Add(0, 77)) == ("TILE_NOT_IN_HAND", "RM-1")
    assert refusal(state, Lay(((4, 5, 90),))) == ("TILE_NOT_IN_HAND", "RM-1")


@pytest.mark.rule("RM-23", "GAP-R24", "GAP-R22")
def test_what_one_adds_counts_for_oneself() -> None:
    state = melding("R10 R4 K7 B11 B2", "1: R7 R8 R9", "1: R7 Y7 B7")
    do(state, "add 0 R10", "add 1 K7")
    assert (state.laid_points(0), state.laid_points(1)) == (15, 30)
    assert state.melds[0].placed == (1, 1, 1, 0)


@pytest.mark.rule("RM-9", "GAP-R9", "GAP-R10", "GAP-R24", "GAP-R38")
@pytest.mark.parametrize(
    ("meld", "move", "after", "points"),
    [
        ("R5 * R7", "swap_joker 0 1 R6 for * B2 B3", ["R5 R6 R7", "* B2 B3"], (20, 10)),
        ("R5 * R7", "swap_joker 0 1 R6 for B2 B3 *", ["R5 R6 R7", "B2 B3 *"], (20, 10)),
        ("R5 * R7", "swap_joker 0 1 R6 for R2 * B2", ["R5 R6 R7", "R2 * B2"], (20, 10)),
        ("R12 R13 *", "swap_joker 0 2 R1 for * B2 B3", ["R12 R13 R1", "* B2 B3"], (25, 20)),
        ("R8 Y8 *", "swap_joker 0 2 K8 for * B2 B3", ["R8 Y8 K8", "* B2 B3"], (20, 10)),
        ("R8 Y8 *", "swap_joker 0 2 B8 for * B2 B3", ["R8 Y8 B8", "* B2 B3"], (20, 10)),
        ("* R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 *", "swap_joker 0 13 R1 for * B2 B3", None, (25, 85)),
        ("* R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 *", "swap_joker 0 0 R1 for * B2 B3", None, (20, 90)),
    ],
)
@pytest.mark.parametrize("owner", [0, 1])
def test_a_joker_is_swapped_for_the_tile_it_stands_for(
    owner: int, meld: str, move: str, after: list[str] | None, points: tuple[int, int]
) -> None:
    """The tile counts for who swapped it, and so does the Joker in its new place; the combination keeps its owner."""
    hand = "R1 R2 B2 B3 K11 " + " ".join({move.split()[3]} - {"R1"})
    state = melding(hand, f"{owner}: {meld}")
    events = do(state, move)
    assert isinstance(events[0], Swapped)
    if after is not None:
        assert melds(state) == after
    assert [one.seat for one in state.melds] == [owner, 0]
    if owner == 1:
        assert (state.laid_points(0), state.laid_points(1)) == points


@pytest.mark.rule("RM-9", "GAP-R10", "GAP-R9")
@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("swap_joker 0 0 R6 for * B2 B3", "NO_JOKER_THERE"),
        ("swap_joker 0 3 R6 for * B2 B3", "NO_JOKER_THERE"),
        ("swap_joker 0 1 R9 for * B2 B3", "NOT_ITS_TILE"),
        ("swap_joker 0 1 R6 for B2 B3 B4", "JOKER_NOT_LAID"),
        ("swap_joker 0 1 R6 for * B2", "TOO_FEW_TILES"),
        ("swap_joker 0 1 R6 for * B2 K9", "NOT_A_MELD"),
        ("swap_joker 0 1 R6 for * R6 R5", "NOT_CONSECUTIVE"),
        ("swap_joker 0 1 R6 for R5 R6 *", "TILE_NOT_IN_HAND"),
        ("swap_joker 0 1 R6 for * R12 R13", "TILE_NOT_IN_HAND"),
        ("swap_joker 1 2 R8 for * B2 B3", "NOT_ITS_TILE"),
        ("swap_joker 1 2 * for * B2 B3", "TILE_NOT_IN_HAND"),
    ],
)
def test_what_is_no_swap(move: str, reason: str) -> None:
    state = melding("R6 R8 R9 B2 B3 B4 K8", "1: R5 * R7", "1: R8 Y8 *")
    assert refusal(state, move)[0] == reason


@pytest.mark.rule("GAP-R10")
def test_jokers_are_swapped_as_often_as_one_likes() -> None:
    state = melding("R6 B5 B6 B4 K2 K3 K9", "1: R5 * R7")
    do(state, "swap_joker 0 1 R6 for * B5 B6", "swap_joker 1 0 B4 for * K2 K3")
    assert melds(state) == ["R5 R6 R7", "B4 B5 B6", "* K2 K3"]


@pytest.mark.rule("RM-24", "GAP-R38")
def test_in_the_turn_of_the_first_meld_only_own_combinations_are_open() -> None:
    hand = "B10 B11 B12 B13 R8 R6 K3 K4 K5 B9 Y9 Y10"
    state = melding(hand, "1: R5 * R7", "0: R9 Y9 K9", melded=(1,))
    do(state, "lay B10 B11 B12 B13 / K3 K4 K5")
    assert state.opening
    assert refusal(state, "add 0 R8") == ("MELD_OF_ANOTHER", "RM-24")
    assert refusal(state, "swap_joker 0 1 R6 for * Y9 Y10") == ("MELD_OF_ANOTHER", "RM-24")
    assert "add 0 R8" not in legal(state)
    do(state, "add 2 B9", "discard Y9", "draw", f"discard {tiles_text(state.hand(1).tiles()[:1])}", "draw")
    assert can(state, "add 0 R8")
    do(state, "add 0 R8")


@pytest.mark.rule("RM-24", "GAP-R10")
def test_a_joker_of_ones_own_is_swapped_in_the_turn_of_the_first_meld_too() -> None:
    state = melding("B10 * B12 B13 B11 R3 R4 K3 K4 K5 R9", "1: R5 * R7", melded=(1,))
    do(state, "lay B10 * B12 B13 / K3 K4 K5")
    assert state.opening
    do(state, "swap_joker 1 1 B11 for * R3 R4")
    assert melds(state)[1:] == ["B10 B11 B12 B13", "K3 K4 K5", "* R3 R4"]


@pytest.mark.rule("GAP-R28", "RM-8")
def test_a_joker_may_be_added_to_a_combination_of_others() -> None:
    state = melding("* R1 K9", "1: R5 R6 R7")
    do(state, "add 0 * high")
    assert state.laid_points(0) == 5
    assert refusal(state, "add 0 * low")[0] == "TILE_NOT_IN_HAND"


def test_an_addition_at_both_ends_is_offered_with_each_end() -> None:
    state = melding("* R4 B11", "1: R5 R6 R7", "1: R9 Y9 B9", "0: K12 K13 K1")
    additions = [move for move in legal(state) if move.startswith("add")]
    assert additions == ["add 0 R4", "add 0 * low", "add 0 * high", "add 1 *", "add 2 *"]
