"""A table that an operator freezes, lets go on, or ends: what is refused, and that no time is lost. No server."""

from typing import Any

import pytest

from services.table import commands as c
from services.table import errors, views
from services.table import facts as f
from services.table.clocks import deadlines, turn_deadlines
from services.table.lobby import entry_of, listed_differently
from services.table.state import FoldError, fold
from services.table.turns import Turns
from shared.gen.levata.table.v1 import table_pb2 as pb
from tests.support.tables import ANA, BOGDAN, CARMEN, DAN, PaperTable, table

CLOCK = f.Clock(bid=20, play=15, choose=30, bank=60)
FREEZE = c.FreezeTable("mihai", "a claim of cheating", "We look into something.")
RESUME = c.ResumeTable("mihai", "it was none")
END = c.EndTable("mihai", "it was one", "The match does not count.")


def left(paper: PaperTable) -> tuple[int, int]:
    """Milliseconds that the person to decide has, without and with the bank."""
    found = turn_deadlines(paper.state)
    assert found is not None
    return found[0] - paper.now, found[1] - paper.now


def people(paper: PaperTable) -> list[c.Command]:
    """One of everything that people can want to change at a table at which Ana is host and to decide."""
    (action, *_) = paper.legal()
    return [
        c.SubmitAction(ANA.player, action),
        c.Say(BOGDAN.player, "hello?"),
        c.LeaveTable(BOGDAN.player),
        c.StopTable(ANA.player),
        c.UpdateTable(ANA.player, bot_talk="polite"),
        c.RemovePlayer(ANA.player, 1),
        c.MutePlayer(ANA.player, 1, muted=True),
        c.RequestSeat(DAN),
    ]


def test_what_people_want_to_change_at_a_frozen_table_is_refused_and_done_when_it_goes_on() -> None:
    for number in range(8):
        paper = table(ANA, BOGDAN, clock=CLOCK)
        command = people(paper)[number]
        assert paper.do(FREEZE) == [f.TableFrozen("mihai", "a claim of cheating", "We look into something.")]
        with pytest.raises(errors.FrozenByOperatorError):
            paper.do(command)
        assert paper.do(RESUME) == [f.TableResumed("mihai", "it was none")]
        assert paper.do(command), command


def test_who_may_not_know_a_private_table_is_not_told_that_it_is_frozen() -> None:
    paper = table(ANA, visibility="private", start=False)
    paper.do(FREEZE)
    for command in (c.TakeSeat(DAN, code="WRONG"), c.LeaveTable(DAN.player), c.Say(DAN.player, "hello?")):
        with pytest.raises(errors.TableNotFoundError):
            paper.do(command)


def test_a_frozen_table_has_nothing_to_do_however_long_it_stands() -> None:
    paper = table(ANA, BOGDAN, clock=CLOCK)
    paper.do(c.Disconnect(BOGDAN.player, "server-a", paper.now))
    paper.do(FREEZE)
    assert list(deadlines(paper.state, paper.limits)) == []
    assert paper.wait(10 * 24 * 3_600_000) == []


def test_the_person_to_decide_has_as_much_time_after_the_freeze_as_before_it() -> None:
    paper = table(ANA, BOGDAN, clock=CLOCK)
    paper.now += 12_000
    before = left(paper)
    assert before == (18_000, 78_000)
    paper.do(FREEZE)
    assert turn_deadlines(paper.state) is None
    paper.now += 3_600_000
    paper.do(RESUME)
    assert left(paper) == before
    assert paper.wait(before[1] - 1) == []
    assert paper.wait(1) == [f.ClockExpired(0)]


@pytest.mark.parametrize("lost_after", [-5_000, 5_000])
def test_time_that_a_server_took_is_given_back_once_whether_it_was_lost_before_the_freeze_or_in_it(
    lost_after: int,
) -> None:
    paper = table(ANA, BOGDAN, clock=CLOCK, absence=300)
    paper.now += 10_000
    lost, frozen = paper.now + max(0, lost_after), paper.now - min(0, lost_after)
    happenings: list[tuple[int, c.Command]] = [(lost, c.LoseServer("server-a", lost)), (frozen, FREEZE)]
    for paper.now, command in sorted(happenings, key=lambda one: one[0]):
        paper.do(command)
    used = min(lost, frozen) - paper.state.started
    paper.now += 60_000
    paper.do(RESUME)
    paper.now += 7_000
    paper.do(c.Connect(ANA.player, "server-b"))
    assert left(paper)[0] == 30_000 - used


def test_who_comes_back_while_the_table_is_frozen_gets_no_time_twice() -> None:
    paper = table(ANA, BOGDAN, clock=CLOCK, absence=300)
    paper.now += 10_000
    paper.do(c.LoseServer("server-a", paper.now))
    paper.now += 5_000
    paper.do(FREEZE)
    paper.now += 20_000
    paper.do(c.Connect(ANA.player, "server-b"))
    paper.now += 40_000
    paper.do(RESUME)
    assert left(paper)[0] == 20_000


def test_an_absence_goes_on_where_it_was_and_one_that_began_meanwhile_begins_when_the_table_goes_on() -> None:
    paper = table(ANA, BOGDAN, CARMEN, seats=4)
    paper.do(c.Disconnect(BOGDAN.player, "server-a", paper.now))
    paper.now += 15_000
    paper.do(FREEZE)
    paper.now += 100_000
    paper.do(c.Disconnect(CARMEN.player, "server-a", paper.now))
    paper.now += 100_000
    paper.do(RESUME)
    assert paper.wait(4_999) == []
    assert paper.wait(1) == [f.WentAway(1)]
    assert paper.wait(14_999) == []
    assert paper.wait(1) == [f.WentAway(2)]


