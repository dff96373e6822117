"""Whole matches of Remi, judged at every step by a second, plainly written statement of the rules."""

import random
from collections import Counter

import pytest

from services.table.engine.game import Deal
from services.table.engine.remi import Action, Phase, State, Take, Turn
from services.table.engine.remi.tiles import TEXT
from tests.support.remi import REMI, can, lively, lucky_deal, new
from tests.support.remi_attempts import attempt
from tests.support.remi_judge import Judge, Undecided
from tests.support.steps import random_deal

RARE = ("CLOSED_WITH_JOKER", "PILE_EXHAUSTED")
"""What does not come up in every few matches."""


def assert_same(state: State, judge: Judge) -> None:
    """The engine and the judge see the same table, hands and scores."""
    assert list(state.scores()) == judge.scores
    assert state.phase.value == judge.phase
    if state.decider() < 0:
        return
    assert state.seat == judge.seat
    for seat in range(state.seats):
        assert [TEXT[tile] for tile in state.hand(seat).tiles()] == sorted(judge.hands[seat], key=TEXT.index)
    assert [TEXT[tile] for tile in state.row] == judge.row
    assert [[TEXT[tile] for tile in one.meld.tiles] for one in state.melds] == [one.tiles for one in judge.table]
    assert [list(one.placed) for one in state.melds] == [one.placed for one in judge.table]
    assert [TEXT[tile] for tile in state.stock[state.drawn :]] == judge.pile
    assert list(state.melded) == judge.melded
    assert list(state.atu_announced) == judge.atu_announced
    assert list(state.two_tiles_announced) == judge.two_announced == judge.two_holds
    assert list(state.two_tiles_missed) == judge.two_missed
    assert (TEXT[state.duty] if state.duty >= 0 else "") == judge.target


class Judged:
    """Matches that are played by engine and judge side by side, and what was seen in them."""

    def __init__(self, seed: str) -> None:
        self.chance = random.Random(seed)
        self.seen: Counter[str] = Counter()
        """Actions and events by kind, endings by name."""
        self.verdicts: Counter[tuple[str, bool]] = Counter()
        """Whether what was tried was legal, by kind of action."""
        self.positions = 0

    def match(self, seats: int, rounds: int, tries: int, takes: float) -> None:
        """Plays a match.

        Args:
            seats: Number of players.
            rounds: Rounds.
            tries: Actions to try in each position.
            takes: The share of positions in which every place of the row is tried, which takes the judge long.
        """
        state, judge = new(seats, rounds), Judge(seats, rounds)
        while not state.is_over():
            action = self.next_action(state)
            if not isinstance(action, Deal):
                self.positions += 1
                self.compare(state, judge, tries, takes)
            seat = state.seat if not isinstance(action, Deal) else None
            try:
                assert judge.objection(seat, REMI.action_text(action)) == ""
            except Undecided:
                self.seen["undecided"] += 1
            events = state.apply(seat, action)
            judge.do(seat, REMI.action_text(action))
            self.seen.update([type(action).__name__, *[type(event).__name__ for event in events]])
            assert_same(state, judge)
        self.seen.update([row.ending.name for row in state.rows])
        assert judge.phase == "over"

    def next_action(self, state: State) -> Action | Deal:
        if state.decider() < 0:
            deal = lucky_deal if self.chance.random() < 0.6 else random_deal
            return deal(state, self.chance)
        return lively(state, self.chance)

    def compare(self, state: State, judge: Judge, tries: int, takes: float) -> None:
        """Every action that is offered is legal; of what is tried, engine and judge allow the same."""
        for action in state.legal_actions():
            if not isinstance(action, Take) or self.chance.random() < takes:
                self.ask(state, judge, action, True)
        tried: list[Action] = [attempt(state, self.chance) for _ in range(tries)]
        if state.phase is Phase.DRAW and self.chance.random() < takes:
            tried.extend([Take(place) for place in range(len(state.row))])
        for action in tried:
            searched = isinstance(action, Take) or (isinstance(action, Turn) and isinstance(action.steps[0], Take))
            if not searched or self.chance.random() < takes:
                self.ask(state, judge, action, can(state, action))

    def ask(self, state: State, judge: Judge, action: Action, legal: bool) -> None:
        text = REMI.action_text(action)
        try:
            reason = judge.objection(state.seat, text)
        except Undecided:
            self.seen["undecided"] += 1
            return
        assert legal == (reason == ""), f"{text}: {reason or 'legal'} [{state.headline()}] {state.hand(state.seat)}"
        self.verdicts[type(action).__name__, legal] += 1


def assert_lively(judged: Judged, least: int, rare: tuple[str, ...] = ()) -> None:
    """Everything that there is in the game came up, and was tried rightly and wrongly."""
    happened = ("Draw", "Take", "UndoTake", "Lay", "Add", "SwapJoker", "Announce", "Discard", "CloseWithAtu", "Turn")
    events = ("Opened", "Added", "FewTiles", "TwoTilesMissed", "AtuTaken", "TakeUndone", "CLOSED")
    assert all(judged.seen[name] >= least for name in (*happened, *events)), judged.seen
    assert all(judged.seen[name] for name in rare), judged.seen
    kinds = ("Take", "Lay", "Add", "SwapJoker", "Announce", "Discard", "Turn", "CloseWithAtu", "UndoTake", "Draw")
    unjudged = {(kind, legal) for kind in kinds for legal in (True, False) if judged.verdicts[kind, legal] < least}
    assert not unjudged, judged.verdicts
    assert judged.seen["undecided"] < judged.verdicts["Take", True] / 5


@pytest.mark.rule("RM-16", "GAP-R13", "GAP-R34", "GAP-R10", "GAP-R15", "GAP-R29", "GAP-R33", "GAP-R36")
def test_matches_of_remi_go_as_the_judge_says() -> None:
    """No legal action is refused and no illegal one accepted; tables, hands and scores are the same at every step."""
    judged = Judged("a")
    for number in range(30):
        judged.match(2 + number % 3, 1 + number % 2, tries=6, takes=0.03)
    assert judged.positions > 2000
    assert_lively(judged, 1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_hundred_thousand_positions_of_remi_are_judged() -> None:
    judged = Judged("soak")
    number = 0
    while judged.positions < 100_000:
        judged.match(2 + number % 3, 1 + number % 2, tries=4, takes=0.01)
        number += 1
    assert_lively(judged, 20, RARE)
