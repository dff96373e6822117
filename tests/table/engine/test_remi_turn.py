"""Whole turns of Remi: several actions at once are the same as one after another, or nothing; and the rule of thumb."""

import random
from collections import Counter

import pytest

from services.table.engine.game import Deal, IllegalAction
from services.table.engine.remi import (
    ANNOUNCE_ATU,
    DRAW,
    UNDO_TAKE,
    Action,
    Discard,
    Event,
    Phase,
    State,
    Step,
    Take,
    Turn,
    UndoTake,
)
from services.table.engine.remi.candidates import additions, discards, is_legal, takes
from services.table.engine.remi.tiles import TEXT
from tests.support.remi import REMI, can, dealt, do, held, legal, lively, lucky_deal, new, refusal, set_up
from tests.support.remi_attempts import attempt
from tests.support.steps import random_deal


def one_by_one(state: State, steps: tuple[Step, ...]) -> tuple[State, list[Event]] | None:
    """The match after the steps, one action each, and what happened; None if one of them is refused."""
    state = state.copy()
    seat = state.seat
    events: list[Event] = []
    for step in steps:
        try:
            events.extend(state.apply(seat, step))
        except IllegalAction:
            return None
    return state, events


@pytest.mark.rule("RM-16", "GAP-R13", "GAP-R36")
def test_a_turn_at_once_is_the_same_as_its_steps_one_by_one_or_nothing() -> None:
    chance = random.Random("turns")
    verdicts: Counter[bool] = Counter()
    rounds = 0
    while verdicts[True] < 400 or verdicts[False] < 100:
        state = new(2 + rounds % 3, rounds=2)
        rounds += 1
        while not state.is_over():
            if state.needs_deal():
                state.apply(None, lucky_deal(state, chance))
            tried: list[Action] = [attempt(state, chance) for _ in range(4)]
            for action in [*tried, *state.legal_actions()]:
                if isinstance(action, Turn):
                    expected = one_by_one(state, action.steps)
                    verdicts[expected is not None] += 1
                    assert can(state, action) == (expected is not None), REMI.action_text(action)
                    if expected is not None:
                        whole = state.copy()
                        events = whole.apply(state.seat, action)
                        assert whole == expected[0]
                        assert list(events) == expected[1]
            state.apply(state.seat, lively(state, chance))


@pytest.mark.rule("GAP-R13")
def test_a_turn_neither_draws_nor_undoes_nor_holds_a_turn() -> None:
    """What is refused would tell the next tile of the pile."""
    state = set_up(["Y7 Y8 R1 R3", "R1"], row="K3 R5 Y9 K11 B2", melded=(0, 1))
    inner = Turn((Take(2),))
    steps: tuple[object, ...] = (DRAW, UNDO_TAKE, inner, Deal(state.pack()), "discard R1")
    for step in steps:
        action = Turn((Take(2), step))  # type: ignore[arg-type]
        assert refusal(state, action) == ("NOT_A_STEP", "RM-16")
    assert refusal(state, Turn(())) == ("NOTHING_TO_DO", "RM-16")


@pytest.mark.rule("RM-16")
def test_a_turn_ends_with_its_discard() -> None:
    state = set_up(["Y7 Y8 R1 R3", "R1 R2 R3"], row="K3 R5 Y9 K11 B2", melded=(0, 1))
    assert refusal(state, "turn take 2; lay Y7 Y8 Y9; discard R1; discard R3") == ("TURN_ENDED", "RM-16")
    assert refusal(state, "turn take 2; lay Y7 Y8 Y9; discard R5") == ("TILE_NOT_IN_HAND", "RM-16")
    assert refusal(state, "turn discard R1") == ("WRONG_PHASE", "RM-16")
    do(state, "turn take 2; lay Y7 Y8 Y9; discard R1")
    assert state.seat == 1
    assert refusal(state, "turn take 2", seat=0) == ("NOT_YOUR_TURN", "GAP-R2")


@pytest.mark.rule("RM-16")
def test_a_turn_may_stop_in_the_middle_and_go_on_with_another() -> None:
    state = set_up(["Y7 Y8 R1 R3", "R1"], row="K3 R5 Y9 K11 B2", melded=(0, 1))
    do(state, "turn take 2", "turn lay Y7 Y8 Y9", "discard R1")
    assert state.seat == 1


