"""An operator at the log of tables that two real servers have alive, while play goes on."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import grpc
import pytest

from services.table import commands as c
from services.table import errors, tables, verify
from services.table import facts as f
from services.table.inspection import inspect
from services.table.log import TableLog
from services.table.operating import DamagedLogError, Operator
from services.table.service import now
from services.table.timers import Timers
from shared.bus import Bus, BusUnavailable, Message
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.harness import Service
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from shared.streams import CONSUMERS
from tests.support.services import Club
from tests.support.table_service import WITHIN, Person, Watch, fresh, my_turn, reason_of, start_table
from tests.support.waiting import until

FREEZE = c.FreezeTable("mihai", "a claim of cheating", "We look into something.")
RESUME = c.ResumeTable("mihai", "it was none")
END = c.EndTable("mihai", "it was one", "The match does not count.")
MOVED_ON = ("STALE_REVISION", "BOT_DECIDES", "NOT_YOUR_TURN", "FROZEN_BY_OPERATOR")
QUICK = pb.Clock(bid_seconds=1, play_seconds=1, choose_seconds=1)
SLOW = pb.Clock(bid_seconds=300, play_seconds=300, choose_seconds=300)


@pytest.fixture
async def server(levata: Club, tmp_path: Path) -> Service:
    return await start_table(levata, tmp_path, bot_milliseconds=1)


@pytest.fixture
async def other(levata: Club, tmp_path: Path) -> Service:
    return await start_table(levata, tmp_path, "other", bot_milliseconds=1)


@pytest.fixture
async def ana(levata: Club, server: Service) -> Person:
    return Person(levata, await levata.channel(server), "Ana")


@pytest.fixture
async def ana_elsewhere(levata: Club, other: Service) -> Person:
    return Person(levata, await levata.channel(other), "Ana")


@pytest.fixture
async def bus(levata: Club) -> AsyncIterator[Bus]:
    made = await Bus.connect(levata.settings(ServiceSettings, "operator"), Metrics("operator"), "operator")
    yield made
    await made.close()


@pytest.fixture
async def operator(bus: Bus) -> Operator:
    return Operator(TableLog(bus), Timers(bus), now)


async def refused(person: Person, table: str, update: pb.Update) -> tuple[str, str]:
    """What a person is told whose action is refused."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await person.act(table, update)
    return reason_of(caught.value)


async def play(person: Person, table: str, watch: Watch) -> pb.Update:
    """Plays the first legal action whenever it is this person's turn, to the end; what is refused is tried again when
    something has happened.
    """
    played = 0
    while True:
        update = await watch.update()
        if update.table.status != pb.TABLE_STATUS_PLAYING:
            return update
        if my_turn(update) and update.revision >= played:
            try:
                played = await person.act(table, update)
            except grpc.aio.AioRpcError as error:
                assert reason_of(error)[1] in MOVED_ON  # noqa: PT017


def event(kind: str) -> Callable[[pb.Update], bool]:
    """Whether an update has an event of this kind."""
    return lambda update: any(one.WhichOneof("event") == kind for one in update.events)


async def test_a_frozen_match_stands_still_on_every_server_and_goes_on_with_the_time_that_was_left(
    server: Service, ana: Person, ana_elsewhere: Person, operator: Operator, bus: Bus
) -> None:
    table, control = await ana.create(seats=3, clock=SLOW), await ana.create(seats=3, clock=QUICK)
    for each in (table, control):
        await ana.start(each)
    watch, there = ana.watch(table), ana_elsewhere.watch(table)
    open_turn = await watch.until(my_turn)

    frozen_at = await operator.intervene(table, FREEZE)
    for one in (watch, there):
        update = await one.until(event("table_frozen"))
        assert update.revision == frozen_at
        assert update.table.freeze.note == "We look into something."
        assert not update.private.legal_actions
        assert not update.table.decision.HasField("deadline")
    left = open_turn.table.decision.deadline.ToMilliseconds() - update.at.ToMilliseconds()
    for person in (ana, ana_elsewhere):
        assert await refused(person, table, open_turn) == ("FAILED_PRECONDITION", "FROZEN_BY_OPERATOR")
    # The clock of a table that is not frozen runs out thrice meanwhile, and its bots play.
    running = ana.watch(control)
    for _ in range(3):
        await running.until(event("clock_expired"))
    meanwhile = (await operator.inspect(table)).lines[frozen_at:]
    assert all(isinstance(fact, f.Connected) for line in meanwhile if line.record for fact in line.record.facts)
    listed = (await ana.call("ListTables", pb.ListTablesRequest())).tables
    assert {one.table_id: one.frozen for one in listed} == {table: True, control: False}
    assert server.metrics.value("levata_tables_listed_suspended") == 1

    await operator.intervene(table, RESUME)
    for one in (watch, there):
        update = await one.until(event("table_resumed"))
        assert my_turn(update)
        assert update.table.decision.deadline.ToMilliseconds() - update.at.ToMilliseconds() == left
    await ana.act(table, update)
    inspection = await operator.inspect(table)
    told = [fact for line in inspection.lines if line.record for fact in line.record.facts]
    assert [(one.by, one.why) for one in told if isinstance(one, f.TableFrozen | f.TableResumed)] == [
        ("mihai", "a claim of cheating"),
        ("mihai", "it was none"),
    ]


