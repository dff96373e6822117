"""The clock of a turn that has several decisions: one time for all of them, one bot for what is left of it."""

from typing import Any

import pytest

from services.table import commands as c
from services.table import errors, requests, views
from services.table import facts as f
from services.table.clocks import turn_deadlines
from services.table.engine.games import GAMES
from tests.support.steps_game import END, STEP, STEPS, TURNS
from tests.support.tables import ANA, BOGDAN, DAN, PaperTable, facts_of, table

CLOCK = f.Clock(turn=30, bank=60)


@pytest.fixture(autouse=True)
def _steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "steps", STEPS)


def steps(*people: f.Person, seats: int = 2, clock: f.Clock = CLOCK, **options: Any) -> PaperTable:
    """A table of the game that is made up of steps; the first person has the first turn."""
    return table(*people, seats=seats, game="steps", clock=clock, **options)


def act(paper: PaperTable, action: str, after: int = 0, person: f.Person = ANA) -> list[f.AnyFact]:
    """A person's action, so many milliseconds later."""
    paper.now += after
    return paper.do(c.SubmitAction(person.player, action))


def answer(paper: PaperTable, action: str, after: int = 0, seat: int = 0) -> list[f.AnyFact]:
    """A bot's action, so many milliseconds later."""
    paper.now += after
    return paper.do(c.AnswerTurn(seat, paper.state.game_revision, action))


def left(paper: PaperTable) -> tuple[int, int]:
    """Milliseconds that the player to decide has, without and with the bank."""
    deadlines = turn_deadlines(paper.state)
    assert deadlines is not None
    return deadlines[0] - paper.now, deadlines[1] - paper.now


def test_the_decisions_of_a_turn_share_its_time_and_the_next_turn_has_its_own() -> None:
    paper = steps(ANA, BOGDAN)
    for _ in range(5):
        act(paper, STEP, after=4_000)
    assert left(paper) == (10_000, 70_000)
    act(paper, END, after=9_000)
    assert left(paper) == (30_000, 90_000)
    act(paper, END, person=BOGDAN)
    assert left(paper) == (30_000, 90_000)


@pytest.mark.parametrize("times", [(50,), (31, 19), (10, 25, 15), (10, 19, 1, 5, 15), (5,) * 10, (1,) * 50])
def test_the_bank_pays_for_a_turn_that_takes_too_long_once_however_many_steps_it_has(times: tuple[int, ...]) -> None:
    paper = steps(ANA, BOGDAN)
    for seconds in times[:-1]:
        act(paper, STEP, after=seconds * 1000)
        used = paper.now - paper.state.started
        assert left(paper)[1] == 90_000 - used
        assert left(paper)[0] == max(0, 30_000 - used)
    act(paper, END, after=times[-1] * 1000)
    assert paper.state.seats[0].bank == 40_000
    act(paper, END, person=BOGDAN)
    assert left(paper) == (30_000, 70_000)


def test_time_is_out_when_turn_and_bank_are_used_up_by_all_steps_together() -> None:
    paper = steps(ANA, BOGDAN)
    act(paper, STEP, after=20_000)
    act(paper, STEP, after=40_000)
    assert paper.state.seats[0].bank == 30_000
    assert paper.wait(29_999) == []
    assert paper.wait(1) == [f.ClockExpired(0)]
    assert paper.state.seats[0].bank == 0


def test_when_time_is_out_a_bot_takes_the_rest_of_the_turn_and_no_more() -> None:
    paper = steps(ANA, BOGDAN, clock=f.Clock(turn=30))
    act(paper, STEP, after=29_000)
    assert paper.wait(1_000) == [f.ClockExpired(0)]
    for _ in range(3):
        (taken,) = facts_of(f.ActionTaken, answer(paper, STEP, after=2_000))
        assert taken.by == "timeout"
        with pytest.raises(errors.BotDecidesError):
            act(paper, STEP)
    assert paper.state.seats[0].timeouts == 1
    answer(paper, END)
    act(paper, END, person=BOGDAN)
    assert paper.state.decided_by == "player"
    assert left(paper) == (30_000, 30_000)


def test_a_bot_has_its_own_time_for_each_decision_of_a_turn() -> None:
    paper = steps(ANA, BOGDAN, clock=f.Clock(turn=30))
    paper.wait(30_000)
    answer(paper, STEP, after=paper.limits.bot - 1)
    answer(paper, STEP, after=paper.limits.bot - 1)
    assert paper.wait(paper.limits.bot - 1) == []
    (taken,) = facts_of(f.ActionTaken, paper.wait(1))
    assert (taken.action, taken.by) == (END, "timeout")


