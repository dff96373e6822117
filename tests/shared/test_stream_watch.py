"""What operators see of the streams."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path

import nats.errors
from nats.js.errors import APIError

from shared import stream_setup, stream_watch, streams
from shared.bus import Bus
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from tests.support.nats import nats_cluster
from tests.support.services import Club
from tests.support.waiting import until

PERIOD = 0.1


@contextlib.asynccontextmanager
async def watched(bus: Bus) -> AsyncIterator[None]:
    task = asyncio.create_task(stream_watch.watch(bus, streams.CLUB, PERIOD))
    try:
        yield
        assert not task.done()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_how_full_each_stream_is_and_that_it_is_there_can_be_seen(
    levata: Club, bus: Bus, metrics: Metrics
) -> None:
    await bus.publish("results.arzoi", b"twelve bytes")
    async with watched(bus):
        await until(lambda: metrics.value("levata_stream_messages", stream="RESULTS") == 1)
        assert metrics.value("levata_stream_bytes", stream="RESULTS") > 12
        stored = metrics.value("levata_stream_newest_timestamp_seconds", stream="RESULTS")
        assert 0 <= time.time() - stored < 60
        assert metrics.value("levata_stream_newest_timestamp_seconds", stream="BACKUPS") == 0
        for stream in (streams.STREAMS[name] for name in streams.of_account(streams.CLUB)):
            await until(lambda name=stream.name: metrics.value("levata_stream_copies", stream=name) == 1)  # type: ignore[misc]
            await until(lambda name=stream.name: metrics.value("levata_stream_copies_in_sync", stream=name) == 1)  # type: ignore[misc]
        await levata.nats.kill()
        await until(lambda: metrics.value("levata_stream_copies_in_sync", stream="TABLES") == 0)
        await levata.nats.start()
        await until(lambda: metrics.value("levata_stream_copies_in_sync", stream="TABLES") == 1)


async def test_a_copy_that_is_lost_and_then_the_quorum_can_be_seen(tmp_path: Path) -> None:
    async with nats_cluster(tmp_path / "cluster") as servers:
        settings = ServiceSettings(nats_url=",".join(server.url for server in servers), publish_seconds=30.0)
        metrics = Metrics("test")
        bus = await Bus.connect(settings, metrics, "test")

        async def is_made() -> bool:
            try:
                await stream_setup.ensure(bus, ["TABLES"], replicas=3)
            except (APIError, nats.errors.Error):
                return False
            return True

        def in_sync() -> float:
            return metrics.value("levata_stream_copies_in_sync", stream="TABLES")

        await until(is_made, seconds=60)
        async with watched(bus):
            await until(lambda: in_sync() == 3)
            assert metrics.value("levata_stream_copies", stream="TABLES") == 3
            await servers[0].kill()
            await until(lambda: in_sync() == 2, seconds=60)
            await servers[1].kill()
            await until(lambda: in_sync() == 0, seconds=60)
        await bus.close()
