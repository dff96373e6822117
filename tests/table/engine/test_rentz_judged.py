"""Whole matches of Rentz, judged at every step by a second, plainly written statement of the rules."""

import random

import pytest

from services.table.engine.cards import mask_of
from services.table.engine.game import Deal, IllegalAction
from services.table.engine.rentz import (
    PACK,
    REWARDS,
    SUBGAMES,
    TRICK_SCORINGS,
    Action,
    Choose,
    Phase,
    Play,
    State,
    Subgame,
)
from tests.support.rentz import RENTZ, beside_the_judge, cards_held, new, sensibly
from tests.support.rentz_judge import Waits
from tests.support.rentz_judge import pack as judges_pack
from tests.support.steps import step

SUMS = {
    Subgame.KING_OF_HEARTS: -200,
    Subgame.QUEENS: -160,
    Subgame.DIAMONDS: -240,
    Subgame.TRICKS: -400,
    Subgame.TOTALE: -1000,
    Subgame.TEN_OF_CLUBS: 200,
    Subgame.WHIST: 400,
    Subgame.RENTZ: 700,
}
EVERY_MOVE: list[Action] = [*[Choose(subgame) for subgame in SUBGAMES], *[Play(card) for card in PACK]]


def agree(state: State, waits: Waits) -> None:
    """Who acts, what is legal (in order) and the scores are as the judge says."""
    assert list(state.scores()) == waits.scores
    assert state.is_over() == waits.over
    decision = state.decision()
    if decision is None:
        assert waits.seat is None
        assert state.needs_deal() != waits.over
        assert state.legal_actions() == []
    else:
        assert decision.seat == waits.seat
        assert [RENTZ.action_text(legal) for legal in state.legal_actions()] == waits.legal


@pytest.mark.rule("RZ-2", "RZ-3", "RZ-5", "RZ-6", "RZ-7", "RZ-8", "RZ-9", "RZ-10", "RZ-11", "RZ-12", "RZ-13", "RZ-16")
@pytest.mark.rule("RZ-17", "RZ-18", "GAP-Z1", "GAP-Z5", "GAP-Z8", "GAP-Z9", "GAP-Z10", "GAP-Z12")
@pytest.mark.parametrize("share", [0.0, 0.5, 0.95])
def test_whole_matches_of_rentz_go_as_the_judge_says(share: float) -> None:
    for seed in range(6):
        steps = 0
        for state, waits in beside_the_judge(random.Random(f"rentz {share} {seed}"), share):
            agree(state, waits)
            steps += 1
        assert state.is_over()
        assert steps > 500


@pytest.mark.rule("RZ-1")
def test_the_judge_of_rentz_plays_with_the_same_pack() -> None:
    assert RENTZ.action_text(Deal(new().pack())) == "deal " + " ".join(judges_pack())


def every_move_is_taken_or_refused_as_the_judge_says(state: State, waits: Waits) -> None:
    """Every card and every subgame, of every seat and of chance."""
    before = state.copy()
    for seat in (None, *range(4)):
        for move in EVERY_MOVE:
            legal = seat is not None and seat == waits.seat and RENTZ.action_text(move) in waits.legal
            try:
                state.verify(seat, move)
            except IllegalAction:
                assert not legal, f"{seat} {RENTZ.action_text(move)} was refused: {state.headline()}"
            else:
                assert legal, f"{seat} {RENTZ.action_text(move)} was accepted: {state.headline()}"
                assert seat is not None
                state.copy().apply(seat, move)
    assert state == before


def positions_of_random_matches(count: int, name: str) -> None:
    judged = 0
    phases: dict[Phase, int] = {}
    match = 0
    while judged < count:
        match += 1
        for state, waits in beside_the_judge(random.Random(f"{name} {match}"), 0.4):
            agree(state, waits)
            every_move_is_taken_or_refused_as_the_judge_says(state, waits)
            phases[state.phase] = phases.get(state.phase, 0) + 1
            judged += 1
            if judged == count:
                break
    assert set(phases) == set(Phase)
    assert phases[Phase.PLAY] > count * 0.8


def test_no_legal_move_of_rentz_is_refused_and_no_illegal_one_accepted() -> None:
    positions_of_random_matches(2_000, "legality")


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_no_legal_move_of_rentz_is_refused_and_no_illegal_one_accepted_in_100_000_positions() -> None:
    positions_of_random_matches(100_000, "legality at length")


@pytest.mark.rule("RZ-2", "RZ-4", "RZ-6", "RZ-7", "RZ-8", "RZ-9", "RZ-10", "RZ-11", "RZ-12", "RZ-16", "RZ-19")
@pytest.mark.rule("GAP-Z3", "GAP-Z4", "EX-Z4")
@pytest.mark.parametrize("seed", range(8))
def test_what_the_rules_of_rentz_conserve_is_conserved(seed: int) -> None:
    """Points of every hand, of every chooser and of the match; cards; tricks."""
    chance = random.Random(f"conserved {seed}")
    state = new()
    while not state.is_over():
        if state.phase is Phase.CHOOSE:
            assert cards_held(state) == mask_of(PACK)
        if state.phase is Phase.PLAY:
            play = state.play
            assert play is not None
            laid = mask_of([card for trick in state.tricks for card in trick.cards] + list(state.trick))
            if state.layout is not None:
                laid = state.layout.laid
            assert cards_held(state) & laid == 0
            assert cards_held(state) | laid == mask_of(PACK)
            assert sum(state.taken) == len(state.tricks)
            assert not play.is_over()
            assert play.legal()
            if state.subgame in TRICK_SCORINGS:
                scoring = TRICK_SCORINGS[state.subgame]
                done = mask_of([card for trick in state.tricks for card in trick.cards])
                expected = sum(each * (done & some).bit_count() for some, each in scoring.cards)
                assert sum(state.points) == expected + scoring.trick * len(state.tricks)
        sensibly(state, chance, 0.6)
    assert len(state.rows) == 32
    for row in state.rows:
        assert sum(row.points) == SUMS[row.subgame]
        if row.subgame is Subgame.RENTZ:
            assert sorted(row.points, reverse=True) == list(REWARDS)
    for seat in range(4):
        own = [row for row in state.rows if row.dealer == seat]
        assert {row.subgame for row in own} == set(SUBGAMES)
        assert sum(sum(row.points) for row in own) == -700
    assert sum(state.scores()) == -2800
    assert state.scores() == tuple(sum(row.points[seat] for row in state.rows) for seat in range(4))
    assert [row.dealer for row in state.rows] == [(state.rows[0].dealer + number) % 4 for number in range(32)]
    assert state.progress() == (32, 32)


def test_a_copy_of_a_match_of_rentz_goes_its_own_way() -> None:
    chance = random.Random(3)
    state = new()
    while not state.is_over():
        copy = state.copy()
        assert copy == state
        before = state.copy()
        sensibly(copy, chance)
        assert state == before
        assert copy != state
        state = copy


@pytest.mark.parametrize("seed", range(20))
def test_the_play_of_a_hand_can_be_searched_alone(seed: int) -> None:
    """A copy of `play` ends the hand with the same points as the match, and leaves the match as it was."""
    chance = random.Random(f"alone {seed}")
    state = new()
    while state.play is None or chance.random() < 0.9:
        step(state, chance)
    before = state.copy()
    alone = state.play.copy()
    moves = []
    while not alone.is_over():
        move = chance.choice([card for card in PACK if alone.legal() >> card & 1])
        moves.append((alone.seat, move))
        alone.play(move)
    assert state == before
    for seat, move in moves:
        state.apply(seat, Play(move))
    assert state.rows[-1].points == tuple(alone.points)