async def test_bots_are_asked_again_when_a_table_goes_on_that_no_server_has_alive(
    levata: Club, tmp_path: Path, operator: Operator, bus: Bus
) -> None:
    offered: list[bot_pb2.BotTurn] = []

    async def take(message: Message) -> None:
        offered.append(bot_pb2.BotTurn.FromString(message.data))

    bots = asyncio.create_task(bus.consume(CONSUMERS["bots"], take))
    first = await start_table(levata, tmp_path, "first", bot_milliseconds=600_000)
    ana = Person(levata, await levata.channel(first), "Ana")
    table = await ana.create(seats=3)
    await ana.start(table)
    await ana.act(table, await ana.table(table))
    await until(lambda: len(offered) == 1)
    await operator.intervene(table, FREEZE)
    await first.crash()
    await start_table(levata, tmp_path, "second", bot_milliseconds=600_000)
    await operator.intervene(table, RESUME)

    await until(lambda: len(offered) == 2)
    await bus.drain()
    await bots
    before, after = offered
    assert (before.seat, before.revision, before.turn_token) == (after.seat, after.revision, after.turn_token)
    assert before.private.legal_actions == after.private.legal_actions
    assert before.deadline.ToMilliseconds() < after.deadline.ToMilliseconds()


async def test_a_match_that_is_frozen_all_the_time_is_played_to_its_end_and_its_log_and_record_hold(
    ana: Person, ana_elsewhere: Person, operator: Operator, bus: Bus
) -> None:
    table = await ana.create(seats=3)
    await ana.start(table)
    watch, there = ana.watch(table), ana_elsewhere.watch(table)
    await there.update()
    playing = asyncio.create_task(play(ana, table, watch))
    freezes = 0
    with contextlib.suppress(errors.NotPlayingError):
        while freezes < 20:
            await operator.intervene(table, FREEZE)
            freezes += 1
            await operator.intervene(table, RESUME)
    assert freezes > 1
    assert (await asyncio.wait_for(playing, 2 * WITHIN)).table.status == pb.TABLE_STATUS_FINISHED
    inspection = inspect(table, await TableLog(bus).read(table))
    assert inspection.damaged is None
    assert inspection.state.status == "finished"
    verify.verify((await ana.call("GetRecord", pb.GetRecordRequest(table_id=table))).record)


async def test_a_table_that_an_operator_ends_is_told_so_and_posted_as_stopped(
    ana: Person, ana_elsewhere: Person, operator: Operator, bus: Bus
) -> None:
    table = await ana.create(seats=3)
    await ana.start(table)
    watches = [ana.watch(table), ana_elsewhere.watch(table)]
    for watch in watches:
        await watch.update()
    await operator.intervene(table, FREEZE)
    await operator.intervene(table, END)
    for watch in watches:
        update = await watch.until(event("table_stopped"))
        (stopped,) = [one.table_stopped for one in update.events]
        assert stopped == pb.TableStopped(reason=pb.STOP_REASON_OPERATOR, note="The match does not count.")
        assert not update.table.HasField("freeze")
        assert update.table.status == pb.TABLE_STATUS_STOPPED
    await until(lambda: bus.last("RESULTS", "results.arzoi"))
    ((_, data),) = await bus.read_subject("RESULTS", "results.arzoi")
    assert ledger_pb2.MatchResult.FromString(data).stopped
    with pytest.raises(errors.NotPlayingError):
        await operator.intervene(table, FREEZE)


def frozen_here(server: Service, tables: int) -> Callable[[], bool]:
    """Whether a server has so many tables in memory that are frozen because their log is damaged."""
    return lambda: server.metrics.value("levata_tables_alive_frozen") == tables


def only_listed(person: Person, table: str) -> Callable[[], Awaitable[bool]]:
    """Whether this is the one table at which a person has a seat, as a server lists it."""

    async def listed() -> bool:
        mine = (await person.call("ListMyTables", pb.ListMyTablesRequest())).tables
        return [one.table_id for one in mine] == [table]

    return listed


