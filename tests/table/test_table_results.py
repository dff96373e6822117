"""What a table tells the ledger of a match: who began it, who was there at the end, and how far it came."""

from collections.abc import Callable

import pytest

from services.table import commands as c
from services.table import facts as f
from services.table.results import match_record, match_result
from shared.gen.levata.ledger.v1 import ledger_pb2
from tests.support.tables import ANA, BOGDAN, CARMEN, DAN, PaperTable, table

EVA = f.Person("p-eva", "Eva")


def told(paper: PaperTable) -> ledger_pb2.MatchResult:
    """What the ledger is told of a match that is over."""
    return match_result(paper.state, match_record(paper.state, list(enumerate(paper.log, 1))))


def away(paper: PaperTable, person: f.Person) -> None:
    """A person closes all watches, and is waited for in vain."""
    paper.do(c.Disconnect(person.player, "server-a", paper.now))
    paper.wait(20_000)
    seat = paper.state.seat_of(person.player)
    assert seat is not None
    assert paper.state.seats[seat].away


def admit(paper: PaperTable, person: f.Person, seat: int) -> None:
    """A person asks for a seat and gets it."""
    paper.do(c.RequestSeat(person))
    paper.do(c.AnswerSeatRequest(ANA.player, person.player, True, seat))


# Who is there


def leave(paper: PaperTable) -> None:
    paper.do(c.LeaveTable(BOGDAN.player))


def be_removed(paper: PaperTable) -> None:
    paper.do(c.RemovePlayer(ANA.player, 1))


def be_replaced(paper: PaperTable) -> None:
    leave(paper)
    admit(paper, EVA, 1)


def be_away(paper: PaperTable) -> None:
    away(paper, BOGDAN)


def be_idle(paper: PaperTable) -> None:
    """Three decisions out of time, the watch open."""
    while not paper.state.seats[1].away:
        assert paper.state.decision is not None
        if paper.state.decision.seat == 1 and paper.state.decided_by == "player":
            paper.wait_for_deadline()
        else:
            revision = paper.state.revision
            paper.play_on(until=lambda state, seen=revision: state.revision > seen)


def take_another_seat(paper: PaperTable) -> None:
    paper.do(c.LeaveTable(DAN.player))
    leave(paper)
    admit(paper, BOGDAN, 3)


def come_back_after_being_away(paper: PaperTable) -> None:
    away(paper, BOGDAN)
    paper.do(c.Connect(BOGDAN.player, "server-b"))


def get_the_same_seat_again(paper: PaperTable) -> None:
    leave(paper)
    admit(paper, BOGDAN, 1)
    paper.do(c.Connect(BOGDAN.player, "server-b"))


def lose_the_connection_just_now(paper: PaperTable) -> None:
    paper.do(c.Disconnect(BOGDAN.player, "server-a", paper.now))
    paper.wait(19_000)


@pytest.mark.rule("GAP-Z17")
@pytest.mark.parametrize(
    ("happens", "gone", "holder"),
    [
        (lambda paper: None, False, BOGDAN.player),
        (leave, True, ""),
        (be_removed, True, ""),
        (be_replaced, True, EVA.player),
        (be_away, True, BOGDAN.player),
        (be_idle, True, BOGDAN.player),
        (take_another_seat, True, ""),
        (come_back_after_being_away, False, BOGDAN.player),
        (get_the_same_seat_again, False, BOGDAN.player),
        (lose_the_connection_just_now, False, BOGDAN.player),
    ],
)
@pytest.mark.parametrize("finished", [False, True])
def test_who_began_has_left_unless_there_on_the_same_seat_at_the_end(
    happens: Callable[[PaperTable], None], gone: bool, holder: str, finished: bool
) -> None:
    paper = table(ANA, BOGDAN, CARMEN, DAN, clock=f.Clock(bid=20, play=15, choose=30))
    happens(paper)
    if finished:
        paper.play_on()
    else:
        paper.do(c.StopTable(ANA.player))
    result = told(paper)
    assert (paper.state.status, result.stopped) == (("finished", False) if finished else ("stopped", True))
    seat = result.seats[1]
    assert (seat.starter_player_id, seat.starter_name) == (BOGDAN.player, "Bogdan")
    assert (seat.starter_left, seat.player_id) == (gone, holder)
    assert [one.starter_player_id for one in result.seats] == [p.player for p in (ANA, BOGDAN, CARMEN, DAN)]
    assert not result.seats[0].starter_left
    assert not result.seats[2].starter_left


