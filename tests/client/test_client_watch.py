"""Watching across connections that break in every way."""

import asyncio
from typing import Any

import grpc
import pytest

from shared.client.errors import ClubError
from shared.client.observable import ConnectionState, Observable, Phase
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from tests.support.scripted_club import BROKEN, DRAINING, SLOW, TABLE_ID, Connection, Refused, ScriptedClub

UNEXPLAINED = Refused(grpc.StatusCode.INTERNAL)


async def revisions(club: Any, count: int, **arguments: Any) -> list[tuple[int, bool]]:
    seen: list[tuple[int, bool]] = []
    if count:
        async for update in club.watch(TABLE_ID, **arguments):
            seen.append((update.revision, update.snapshot))
            if len(seen) == count:
                break
    return seen


def after_revisions(scripted: ScriptedClub) -> list[int | None]:
    return [watch.after_revision if watch.HasField("after_revision") else None for watch in scripted.tables.watches]


async def test_a_watch_starts_with_a_snapshot_and_goes_on_until_the_table_is_closed(
    scripted: ScriptedClub, enter: Any
) -> None:
    await scripted.tables.say("one")
    seen = []
    state = Observable(ConnectionState(Phase.CONNECTING))
    phases: list[Phase] = []
    state.follow(lambda now: phases.append(now.phase))
    async with enter() as club:
        async for update in club.watch(TABLE_ID, state=state):
            seen.append((update.revision, update.snapshot))
            if update.revision < 3:
                await scripted.tables.say("more")
            else:
                await scripted.tables.close()
    assert seen == [(1, True), (2, False), (3, False)]
    assert phases == [Phase.CONNECTED, Phase.CLOSED]


@pytest.mark.parametrize("end", [BROKEN, DRAINING, SLOW, UNEXPLAINED])
async def test_a_watch_resumes_after_what_it_saw_last(
    scripted: ScriptedClub, enter: Any, sleeps: Any, end: Refused
) -> None:
    await scripted.tables.say("x")
    scripted.tables.script += [Connection(ends_after=1, ends_with=end), Connection(ends_after=2, ends_with=end)]
    state = Observable(ConnectionState(Phase.CONNECTING))
    phases: list[Phase] = []
    state.follow(lambda now: phases.append(now.phase))
    seen = []
    async with enter() as club:
        async for update in club.watch(TABLE_ID, state=state):
            seen.append((update.revision, update.snapshot))
            if len(seen) == 4:
                break
            await scripted.tables.say("y")
    assert seen == [(1, True), (2, False), (3, False), (4, False)]
    assert after_revisions(scripted) == [None, 1, 3]
    expected = 2.1 if end is DRAINING else 0.1
    assert sleeps.seconds == pytest.approx([expected, expected])
    assert phases == [Phase.CONNECTED, Phase.RECONNECTING, Phase.CONNECTED, Phase.RECONNECTING, Phase.CONNECTED]


async def test_a_watch_that_starts_at_a_revision_gets_the_gap(scripted: ScriptedClub, enter: Any) -> None:
    for _ in range(5):
        await scripted.tables.say("x")
    async with enter() as club:
        assert await revisions(club, 3, after_revision=2) == [(3, False), (4, False), (5, False)]


async def test_an_update_that_comes_twice_is_given_once(scripted: ScriptedClub, enter: Any) -> None:
    for _ in range(5):
        await scripted.tables.say("x")
    scripted.tables.script.append(Connection(repeats=frozenset({2, 3})))
    async with enter() as club:
        assert await revisions(club, 4, after_revision=1) == [(2, False), (3, False), (4, False), (5, False)]


async def test_a_gap_is_closed_by_resuming(scripted: ScriptedClub, enter: Any) -> None:
    for _ in range(5):
        await scripted.tables.say("x")
    scripted.tables.script.append(Connection(skips=frozenset({3})))
    async with enter() as club:
        assert await revisions(club, 4, after_revision=1) == [(2, False), (3, False), (4, False), (5, False)]
    assert after_revisions(scripted) == [1, 2]


async def test_a_heartbeat_of_a_revision_that_never_came_is_a_gap(scripted: ScriptedClub, enter: Any) -> None:
    for _ in range(2):
        await scripted.tables.say("x")
    scripted.tables.script.append(Connection(heartbeat_of=2))
    async with enter() as club:
        assert await revisions(club, 1, after_revision=1) == [(2, False)]
    assert after_revisions(scripted) == [1, 1]


async def test_a_gap_that_stays_ends_the_watch_with_an_error(scripted: ScriptedClub, enter: Any) -> None:
    for _ in range(5):
        await scripted.tables.say("x")
    scripted.tables.script += [Connection(skips=frozenset({2}))] * 9
    async with enter() as club:
        with pytest.raises(ClubError) as raised:
            await revisions(club, 1, after_revision=1)
    assert raised.value.reason == "CONTRACT_BROKEN"
    assert after_revisions(scripted) == [1] * 4


