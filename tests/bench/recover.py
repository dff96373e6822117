"""How long a process that never saw a table takes for its first answer about it, from a log of 1,000 records."""

import statistics
import time
from pathlib import Path
from typing import Any

import grpc

from shared.gen.levata.table.v1 import table_pb2, table_pb2_grpc
from tests.bench.accounts import Accounts
from tests.bench.report import Row, Section
from tests.bench.service import Service, read_log
from tests.support.nats import NatsServer

RECORDS = 1_000


async def measure(folder: Path, nats: NatsServer, turns: int) -> Section:
    """Plays one table to so many records and recovers it in new processes, beside reading the same records raw."""
    player = await Service.start(folder, nats.url, "table-played")
    client = await player.client("recover", [player.address])
    made = await client.ask(seconds=300, do="grow", records=RECORDS)
    table_id: str = made["table_id"]
    await client.stop()
    await player.process.stop()
    metadata = Accounts(folder / "accounts").player_metadata(made["player"])
    cold: list[float] = []
    warm: list[float] = []
    raw: list[float] = []
    records = 0
    for turn in range(turns):
        service = await Service.start(folder, nats.url, f"table-cold-{turn}")
        async with grpc.aio.insecure_channel(service.address) as channel:
            stub: Any = table_pb2_grpc.TableServiceStub(channel)
            await _refused(stub, metadata)
            request = table_pb2.GetTableRequest(table_id=table_id)
            for times in (cold, warm):
                began = time.perf_counter()
                await stub.GetTable(request, metadata=metadata, timeout=60)
                times.append(1000 * (time.perf_counter() - began))
        await service.process.stop()
        seconds, records = await read_log(nats.url, table_id)
        raw.append(1000 * seconds)
    cold_median, raw_median = statistics.median(cold), statistics.median(raw)
    return Section(
        f"recovery: a table of {records:,} records, first GetTable at a process that never saw it",
        [Row("time to the answer", cold_median, raw_median, "ms")],
        [
            "floor: reading the same records raw from the broker with an ordered consumer",
            f"this machine: {1000 * (cold_median - statistics.median(warm)) / records:.0f} µs a record; "
            f"the second GetTable takes {statistics.median(warm):.1f} ms",
        ],
    )


async def _refused(stub: Any, metadata: Any) -> None:
    """Asks for a table that does not exist, so that connecting and the first call are not measured."""
    try:
        await stub.GetTable(table_pb2.GetTableRequest(table_id="0" * 16), metadata=metadata, timeout=60)
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.NOT_FOUND:
            raise