def test_coming_back_to_look_at_the_result_is_not_coming_back() -> None:
    paper = table(ANA, BOGDAN)
    away(paper, BOGDAN)
    paper.do(c.StopTable(ANA.player))
    before = told(paper)
    paper.do(c.Connect(BOGDAN.player, "server-b"))
    assert not paper.state.seats[1].away
    assert told(paper) == before
    assert before.seats[1].starter_left


def test_a_bot_that_began_is_nobody_and_who_took_its_seat_began_nothing() -> None:
    paper = table(ANA, seats=3)
    admit(paper, EVA, 1)
    paper.do(c.StopTable(ANA.player))
    seats = told(paper).seats
    assert [(one.starter_player_id, one.starter_left) for one in seats] == [
        (ANA.player, False),
        ("", False),
        ("", False),
    ]
    assert seats[1].player_id == EVA.player


@pytest.mark.rule("GAP-Z16")
def test_a_match_that_nobody_is_at_any_more_was_left_by_all() -> None:
    paper = table(ANA, BOGDAN, seats=3)
    for person in (ANA, BOGDAN):
        paper.do(c.Disconnect(person.player, "server-a", paper.now))
    while not paper.state.over:
        paper.wait_for_deadline()
    assert paper.state.status == "stopped"
    assert [one.starter_left for one in told(paper).seats] == [True, True, False]


def test_a_match_that_the_last_person_leaves_was_left_by_all() -> None:
    paper = table(ANA, BOGDAN, seats=3)
    paper.do(c.LeaveTable(BOGDAN.player))
    paper.do(c.LeaveTable(ANA.player))
    result = told(paper)
    assert [(one.player_id, one.starter_left) for one in result.seats] == [("", True), ("", True), ("", False)]
    assert result.stopped


def test_whom_the_club_lost_has_not_left_a_match_that_ends_with_nobody_there() -> None:
    paper = table(ANA, BOGDAN, seats=3)
    paper.do(c.Disconnect(BOGDAN.player, "server-a", paper.now))
    paper.do(c.LoseServer("server-a", paper.now))
    while not paper.state.over:
        paper.wait_for_deadline()
    assert paper.state.status == "stopped"
    assert [one.starter_left for one in told(paper).seats] == [False, True, False]


# How far it came


def test_a_finished_match_says_that_all_of_it_was_played() -> None:
    paper = table(ANA, BOGDAN, seats=3, game="whist")
    paper.play_on()
    result = told(paper)
    assert (result.stopped, result.hands_finished, result.hands) == (False, 21, 21)
    assert [one.place for one in result.seats].count(1) >= 1
    assert "\nresult " in result.record


@pytest.mark.rule("GAP-Z16")
@pytest.mark.parametrize("hands", [0, 1, 5])
def test_a_stopped_match_says_how_many_hands_were_finished_and_has_a_record_without_a_result(hands: int) -> None:
    paper = table(ANA, BOGDAN, seats=3, game="whist")
    paper.play_on(until=lambda state: state.position().progress()[0] == hands)
    begun = paper.state.revision
    paper.play_on(until=lambda state: state.revision > begun)
    assert paper.state.position().progress() == (hands, 21)
    paper.do(c.StopTable(ANA.player))
    result = told(paper)
    assert (result.stopped, result.hands_finished, result.hands) == (True, hands, 21)
    assert [one.points for one in result.seats] == list(paper.state.position().scores())
    assert "\nresult " not in result.record
    assert result.ended_at.ToMilliseconds() == paper.state.ended