def test_nothing_follows_a_step_that_ends_the_round() -> None:
    for rounds in (1, 2):  # the match is over with the round, or a deal is due
        state = set_up(["B5 B6 B7", "R1"], melded=(0, 1), phase=Phase.MELD, rounds=rounds)
        assert refusal(state, "turn lay B5 B6 B7; discard B5") == ("TURN_ENDED", "RM-16")
    assert refusal(state, Discard(-1)) == ("TILE_NOT_IN_HAND", "RM-1")


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_draw_take_addition_and_discard_that_is_legal_is_offered(seats: int) -> None:
    chance = random.Random(f"offered {seats}")
    state = new(seats, rounds=3)
    while not state.is_over():
        if state.needs_deal():
            state.apply(None, lucky_deal(state, chance))
        every = state.legal_actions()
        assert len(set(every)) == len(every)
        if chance.random() < 0.2:
            assert all(is_legal(state, action) for action in every)
            assert [Discard(tile) for tile in range(53) if is_legal(state, Discard(tile))] == discards(state)
            places = range(len(state.row) - 1, -1, -1)
            assert [Take(place) for place in places if is_legal(state, Take(place))] == takes(state)
            assert set(takes(state)) | set(discards(state)) | set(additions(state)) <= set(every)
        state.apply(state.seat, lively(state, chance))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_rule_of_thumb_plays_whole_matches_and_plays_them_sensibly(seats: int) -> None:
    """It mostly closes, opens often, and never forgets to announce."""
    chance = random.Random(f"thumb {seats}")
    state = new(seats, rounds=20)
    decisions: Counter[str] = Counter()
    while not state.is_over():
        if state.needs_deal():
            state.apply(None, random_deal(state, chance))
        action = REMI.rule_of_thumb(state)
        assert can(state, action)
        decisions[type(action).__name__] += 1
        state.apply(state.seat, action)
    cells = [cell for row in state.rows for cell in row.cells]
    assert sum(row.closer >= 0 for row in state.rows) >= 15
    assert sum(cell.melded for cell in cells) > len(cells) / 2
    assert not any(cell.penalty for cell in cells)
    assert any(cell.two_tiles for cell in cells)
    assert any(cell.atu for cell in cells)
    assert decisions["UndoTake"] == 0
    assert decisions["Turn"] > 20


@pytest.mark.rule("GAP-R13")
def test_a_tile_that_is_not_used_in_time_goes_back() -> None:
    """The rule of thumb takes and uses in one action; a duty that it finds is another's, whose time is out."""
    state = set_up(["Y7 Y8 R1 R3", "R1"], row="K3 R5 Y9 K11 B2", melded=(0, 1))
    do(state, "take 2")
    assert isinstance(REMI.rule_of_thumb(state), UndoTake)
    state = set_up(["B1 B3 B10 B11 B12 R3 K7", "R1"], row="K3 B2", turned="R9")
    do(state, "take 1")
    assert isinstance(REMI.rule_of_thumb(state), UndoTake)


@pytest.mark.parametrize(
    ("hand", "melds", "row", "melded", "move"),
    [
        ("K7 K8 R2", [], "Y2", (0, 1), "close_with_atu K7 K8 K9, discard R2"),
        ("B1 B3 B10 B11 B12 R3 K7", [], "K3 B2", (1,), "turn take 1; lay B1 B2 B3 / B10 B11 B12; announce two_tiles;"),
        ("R2 R4 Y6 Y8 B13", ["1: R5 R6 R7"], "K3 R8", (0, 1), "turn take 1; add 0 R4 low; add 0 R8 high;"),
        ("R2 R4 Y6 Y8 B13", ["1: R5 R6 R7"], "K3 Y1", (0, 1), "draw"),
        ("R2 R4", ["1: R5 R6 R7"], "K3 R8", (0, 1), "draw"),
    ],
)
def test_how_the_rule_of_thumb_gets_a_tile(
    hand: str, melds: list[str], row: str, melded: tuple[int, ...], move: str
) -> None:
    state = set_up([hand, "R1"], melds=melds, row=row, melded=melded, turned="K9")
    assert REMI.action_text(REMI.rule_of_thumb(state)).startswith(move)


def test_the_rule_of_thumb_announces_the_atu() -> None:
    state = dealt(["K9", "R3"], turned="K9")
    assert REMI.rule_of_thumb(state) == ANNOUNCE_ATU
    do(state, "announce atu")
    assert REMI.rule_of_thumb(state) != ANNOUNCE_ATU


def test_the_rule_of_thumb_keeps_jokers_and_neighbours() -> None:
    state = set_up(["R5 R6 Y9 B9 * K13 K2", "R1"], melded=(1,), phase=Phase.MELD, turned="Y3")
    assert REMI.action_text(REMI.rule_of_thumb(state)) == "discard K13"


def test_the_rule_of_thumb_has_nothing_to_say_between_rounds() -> None:
    with pytest.raises(ValueError, match="no seat"):
        REMI.rule_of_thumb(new())


def test_a_copy_goes_its_own_way() -> None:
    chance = random.Random(3)
    state = new(3, rounds=2)
    while not state.is_over():
        copy = state.copy()
        assert copy == state
        before = copy.copy()
        action = random_deal(copy, chance) if copy.needs_deal() else lively(copy, chance)
        seat = None if isinstance(action, Deal) else copy.seat
        copy.apply(seat, action)
        assert copy != state
        assert state == before
        state.apply(seat, action)
        assert copy == state
        assert copy.knowledge(0) == state.knowledge(0)
        assert hash(copy.knowledge(None)) == hash(state.knowledge(None))


def test_what_is_offered_is_in_the_documented_order() -> None:
    hand = "B10 B11 B12 B13 B1 R5 R6 R7 K9 K2 K3 Y4 Y9 R13"
    state = dealt([f"{hand} *"], turned="K9")
    kinds = [move.split()[0] for move in legal(state)]
    assert kinds == sorted(kinds, key=["announce", "turn", "lay", "discard"].index)
    assert kinds[0] == "announce"
    state = set_up(["B1 B3 B10 B11 B12 R3 K7", "R1"], row="K3 B2", turned="R9")
    assert legal(state) == ["draw", "take 1"]
    assert TEXT[held(state, 0)[0]] == "R3"
