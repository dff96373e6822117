"""Legal actions are exact, and what is refused changes nothing."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.table.engine.arzoi import Bid, Choose, Leave, Play, State
from services.table.engine.game import Deal, IllegalAction
from tests.support.arzoi import ARZOI, new
from tests.support.steps import random_deal, step

REASONS = {
    "MATCH_OVER",
    "DEAL_DUE",
    "DEAL_NOT_DUE",
    "BAD_PACK",
    "NOT_YOUR_TURN",
    "WRONG_PHASE",
    "VARIANT_PLAYED",
    "VARIANT_UNKNOWN",
    "BID_OUT_OF_RANGE",
    "BID_FORBIDDEN",
    "CARD_NOT_IN_HAND",
    "MUST_FOLLOW_SUIT",
    "MUST_TRUMP",
    "CANNOT_CONTINUE",
    "CANNOT_LEAVE",
    "UNKNOWN_ACTION",
}
EVERY_ACTION: list[object] = [
    *[Choose(variant) for variant in range(-1, 11)],
    *[Bid(tricks) for tricks in range(-2, 11)],
    *[Play(card) for card in range(-57, 60)],
    Leave(),
    "leave",
    None,
]


def accepted(state: State, seat: int | None, action: object) -> bool:
    try:
        state.verify(seat, action)
    except IllegalAction as error:
        refusal = error
    else:
        return True
    assert refusal.reason in REASONS
    assert refusal.rule.startswith("AZ-")
    assert str(refusal) == f"{refusal.reason} ({refusal.rule}): {refusal.message}"
    assert "\n" not in refusal.message
    return False


@pytest.mark.parametrize("seats", range(3, 10))
def test_exactly_the_legal_actions_are_accepted_and_only_from_the_seat_to_decide(seats: int) -> None:
    chance = random.Random(f"exact {seats}")
    state = new(seats)
    while not state.is_over():
        if chance.random() < 0.05 or state.decision() is None:
            before = state.copy()
            decision = state.decision()
            legal = state.legal_actions()
            assert len(legal) == len(set(legal))
            assert (len(legal) > 0) == (decision is not None)
            for seat in (None, -1, *range(seats + 1)):
                if decision is not None and seat == decision.seat:
                    assert [action for action in EVERY_ACTION if accepted(state, seat, action)] == sorted(
                        legal, key=EVERY_ACTION.index
                    )
                else:
                    sample = chance.sample(EVERY_ACTION, 12)
                    assert not any(accepted(state, seat, action) for action in sample)
                assert accepted(state, seat, random_deal(state, chance)) == (seat is None and state.needs_deal())
            assert state == before
        step(state, chance)
    assert not any(accepted(state, seat, action) for seat in (None, 0) for action in EVERY_ACTION)


@settings(max_examples=60, deadline=None)
@given(seats=st.integers(3, 9), seed=st.integers(0, 2**32), steps=st.integers(0, 300), data=st.data())
def test_a_refused_action_leaves_the_match_untouched(seats: int, seed: int, steps: int, data: st.DataObject) -> None:
    chance = random.Random(seed)
    state = new(seats)
    for _ in range(steps):
        if not state.is_over():
            step(state, chance)
    before = state.copy()
    knowledge = [state.knowledge(seat) for seat in (None, *range(seats))]
    decision = state.decision()
    legal = set(state.legal_actions())
    tries = data.draw(
        st.lists(st.tuples(st.sampled_from([None, *range(seats)]), st.sampled_from(EVERY_ACTION)), max_size=40)
    )
    for seat, action in tries:
        if decision is not None and seat == decision.seat and action in legal:
            continue
        with pytest.raises(IllegalAction):
            state.apply(seat, action)
    with pytest.raises(IllegalAction):
        state.apply(None, Deal(()))
    assert state == before
    assert [state.knowledge(seat) for seat in (None, *range(seats))] == knowledge
    assert state.legal_actions() == before.legal_actions()


@settings(max_examples=40, deadline=None)
@given(seats=st.integers(3, 9), seed=st.integers(0, 2**32), steps=st.integers(0, 400))
def test_a_copy_is_equal_and_goes_its_own_way(seats: int, seed: int, steps: int) -> None:
    chance = random.Random(seed)
    state = new(seats)
    for _ in range(steps):
        if not state.is_over():
            step(state, chance)
    copy = state.copy()
    assert copy == state
    if state.is_over():
        return
    kept = state.copy()
    step(copy, chance)
    assert state == kept
    assert copy != state


def test_the_same_actions_make_the_same_match() -> None:
    one, two = new(6), new(6)
    chance = random.Random(11)
    while not one.is_over():
        decision = one.decision()
        seat = None if decision is None else decision.seat
        action = random_deal(one, chance) if decision is None else chance.choice(one.legal_actions())
        assert one.apply(seat, action) == two.apply(seat, ARZOI.parse_action(ARZOI.action_text(action)))
    assert one == two
    assert one != new(6)
    assert one != "a match"