async def test_a_fresh_snapshot_on_the_way_is_given_and_numbers_go_on_from_it(
    scripted: ScriptedClub, enter: Any
) -> None:
    for _ in range(5):
        await scripted.tables.say("x")
    scripted.tables.script += [Connection(ends_after=1), Connection(snapshot=True)]
    async with enter() as club:
        seen = []
        async for update in club.watch(TABLE_ID, after_revision=1):
            seen.append((update.revision, update.snapshot))
            if update.revision == 5:
                await scripted.tables.say("last")
            if update.revision == 6:
                break
    assert seen == [(2, False), (5, True), (6, False)]


@pytest.mark.parametrize(
    "refused",
    [
        Refused(grpc.StatusCode.PERMISSION_DENIED, "NOT_WATCHABLE"),
        Refused(grpc.StatusCode.NOT_FOUND, "TABLE_NOT_FOUND"),
        Refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_FAST", retry_seconds=1),
        Refused(grpc.StatusCode.INTERNAL, "INTERNAL"),
    ],
)
async def test_a_refusal_ends_the_watch_at_once(scripted: ScriptedClub, enter: Any, refused: Refused) -> None:
    await scripted.tables.say("x")
    scripted.tables.script.append(Connection(ends_after=1, ends_with=refused))
    state = Observable(ConnectionState(Phase.CONNECTING))
    async with enter() as club:
        with pytest.raises(ClubError) as raised:
            await revisions(club, 2, state=state)
    assert (raised.value.code, raised.value.reason) == (refused.code, refused.reason)
    assert state.value.error is raised.value
    assert len(scripted.tables.watches) == 1


async def test_a_server_that_has_too_many_streams_is_tried_again(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.say("x")
    full = Refused(grpc.StatusCode.RESOURCE_EXHAUSTED)
    scripted.tables.script += [Connection(ends_after=0, ends_with=full)] * 3
    async with enter() as club:
        assert await revisions(club, 1) == [(1, True)]


async def test_errors_that_nobody_explains_are_not_followed_for_ever(
    scripted: ScriptedClub, enter: Any, sleeps: Any
) -> None:
    await scripted.tables.say("x")
    scripted.tables.script += [Connection(ends_after=0, ends_with=UNEXPLAINED)] * 20
    async with enter() as club:
        with pytest.raises(ClubError) as raised:
            await revisions(club, 1, after_revision=None)
    assert raised.value.code is grpc.StatusCode.INTERNAL
    assert sleeps.seconds == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6])


async def test_a_stream_that_falls_silent_is_opened_again(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.say("x")
    scripted.tables.script.append(Connection(silent=True))
    async with enter(silence_seconds=0.2) as club:
        assert await revisions(club, 1) == [(1, True)]
    assert len(scripted.tables.watches) == 2


async def test_a_watch_survives_a_restart_of_the_server(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.say("x")
    seen: list[int] = []
    async with enter() as club:
        async with asyncio.timeout(20):
            async for update in club.watch(TABLE_ID):
                seen.append(update.revision)
                if len(seen) == 5:
                    break
                await scripted.stop()
                await scripted.start()
                await scripted.tables.say("y")
    assert seen == [1, 2, 3, 4, 5]


async def test_a_client_that_drops_often_sees_what_one_that_never_dropped_sees(
    scripted: ScriptedClub, enter: Any
) -> None:
    async with enter() as club:
        await scripted.tables.say("x")
        steady: list[str] = []
        started = asyncio.Event()

        async def watch_steadily() -> None:
            async for update in club.watch(TABLE_ID):
                started.set()
                steady.extend(event.chat_said.text for event in update.events)

        watching = asyncio.create_task(watch_steadily())
        await started.wait()
        dropping: list[str] = []
        last: int | None = None
        drops = 0
        while len(dropping) < 200:
            stream = club.watch(TABLE_ID, after_revision=last)
            taken = 0
            async for update in stream:
                last = update.revision
                dropping.extend(event.chat_said.text for event in update.events)
                await scripted.tables.say(f"word {last}")
                taken += 1
                if taken == drops % 4 + 1:
                    break
            await stream.aclose()
            drops += 1
        await scripted.tables.close()
        await watching
    assert dropping == steady[: len(dropping)]
    assert dropping == [f"word {revision}" for revision in range(1, len(dropping) + 1)]


async def test_a_ticket_is_shown_once_for_each_change_across_connections(scripted: ScriptedClub, enter: Any) -> None:
    waiting = matchmaking_pb2.Ticket(ticket_id="k", status=matchmaking_pb2.TICKET_STATUS_WAITING, place=2)
    nearer = matchmaking_pb2.Ticket(ticket_id="k", status=matchmaking_pb2.TICKET_STATUS_WAITING, place=1)
    matched = matchmaking_pb2.Ticket(ticket_id="k", status=matchmaking_pb2.TICKET_STATUS_MATCHED, table_id=TABLE_ID)
    scripted.matchmaking.script += [([waiting], DRAINING), ([waiting, nearer], BROKEN), ([nearer, matched], None)]
    async with enter() as club:
        assert [ticket async for ticket in club.watch_ticket("k")] == [waiting, nearer, matched]
