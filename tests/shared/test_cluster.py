"""The log on three replicas: what was acknowledged outlives the loss of its leader, and reads are complete."""

import asyncio
from pathlib import Path

import nats.errors
from nats.js.errors import APIError

from shared import stream_setup
from shared.bus import Bus, BusUnavailable, SequenceConflict
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from tests.support.nats import nats_cluster
from tests.support.waiting import until


async def test_the_log_goes_on_without_its_leader_and_loses_nothing(tmp_path: Path) -> None:
    async with nats_cluster(tmp_path / "cluster") as servers:
        settings = ServiceSettings(nats_url=",".join(server.url for server in servers), publish_seconds=30.0)
        bus = await Bus.connect(settings, Metrics("test"), "test")

        async def is_made() -> bool:
            try:
                await stream_setup.ensure(bus, ["TABLES"], replicas=3)
            except (APIError, nats.errors.Error):
                return False
            return True

        bus.js._timeout = 5.0
        await until(is_made, seconds=60)
        bus.js._timeout = 30.0
        written: list[bytes] = []
        sequence = 0

        async def stored(data: bytes) -> bool:
            nonlocal sequence
            try:
                sequence = await bus.append("tables.log.a", data, sequence)
            except (BusUnavailable, SequenceConflict):
                last = await bus.last("TABLES", "tables.log.a")
                if last is None or last[1] != data:
                    return False
                sequence = last[0]
            return True

        async def write(count: int) -> None:
            """Appends as a table does: after an unknown outcome the log itself is asked."""
            for _ in range(count):
                data = b"%d" % len(written)
                while not await stored(data):
                    pass
                written.append(data)

        await write(100)
        info = await bus.js.stream_info("TABLES")
        assert info.config.num_replicas == 3
        assert info.cluster is not None
        leader = next(server for server in servers if server.folder.name == info.cluster.leader)
        writing = asyncio.create_task(write(200))
        await until(lambda: len(written) > 150)
        await leader.kill()
        await writing
        read = await bus.read_subject("TABLES", "tables.log.a")
        assert [data for _, data in read] == written
        await leader.start()
        await write(50)
        # Whichever replica its consumer is beside, a read is whole.
        for _ in range(10):
            await write(1)
            assert [data for _, data in await bus.read_subject("TABLES", "tables.log.a")] == written
        await bus.close()