async def test_a_damaged_table_cannot_go_on_but_can_be_given_up_everywhere_and_its_log_stays(
    server: Service,
    other: Service,
    ana: Person,
    ana_elsewhere: Person,
    operator: Operator,
    bus: Bus,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, sound = await ana.create(seats=3), await ana.create(seats=3)
    await ana_elsewhere.table(table)
    stored = await TableLog(bus).read(table)
    bad = await TableLog(bus).append(table, b'{"n":7,"prev":"","at":1,"facts":[]}', stored[-1][0])
    for command in (FREEZE, RESUME, END):
        with pytest.raises(DamagedLogError, match=f"sequence {bad}: record 7 follows revision"):
            await operator.intervene(table, command)
    for person, where in ((ana, server), (ana_elsewhere, other)):
        await until(frozen_here(where, 1))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await person.table(table)
        assert reason_of(caught.value) == ("DATA_LOSS", "TABLE_FROZEN")

    written_off = (await operator.write_off(table, "mihai", "somebody wrote to it")).written_off
    assert written_off is not None
    for person, where in ((ana, server), (ana_elsewhere, other)):
        await until(frozen_here(where, 0))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await person.table(table)
        assert reason_of(caught.value) == ("NOT_FOUND", "TABLE_NOT_FOUND")
        await until(only_listed(person, sound))
    kept = await TableLog(bus).read(table)
    assert [data for _, data in kept[:-1]] == [*(data for _, data in stored), b'{"n":7,"prev":"","at":1,"facts":[]}']
    await operator.write_off(table, "mihai", "once more")
    assert await TableLog(bus).read(table) == kept
    until_when = written_off.at + tables.EVIDENCE_DAYS * 86_400_000

    async def to_be_erased() -> bool:
        pending = await bus.last("TIMERS", f"tables.timer.{table}")
        return pending is not None and int(pending[1]) == until_when

    await until(to_be_erased)
    monkeypatch.setattr(tables, "EVIDENCE_DAYS", 0)
    await operator.write_off(table, "mihai", "thirty days later")

    async def erased() -> bool:
        return not await TableLog(bus).read(table)

    await until(erased)
    with pytest.raises(ValueError, match="in order"):
        await operator.write_off(sound, "mihai", "none")
    await ana.start(sound)


class Unsure(TableLog):
    """A log whose first acknowledgements are lost: of a record that was stored, or that was not."""

    def __init__(self, bus: Bus, lost: list[bool]) -> None:
        super().__init__(bus)
        self.lost = lost

    async def append(self, table: str, data: bytes, expected: int) -> int:
        if not self.lost:
            return await super().append(table, data, expected)
        if self.lost.pop(0):
            await super().append(table, data, expected)
        raise BusUnavailable("no acknowledgement in time", maybe_stored=True)


@pytest.mark.parametrize("lost", [[True], [False], [False, True]])
async def test_what_was_stored_without_an_answer_is_done_once(ana: Person, bus: Bus, lost: list[bool]) -> None:
    table = await ana.create(seats=3)
    operator = Operator(Unsure(bus, lost), Timers(bus), now)
    revision = await operator.intervene(table, FREEZE)
    seen = await operator.inspect(table)
    freezes = [
        line.record.n
        for line in seen.lines
        if line.record is not None and any(isinstance(fact, f.TableFrozen) for fact in line.record.facts)
    ]
    assert freezes == [revision]


async def test_a_table_that_is_not_there_is_not_made_by_an_operator(operator: Operator, bus: Bus) -> None:
    for attempt in (
        operator.inspect("t" * 24),
        operator.intervene("t" * 24, FREEZE),
        operator.write_off("t" * 24, "mihai", "why"),
    ):
        with pytest.raises(errors.TableNotFoundError):
            await attempt
    assert await TableLog(bus).read("t" * 24) == []


async def test_a_player_who_leaves_and_comes_back_during_a_freeze_is_present_when_it_ends(
    ana: Person, operator: Operator, bus: Bus
) -> None:
    table = await ana.create(seats=3)
    await ana.start(table)
    watch = ana.watch(table)
    await watch.update()
    await operator.intervene(table, FREEZE)
    watch.close()

    async def present() -> bool:
        return bool((await operator.inspect(table)).state.seats[0].connections)

    async def absent() -> bool:
        return not await present()

    await until(absent)
    again = ana.watch(table)
    await until(present)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ana.call("LeaveTable", pb.LeaveTableRequest(request_id=fresh(), table_id=table))
    assert reason_of(caught.value)[1] == "FROZEN_BY_OPERATOR"
    await operator.intervene(table, RESUME)
    assert my_turn(await again.until(event("table_resumed")))
