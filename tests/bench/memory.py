"""Memory that a process of the table service holds for each idle table, watched by its four players and not."""

from pathlib import Path

from tests.bench.processes import Process
from tests.bench.report import Row, Section
from tests.bench.service import Service, record_tape, start_floor
from tests.support.nats import NatsServer

FIRST = 50


async def measure(folder: Path, nats: NatsServer, tables: int) -> Section:
    """Opens tables in the middle of a match and looks at the process's resident memory before and after."""
    service = await Service.start(folder, nats.url, "table-memory")
    floor: Process | None = None
    try:
        recorder = await service.client("recorder", [service.address])
        await record_tape(recorder, nats.url, folder)
        await recorder.stop()
        floor, floor_address = await start_floor(folder, nats.url, "floor-memory")
        unwatched = await _kilobytes_a_table(service, service.process, service.address, tables, watched=False)
        watched = await _kilobytes_a_table(service, service.process, service.address, tables, watched=True)
        streams = await _kilobytes_a_table(service, floor, floor_address, tables, watched=True)
    finally:
        await service.process.stop()
        if floor is not None:
            await floor.stop()
    return Section(
        f"memory: {tables} idle tables of four players",
        [Row("a watched table (four streams open)", watched, streams, "KiB")],
        [
            f"this machine: a table that nobody watches {unwatched:.0f} KiB, until the server lets go of it",
            "growth of resident memory over the number of tables; floor: the floor server with the same streams open",
        ],
    )


async def _kilobytes_a_table(service: Service, server: Process, address: str, tables: int, watched: bool) -> float:
    client = await service.client(f"{server.name}-{watched}", [address])
    try:
        # The first tables also pay for what every process needs once.
        await client.ask(seconds=300, do="idle", tables=FIRST, watched=watched)
        before = server.resident_bytes()
        await client.ask(seconds=300, do="idle", tables=tables, watched=watched)
        return (server.resident_bytes() - before) / tables / 1024
    finally:
        await client.stop()
