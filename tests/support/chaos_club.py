"""A club of real processes under its supervisor, as `make up` starts it, whose processes are killed at will."""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping
from pathlib import Path

import grpc
import msgspec

from deploy.local.settings import BETWEEN_COPIES
from shared.bus import Bus
from shared.client import Addresses
from shared.gen.levata.table.v1 import table_pb2, table_pb2_grpc
from shared.metrics import Metrics
from shared.rpc.policy import RETRIABLE
from shared.settings import ServiceSettings
from tests.support.guests import ANSWER_SECONDS, Guest, guest, options
from tests.support.local_club import port_variables
from tests.support.supervisor import SupervisorProcess, supervising
from tests.support.table_service import fresh
from tests.support.tokens import bearer
from tests.support.waiting import until

BACK_SECONDS = 90.0
PACE = {"LEVATA_PACE_MILLISECONDS": "0", "LEVATA_PACE_ALONE_MILLISECONDS": "0"}

AGAIN_SECONDS = 0.2
"""A call that a dying or starting server refused is made again so soon."""


class ChaosClub:
    """The club.

    Attributes:
        state: Its state directory.
        ports: Its ports, by environment variable.
        environment: More variables of the services.
        supervisor: The supervisor that runs now.
        copies: Table and bot processes, each.
        kills: How often each process was killed under this supervisor.
    """

    supervisor: SupervisorProcess

    def __init__(self, state: Path, copies: int, environment: Mapping[str, str], stack: contextlib.ExitStack) -> None:
        self.state = state
        self.ports = port_variables(copies)
        self.environment = environment
        self.copies = copies
        self.kills: Counter[str] = Counter()
        self._stack = stack

    def address(self, service: str, copy: int = 0) -> str:
        """Where a process of a service answers."""
        return f"127.0.0.1:{int(self.ports[f'LEVATA_{service.upper()}_PORT']) + BETWEEN_COPIES * copy}"

    def metrics_address(self, service: str, copy: int = 0) -> str:
        """Where it tells its metrics."""
        return f"127.0.0.1:{int(self.ports[f'LEVATA_{service.upper()}_METRICS_PORT']) + BETWEEN_COPIES * copy}"

    @property
    def tables(self) -> list[str]:
        """Where the table processes answer."""
        return [self.address("table", copy) for copy in range(self.copies)]

    def guest(self, name: str, seed: int, table: str = "") -> contextlib.AbstractAsyncContextManager[Guest]:
        """Somebody who signs in, and finds the table service at `table`; else at its first process."""
        matchmaking, bot, ledger = (self.address(service) for service in ("matchmaking", "bot", "ledger"))
        return guest(Addresses(table or self.tables[0], matchmaking, bot, ledger), name, seed)

    @property
    def processes(self) -> list[str]:
        """Names of all processes that it should have."""
        services = [
            name if copy == 0 else f"{name}-{copy + 1}" for name in ("table", "bot") for copy in range(self.copies)
        ]
        return ["nats", "ledger", "matchmaking", *services]

    async def kill(self, names: Collection[str]) -> None:
        """Kills processes at once, as a crash would, and waits until the supervisor has each of them back."""
        running = self.supervisor.children()
        for name in names:
            self.kills[name] += 1
            os.killpg(running[name].pid, signal.SIGKILL)
        for name in names:
            back = re.compile(rf"^{name} is back\.$", re.MULTILINE)
            await until(
                lambda name=name, back=back: (  # type: ignore[misc]
                    len(back.findall(self.supervisor.said())) >= self.kills[name] or self._ended()
                ),
                BACK_SECONDS,
                f"{name} is back",
            )

    async def kill_all_and_begin_anew(self) -> None:
        """Kills the supervisor, and with it everything, and starts the club again over the same state."""
        before = self.supervisor.children()
        self.supervisor.process.kill()
        self.supervisor.process.wait()
        for process in before.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        await until(lambda: not any(one.is_alive() for one in before.values()), BACK_SECONDS, "everything is dead")
        await self.begin()

    async def begin(self) -> None:
        """Starts a supervisor, and waits until the club is up."""
        arguments = ("up", "--tables", str(self.copies), "--bots", str(self.copies))
        environment = {**self.ports, **self.environment}
        self.supervisor = self._stack.enter_context(supervising(self.state, environment, *arguments))
        self.kills.clear()
        await until(lambda: "The club is up" in self.supervisor.said() or self._ended(), BACK_SECONDS, "it is up")

    def _ended(self) -> bool:
        assert self.supervisor.process.poll() is None, self.supervisor.said()
        return False

    @contextlib.asynccontextmanager
    async def bus(self) -> AsyncIterator[Bus]:
        """A connection to NATS with the rights of the table service."""
        passwords = msgspec.json.decode((self.state / "keys" / "nats-passwords.json").read_bytes())
        settings = ServiceSettings.model_validate(
            {
                "nats_url": f"nats://127.0.0.1:{self.ports['LEVATA_NATS_PORT']}",
                "nats_user": "table",
                "nats_password": passwords["table"],
            }
        )
        connected = await Bus.connect(settings, Metrics("test"), "test")
        try:
            yield connected
        finally:
            await connected.close()

    async def exhibition(self, seats: int, game: str = "arzoi") -> str:
        """A match of bots alone, made as a service; the table's id."""
        token = (self.state / "keys" / "service-matchmaking.jwt").read_text().strip()
        request = table_pb2.CreateTableRequest(request_id=fresh("exhibition"), options=options(seats, game))
        async with grpc.aio.insecure_channel(self.address("table")) as channel, asyncio.timeout(ANSWER_SECONDS):
            stub: table_pb2_grpc.TableServiceAsyncStub = table_pb2_grpc.TableServiceStub(channel)
            while True:
                try:
                    made = await stub.CreateTable(request, metadata=bearer(token), wait_for_ready=True)
                except grpc.aio.AioRpcError as error:
                    if error.code() not in RETRIABLE:
                        raise
                    await asyncio.sleep(AGAIN_SECONDS)
                else:
                    return made.table_id

    def recompute(self) -> str:
        """What the ledger's own proof says about its totals. Fails if they do not agree."""
        done = subprocess.run(
            [sys.executable, "-m", "services.ledger", "recompute"],
            env={**os.environ, "LEVATA_DATABASE_URL": f"sqlite:///{self.state.resolve() / 'ledger.db'}"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def log_lines(self, process: str) -> list[str]:
        """What a process has logged."""
        return (self.state / "logs" / f"{process}.log").read_text(errors="replace").splitlines()


@contextlib.asynccontextmanager
async def chaos_club(state: Path, copies: int = 1, **environment: str) -> AsyncIterator[ChaosClub]:
    """A club that is up.

    Args:
        state: Its state directory, empty.
        copies: Table and bot processes, each.
        environment: More variables of the services.
    """
    with contextlib.ExitStack() as stack:
        club = ChaosClub(state, copies, {**PACE, **environment}, stack)
        await club.begin()
        yield club
