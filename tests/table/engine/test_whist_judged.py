"""Whole matches of whist, judged at every step by a second, plainly written statement of the rules."""

import itertools
import random

import pytest

from services.table.engine.arzoi import Leave
from services.table.engine.bidding import BIDS
from services.table.engine.game import Deal
from services.table.engine.play import PLAYS
from services.table.engine.remi import Draw
from services.table.engine.whist import PATTERNS, PREMIUMS, Bid, Options, Pattern, Phase, Play
from tests.support.judging import Universe, agree, beside_the_judge
from tests.support.whist import WHIST, new, sensibly
from tests.support.whist_judge import Judge
from tests.support.whist_judge import pack as judges_pack

SIZES = range(3, 7)


TABLES = [(seats, pattern, premium) for seats in SIZES for pattern in PATTERNS for premium in PREMIUMS]


@pytest.mark.rule("RW-1", "RW-2", "RW-3", "RW-4", "RW-5", "RW-6", "RW-7", "RW-8", "RW-9", "GAP-W1", "GAP-W2", "GAP-W3")
@pytest.mark.parametrize(("seats", "pattern", "premium"), TABLES)
def test_whole_matches_go_as_the_judge_says(seats: int, pattern: Pattern, premium: int) -> None:
    for share in (0.97, 0.97, 0.0):
        state = new(seats, pattern, premium)
        chance = random.Random(f"{seats} {pattern} {premium} {share}")
        steps = 0
        for waits in beside_the_judge(WHIST, state, Judge(seats, pattern, premium).course(), chance, share):
            agree(WHIST, state, waits)
            steps += 1
        assert steps > 300


def everything_is_tried(name: str, positions: int, share: float) -> None:
    """Matches of every size and pattern, the given share of their positions tried, until there have been so many."""
    everything = Universe(WHIST, [*BIDS, *PLAYS], [Bid(-1), Bid(99), Play(-1), Play(56), Draw(), Leave(), None])
    for seats, pattern, premium in itertools.cycle(TABLES):
        chance = random.Random(f"{name} {seats} {pattern} {premium} {everything.tried.total()}")
        state = new(seats, pattern, premium)
        for waits in beside_the_judge(WHIST, state, Judge(seats, pattern, premium).course(), chance, 0.5):
            if chance.random() < share or state.phase in (Phase.DRAW, Phase.OVER):
                everything.try_all(state, waits, judges_pack(seats), chance)
        if everything.tried.total() >= positions:
            break
    assert set(everything.tried) == set(Phase)
    assert everything.tried[Phase.BID] + everything.tried[Phase.PLAY] > positions * 0.8


@pytest.mark.rule("RW-6", "RW-7")
def test_no_legal_action_of_whist_is_refused_and_no_illegal_one_accepted() -> None:
    everything_is_tried("legality", 600, 0.05)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_no_legal_action_of_whist_is_refused_and_no_illegal_one_accepted_in_100_000_positions() -> None:
    everything_is_tried("legality at length", 100_000, 0.5)


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
