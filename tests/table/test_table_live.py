"""A table in the memory of two servers at once: what one has not heard of, what races, and what timers promise."""

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from nats.aio.subscription import Subscription

from services.table import commands as c
from services.table import errors
from services.table import facts as f
from services.table.clocks import Limits, next_deadline
from services.table.decide import Circumstances
from services.table.engine.arzoi.actions import Choose
from services.table.engine.game import IllegalAction
from services.table.live import LiveTable, Means
from services.table.log import Stored, TableLog
from services.table.metrics import TableMetrics
from services.table.operating import AWAKE_MILLISECONDS, Operator
from services.table.timers import Timers
from shared import stream_setup
from shared.bus import Bus, BusUnavailable
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.metrics import Metrics
from shared.personas import PERSONA_NAMES
from tests.support.tables import ANA, BOGDAN
from tests.support.waiting import until

TABLE = "t" * 24
WITHIN = 20.0


class Deaf(TableLog):
    """A log of which nothing is heard."""

    async def follow(self, table: str, heard: Callable[[int, bytes], Awaitable[None]]) -> Subscription:
        async def nothing(sequence: int, data: bytes) -> None: ...

        return await super().follow(table, nothing)


class Slow(TableLog):
    """A log whose first answer is a long time on its way; `heard` is set when something was heard meanwhile."""

    def __init__(self, bus: Bus) -> None:
        super().__init__(bus)
        self.read_it, self.heard, self.answer = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def read(self, table: str, after: int = 0) -> list[Stored]:
        stored = await super().read(table, after)
        self.read_it.set()
        await self.answer.wait()
        return stored

    async def follow(self, table: str, heard: Callable[[int, bytes], Awaitable[None]]) -> Subscription:
        async def take(sequence: int, data: bytes) -> None:
            await heard(sequence, data)
            self.heard.set()

        return await super().follow(table, take)


class Overtaken(Timers):
    """Timers of a server that another one overtakes just before the first is armed."""

    def __init__(self, bus: Bus) -> None:
        super().__init__(bus)
        self.overtake: Callable[[], Awaitable[object]] | None = None

    async def arm(self, table: str, when: int) -> int:
        overtake, self.overtake = self.overtake, None
        if overtake is not None:
            await overtake()
        return await super().arm(table, when)


class Dying(Timers):
    """Timers of an operator whose process dies before it wakes the table."""

    async def arm(self, table: str, when: int) -> int:
        if when <= self.now():
            raise BusUnavailable("dead")
        return await super().arm(table, when)

    def __init__(self, bus: Bus, now: Callable[[], int]) -> None:
        super().__init__(bus)
        self.now = now


