"""Whole matches of whist, judged at every step by a second, plainly written statement of the rules."""

import random

import pytest

from services.table.engine.game import Deal
from services.table.engine.whist import PATTERNS, PREMIUMS, Action, Options, Pattern, State
from tests.support.steps import random_deal
from tests.support.whist import WHIST, new, sensibly
from tests.support.whist_judge import Judge
from tests.support.whist_judge import pack as judges_pack

SIZES = range(3, 7)


def judged_match(state: State, chance: random.Random, share: float) -> int:
    """Plays a match and compares at each step who acts, what is legal (in order) and the scores."""
    course = Judge(state.seats, state.options.pattern, state.options.premium).course()
    waits = next(course)
    steps = 0
    while not state.is_over():
        assert not waits.over
        assert list(state.scores()) == waits.scores
        decision = state.decision()
        action: Action | Deal
        if decision is None:
            assert state.needs_deal()
            assert waits.seat is None
            action = random_deal(state, chance)
        else:
            assert decision.seat == waits.seat
            assert [WHIST.action_text(legal) for legal in state.legal_actions()] == waits.legal
            thumb = chance.random() < share
            action = WHIST.rule_of_thumb(state) if thumb else chance.choice(state.legal_actions())
        state.apply(None if decision is None else decision.seat, action)
        waits = course.send(WHIST.action_text(action))
        steps += 1
    assert waits.over
    assert list(state.scores()) == waits.scores
    return steps


@pytest.mark.rule("RW-1", "RW-2", "RW-3", "RW-4", "RW-5", "RW-6", "RW-7", "RW-8", "RW-9", "GAP-W1", "GAP-W2", "GAP-W3")
@pytest.mark.parametrize("premium", PREMIUMS)
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seats", SIZES)
def test_whole_matches_go_as_the_judge_says(seats: int, pattern: Pattern, premium: int) -> None:
    for share in (0.97, 0.97, 0.0):
        chance = random.Random(f"{seats} {pattern} {premium} {share}")
        assert judged_match(new(seats, pattern, premium), chance, share) > 300


@pytest.mark.rule("RW-2")
@pytest.mark.parametrize("seats", SIZES)
def test_the_judge_plays_with_the_same_pack(seats: int) -> None:
    assert WHIST.action_text(Deal(new(seats).pack())) == "deal " + " ".join(judges_pack(seats))


@pytest.mark.rule("RW-3", "RW-6", "RW-8", "RW-9", "RW-10")
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seats", SIZES)
def test_what_the_rules_conserve_is_conserved(seats: int, pattern: Pattern) -> None:
    """Cards, tricks and points of every hand, and the number of hands."""
    chance = random.Random(f"conserved {seats} {pattern}")
    state = new(seats, pattern)
    while not state.is_over():
        if state.play is not None:
            held = sum(state.hand_sizes()) + len(state.trick) + sum(len(trick.cards) for trick in state.tricks)
            assert held == seats * state.cards_each
            turned = state.trump_card >= 0
            assert held + turned + len(state.aside) == len(state.pack())
        sensibly(state, chance)
    assert len(state.rows) == 3 * seats + 12
    assert [row.cards_each for row in state.rows] == list(state.deals)
    for row in state.rows:
        assert sum(cell.tricks for cell in row.cells) == row.cards_each
        assert sum(cell.bid for cell in row.cells) != row.cards_each
        assert any(cell.bid != cell.tricks for cell in row.cells)
        assert all(cell.premium in (0, 10, -10) for cell in row.cells)
    assert [row.dealer for row in state.rows] == [(state.rows[0].dealer + n) % seats for n in range(len(state.rows))]
    assert state.scores() == tuple(sum(row.cells[seat].change for row in state.rows) for seat in range(seats))
    assert state.winners() == tuple(seat for seat in range(seats) if state.scores()[seat] == max(state.scores()))
    assert state.legal_actions() == []
    assert state.decision() is None


def test_a_copy_goes_its_own_way() -> None:
    chance = random.Random(3)
    state = new(4)
    while not state.is_over():
        copy = state.copy()
        assert copy == state
        before = state.copy()
        sensibly(copy, chance)
        assert state == before
        assert copy != state
        state = copy


def test_only_options_that_there_are_can_be_played() -> None:
    for options in (Options("1-8-1", 7), Options("1-2-1", 10)):  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="no options"):
            WHIST.new(options, 4)
