"""Memory that a process of the table service holds for each idle table, watched by its four players and not."""

from pathlib import Path

from tests.bench.report import Row, Section
from tests.bench.service import Service
from tests.support.nats import NatsServer

FIRST = 50


async def measure(folder: Path, nats: NatsServer, tables: int) -> Section:
    """Opens tables in the middle of a match and looks at the process's resident memory before and after."""
    watched = await _kilobytes_a_table(folder, nats, tables, watched=True)
    unwatched = await _kilobytes_a_table(folder, nats, tables, watched=False)
    return Section(
        f"memory: {tables} idle tables of four players",
        [Row("a watched table (four streams); floor: the same unwatched", watched, unwatched, "KiB")],
        ["figures are of this machine: growth of the resident memory over the number of tables"],
    )


async def _kilobytes_a_table(folder: Path, nats: NatsServer, tables: int, watched: bool) -> float:
    name = "watched" if watched else "unwatched"
    service = await Service.start(folder, nats.url, f"table-{name}")
    client = await service.client(name, [service.address])
    try:
        # The first tables also pay for what every process needs once.
        await client.ask(seconds=300, do="idle", tables=FIRST, watched=watched)
        before = service.process.resident_bytes()
        await client.ask(seconds=300, do="idle", tables=tables, watched=watched)
        return (service.process.resident_bytes() - before) / tables / 1024
    finally:
        await client.stop()
        await service.process.stop()
