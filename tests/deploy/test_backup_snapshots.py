"""Snapshots of streams: every message as it was, also of a stream of many chunks, and into several servers."""

import asyncio
import dataclasses
import os
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import nats.errors
import pytest
from nats.aio.client import Client
from nats.js.errors import APIError, NotFoundError

from deploy.backup.errors import BackupError
from deploy.backup.manifest import StreamTaken
from deploy.backup.snapshots import CHUNK_BYTES, StreamExistsError, connected, restore_stream, snapshot
from shared.bus import Bus
from shared.stream_setup import ensure
from shared.streams import CONSUMERS
from tests.support.backups import settings_of
from tests.support.nats import NatsServer, nats_cluster, nats_server
from tests.support.waiting import until

LARGE = 12 * 1024 * 1024
"""More than the server sends without an acknowledgement."""


@pytest.fixture
async def client(nats: NatsServer) -> AsyncIterator[Client]:
    """A connection that does not come back by itself."""
    async with connected(settings_of(nats)) as found:
        yield found


async def content(client: Client, stream: str) -> list[tuple[int, str, bytes, dict[str, str], datetime]]:
    """All messages of a stream: sequence, subject, data, headers, and when each was stored."""
    js = client.jetstream()
    state = (await js.stream_info(stream)).state
    found = []
    for sequence in range(state.first_seq, state.last_seq + 1):
        try:
            one: Any = await js.get_msg(stream, sequence)
        except NotFoundError:
            continue  # removed
        found.append((one.seq, one.subject, one.data, dict(one.headers or {}), one.time))
    return found


async def test_a_restored_stream_is_the_same_message_by_message_and_goes_on_counting(
    client: Client, bus: Bus, tmp_path: Path
) -> None:
    await ensure(bus, ["TABLES", "RESULTS"])
    for number in range(20):
        await bus.publish(f"results.{'arzoi' if number % 2 else 'remi'}", os.urandom(300), msg_id=f"match-{number}")
    await bus.js.delete_msg("RESULTS", 7)
    done: list[bytes] = []

    async def keep(message: Any) -> None:
        done.append(message.data)

    consuming = asyncio.create_task(bus.consume(dataclasses.replace(CONSUMERS["ledger"]), keep))
    await until(lambda: len(done) == 19)
    await bus.drain()
    await consuming
    await until(lambda: _acknowledged(bus, 20))
    for number in range(20, 25):
        await bus.publish("results.arzoi", b"%d" % number)
    before = await content(client, "RESULTS")
    taken = await snapshot(client, "RESULTS", tmp_path / "with", consumers=True)
    without = await snapshot(client, "RESULTS", tmp_path / "without", consumers=False)
    assert (taken.first, taken.last, taken.messages) == (1, 25, 24)
    async with nats_server(tmp_path / "other") as other, connected(settings_of(other)) as client:
        await restore_stream(client, taken, tmp_path / "with", 1)
        assert await content(client, "RESULTS") == before
        js = client.jetstream()
        position = await js.consumer_info("RESULTS", "ledger")
        assert position.ack_floor is not None
        assert (position.ack_floor.stream_seq, position.num_pending) == (20, 5)
        assert (await js.publish("results.arzoi", b"the next")).seq == 26
        with pytest.raises(StreamExistsError):
            await restore_stream(client, taken, tmp_path / "with", 1)
        await js.delete_stream("RESULTS")
        await restore_stream(client, without, tmp_path / "without", 1)
        assert await content(client, "RESULTS") == before
        assert (await js.stream_info("RESULTS")).state.consumer_count == 0


async def _acknowledged(bus: Bus, sequence: int) -> bool:
    floor = (await bus.js.consumer_info("RESULTS", "ledger")).ack_floor
    return floor is not None and floor.stream_seq == sequence


async def test_a_stream_of_many_chunks_is_taken_while_it_grows(client: Client, bus: Bus, tmp_path: Path) -> None:
    await ensure(bus, ["TABLES"])
    size = 256 * 1024
    count = LARGE // size
    for number in range(count):
        await bus.publish(f"tables.log.{number % 5}", os.urandom(size))
    growing = True

    async def grow() -> None:
        while growing:
            await bus.publish("tables.log.more", b"a move")

    task = asyncio.create_task(grow())
    taken = await snapshot(client, "TABLES", tmp_path / "large", consumers=False)
    growing = False
    await task
    assert (tmp_path / "large").stat().st_size > LARGE > 50 * CHUNK_BYTES
    assert (await bus.js.stream_info("TABLES")).state.last_seq > taken.last >= count
    async with nats_server(tmp_path / "other") as other, connected(settings_of(other)) as client:
        await restore_stream(client, taken, tmp_path / "large", 1)
        state = (await client.jetstream().stream_info("TABLES")).state
        assert (state.last_seq, state.messages) == (taken.last, taken.messages)
        for sequence in (1, count // 2, count, taken.last):
            one: Any = await client.jetstream().get_msg("TABLES", sequence)
            assert one.data == (await bus.js.get_msg("TABLES", sequence)).data


async def test_a_stream_is_restored_into_three_servers_with_three_copies(
    client: Client, bus: Bus, tmp_path: Path
) -> None:
    await ensure(bus, ["TABLES"])
    for number in range(50):
        await bus.publish("tables.log.a", b"%d" % number)
    taken = await snapshot(client, "TABLES", tmp_path / "TABLES", consumers=False)
    async with nats_cluster(tmp_path / "cluster") as servers, connected(settings_of(servers[0])) as client:
        js = client.jetstream()

        async def led() -> bool:
            try:
                return not await js.streams_info()
            except (APIError, nats.errors.Error):
                return False

        await until(led, 40.0)
        await restore_stream(client, taken, tmp_path / "TABLES", 3)

        async def in_sync() -> bool:
            info = await js.stream_info("TABLES")
            assert info.cluster is not None
            return [one.current for one in info.cluster.replicas or ()] == [True, True]

        await until(in_sync)
        assert (await js.stream_info("TABLES")).state.last_seq == 50
        await servers[0].kill()
        async with connected(settings_of(servers[1])) as another:

            async def goes_on() -> bool:
                try:
                    return (await another.jetstream().publish("tables.log.a", b"50")).seq >= 51
                except (APIError, nats.errors.Error):
                    return False

            await until(goes_on)


async def test_a_server_that_goes_breaks_a_snapshot_off(
    client: Client, bus: Bus, nats: NatsServer, tmp_path: Path
) -> None:
    await ensure(bus, ["TABLES"])
    for _ in range(LARGE // (512 * 1024)):
        await bus.publish("tables.log.a", os.urandom(512 * 1024))
    taking = asyncio.create_task(snapshot(client, "TABLES", tmp_path / "large", consumers=False))
    await until(lambda: (tmp_path / "large").exists())
    await nats.kill()
    with pytest.raises(BackupError):
        await taking


async def test_a_snapshot_that_lacks_its_end_is_not_restored(client: Client, bus: Bus, tmp_path: Path) -> None:
    await ensure(bus, ["TABLES"])
    for _ in range(100):
        await bus.publish("tables.log.a", os.urandom(1000))
    taken: StreamTaken = await snapshot(client, "TABLES", tmp_path / "whole", consumers=False)
    data = (tmp_path / "whole").read_bytes()
    (tmp_path / "cut").write_bytes(data[: len(data) // 2])
    async with nats_server(tmp_path / "other") as other, connected(settings_of(other)) as client:
        with pytest.raises(BackupError, match="TABLES"):
            await restore_stream(client, taken, tmp_path / "cut", 1)
