"""Whole matches of Rentz, judged at every step by a second, plainly written statement of the rules."""

import random

import pytest

from services.table.engine.arzoi import Bid, Leave
from services.table.engine.cards import mask_of
from services.table.engine.game import Deal
from services.table.engine.remi import Draw
from services.table.engine.rentz import (
    PACK,
    REWARDS,
    SUBGAMES,
    TRICK_SCORINGS,
    Action,
    Choose,
    Phase,
    Play,
    Subgame,
)
from tests.support.judging import Universe, agree, beside_the_judge
from tests.support.rentz import RENTZ, cards_held, new, sensibly
from tests.support.rentz_judge import Judge
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


@pytest.mark.rule("RZ-2", "RZ-3", "RZ-5", "RZ-6", "RZ-7", "RZ-8", "RZ-9", "RZ-10", "RZ-11", "RZ-12", "RZ-13", "RZ-16")
@pytest.mark.rule("RZ-17", "RZ-18", "GAP-Z1", "GAP-Z5", "GAP-Z8", "GAP-Z9", "GAP-Z10", "GAP-Z12")
@pytest.mark.parametrize("share", [0.0, 0.5, 0.95])
def test_whole_matches_of_rentz_go_as_the_judge_says(share: float) -> None:
    for seed in range(6):
        state = new()
        steps = 0
        for waits in beside_the_judge(RENTZ, state, Judge().course(), random.Random(f"rentz {share} {seed}"), share):
            agree(RENTZ, state, waits)
            steps += 1
        assert steps > 500


@pytest.mark.rule("RZ-1")
def test_the_judge_of_rentz_plays_with_the_same_pack() -> None:
    assert RENTZ.action_text(Deal(new().pack())) == "deal " + " ".join(judges_pack())


def everything_is_tried(name: str, positions: int, share: float) -> None:
    """Matches, the given share of their positions tried, until there have been so many."""
    actions: list[Action] = [*[Choose(subgame) for subgame in SUBGAMES], *[Play(card) for card in PACK]]
    everything = Universe(RENTZ, actions, [Play(-1), Play(PACK[-1] + 1), Play(56), Bid(0), Draw(), Leave(), None])
    match = 0
    while everything.tried.total() < positions:
        match += 1
        chance = random.Random(f"{name} {match}")
        state = new()
        for waits in beside_the_judge(RENTZ, state, Judge().course(), chance, 0.4):
            if chance.random() < share or state.phase in (Phase.DRAW, Phase.OVER):
                everything.try_all(state, waits, judges_pack(), chance)
    assert set(everything.tried) == set(Phase)
    assert everything.tried[Phase.PLAY] > positions * 0.8


@pytest.mark.rule("RZ-3", "RZ-5", "RZ-13", "GAP-Z3")
def test_no_legal_action_of_rentz_is_refused_and_no_illegal_one_accepted() -> None:
    everything_is_tried("legality", 1_000, 0.2)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_no_legal_action_of_rentz_is_refused_and_no_illegal_one_accepted_in_100_000_positions() -> None:
    everything_is_tried("legality at length", 100_000, 0.5)


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