class Servers:
    """Makes copies of one table, as that many servers have it, on one clock."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.now = time.time_ns() // 1_000_000
        self.copies: list[LiveTable] = []

    def circumstances(self) -> Circumstances:
        return Circumstances(self.now, lambda size: b"\1" * size, Limits(), PERSONA_NAMES)

    async def copy(self, log: TableLog | None = None, timers: Timers | None = None) -> LiveTable:
        live = self.unopened(log, timers)
        await live.open()
        return live

    def unopened(self, log: TableLog | None = None, timers: Timers | None = None) -> LiveTable:
        metrics = TableMetrics(Metrics("table"))
        means = Means(
            log or TableLog(self.bus),
            timers or Timers(self.bus),
            self.circumstances,
            metrics,
            lambda live, before, after: None,
            lambda live: None,
        )
        live = LiveTable(TABLE, means)
        self.copies.append(live)
        return live

    async def pending(self) -> int | None:
        """When the pending timer fires; None when there is none."""
        stored = await self.bus.last("TIMERS", f"tables.timer.{TABLE}")
        return None if stored is None else int(stored[1])


@pytest.fixture
async def servers(bus: Bus) -> AsyncIterator[Servers]:
    await stream_setup.ensure(bus, ["TABLES", "TIMERS"])
    made = Servers(bus)
    yield made
    for live in made.copies:
        await live.close()


async def a_table(servers: Servers, *people: f.Person, start: bool = False) -> LiveTable:
    """A table of these people, all present, on a first server."""
    live = await servers.copy()
    await live.execute(c.CreateTable(TABLE, f.Options(game="arzoi", seats=3), host=people[0]))
    for person in people[1:]:
        await live.execute(c.TakeSeat(person))
    for person in people:
        await live.execute(c.Connect(person.player, "server-a"))
    if start:
        await live.execute(c.StartMatch(people[0].player))
    return live


async def test_what_is_stored_while_the_log_is_being_read_is_not_missed(servers: Servers) -> None:
    first = await a_table(servers, ANA, BOGDAN)
    slow = Slow(servers.bus)
    other = servers.unopened(slow)
    opening = asyncio.ensure_future(other.open())
    async with asyncio.timeout(WITHIN):
        await slow.read_it.wait()
        await first.execute(c.Say(ANA.player, "noroc"))
        await slow.heard.wait()
        slow.answer.set()
        await opening
    await until(lambda: other.state.revision == first.state.revision)


async def test_nothing_is_refused_or_taken_for_done_on_hearsay(servers: Servers) -> None:
    first = await servers.copy()
    await first.execute(c.CreateTable(TABLE, f.Options(game="arzoi", seats=3), host=ANA))
    deaf = await servers.copy(Deaf(servers.bus))
    await first.execute(c.TakeSeat(BOGDAN))
    # Bogdan gets up at a server that does not know that he sits.
    revision = await deaf.execute(c.LeaveTable(BOGDAN.player), f.Request("p-bogdan", "leave", "x"))
    assert revision == 3
    assert deaf.state.seat_of(BOGDAN.player) is None
    await first.refresh()
    await first.execute(c.TakeSeat(BOGDAN))
    assert await deaf.execute(c.Say(BOGDAN.player, "aici")) == 5


async def test_a_repeat_at_a_server_that_heard_nothing_gets_the_first_answer(servers: Servers) -> None:
    first = await a_table(servers, ANA, BOGDAN)
    deaf = await servers.copy(Deaf(servers.bus))
    request = f.Request("p-ana", "play-one", "x")
    await first.execute(c.StartMatch(ANA.player))
    revision = await first.execute(c.SubmitAction(ANA.player, Choose(2)), request)
    assert await deaf.execute(c.SubmitAction(ANA.player, Choose(2)), request) == revision


async def test_a_viewer_who_comes_from_a_server_that_knew_more_is_not_thrown_back(servers: Servers) -> None:
    first = await a_table(servers, ANA, BOGDAN)
    deaf = await servers.copy(Deaf(servers.bus))
    seen = await first.execute(c.Say(ANA.player, "noroc"))
    watcher = await deaf.watch(BOGDAN.player, seen)
    message = pb.WatchTableResponse.FromString(await watcher.take(1.0) or b"")
    assert message.heartbeat.revision == seen


async def test_a_timer_armed_in_a_lost_race_does_not_stay_later_than_what_is_due(servers: Servers) -> None:
    first = await a_table(servers, ANA, start=True)
    servers.now += 3_600_000  # whatever was armed has fired
    timers = Overtaken(servers.bus)
    second = await servers.copy(timers=timers)
    timers.overtake = lambda: first.execute(c.SubmitAction(ANA.player, Choose(2)))
    await second.execute(c.Disconnect(ANA.player, "server-a", servers.now))
    deadline = next_deadline(second.state, Limits())
    pending = await servers.pending()
    assert deadline is not None
    assert pending is not None
    assert pending <= deadline


async def test_a_timer_armed_for_a_change_that_was_then_refused_is_put_right(servers: Servers) -> None:
    first = await a_table(servers, ANA, start=True)
    servers.now += 3_600_000
    timers = Overtaken(servers.bus)
    second = await servers.copy(timers=timers)

    async def overtake() -> None:
        await first.execute(c.SubmitAction(ANA.player, Choose(2)))
        await first.execute(c.Disconnect(ANA.player, "server-a", servers.now))

    timers.overtake = overtake
    assert await second.execute(c.Disconnect(ANA.player, "server-a", servers.now)) == first.state.revision
    deadline = next_deadline(first.state, Limits())
    assert deadline is not None

    async def in_time() -> bool:
        pending = await servers.pending()
        return pending is not None and pending <= deadline

    await until(in_time)


async def test_a_timer_is_put_right_only_by_whom_armed_it_and_while_no_other_took_its_place(servers: Servers) -> None:
    timers = Timers(servers.bus)
    mine = await timers.arm(TABLE, servers.now + 60_000)
    await timers.arm_over(TABLE, servers.now + 90_000, 0)
    assert await servers.pending() == servers.now + 60_000
    await timers.arm_over(TABLE, servers.now + 70_000, mine)
    assert await servers.pending() == servers.now + 70_000
    await timers.arm_over(TABLE, servers.now + 80_000, mine)
    assert await servers.pending() == servers.now + 70_000


async def test_a_timer_that_fires_too_early_by_the_clock_here_comes_again_in_time(servers: Servers) -> None:
    def behind() -> int:
        return time.time_ns() // 1_000_000 - 1_000

    when = behind() + 500
    fired: asyncio.Queue[int] = asyncio.Queue()

    async def due(table: str) -> None:
        await fired.put(behind())

    timers = Timers(servers.bus)
    consuming = asyncio.ensure_future(timers.consume(due, behind))
    await timers.arm(TABLE, when)
    async with asyncio.timeout(WITHIN):
        assert await fired.get() >= when
    consuming.cancel()
    await asyncio.gather(consuming, return_exceptions=True)


@pytest.mark.parametrize("back", [False, True])
async def test_what_a_record_promises_holds_after_an_operator_has_woken_the_table(servers: Servers, back: bool) -> None:
    servers.now += 3_600_000  # nothing fires in real time
    live = await a_table(servers, ANA, BOGDAN, start=True)
    await live.execute(c.Disconnect(BOGDAN.player, "server-a", servers.now))
    if back:  # then nothing is due, and the timer stays for what comes
        servers.now += 5_000
        await live.execute(c.Connect(BOGDAN.player, "server-a"))
    promised = live.state.wake
    assert promised > servers.now
    timers = Timers(servers.bus)
    await timers.arm(TABLE, servers.now)
    await timers.disarm(TABLE)  # it fires
    await live.rearm()
    assert await servers.pending() == promised
    servers.now += 1_000
    await live.execute(c.Disconnect(BOGDAN.player, "server-a", servers.now))
    pending, deadline = await servers.pending(), next_deadline(live.state, Limits())
    assert pending is not None
    assert deadline is not None
    assert pending <= deadline


@pytest.mark.parametrize("seed", range(4))
async def test_as_long_as_something_is_due_a_timer_fires_no_later_whatever_two_servers_and_an_operator_do(
    servers: Servers, seed: int
) -> None:
    chance = random.Random(seed)
    servers.now += 3_600_000  # nothing fires in real time
    first = await a_table(servers, ANA, BOGDAN, start=True)
    copies = [first, await servers.copy()]
    timers = Timers(servers.bus)

    excused = 0

    async def intervene() -> None:
        nonlocal excused
        hands = timers
        if chance.random() < 0.5:  # nobody wakes the table then, until the timer fires that was to make up for it
            hands, excused = Dying(servers.bus, lambda: servers.now), servers.now + AWAKE_MILLISECONDS
        kind = chance.choice((c.FreezeTable, c.ResumeTable, c.ResumeTable))
        with contextlib.suppress(errors.TableError, BusUnavailable):
            await Operator(TableLog(servers.bus), hands, lambda: servers.now).intervene(TABLE, kind("mihai", "why"))

    async def command(live: LiveTable) -> None:
        person = chance.choice((ANA, BOGDAN))
        server = chance.choice(("server-a", "server-b"))
        kind = chance.randrange(5)
        with contextlib.suppress(errors.TableError, IllegalAction):
            if kind == 0:
                await live.execute(c.Disconnect(person.player, server, servers.now))
            elif kind == 1:
                await live.execute(c.Connect(person.player, server))
            elif kind == 2:
                await live.execute(c.Say(person.player, "noroc"))
            else:
                action = chance.choice(list(live.state.position().legal_actions()))
                await live.execute(c.SubmitAction(person.player, action))

    for _ in range(30):
        working = [command(live) for live in chance.choices(copies, k=3)]
        await asyncio.gather(*working, *([intervene()] if chance.random() < 0.3 else []))
        await until(lambda: all(live.idle for live in copies))
        live = chance.choice(copies)
        await live.refresh()
        deadline, pending = next_deadline(live.state, Limits()), await servers.pending()
        if deadline is not None:
            assert pending is not None
            assert pending <= max(deadline, servers.now + 1_000, excused)
        servers.now += chance.choice((100, 900, 3_000, 8_000))
        if pending is not None and pending <= servers.now:
            await timers.disarm(TABLE)  # it fires
            await live.refresh()
            await live.tick()
            await live.rearm()
        if live.state.over:
            break