def test_who_comes_back_in_the_middle_of_a_turn_that_was_out_of_time_plays_from_the_next_turn_on() -> None:
    paper = steps(ANA, BOGDAN, clock=f.Clock(turn=30), absence=300)
    for away in (False, False, True):
        assert paper.wait(30_000) == [f.ClockExpired(0, away)]
        if away:
            break
        answer(paper, END)
        act(paper, END, person=BOGDAN)
    answer(paper, STEP)
    assert paper.do(c.Return(ANA.player)) == [f.CameBack(0)]
    (taken,) = facts_of(f.ActionTaken, answer(paper, STEP))
    assert taken.by == "timeout"
    with pytest.raises(errors.BotDecidesError):
        act(paper, STEP)
    answer(paper, END)
    act(paper, END, person=BOGDAN)
    assert paper.state.decided_by == "player"
    act(paper, END)


def test_three_turns_in_a_row_out_of_time_make_away_and_not_three_steps() -> None:
    paper = steps(ANA, BOGDAN, clock=f.Clock(turn=30), absence=300)
    paper.wait(30_000)
    for _ in range(5):
        answer(paper, STEP)
    assert not paper.state.seats[0].away
    assert paper.state.seats[0].timeouts == 1


def test_a_step_in_time_is_a_sign_of_life_though_the_turn_runs_out() -> None:
    paper = steps(ANA, BOGDAN, clock=f.Clock(turn=30), absence=300)
    for _ in range(TURNS // 2):
        act(paper, STEP, after=1_000)
        assert paper.wait(29_000) == [f.ClockExpired(0)]
        answer(paper, END)
        act(paper, END, person=BOGDAN)


@pytest.mark.rule("GAP-A25")
def test_who_was_away_takes_over_in_the_middle_of_the_turn_with_the_time_that_was_left() -> None:
    paper = steps(ANA, BOGDAN, absence=5)
    act(paper, STEP, after=10_000)
    paper.do(c.Disconnect(ANA.player, "server-a", lost=paper.now))
    assert paper.wait(5_000) == [f.WentAway(0)]
    answer(paper, STEP, after=3_000)
    answer(paper, STEP, after=4_000)
    paper.now += 1_000
    assert paper.do(c.Connect(ANA.player, "server-b")) == [f.Connected(0, "server-b"), f.CameBack(0)]
    (taken,) = facts_of(f.ActionTaken, answer(paper, STEP, after=1_000))
    assert taken.by == "absent"
    assert left(paper) == (15_000, 75_000)  # of 30 s she used 10, and 5 in which she was gone
    (taken,) = facts_of(f.ActionTaken, act(paper, STEP))
    assert taken.by == "player"


def test_a_watch_that_the_server_ended_costs_no_time_of_a_turn_whoever_acts_meanwhile() -> None:
    paper = steps(ANA, BOGDAN, absence=20)
    act(paper, STEP, after=10_000)
    paper.now += 1_000
    paper.do(c.LoseServer("server-a", lost=paper.now))
    act(paper, STEP, after=6_000)
    act(paper, STEP, after=6_000)
    assert turn_deadlines(paper.state) is None
    assert f.WentAway(0) in paper.wait(8_000)
    answer(paper, STEP, after=3_000)
    paper.do(c.Connect(ANA.player, "server-b"))
    answer(paper, STEP, after=3_000)
    assert left(paper) == (19_000, 79_000)  # of 30 s she used 11
    paper.do(c.LoseServer("server-b", lost=paper.now))
    act(paper, STEP, after=6_000)
    paper.now += 2_000
    paper.do(c.Connect(ANA.player, "server-c"))
    assert left(paper) == (19_000, 79_000)


def test_a_turn_left_half_played_is_a_bots_and_then_the_newcomers_with_all_its_time() -> None:
    paper = steps(ANA, BOGDAN)
    act(paper, STEP, after=25_000)
    paper.do(c.LeaveTable(ANA.player))
    (taken,) = facts_of(f.ActionTaken, answer(paper, STEP, after=1_000))
    assert taken.by == "bot"
    paper.do(c.RequestSeat(DAN))
    paper.do(c.AnswerSeatRequest(BOGDAN.player, DAN.player, admit=True))
    paper.do(c.Connect(DAN.player, "server-a"))
    (taken,) = facts_of(f.ActionTaken, answer(paper, STEP, after=1_000))
    assert taken.by == "bot"
    assert left(paper) == (30_000, 90_000)
    act(paper, END, person=DAN)


def test_without_a_clock_nobody_is_hurried() -> None:
    paper = steps(ANA, BOGDAN, clock=f.Clock())
    act(paper, STEP, after=3_600_000)
    assert turn_deadlines(paper.state) is None
    act(paper, END, after=3_600_000)
    assert paper.state.decided_by == "player"


def test_every_time_of_a_clock_goes_to_the_wire_and_back() -> None:
    clock = f.Clock(*range(1, 1 + len(f.Clock.__struct_fields__)))
    message = views.options_message(f.Options("arzoi", 4, clock=clock))
    assert len(message.clock.ListFields()) == len(message.clock.DESCRIPTOR.fields)
    assert requests.options_of(message).clock == clock
