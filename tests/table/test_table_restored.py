"""A table after the club was restored from a backup: no time is missing, nobody is present, and nothing that was
decided in the future that is lost passes for current. No server.
"""

import pytest
from msgspec.structs import replace

from services.table import commands as c
from services.table import errors, restoration
from services.table import facts as f
from services.table.clocks import deadlines, turn_deadlines
from services.table.engine.game import IllegalAction
from services.table.state import FoldError, TableState, fold
from services.table.timeline import Timeline
from services.table.turns import Turns
from services.table.views import TableEncoder
from shared.gen.levata.table.v1 import table_pb2 as pb
from tests.support.tables import ANA, BOGDAN, PaperTable, table

CLOCK = f.Clock(bid=20, play=15, choose=30, bank=60)
A_DAY = 24 * 3600 * 1000
AN_HOUR = 3600 * 1000


def restore(
    paper: PaperTable, taken: int = 0, after: int = A_DAY, *, started: bool = True, known: bool = False
) -> f.Record:
    """Restores a table `after` ms after the backup, taken so many ms from now; the record that tells of it.

    If the club is `started`, that is an hour after the restore.
    """
    since = paper.now + taken
    paper.now = since + after
    record = restoration.record(paper.state, since, paper.now, paper.now, known=known)
    data = f.encode(record)
    paper.state, _ = fold(paper.state, f.decode(data), f.link(data))
    paper.log.append(data)
    if started and paper.state.dormant:
        paper.now += AN_HOUR
        start_club(paper)
    return record


def start_club(paper: PaperTable) -> None:
    """A server opens the table for the first time."""
    assert paper.state.dormant
    assert list(deadlines(paper.state, paper.limits)) == []
    (fact,) = paper.do(c.Tick())
    assert isinstance(fact, f.StoodStill)
    assert not paper.state.dormant
    assert paper.do(c.Tick()) == []


def turn_left(paper: PaperTable) -> int:
    """Milliseconds that the person to decide has without the bank."""
    found = turn_deadlines(paper.state)
    assert found is not None
    return found[0] - paper.now


def test_a_restore_a_day_later_costs_nobody_any_time_and_stops_no_match() -> None:
    paper = table(ANA, BOGDAN, clock=CLOCK)
    paper.play_on(until=lambda state: state.decision is not None and state.decided_by == "player")
    decider = paper.state.decision
    assert decider is not None
    person = paper.state.seats[decider.seat].player
    paper.now += 3_000
    before = turn_left(paper)
    restore(paper, taken=2_000)
    assert all(not seat.connections for seat in paper.state.seats)
    assert turn_deadlines(paper.state) is None  # lost by the club: the clock stands still
    assert paper.wait(0) == []
    paper.now += 5_000
    paper.do(c.Connect(person, "server-b"))
    assert turn_left(paper) == before - 2_000


def test_whoever_does_not_come_back_is_away_after_the_time_of_absence_from_the_restore_on() -> None:
    paper = table(ANA, BOGDAN)
    restore(paper)
    assert {one.when - paper.now for one in deadlines(paper.state, paper.limits) if one.due == "absence"} == {20_000}
    assert {one.when - paper.now for one in deadlines(paper.state, paper.limits) if one.due == "abandoned"} == {600_000}
    paper.do(c.Connect(ANA.player, "server-b"))
    assert paper.wait(20_000)[:1] == [f.WentAway(1)]
    assert not paper.state.seats[0].away


def test_an_absence_that_had_begun_goes_on_where_it_was() -> None:
    paper = table(ANA, BOGDAN)
    paper.do(c.Disconnect(BOGDAN.player, "server-a", paper.now))
    restore(paper, taken=15_000)
    assert {one.seat: one.when - paper.now for one in deadlines(paper.state, paper.limits) if one.due == "absence"} == {
        0: 20_000,
        1: 5_000,
    }


def test_a_bot_has_its_whole_time_again_and_is_asked_anew() -> None:
    paper = table(ANA, BOGDAN)
    paper.play_on(until=lambda state: state.decided_by == "bot")
    restore(paper)
    assert {one.when - paper.now for one in deadlines(paper.state, paper.limits) if one.due == "bot"} == {5_000}
    assert Turns.interrupted(paper.state)


def test_what_was_decided_in_the_lost_future_is_stale_and_what_is_decided_now_is_not() -> None:
    paper = table(ANA, BOGDAN)
    paper.play_on(until=lambda state: state.decided_by == "player" and state.decision is not None)
    assert paper.state.decision is not None
    person = paper.state.seats[paper.state.decision.seat].player
    action = paper.legal()[0]
    seen = paper.state.revision
    record = restore(paper)
    for revision in (seen, seen + 500, record.n - 1):
        with pytest.raises(errors.StaleRevisionError):
            paper.do(c.SubmitAction(person, action, revision))
    assert paper.do(c.SubmitAction(person, action, paper.state.revision))


