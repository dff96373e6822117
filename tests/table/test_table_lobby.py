"""The list of tables as a server mirrors it, over interruptions."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from services.table.lobby import Lobby, entry_of
from services.table.metrics import TableMetrics
from shared import stream_setup
from shared.bus import Bus
from shared.metrics import Metrics
from tests.support.tables import ANA, table
from tests.support.waiting import until


@pytest.fixture
async def lobby(bus: Bus) -> AsyncIterator[Lobby]:
    await stream_setup.ensure(bus, ["LOBBY"])
    made = Lobby(bus, await bus.kv("LOBBY"), TableMetrics(Metrics("table")))
    tasks = [asyncio.ensure_future(made.mirror()), asyncio.ensure_future(made.write())]
    yield made
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def listed(lobby: Lobby) -> int:
    return lobby.hosted_by(ANA.player)


async def test_a_table_that_was_removed_while_nobody_followed_is_not_listed_any_more(bus: Bus, lobby: Lobby) -> None:
    state = table(ANA, start=False).state
    key = f"$KV.LOBBY.{state.table}"
    lobby.put(state)
    await until(lambda: bus.last("KV_LOBBY", key))
    assert listed(lobby) == 1
    await bus.js.purge_stream("KV_LOBBY", subject=key)
    await lobby.follow_again()
    await until(lambda: listed(lobby) == 0)


async def test_following_again_leaves_nothing_of_the_old_subscription(bus: Bus, lobby: Lobby) -> None:
    entry = entry_of(table(ANA, start=False).state)
    await bus.publish(f"$KV.LOBBY.{entry.table}", msgspec.json.encode(entry))
    await until(lambda: listed(lobby) == 1)  # it follows
    subscriptions = len(bus.nc._subs)
    for _ in range(3):
        await lobby.follow_again()
        await asyncio.sleep(0)
        await until(lambda: len(bus.nc._subs) < subscriptions)
        await until(lambda: len(bus.nc._subs) == subscriptions)


async def test_a_table_is_taken_off_without_a_trace_for_ever(bus: Bus, lobby: Lobby) -> None:
    state = table(ANA, start=False).state
    lobby.put(state)
    await lobby.remove(state.table)
    assert listed(lobby) == 0
    marker = await bus.js.get_msg("KV_LOBBY", subject=f"$KV.LOBBY.{state.table}", direct=False)
    assert (marker.headers or {})["Nats-TTL"]


async def test_a_listing_that_is_right_is_not_written_again(bus: Bus, lobby: Lobby) -> None:
    state = table(ANA, start=False).state
    key = f"$KV.LOBBY.{state.table}"
    lobby.put(state)
    await until(lambda: bus.last("KV_LOBBY", key))
    before = await bus.last("KV_LOBBY", key)
    lobby.correct(state)
    assert entry_of(state).table not in lobby._pending
    assert await bus.last("KV_LOBBY", key) == before
