"""Restores a backup into a club that is empty and stands still: streams, database, and what follows from the log."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import nats.errors
from nats.aio.client import Client
from nats.js.errors import APIError, NotFoundError

from deploy.backup import database, manifest
from deploy.backup.errors import BackupError
from deploy.backup.manifest import Manifest
from deploy.backup.results import read_later, tell_later
from deploy.backup.resumption import Resumed, Resumption
from deploy.backup.snapshots import connected, restore_stream
from deploy.backup.taking import Say
from services.table.presence import ALIVE, BEAT_SECONDS
from shared.bus import Bus, BusRefused, BusUnavailable
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from shared.stream_setup import MismatchError, ensure
from shared.streams import CLUB, STREAMS, of_account

LISTEN_SECONDS: Final = 3 * BEAT_SECONDS
"""A table server that lives says so at least once in this time."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore has done.

    Attributes:
        resumed: What became of the tables.
        results: Results that were told again.
        ratings: Messages by which the ledger tells all ratings again.
    """

    resumed: Resumed
    results: int
    ratings: int


async def restore(
    settings: ServiceSettings, database_url: str, folder: Path, say: Say, *, with_database: bool = True
) -> Restored:
    """Restores a backup. When it fails, the streams are as empty as they were; the database may be filled.

    Args:
        settings: Where NATS is, and whom it lets restore streams.
        database_url: The ledger's database.
        folder: The backup.
        say: Told what is done.
        with_database: Fill the database too. If not, it has been restored by other means, to the moment of the backup
            or a later one.

    Raises:
        BackupError: It could not be restored.
    """
    kept = await asyncio.to_thread(manifest.verify, folder)
    say("The backup is whole.")
    async with connected(settings) as client:
        await _require_standstill(client)
        async with _streams(client):
            if with_database:
                await database.put(database_url, kept.database, folder)
                say("Database restored.")
            for stream in kept.streams:
                await restore_stream(client, stream, folder / stream.file, settings.replicas)
            say(f"Streams {', '.join(stream.name for stream in kept.streams)} restored.")
            try:
                return await _follow_up(settings, database_url, kept, folder)
            except (BusUnavailable, BusRefused, MismatchError, APIError, nats.errors.Error) as error:
                raise BackupError(f"what follows from the log could not be written: {error}") from error


async def _follow_up(settings: ServiceSettings, database_url: str, kept: Manifest, folder: Path) -> Restored:
    """What follows from the log and from the order in which things were taken."""
    bus = await Bus.connect(settings, Metrics("restore"), "restore")
    try:
        await ensure(bus, of_account(CLUB), settings.replicas)
        ratings = await database.bring_up(database_url, datetime.now(UTC))

        async def posted(matches: list[str]) -> set[str]:
            return await database.posted(database_url, matches)

        resumed = await Resumption(bus, kept.stream("TABLES").at, time.time_ns() // 1_000_000, posted).run()
        results = await tell_later(bus, read_later(folder), resumed.running)
        return Restored(resumed, results, ratings)
    finally:
        await bus.close()


async def _require_standstill(client: Client) -> None:
    """Raises `BackupError` when a table server lives."""
    heard = asyncio.Event()

    async def hear(message: object) -> None:
        heard.set()

    subscription = await client.subscribe(ALIVE, cb=hear)
    try:
        async with asyncio.timeout(LISTEN_SECONDS):
            await heard.wait()
    except TimeoutError:
        return
    finally:
        await subscription.unsubscribe()
    raise BackupError("the club is running: stop all its services before it is restored")


@contextlib.asynccontextmanager
async def _streams(client: Client) -> AsyncIterator[None]:
    """Sees that no stream has anything in it, and removes what is there; also what was made of them, after an error.

    Raises:
        BackupError: One is not empty.
    """
    names = [STREAMS[name].name for name in of_account(CLUB)]
    try:
        present = []
        for name in names:
            with contextlib.suppress(NotFoundError):
                if (await client.jetstream().stream_info(name)).state.messages:
                    raise BackupError(f"the club is not empty: there are messages in the stream {name}")
                present.append(name)
        await _delete(client, present)
    except (APIError, nats.errors.Error) as error:
        raise BackupError(f"NATS is not ready: {error!r}") from error
    try:
        yield
    except BaseException:
        with contextlib.suppress(APIError, nats.errors.Error):
            await _delete(client, names)
        raise


async def _delete(client: Client, names: list[str]) -> None:
    for name in names:
        with contextlib.suppress(NotFoundError):
            await client.jetstream().delete_stream(name)
