"""Whole matches, judged at every step by a second, plainly written statement of the rules."""

import random

import pytest

from services.table.engine.arzoi import SEPTICA, Action, Options, Part, Phase, ScoreRow, State
from services.table.engine.arzoi.totale import points_in
from services.table.engine.cards import mask_of
from services.table.engine.game import Deal
from tests.support.arzoi import ARZOI
from tests.support.arzoi_judge import Judge, Waits
from tests.support.arzoi_judge import pack as judges_pack
from tests.support.steps import random_deal


def judged_match(state: State, no_whist_of_2: bool, chance: random.Random) -> int:
    """Plays a match, mostly sensibly, and compares at each step who acts, what is legal (in order) and the scores."""
    course = Judge(state.seats, no_whist_of_2).course()
    waits: Waits = next(course)
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
            assert [ARZOI.action_text(legal) for legal in state.legal_actions()] == waits.legal
            sensibly = chance.random() < 0.97
            action = ARZOI.rule_of_thumb(state) if sensibly else chance.choice(state.legal_actions())
        state.apply(None if decision is None else decision.seat, action)
        waits = course.send(ARZOI.action_text(action))
        steps += 1
    assert waits.over
    assert list(state.scores()) == waits.scores
    return steps


@pytest.mark.rule("AZ-1", "AZ-2", "AZ-3", "AZ-4", "AZ-7", "AZ-8", "AZ-9", "AZ-10", "GAP-A1")
@pytest.mark.parametrize("no_whist_of_2", [False, True], ids=["all whists", "no whist of 2"])
@pytest.mark.parametrize("seats", range(3, 10))
def test_whole_matches_go_as_the_judge_says(seats: int, no_whist_of_2: bool) -> None:
    for seed in range(3):
        state = ARZOI.new(Options(no_whist_of_2), seats)
        assert judged_match(state, no_whist_of_2, random.Random(f"{seats} {no_whist_of_2} {seed}")) > 100


@pytest.mark.parametrize("seats", range(3, 10))
def test_the_judge_plays_with_the_same_pack(seats: int) -> None:
    assert ARZOI.action_text(Deal(ARZOI.new(Options(), seats).pack())) == "deal " + " ".join(judges_pack(seats))


def check_row(state: State, row: ScoreRow, in_play: int) -> None:
    """What is conserved in a round."""
    size = state.size
    tricks = sum(cell.tricks for cell in row.cells)
    points = sum(cell.points for cell in row.cells)
    burned = sum(cell.burned for cell in row.cells)
    if row.round == 0:
        assert 1 <= sum(cell.change == 20 for cell in row.cells) <= state.seats - 1
        assert {cell.change for cell in row.cells} == {0, 20}
    elif row.part is Part.WHIST:
        assert tricks == row.variant
        assert sum(cell.bid or 0 for cell in row.cells) != row.variant
        assert burned >= 1
        assert row.replayed == (burned == state.seats)
    elif row.part is Part.SEPTICA:
        assert row.variant == SEPTICA
        assert row.replayed == all(cell.change == 0 for cell in row.cells)
        unseen = 8 if state.seats == 4 else 12
        assert points <= unseen
        if state.seats != 9:
            assert points == unseen
    else:
        assert tricks == size.totale_cards
        assert points == in_play


@pytest.mark.rule("AZ-15", "AZ-25", "AZ-29", "AZ-33", "GAP-A11", "GAP-A12", "GAP-A15", "GAP-A16")
@pytest.mark.parametrize("seats", range(3, 10))
def test_what_the_rules_conserve_is_conserved(seats: int) -> None:
    """Of every round: its tricks, its points, that somebody burned, and that somebody did not or it is replayed."""
    kinds: set[Part] = set()
    for seed in range(4):
        chance = random.Random(f"conserved {seats} {seed}")
        state = ARZOI.new(Options(), seats)
        in_play = 0
        while not state.is_over():
            rows = len(state.rows)
            if state.needs_deal():
                deal = random_deal(state, chance)
                in_play = points_in(mask_of(deal.pack[: seats * state.cards_each]))
                state.apply(None, deal)
                continue
            decision = state.decision()
            assert decision is not None
            held = sum(state.hand_sizes()) + len(state.trick) + sum(len(trick.cards) for trick in state.tricks)
            if state.part is Part.SEPTICA:
                assert held + state.stock + state.set_aside == len(state.pack())
            elif state.part is not None:
                assert held == seats * state.cards_each
            sensibly = chance.random() < 0.97
            state.apply(decision.seat, ARZOI.rule_of_thumb(state) if sensibly else chance.choice(state.legal_actions()))
            for row in state.rows[rows:]:
                check_row(state, row, in_play)
                kinds.add(row.part)
        assert state.scores() == tuple(sum(row.cells[seat].change for row in state.rows) for seat in range(seats))
        assert state.phase is Phase.OVER
        assert state.legal_actions() == []
    assert {Part.WHIST, Part.TOTALE_MINUS} <= kinds
