"""A table after the club was down for longer than an accident lasts: nobody pays for it. No server."""

import pytest

from services.table import commands as c
from services.table import facts as f
from services.table.clocks import (
    LONG_UNATTENDED_MILLISECONDS,
    UNATTENDED_MILLISECONDS,
    deadlines,
    turn_deadlines,
)
from tests.support.tables import ANA, BOGDAN, PaperTable, table

CLOCK = f.Clock(bid=20, play=15, choose=30, bank=60)
A_NIGHT = 9 * 3600 * 1000
SERVER = "server-a"


def drained(paper: PaperTable) -> None:
    """The only server goes in good order."""
    paper.do(c.LoseServer(SERVER, paper.now))


def due(paper: PaperTable) -> dict[str, set[int]]:
    """How many ms from now the table does what by itself."""
    found: dict[str, set[int]] = {}
    for one in deadlines(paper.state, paper.limits):
        found.setdefault(one.due, set()).add(one.when - paper.now)
    return found


def at_somebodys_turn() -> tuple[PaperTable, f.Person]:
    paper = table(ANA, BOGDAN, clock=CLOCK)
    paper.play_on(until=lambda state: state.decision is not None and state.decided_by == "player")
    assert paper.state.decision is not None
    seat = paper.state.seats[paper.state.decision.seat]
    return paper, f.Person(seat.player, seat.name)


def test_a_match_is_there_the_next_day_as_it_was_when_the_club_was_stopped() -> None:
    paper, _ = at_somebodys_turn()
    drained(paper)
    stopped = paper.now
    assert paper.wait(A_NIGHT) == [f.StoodStill(stopped)]
    assert paper.state.status == "playing"
    assert not any(seat.away for seat in paper.state.seats)
    assert due(paper) == {"absence": {20_000}, "abandoned": {600_000}}
    assert paper.wait(0) == []


def test_nobodys_clock_ran_while_the_club_was_down() -> None:
    paper, person = at_somebodys_turn()
    paper.now += 4_000
    before = turn_deadlines(paper.state)
    assert before is not None
    left = before[0] - paper.now
    drained(paper)
    paper.now += A_NIGHT
    first, *others = paper.do(c.Connect(person.player, "server-b"))
    assert isinstance(first, f.StoodStill)
    assert [type(one) for one in others] == [f.Connected]
    after = turn_deadlines(paper.state)
    assert after is not None
    assert after[0] - paper.now == left


def test_a_club_whose_machine_was_switched_off_costs_nobody_a_turn() -> None:
    paper, person = at_somebodys_turn()  # no server said goodbye, so everybody still seems to be present
    paper.now += A_NIGHT
    first, *others = paper.do(c.LoseServer(SERVER, paper.now))
    assert isinstance(first, f.StoodStill)
    assert {type(one) for one in others} == {f.Disconnected}
    assert turn_deadlines(paper.state) is None
    paper.do(c.Connect(person.player, "server-b"))
    after = turn_deadlines(paper.state)
    assert after is not None
    assert after[0] - paper.now > 10_000


def test_a_bot_that_was_to_move_is_asked_again_and_has_its_whole_time() -> None:
    paper = table(ANA, BOGDAN)
    paper.play_on(until=lambda state: state.decided_by == "bot")
    drained(paper)
    assert [type(one) for one in paper.wait(A_NIGHT)] == [f.StoodStill]
    assert due(paper)["bot"] == {paper.limits.bot}
    assert paper.state.resumed > paper.state.game_revision


def test_who_does_not_come_back_is_away_and_an_empty_match_is_stopped_all_the_same() -> None:
    paper, _ = at_somebodys_turn()
    drained(paper)
    paper.wait(A_NIGHT)
    assert {type(one) for one in paper.wait(20_000)} == {f.WentAway}
    while not paper.state.over:
        paper.wait_for_deadline()
    assert paper.state.status == "stopped"


@pytest.mark.parametrize("late", [0, 1_000, UNATTENDED_MILLISECONDS])
def test_a_server_that_is_late_does_what_is_due(late: int) -> None:
    paper = table(ANA, BOGDAN)
    paper.do(c.Disconnect(BOGDAN.player, SERVER, paper.now))
    assert paper.wait(20_000 + late)[:1] == [f.WentAway(1)]


def test_a_table_that_is_over_is_closed_however_late() -> None:
    paper = table(ANA, BOGDAN)
    paper.do(c.StopTable(ANA.player))
    assert paper.wait(A_NIGHT) == []
    assert set(due(paper)) <= {"close", "post"}


def test_half_a_minute_without_a_server_makes_nobody_absent() -> None:
    paper, person = at_somebodys_turn()
    drained(paper)
    assert [type(one) for one in paper.wait(28_000)] == [f.StoodStill]
    paper.now += 10_000
    assert [type(one) for one in paper.do(c.Connect(person.player, "server-b"))] == [f.Connected]
    assert not any(seat.away for seat in paper.state.seats)


def test_servers_that_are_always_late_do_not_hold_a_match_up() -> None:
    paper = table(ANA, BOGDAN)
    paper.do(c.Disconnect(BOGDAN.player, SERVER, paper.now))
    late = UNATTENDED_MILLISECONDS + 1_000
    assert [type(one) for one in paper.wait(20_000 + late)] == [f.StoodStill]
    assert paper.wait(20_000 + late)[:1] == [f.WentAway(1)]


def test_a_club_that_is_down_two_nights_running_costs_nobody_anything_either() -> None:
    paper, _ = at_somebodys_turn()
    drained(paper)
    for _ in range(2):
        assert [type(one) for one in paper.wait(A_NIGHT)] == [f.StoodStill]
        assert due(paper) == {"absence": {20_000}, "abandoned": {600_000}}
    assert [type(one) for one in paper.wait(20_000 + LONG_UNATTENDED_MILLISECONDS)] == [f.WentAway] * 2
