"""Nobody learns of Remi what they may not see: positions that a viewer cannot tell apart give that viewer the same."""

import random
import re

import pytest

from services.table.engine.remi import JOKER, Action, Phase, State
from services.table.engine.remi.tiles import TEXT, hand_of
from services.table.wire import wires
from tests.support.remi import REMI, lively, lucky_deal, new, set_up
from tests.support.remi_attempts import attempt
from tests.support.viewers import assert_alike, refusal, shown_to

WIRE = wires()["remi"]


def another_like_it(state: State, viewer: int | None, chance: random.Random) -> State:
    """The same position with all tiles that `viewer` cannot see dealt anew."""
    other = state.copy()
    hidden = list(other.stock[other.drawn :])
    for seat in range(other.seats):
        if seat != viewer:
            hidden.extend(other.hands[seat].tiles())
    chance.shuffle(hidden)
    for seat in range(other.seats):
        if seat != viewer:
            size = other.hands[seat].size()
            other.hands[seat] = hand_of(hidden[:size])
            del hidden[:size]
    other.stock = (*other.stock[: other.drawn], *hidden)
    return other


def told(state: State, action: Action) -> list[bytes]:
    """What everybody is told when the seat to decide does an action."""
    return [WIRE.event(event).SerializeToString(deterministic=True) for event in state.copy().apply(state.seat, action)]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_hidden_tiles_of_remi_make_no_difference_to_a_viewer(seats: int) -> None:
    """For each seat and for spectators, who see public things only, in positions of whole matches."""
    chance = random.Random(f"information {seats}")
    checked = changed = 0
    while checked < 150:
        state = new(seats, rounds=2)
        while not state.is_over():
            if state.needs_deal():
                state.apply(None, lucky_deal(state, chance))
            if chance.random() < 0.2:
                for viewer in (None, *range(seats)):
                    other = another_like_it(state, viewer, chance)
                    checked += 1
                    changed += other != state
                    compare(state, other, viewer, chance)
            state.apply(state.seat, lively(state, chance))
    assert changed > checked * 0.9


def compare(state: State, other: State, viewer: int | None, chance: random.Random) -> None:
    """The viewer cannot tell the two apart, neither by what is refused nor by what is told of what is done."""
    tried = [attempt(state, chance) for _ in range(5)]
    assert_alike("remi", state, other, viewer, tried)
    if viewer == state.seat:
        for action in tried:
            if not refusal(state, viewer, action) and not scores(state, action):
                assert told(state, action) == told(other, action)


def scores(state: State, action: Action) -> bool:
    """Whether an action ends the round: then the hands of all are counted."""
    trial = state.copy()
    trial.apply(trial.seat, action)
    return len(trial.rows) > len(state.rows)


@pytest.mark.parametrize("seats", [2, 4])
def test_the_own_hand_of_remi_makes_a_difference_to_its_seat_only(seats: int) -> None:
    """Two seats swap a tile: each of them knows, and nobody else."""
    chance = random.Random(seats)
    checked = 0
    while checked < 60:
        state = new(seats)
        state.apply(None, lucky_deal(state, chance))
        while not state.is_over():
            one, two = chance.sample(range(seats), 2)
            other = state.copy()
            first, second = (chance.choice(other.hands[seat].tiles()) for seat in (one, two))
            if first != second and other.hands[one].count(second) < 2 and other.hands[two].count(first) < 2:
                for seat, given, got in ((one, first, second), (two, second, first)):
                    other.hands[seat].remove(given)
                    other.hands[seat].add(got)
                for viewer in (None, *range(seats)):
                    differs = viewer in (one, two)
                    assert (state.knowledge(viewer) != other.knowledge(viewer)) == differs
                    assert (shown_to("remi", state, viewer) != shown_to("remi", other, viewer)) == differs
                checked += 1
            state.apply(state.seat, REMI.rule_of_thumb(state))


def test_which_tile_was_drawn_is_told_to_nobody_else() -> None:
    """Neither by the event of the draw nor by that of a take that was undone."""
    for moves in (["draw"], ["take 1", "undo_take"]):
        told_of: set[tuple[bytes, ...]] = set()
        for drawn in ("R9", "Y5", "*"):
            state = set_up(["Y7 Y8 Y9 R1 R3", "R1"], row="K3 Y10 K11", melded=(0, 1), pile=drawn)
            events: list[bytes] = []
            for move in moves:
                happened = state.apply(0, REMI.parse_action(move))
                events.extend([WIRE.event(event).SerializeToString(deterministic=True) for event in happened])
            told_of.add((*events, *shown_to("remi", state, 1), *shown_to("remi", state, None)))
            assert TEXT[state.stock[0]] in list(WIRE.hand(state, 0).remi.tiles)
        assert len(told_of) == 1


def test_a_refusal_in_remi_names_no_tile_but_those_tried_and_those_on_the_table() -> None:
    chance = random.Random(8)
    refused = 0
    while refused < 1500:
        state = new(3)
        state.apply(None, lucky_deal(state, chance))
        while not state.is_over():
            for _ in range(6):
                action = attempt(state, chance)
                text = refusal(state, state.seat, action)
                if not text:
                    continue
                refused += 1
                laid = {tile for one in state.melds for tile in one.meld.tiles}
                stands = {
                    tile
                    for one in state.melds
                    for place in range(len(one.meld.tiles))
                    for tile in one.meld.stands_for(place)
                }
                seen = {TEXT[tile] for tile in {state.turned, state.duty, *state.row, *laid, *stands} if tile >= 0}
                allowed = seen | set(re.findall(r"[RYBK]\d+|\*", REMI.action_text(action)))
                named = set(re.findall(r"\b[RYBK]\d+\b|\*", text.split("): ", 1)[1]))
                assert named <= allowed, text
            state.apply(state.seat, lively(state, chance))


def test_the_tile_that_is_barred_is_told_in_the_hand_of_who_took_it_only() -> None:
    state = set_up(["R2 R4 Y6 Y8", "R1 R3"], row="K3 R5 Y9", melded=(0, 1), phase=Phase.DRAW)
    state.apply(0, REMI.parse_action("take 2"))
    assert WIRE.hand(state, 0).remi.barred == "Y9"
    assert WIRE.hand(state, 1).remi.barred == ""
    assert JOKER not in state.hand(0).tiles()