def test_numbers_leave_out_what_the_restore_says_and_no_other_record_may_leave_any_out() -> None:
    paper = table(ANA, BOGDAN)
    before = paper.state
    record = restore(paper, started=False)
    skipped = restoration.REVISIONS_SKIPPED + A_DAY // restoration.MILLISECONDS_A_REVISION
    assert paper.state.revision == record.n == before.revision + 1 + skipped
    for broken in (
        f.Record(before.revision + 2, before.link, paper.now, (f.CameBack(0),)),
        f.Record(record.n + 1, before.link, paper.now, record.facts),
        f.Record(before.revision + 1, before.link, paper.now, record.facts),
        f.Record(record.n, "0" * 64, paper.now, record.facts),
    ):
        with pytest.raises(FoldError):
            fold(before, broken, "")


def test_a_viewer_from_before_gets_a_snapshot_and_no_events() -> None:
    paper = table(ANA, BOGDAN)
    timeline = Timeline()
    state = TableState()
    restore(paper)
    paper.do(c.Connect(ANA.player, "server-b"))
    for data in paper.log:
        state, told = fold(state, f.decode(data), f.link(data))
        timeline.add(state, told)
    last = paper.state.revision
    for seen in (1, last - 3 - restoration.REVISIONS_SKIPPED, last - 1_000):
        assert timeline.after(seen) is None
    assert [one.revision for one in timeline.after(last - 1) or []] == [last]


def test_everybody_who_comes_is_told_the_moment_to_which_the_table_went_back() -> None:
    paper = table(ANA, BOGDAN)
    encoder = TableEncoder()

    def seen() -> pb.Table:
        return pb.Table.FromString(encoder.table(paper.state))

    assert not seen().HasField("restored_to")
    record = restore(paper, taken=2_000, started=False)
    first = record.facts[0]
    assert isinstance(first, f.Restored)
    assert seen().restored_to.ToMilliseconds() == first.since
    start_club(paper)
    assert seen().restored_to.ToMilliseconds() == first.since


def test_a_match_whose_result_the_ledger_has_is_stopped_and_tells_no_result() -> None:
    paper = table(ANA, BOGDAN)
    restore(paper, known=True)
    assert paper.state.status == "stopped"
    assert not paper.state.dormant
    assert [one.due for one in deadlines(paper.state, paper.limits)] == ["close"]
    with pytest.raises((errors.NotPlayingError, IllegalAction)):
        paper.do(c.SubmitAction(ANA.player, None))


def test_a_table_that_an_operator_has_frozen_stays_frozen_and_loses_no_time_either() -> None:
    paper = table(ANA, BOGDAN, clock=CLOCK)
    paper.play_on(until=lambda state: state.decided_by == "player" and state.decision is not None)
    assert paper.state.decision is not None
    person = paper.state.seats[paper.state.decision.seat].player
    before = turn_left(paper)
    paper.do(c.FreezeTable("mihai", "a complaint"))
    restore(paper, taken=1_000)
    assert paper.state.frozen is not None
    assert list(deadlines(paper.state, paper.limits)) == []
    paper.do(c.Connect(person, "server-b"))
    paper.do(c.ResumeTable("mihai", "it was none"))
    assert turn_left(paper) == before


def test_a_table_that_waits_keeps_its_seats_for_as_long_as_for_anybody_who_vanishes() -> None:
    paper = table(ANA, BOGDAN, start=False)
    restore(paper)
    assert {one.when - paper.now for one in deadlines(paper.state, paper.limits) if one.due == "absence"} == {120_000}
    assert replace(paper.state, seats=()).status == "waiting"


def test_what_comes_first_at_a_dormant_table_lets_it_go_on_before_anything_else() -> None:
    paper = table(ANA, BOGDAN, clock=CLOCK)
    restore(paper, started=False)
    paper.now += AN_HOUR
    first, *others = paper.do(c.Connect(ANA.player, "server-b"))
    assert isinstance(first, f.StoodStill)
    assert [type(one) for one in others] == [f.Connected]
    assert {one.when - paper.now for one in deadlines(paper.state, paper.limits) if one.due == "absence"} == {20_000}


def test_what_followed_one_restore_is_stale_after_another_of_the_same_backup() -> None:
    paper = table(ANA, BOGDAN, clock=CLOCK)
    paper.play_on(until=lambda state: state.decided_by == "player" and state.decision is not None)
    backup = paper.state
    since = paper.now
    first = restoration.record(backup, since, since + AN_HOUR, since + AN_HOUR, known=False)
    later = AN_HOUR + 60_000
    second = restoration.record(backup, since, since + later, since + later, known=False)
    assert second.n - first.n == 60_000 // restoration.MILLISECONDS_A_REVISION
