"""The matcher's steps: whatever dies between two of them, everybody gets one table."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

import grpc
import pytest

from services.matchmaking.desk import Desk
from services.matchmaking.errors import TableBeingMadeError, TicketMatchedError
from services.matchmaking.lease import Lease
from services.matchmaking.making import Tables
from services.matchmaking.matcher import Matcher
from services.matchmaking.measures import Measures
from services.matchmaking.queues import QUEUES
from services.matchmaking.ratings import Ratings
from services.matchmaking.room import Room
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.store import BUCKET, Store, Stored
from services.matchmaking.tickets import Ticket, change
from shared.bus import Bus
from shared.gen.levata.table.v1 import table_pb2_grpc
from shared.metrics import Metrics
from tests.support.recorded_tables import RecordedTables
from tests.support.waiting import until

QUEUE = QUEUES[0]
PEOPLE = ("ana", "ion", "eva")


class Died(Exception):  # noqa: N818 - what happens to a process
    """The process is no more."""


class FrailBus:
    """A bus whose process dies at its n-th append, before or after it was stored."""

    def __init__(self, bus: Bus, dies_at: int, stored: bool) -> None:
        self._bus = bus
        self._left = dies_at
        self._stored = stored
        self.died = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bus, name)

    async def append(self, subject: str, data: bytes, after: int, headers: Mapping[str, str] | None = None) -> int:
        if self.died:
            raise Died
        self._left -= 1
        if self._left == 0:
            self.died = True
            if self._stored:
                await self._bus.append(subject, data, after, headers)
            raise Died
        return await self._bus.append(subject, data, after, headers)


class Process:
    """All of matchmaking but the server, for one queue."""

    def __init__(self, bus: Any, room: Room, tables: Tables, clock: Any, lease_key: str) -> None:
        self.clock = clock
        self.metrics = Metrics("matchmaking")
        measures = Measures(self.metrics)
        settings = MatchmakingSettings(instance=lease_key, wave_seconds=0.05, table_seconds=2.0)
        self.bus = bus
        self.store = Store(bus, settings.ticket_keep_seconds)
        self.room = room
        ratings = Ratings({QUEUE.id: QUEUE}, self.store, room, measures)
        self.desk = Desk({QUEUE.id: QUEUE}, self.store, room, ratings, measures, clock)
        self.lease = Lease(bus, lease_key, lease_key, 6.0)
        self.matcher = Matcher(QUEUE, self.store, room, tables, self.lease, measures, settings, clock)
        self.running: asyncio.Task[None] | None = None

    def start(self) -> asyncio.Task[None]:
        self.running = asyncio.create_task(self.matcher.run())
        return self.running

    async def kill(self) -> None:
        if self.running is not None:
            self.running.cancel()
            await asyncio.gather(self.running, return_exceptions=True)

    async def ticket(self, player: str) -> Ticket:
        return (await self.store.wallet(player)).value.tickets[-1]

    def value(self, name: str, **labels: str) -> float:
        return self.metrics.value(name, queue=QUEUE.id, **labels)


Spawn = Callable[..., Awaitable[Process]]


@pytest.fixture
async def spawn(connect: Any, tables: RecordedTables, clock: Any) -> AsyncIterator[Spawn]:
    """Starts a process; each has a lease of its own, so that any number can lead at once."""
    async with AsyncExitStack() as stack:
        count = 0

        async def spawned(*, dies_at: int = 0, stored: bool = False, lease_key: str = "") -> Process:
            nonlocal count
            count += 1
            bus = await connect()
            room = Room(await bus.kv(BUCKET), QUEUES, 30.0, Measures(Metrics("matchmaking")))
            mirror = asyncio.create_task(room.mirror())
            channel = await stack.enter_async_context(grpc.aio.insecure_channel(tables.address))
            calls = Tables(table_pb2_grpc.TableServiceStub(channel), 2.0)
            frail = FrailBus(bus, dies_at, stored)
            process = Process(frail, room, calls, clock, lease_key or f"matchmaking.p{count}")

            async def end() -> None:
                await process.kill()
                mirror.cancel()
                await asyncio.gather(mirror, return_exceptions=True)

            stack.push_async_callback(end)
            await asyncio.wait_for(room.caught_up.wait(), 20)
            return process

        yield spawned


async def everybody_takes_a_ticket(process: Process, people: tuple[str, ...] = PEOPLE) -> None:
    for player in people:
        await process.desk.take(player, player.title(), f"request-{player}", QUEUE.id)
        process.clock.advance(0.001)


async def everybody_is_seated_once(process: Process, tables: RecordedTables, people: tuple[str, ...] = PEOPLE) -> None:
    async def seated() -> bool:
        return all([(await process.ticket(player)).status == "matched" for player in people])

    await until(seated)
    assert tables.tables_of() == dict.fromkeys(people, 1)
    for player in people:
        ticket = await process.ticket(player)
        assert player in [one.player_id for one in tables.made[ticket.table].players]

    async def cleared() -> bool:
        return not (await process.store.wave(QUEUE.id)).value.groups

    await until(cleared)


async def test_a_full_group_gets_a_table_with_the_queues_options(spawn: Spawn, tables: RecordedTables) -> None:
    process = await spawn()
    process.start()
    await everybody_takes_a_ticket(process)
    await everybody_is_seated_once(process, tables)
    (request,) = tables.requests
    assert request.options == QUEUE.options
    assert [(player.player_id, player.name) for player in request.players] == [
        ("ana", "Ana"),
        ("ion", "Ion"),
        ("eva", "Eva"),
    ]
    assert process.value("levata_matchmaking_tables_total") == 1
    assert process.value("levata_matchmaking_bots_seated_total") == 0
    assert process.value("levata_matchmaking_tickets_ended_total", outcome="matched") == 3
    assert process.value("levata_matchmaking_wait_seconds_count") == 3


STEPS = ["lease", "take over", "plan", "claim 1", "claim 2", "claim 3", "commit", "seat 1", "seat 2", "seat 3", "clear"]


@pytest.mark.parametrize("stored", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", range(len(STEPS)), ids=STEPS)
async def test_a_leader_that_dies_at_any_step_leaves_everybody_one_table(
    spawn: Spawn, tables: RecordedTables, step: int, stored: bool
) -> None:
    desk = await spawn()
    await everybody_takes_a_ticket(desk)
    frail = await spawn(dies_at=step + 1, stored=stored)
    with pytest.raises(Died):
        await asyncio.wait_for(frail.start(), 20)
    made_before = len(tables.made)
    assert made_before == (1 if STEPS[step] in ("seat 1", "seat 2", "seat 3", "clear") else 0)
    successor = await spawn()
    successor.start()
    await everybody_is_seated_once(successor, tables)
    assert len({request.request_id for request in tables.requests}) == 1
    assert len(tables.made) == 1


async def test_a_leader_that_dies_before_its_call_is_answered_leaves_everybody_one_table(
    spawn: Spawn, tables: RecordedTables
) -> None:
    first = await spawn()
    tables.gate.clear()
    first.start()
    await everybody_takes_a_ticket(first)
    await until(lambda: bool(tables.requests))
    await first.kill()
    tables.gate.set()
    successor = await spawn()
    successor.start()
    await everybody_is_seated_once(successor, tables)
    assert len(tables.requests) == 2
    assert tables.requests[0] == tables.requests[1]


async def test_a_call_whose_answer_was_lost_is_repeated_and_makes_no_second_table(
    spawn: Spawn, tables: RecordedTables
) -> None:
    tables.lose = 1
    process = await spawn()
    process.start()
    await everybody_takes_a_ticket(process)
    await everybody_is_seated_once(process, tables)
    assert len(tables.requests) == 2
    assert process.value("levata_matchmaking_table_failures_total", outcome="unanswered") == 1


async def test_a_refused_table_lets_its_players_wait_on_in_their_old_places(
    spawn: Spawn, tables: RecordedTables
) -> None:
    tables.refuse += [grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INVALID_ARGUMENT]
    process = await spawn()
    process.start()
    await everybody_takes_a_ticket(process, (*PEOPLE, "dan"))
    await everybody_is_seated_once(process, tables)
    assert (await process.ticket("dan")).open
    assert process.value("levata_matchmaking_table_failures_total", outcome="refused") == 2
    assert len({request.request_id for request in tables.requests}) == 3


async def test_two_that_lead_at_once_do_no_harm(spawn: Spawn, tables: RecordedTables) -> None:
    """Leases of their own let both lead the queue; the wave lets one of them through at a time."""
    one, other = await spawn(), await spawn()
    people = tuple(f"p{number:02}" for number in range(30))
    one.start()
    other.start()
    await asyncio.gather(
        *(
            (one, other)[number % 2].desk.take(player, player, f"request-{player}", QUEUE.id)
            for number, player in enumerate(people)
        )
    )
    await everybody_is_seated_once(one, tables, people)
    assert len(tables.made) == 10


async def test_of_two_with_one_lease_only_the_holder_matches(spawn: Spawn, tables: RecordedTables) -> None:
    one, other = await spawn(lease_key="matchmaking.q"), await spawn(lease_key="matchmaking.q")
    one.start()
    await until(lambda: one.value("levata_matchmaking_leading") == 1)
    other.start()
    await everybody_takes_a_ticket(other)
    await everybody_is_seated_once(other, tables)
    assert one.value("levata_matchmaking_tables_total") == 1
    assert other.value("levata_matchmaking_tables_total") == 0
    await one.kill()
    await one.matcher.stop()
    await everybody_takes_a_ticket(other, ("p1", "p2", "p3"))
    await until(lambda: other.value("levata_matchmaking_tables_total") == 1)
    assert tables.tables_of() == dict.fromkeys((*PEOPLE, "p1", "p2", "p3"), 1)


async def test_a_leader_that_was_replaced_while_it_claimed_commits_to_nothing(
    spawn: Spawn, tables: RecordedTables
) -> None:
    paused = await spawn()
    await everybody_takes_a_ticket(paused)
    go_on, reached = asyncio.Event(), asyncio.Event()
    claim = paused.matcher._claim

    async def slow(group: Any, chosen: Any) -> bool:
        reached.set()
        await go_on.wait()
        return await claim(group, chosen)

    paused.matcher._claim = slow  # type: ignore[method-assign]
    paused.start()
    await reached.wait()
    tables.gate.clear()
    successor = await spawn()
    successor.start()
    await until(lambda: bool(tables.requests))
    claimed = {player: (await successor.ticket(player)).group for player in PEOPLE}
    go_on.set()
    await until(lambda: paused.value("levata_matchmaking_leading") == 0)
    assert {player: (await successor.ticket(player)).group for player in PEOPLE} == claimed
    await paused.kill()
    tables.gate.set()
    await everybody_is_seated_once(successor, tables)


async def test_a_void_claim_hinders_neither_matching_nor_cancelling(spawn: Spawn, tables: RecordedTables) -> None:
    process = await spawn()
    await everybody_takes_a_ticket(process, (*PEOPLE, "dan"))
    for player in ("ana", "dan"):
        stored: Stored[Any] = await process.store.wallet(player)
        orphan = change(stored.value.open_ticket, group="match-of-nobody")
        await process.store.put_wallet(stored.value.replace(orphan), stored.sequence)
    assert (await process.desk.cancel("dan", "")).status == "cancelled"
    process.start()
    await everybody_is_seated_once(process, tables)


async def test_bots_take_the_free_seats_when_the_limit_is_reached(
    spawn: Spawn, tables: RecordedTables, clock: Any
) -> None:
    process = await spawn()
    process.start()
    await everybody_takes_a_ticket(process, ("ana", "ion"))
    clock.advance(29.9)
    await until(lambda: process.value("levata_matchmaking_leading") == 1)
    assert not tables.requests
    clock.advance(0.2)
    await everybody_is_seated_once(process, tables, ("ana", "ion"))
    assert process.value("levata_matchmaking_bots_seated_total") == 1


async def test_a_ticket_that_nobody_could_serve_runs_out_and_is_counted(
    spawn: Spawn, tables: RecordedTables, clock: Any
) -> None:
    tables.refuse += [grpc.StatusCode.RESOURCE_EXHAUSTED] * 1000
    process = await spawn()
    process.start()
    await everybody_takes_a_ticket(process)
    await until(lambda: bool(tables.requests))
    clock.advance(600.1)

    async def expired() -> bool:
        return all([(await process.ticket(player)).status == "expired" for player in PEOPLE])

    await until(expired)
    assert process.value("levata_matchmaking_tickets_ended_total", outcome="expired") == 3
    assert not tables.made


async def test_a_group_that_is_never_answered_is_given_up_and_its_tickets_run_out(
    spawn: Spawn, tables: RecordedTables, clock: Any
) -> None:
    tables.refuse += [grpc.StatusCode.UNAVAILABLE] * 1000
    process = await spawn()
    process.start()
    await everybody_takes_a_ticket(process)
    await until(lambda: len(tables.requests) > 1)
    with pytest.raises(TableBeingMadeError):
        await process.desk.cancel("ana", "")
    clock.advance(601)

    async def expired() -> bool:
        return all([(await process.ticket(player)).status == "expired" for player in PEOPLE])

    await until(expired, 30)
    assert process.value("levata_matchmaking_table_failures_total", outcome="given_up") == 1
    assert len({request.request_id for request in tables.requests}) == 1


async def test_whoever_cancels_while_the_table_is_made_learns_that_it_is_there(
    spawn: Spawn, tables: RecordedTables
) -> None:
    tables.gate.clear()
    process = await spawn()
    process.start()
    await everybody_takes_a_ticket(process)
    await until(lambda: bool(tables.requests))
    ticket = await process.ticket("ana")
    cancelling = asyncio.create_task(process.desk.cancel("ana", ticket.id))
    await asyncio.sleep(0)
    tables.gate.set()
    with pytest.raises(TicketMatchedError) as raised:
        await cancelling
    await everybody_is_seated_once(process, tables)
    assert raised.value.table_id in tables.made


async def test_cancelling_races_with_matching_and_one_of_them_wins(spawn: Spawn, tables: RecordedTables) -> None:
    process = await spawn()
    process.start()
    people = tuple(f"p{number:02}" for number in range(24))
    cancelled: set[str] = set()

    async def come(player: str) -> None:
        ticket = await process.desk.take(player, player, f"request-{player}", QUEUE.id)
        if int(player[1:]) % 3 == 0:
            try:
                await process.desk.cancel(player, ticket.id)
                cancelled.add(player)
            except TicketMatchedError:
                pass

    await asyncio.gather(*(come(player) for player in people))

    async def settled() -> bool:
        tickets = [await process.ticket(player) for player in people]
        return sum(ticket.open for ticket in tickets) < QUEUE.seats

    await until(settled)
    for player in people:
        ticket = await process.ticket(player)
        assert (ticket.status == "cancelled") == (player in cancelled)
        assert tables.tables_of()[player] == (ticket.status == "matched")
