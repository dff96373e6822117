"""Backups in tests: taken of a club in this process, and restored for another."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from nats.aio.client import Client

from deploy.backup import database, restoring, taking
from deploy.backup.manifest import DatabaseTaken, Manifest, StreamTaken
from deploy.backup.results import take_later
from deploy.backup.snapshots import snapshot
from services.table.log import STREAM, SUBJECT, Stored, TableLog
from shared.bus import Bus
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from tests.support.nats import NatsServer


def say(text: str) -> None:
    """Nobody reads it."""


def settings_of(nats: NatsServer) -> ServiceSettings:
    """What is told to a command that may do anything there."""
    return ServiceSettings(nats_url=nats.url, instance="test")


async def take(nats: NatsServer, url: str, target: Path) -> Manifest:
    """Takes a backup."""
    return await taking.take(settings_of(nats), url, target, say)


async def restore(nats: NatsServer, url: str, folder: Path, *, with_database: bool = True) -> restoring.Restored:
    """Restores one; no table server is listened for, since tests have none there."""
    return await restoring.restore(settings_of(nats), url, folder, say, with_database=with_database)


async def logs(nats: NatsServer) -> dict[str, list[Stored]]:
    """Every table's log, as it stands, by the table's id."""
    bus = await Bus.connect(settings_of(nats), Metrics("test"), "test")
    try:
        info = await bus.js.stream_info(STREAM, subjects_filter=f"{SUBJECT}.*")
        tables = [subject.removeprefix(f"{SUBJECT}.") for subject in info.state.subjects or {}]
        return {table: await TableLog(bus).read(table) for table in tables}
    finally:
        await bus.close()


def before_part(monkeypatch: pytest.MonkeyPatch, part: str, happens: Callable[[], Awaitable[None]]) -> None:
    """Lets something happen right before a part of a backup is taken: a stream, `database`, or `later` results."""
    take_database = database.take

    async def first(name: str) -> None:
        if name == part:
            await happens()

    async def taking_stream(client: Client, stream: str, path: Path, *, consumers: bool) -> StreamTaken:
        await first(stream)
        return await snapshot(client, stream, path, consumers=consumers)

    async def taking_database(url: str, folder: Path) -> DatabaseTaken:
        await first("database")
        return await take_database(url, folder)

    async def taking_later(bus: Bus, after: int, folder: Path) -> int:
        await first("later")
        return await take_later(bus, after, folder)

    monkeypatch.setattr("deploy.backup.taking.snapshot", taking_stream)
    monkeypatch.setattr("deploy.backup.taking.database.take", taking_database)
    monkeypatch.setattr("deploy.backup.taking.take_later", taking_later)