def test_a_table_without_people_is_not_given_up_while_it_is_frozen() -> None:
    paper = table(ANA, clock=CLOCK)
    paper.do(c.Disconnect(ANA.player, "server-a", paper.now))
    paper.now += 1_000
    paper.do(FREEZE)
    paper.now += 5 * paper.limits.abandoned
    paper.do(RESUME)
    assert paper.state.people_gone == paper.now - 1_000


def test_a_bot_that_was_asked_before_the_freeze_is_refused_in_it_and_asked_again_with_its_whole_time() -> None:
    paper = table(ANA, BOGDAN, seats=4)
    paper.play_on(until=lambda state: state.decision.seat > 1)
    answer = c.AnswerTurn(
        paper.state.decision.seat if paper.state.decision else 0, paper.state.game_revision, paper.legal()[0]
    )
    paper.now += paper.limits.bot - 1
    assert not Turns.interrupted(paper.state)
    paper.do(FREEZE)
    with pytest.raises(errors.FrozenByOperatorError):
        paper.do(answer)
    paper.now += 50_000
    paper.do(RESUME)
    assert Turns.interrupted(paper.state)
    assert paper.wait(paper.limits.bot - 1) == []
    assert paper.do(answer)
    assert not Turns.interrupted(paper.state)


@pytest.mark.parametrize("frozen", [False, True])
def test_an_operator_ends_a_table_frozen_or_not_and_nobody_counts_as_gone(frozen: bool) -> None:
    paper = table(ANA, BOGDAN)
    if frozen:
        paper.do(FREEZE)
    assert paper.do(END) == [f.TableStopped("operator", "mihai", "it was one", "The match does not count.")]
    assert (paper.state.status, paper.state.frozen) == ("stopped", None)
    assert not any(paper.state.gone)
    assert paper.state.result_due


@pytest.mark.parametrize(
    ("before", "command", "error"),
    [
        ([], RESUME, errors.NotFrozenError),
        ([FREEZE], FREEZE, errors.FrozenByOperatorError),
        ([FREEZE, RESUME], RESUME, errors.NotFrozenError),
        ([END], FREEZE, errors.NotPlayingError),
        ([END], END, errors.NotPlayingError),
    ],
)
def test_what_an_operator_cannot_do_is_refused(
    before: list[c.Command], command: c.Command, error: type[Exception]
) -> None:
    paper = table(ANA, BOGDAN)
    for one in before:
        paper.do(one)
    with pytest.raises(error):
        paper.do(command)


def test_a_match_that_stood_still_is_played_on_to_its_end() -> None:
    paper = table(ANA, BOGDAN, seats=3)
    for _ in range(3):
        revision = paper.state.revision
        paper.play_on(until=lambda state, after=revision + 20: state.revision > after)
        paper.do(FREEZE)
        paper.now += 10_000
        paper.do(RESUME)
    paper.play_on()
    assert paper.state.status == "finished"


def seen(paper: PaperTable, viewer: int | None) -> Any:
    """The table and its private part as a viewer has them."""
    shown = pb.Table.FromString(views.TableEncoder().table(paper.state))
    return shown, views.private_message(paper.state, viewer)


def test_everybody_is_told_of_the_freeze_by_the_operators_note_and_by_neither_name_nor_reason() -> None:
    paper = table(ANA, BOGDAN, clock=CLOCK)
    before, private = seen(paper, 0)
    assert private.legal_actions
    assert not before.HasField("freeze")
    (fact,) = paper.do(FREEZE)
    shown, private = seen(paper, 0)
    assert shown.freeze.note == "We look into something."
    assert shown.freeze.since == views.timestamp(paper.now)
    assert not private.legal_actions
    assert private.hand == seen(paper, 0)[1].hand
    assert not shown.decision.HasField("deadline")
    (event,) = views.event_messages(paper.state, fact, ())
    assert event.table_frozen.freeze == shown.freeze
    told = shown.SerializeToString() + event.SerializeToString()
    assert b"mihai" not in told
    assert b"cheating" not in told
    (fact,) = paper.do(RESUME)
    (event,) = views.event_messages(paper.state, fact, ())
    assert event.WhichOneof("event") == "table_resumed"
    assert seen(paper, 0)[0].decision.HasField("deadline")
    assert seen(paper, 0)[1].legal_actions


def test_a_stop_by_an_operator_says_so() -> None:
    paper = table(ANA, BOGDAN)
    (fact,) = paper.do(END)
    (event,) = views.event_messages(paper.state, fact, ())
    assert event.table_stopped == pb.TableStopped(reason=pb.STOP_REASON_OPERATOR, note="The match does not count.")


def test_a_freeze_shows_in_lists() -> None:
    paper = table(ANA, BOGDAN)
    before = paper.state
    paper.do(FREEZE)
    assert listed_differently(before, paper.state)
    assert entry_of(paper.state).frozen
    assert views.summary_message(paper.state).frozen
    frozen = paper.state
    paper.do(RESUME)
    assert listed_differently(frozen, paper.state)
    assert not views.summary_message(paper.state).frozen


def test_a_record_that_gives_a_table_up_is_known_as_such_and_never_folded() -> None:
    paper = table(ANA, BOGDAN)
    record = f.Record(0, "", paper.now, (f.TableWrittenOff("mihai", "the log has a hole"),))
    data = f.encode(record)
    assert f.writes_off(data)
    assert not any(f.writes_off(one) for one in (*paper.log, b"", b"{}", b"not json"))
    with pytest.raises(FoldError):
        fold(paper.state, record, f.link(data))
    chained = f.Record(paper.state.revision + 1, paper.state.link, paper.now, record.facts)
    with pytest.raises(FoldError):
        fold(paper.state, chained, f.link(f.encode(chained)))
    assert not f.writes_off(f.encode(chained))
