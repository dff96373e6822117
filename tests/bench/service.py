"""The real table service under measurement, and the client processes that play at it."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import nats
from nats.aio.client import Client as NATS  # noqa: N814
from nats.js.api import ConsumerConfig, DeliverPolicy

from tests.bench.accounts import Accounts
from tests.bench.processes import Process, answering
from tests.bench.recorder import with_record_sizes
from tests.bench.tape import Tape
from tests.support.nats import free_port


class Service:
    """A process of the table service."""

    def __init__(self, process: Process, address: str, folder: Path) -> None:
        self.process = process
        self.address = address
        self._folder = folder

    @classmethod
    async def start(cls, folder: Path, nats_url: str, name: str, profile: str | None = None) -> Self:
        """Starts it; returns when it listens.

        Args:
            folder: For its keys, its log and its profile.
            nats_url: The broker.
            name: Of this process.
            profile: `sample` or `calls` to write `<name>.profile` into the folder when it ends.
        """
        accounts = folder / "accounts"
        if not accounts.exists():
            Accounts.create(accounts)
        (folder / "turn.key").write_bytes(bytes(range(32)))
        port = free_port()
        environment = {
            "LEVATA_LISTEN": f"127.0.0.1:{port}",
            "LEVATA_METRICS_LISTEN": "127.0.0.1:0",
            "LEVATA_NATS_URL": nats_url,
            "LEVATA_JWKS_FILE": str(accounts / "jwks.json"),
            "LEVATA_TURN_KEY_FILE": str(folder / "turn.key"),
            "LEVATA_INSTANCE": name,
            "LEVATA_LOG_FORMAT": "json",
            "LEVATA_LOG_LEVEL": "warning",
        }
        if profile:
            environment |= {"BENCH_PROFILE": profile, "BENCH_PROFILE_FILE": str(folder / f"{name}.profile")}
        process = await Process.python(name, ["tests.bench.serve"], folder, environment)
        await answering(("127.0.0.1", port), process)
        return cls(process, f"127.0.0.1:{port}", folder)

    async def client(self, name: str, addresses: Sequence[str]) -> Process:
        """A client process that plays at the servers given."""
        options = [option for address in addresses for option in ("--address", address)]
        accounts = str(self._folder / "accounts")
        return await Process.python(
            name, ["tests.bench.generator", *options, "--accounts", accounts, "--name", name], self._folder
        )


async def start_floor(folder: Path, nats_url: str, name: str = "floor") -> tuple[Process, str]:
    """Starts the floor on the tape in a folder; the process and its address."""
    arguments = ["tests.bench.floor", "--nats-url", nats_url, "--tape", str(folder / "tape")]
    process = await Process.python(name, arguments, folder)
    address: str = (await process.line())["address"]
    return process, address


async def record_tape(client: Process, nats_url: str, folder: Path) -> Tape:
    """Has one match played and recorded, and writes the tape to `<folder>/tape`."""
    path = folder / "tape"
    played = await client.ask(seconds=300, do="tape", path=str(path))
    sizes = [len(record) for record in await log_records(nats_url, played["table_id"])]
    tape = with_record_sizes(Tape.load(path), played["first"], sizes)
    tape.save(path)
    return tape


async def read_log(nats_url: str, table_id: str) -> tuple[float, int]:
    """Reads a table's log raw over a new connection; the seconds it took once connected, and the number of records."""
    broker = await nats.connect(nats_url)
    try:
        began = time.perf_counter()
        records = await _read(broker, table_id)
        return time.perf_counter() - began, len(records)
    finally:
        await broker.close()


async def log_records(nats_url: str, table_id: str) -> list[bytes]:
    """All records of a table's log, read raw, oldest first."""
    broker = await nats.connect(nats_url)
    try:
        return await _read(broker, table_id)
    finally:
        await broker.close()


async def _read(broker: NATS, table_id: str) -> list[bytes]:
    js = broker.jetstream()
    subject = f"tables.log.{table_id}"
    last = (await js.get_last_msg("TABLES", subject)).seq
    records = []
    reader = await js.subscribe(
        subject, stream="TABLES", ordered_consumer=True, config=ConsumerConfig(deliver_policy=DeliverPolicy.ALL)
    )
    async with asyncio.timeout(60):
        async for message in reader.messages:
            records.append(message.data)
            if message.metadata.sequence.stream == last:
                break
    await reader.unsubscribe()
    return records
