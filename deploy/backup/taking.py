"""Takes a backup of a club that is in use: everything that cannot be made anew, in an order in which nothing gets lost.

| | taken | so that |
|---|---|---|
| 1 | `RESULTS`, with the ledger's place in it | what the ledger is done with is in the database taken after it |
| 2 | the database | |
| 3 | all other streams, `TABLES` last | |
| 4 | results told since 1 | every result that the log calls certain is there |

Not taken are streams that a restore makes anew: from the log (`TIMERS`, the buckets `LOBBY` and `PRESENCE`), or from
the database (`LEDGER`, and what matchmaking has made of it); and those that are worth nothing some minutes later:
`BOT_TURNS`, the buckets `LEASES` and `TICKETS`.
"""

import asyncio
import contextlib
import importlib.metadata
import json
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final

from deploy.backup import database, manifest
from deploy.backup.errors import BackupError
from deploy.backup.folder import NewFolder
from deploy.backup.manifest import Manifest, StreamTaken
from deploy.backup.results import STREAM as RESULTS
from deploy.backup.results import take_later
from deploy.backup.snapshots import connected, snapshot
from services.table.log import STREAM as TABLES
from shared.bus import Bus, BusRefused, BusUnavailable
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from shared.streams import CLUB, STREAMS, of_account

TAKEN: Final = "backups.taken"
"""Subject on which the club is told of a backup."""
NOT_TAKEN: Final = ("TIMERS", "LOBBY", "PRESENCE", "LEDGER", "BOT_TURNS")
"""Streams and buckets of the club's account that are not taken."""
AFTER: Final = (
    *(STREAMS[name].name for name in of_account(CLUB) if name not in (RESULTS, TABLES, *NOT_TAKEN)),
    TABLES,
)
"""Streams taken after the database."""

Say = Callable[[str], None]


async def take(settings: ServiceSettings, database_url: str, target: Path, say: Say) -> Manifest:
    """Takes a backup into a new folder `target`, whole or not at all.

    Args:
        settings: Where NATS is, and whom it lets take snapshots.
        database_url: The ledger's database.
        target: A folder that is not there yet, or is empty.
        say: Told what is done.

    Raises:
        BackupError: It could not be taken; nothing is left of it.
    """
    try:
        with NewFolder(target) as folder:
            taken = await _take(settings, database_url, folder, say)
            await asyncio.to_thread(manifest.write, folder, taken)
    except OSError as error:
        raise BackupError(f"{target} cannot be written: {error.strerror or error}") from error
    await _tell(settings, taken)
    return taken


async def _take(settings: ServiceSettings, database_url: str, folder: Path, say: Say) -> Manifest:
    began = _now()
    streams: list[StreamTaken] = []
    async with connected(settings) as client:
        streams.append(await snapshot(client, RESULTS, folder / RESULTS, consumers=True))
        say(f"Stream {RESULTS} taken.")
        kept = await database.take(database_url, folder)
        say(f"Database taken ({kept.kind}).")
        for name in AFTER:
            streams.append(await snapshot(client, name, folder / name, consumers=False))
        say(f"Streams {', '.join(AFTER)} taken.")
        server = client.connected_server_version
        version = f"{server.major}.{server.minor}.{server.patch}"
    later = await _later(settings, streams[0].last, folder)
    if later:
        say(f"{later} results taken that came meanwhile.")
    return Manifest(
        format=manifest.FORMAT,
        version=importlib.metadata.version("levata"),
        began=began,
        ended=_now(),
        nats=version,
        streams=tuple(streams),
        database=kept,
        files=await asyncio.to_thread(manifest.files_of, folder),
    )


async def _later(settings: ServiceSettings, after: int, folder: Path) -> int:
    async with _bus(settings) as bus:
        return await take_later(bus, after, folder)


async def _tell(settings: ServiceSettings, taken: Manifest) -> None:
    """Tells the club that a backup was taken, for whoever watches over it."""
    async with _bus(settings) as bus:
        told = {"at": taken.stream(TABLES).at, "milliseconds": taken.ended - taken.began, "bytes": taken.size}
        await bus.publish(TAKEN, json.dumps(told).encode())


@contextlib.asynccontextmanager
async def _bus(settings: ServiceSettings) -> AsyncIterator[Bus]:
    try:
        bus = await Bus.connect(settings, Metrics("backup"), "backup")
        try:
            yield bus
        finally:
            await bus.close()
    except (BusUnavailable, BusRefused) as error:
        raise BackupError(str(error)) from error


def _now() -> int:
    return time.time_ns() // 1_000_000
