"""Whole matches, judged at every step by a second, plainly written statement of the rules."""

import itertools
import random

import pytest

from services.table.engine.arzoi import SEPTICA, Bid, Choose, Options, Part, Phase, Play, ScoreRow, State
from services.table.engine.arzoi.actions import BIDS, CHOICES, LEAVE, PLAYS
from services.table.engine.arzoi.totale import points_in
from services.table.engine.cards import mask_of
from services.table.engine.game import Deal
from services.table.engine.remi import Draw
from tests.support.arzoi import ARZOI
from tests.support.arzoi_judge import Judge
from tests.support.arzoi_judge import pack as judges_pack
from tests.support.judging import Universe, agree, beside_the_judge
from tests.support.steps import random_deal

SIZES = range(3, 10)
TABLES = [(seats, no_whist_of_2) for seats in SIZES for no_whist_of_2 in (False, True)]
NONSENSE = (Choose(0), Choose(1), Choose(-2), Choose(10), Bid(-1), Bid(99), Play(-1), Play(56), Draw(), None)


@pytest.mark.rule("AZ-1", "AZ-2", "AZ-3", "AZ-4", "AZ-7", "AZ-8", "AZ-9", "AZ-10", "GAP-A1")
@pytest.mark.parametrize(("seats", "no_whist_of_2"), TABLES)
def test_whole_matches_go_as_the_judge_says(seats: int, no_whist_of_2: bool) -> None:
    for seed in range(3):
        state = ARZOI.new(Options(no_whist_of_2), seats)
        chance = random.Random(f"{seats} {no_whist_of_2} {seed}")
        steps = 0
        for waits in beside_the_judge(ARZOI, state, Judge(seats, no_whist_of_2).course(), chance, 0.97):
            agree(ARZOI, state, waits)
            steps += 1
        assert steps > 100


def everything_is_tried(name: str, positions: int, share: float) -> None:
    """Matches of every size, the given share of their positions tried, until there have been so many."""
    everything = Universe(ARZOI, [*CHOICES.values(), *BIDS, *PLAYS, LEAVE], NONSENSE)
    for seats, no_whist_of_2 in itertools.cycle(TABLES):
        chance = random.Random(f"{name} {seats} {no_whist_of_2} {everything.tried.total()}")
        state = ARZOI.new(Options(no_whist_of_2), seats)
        for waits in beside_the_judge(ARZOI, state, Judge(seats, no_whist_of_2).course(), chance, 0.7):
            if chance.random() < share or waits.over:
                everything.try_all(state, waits, judges_pack(seats), chance)
        if everything.tried.total() >= positions:
            break
    assert set(everything.tried) == set(Phase)
    assert everything.tried[Phase.BID] + everything.tried[Phase.PLAY] > positions * 0.8


@pytest.mark.rule("AZ-7", "AZ-8", "AZ-11", "AZ-14", "AZ-15", "AZ-18", "AZ-32", "AZ-39", "AZ-41")
def test_no_legal_action_of_arzoi_is_refused_and_no_illegal_one_accepted() -> None:
    everything_is_tried("legality", 600, 0.03)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_no_legal_action_of_arzoi_is_refused_and_no_illegal_one_accepted_in_100_000_positions() -> None:
    everything_is_tried("legality at length", 100_000, 0.25)


@pytest.mark.parametrize("seats", SIZES)
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
@pytest.mark.parametrize("seats", SIZES)
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
