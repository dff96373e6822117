"""A club whose services are replaced as a cluster replaces them: each a Deployment of processes behind a headless name.

Every process has a host of its own, 127.0.0.x, and all of a service the same port, as pods have; a name server says
which of them a name stands for. A new one is started and ready before an old one goes, and the old one is forgotten by
its name, then told to end, and given its time.
"""

import asyncio
import contextlib
import itertools
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from pydantic import SecretStr

from deploy.local import roster, secrets
from deploy.local.readiness import answers_grpc
from deploy.local.secrets import Secrets
from deploy.local.settings import LocalSettings
from deploy.nats.provision import provision
from services.ledger.database import Database
from services.ledger.schema import migrate
from shared.bus import Bus
from shared.client import Addresses
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from tests.support.guests import Guest, guest
from tests.support.local_club import kept_nats, local_settings
from tests.support.name_server import NameServer, name_server
from tests.support.waiting import until

SERVICES: Final = ("ledger", "table", "matchmaking", "bot")
GRACE_SECONDS: Final = 60.0
"""terminationGracePeriodSeconds of the manifests: who has not ended then is killed."""
START_SECONDS: Final = 60.0


@dataclass(frozen=True)
class Manners:
    """How a process goes, as the manifests say.

    Attributes:
        settle_seconds: So long its successor has been ready before it goes (minReadySeconds).
        leave_seconds: Between the moment in which its name forgets it and the signal (preStop).
        drain_seconds: LEVATA_DRAIN_SECONDS.
        linger_seconds: LEVATA_LINGER_SECONDS.
    """

    settle_seconds: float = 10.0
    leave_seconds: float = 5.0
    drain_seconds: float = 40.0
    linger_seconds: float = 2.0


@dataclass(eq=False)
class Pod:
    """One process.

    Attributes:
        service: Of which service.
        name: Its name, as in the facts of tables and in leases.
        host: Its address without the port.
        address: Where it answers.
        metrics_address: Where it tells its figures, and the ledger its public keys.
        process: The process.
        log: What it has printed.
    """

    service: str
    name: str
    host: str
    address: str
    metrics_address: str
    process: asyncio.subprocess.Process
    log: Path


class Ground(Protocol):
    """The servers of NATS that a club stands on."""

    def told(self, name: str) -> Mapping[str, str]:
        """Environment variables by which a service finds them."""

    def settings(self, name: str) -> ServiceSettings:
        """The same as settings: of a service, or of `provision`, who makes the streams."""


@dataclass(frozen=True)
class OneServer:
    """A lone server, as a local club has it."""

    local: LocalSettings
    passwords: Mapping[str, str]

    def told(self, name: str) -> Mapping[str, str]:
        """Nothing that the roles of a local club would not tell."""
        return {}

    def settings(self, name: str) -> ServiceSettings:
        """See `Ground`."""
        user = "provisioner" if name == "provision" else name
        return ServiceSettings(
            nats_url=roster.nats_url(self.local), nats_user=user, nats_password=SecretStr(self.passwords[user])
        )


class DeployedClub:
    """The club.

    Attributes:
        pods: What runs, by service, the oldest first.
        names: Where each service is looked up.
        retired: What has gone.
    """

    def __init__(
        self,
        settings: LocalSettings,
        made: Secrets,
        ground: Ground,
        names: Mapping[str, NameServer],
        environment: Mapping[str, str],
        manners: Manners,
        stack: contextlib.AsyncExitStack,
    ) -> None:
        self.names = names
        self.pods: dict[str, list[Pod]] = {service: [] for service in SERVICES}
        self.retired: list[Pod] = []
        self._settings = settings
        self._secrets = made
        self._ground = ground
        self._manners = manners
        self._stack = stack
        self._numbers = itertools.count(1)
        self._environment = {
            "LEVATA_DRAIN_SECONDS": str(manners.drain_seconds),
            "LEVATA_LINGER_SECONDS": str(manners.linger_seconds),
            "LEVATA_PACE_MILLISECONDS": "0",
            "LEVATA_PACE_ALONE_MILLISECONDS": "0",
            "LEVATA_LOG_FORMAT": "json",
            **environment,
        }

    @property
    def addresses(self) -> Addresses:
        """The services by name."""
        table, matchmaking, bot, ledger = (self.target(name) for name in ("table", "matchmaking", "bot", "ledger"))
        return Addresses(table, matchmaking, bot, ledger)

    def target(self, service: str) -> str:
        """What a service is called by others."""
        return self.names[service].target(self._settings.port(service))

    def guest(self, name: str, seed: int) -> contextlib.AbstractAsyncContextManager[Guest]:
        """Somebody who signs in, and knows the services by name."""
        return guest(self.addresses, name, seed)

    def upstreams(self) -> dict[str, list[str]]:
        """The services for an edge: each by one name."""
        return {service: [f"{service}.test:{self._settings.port(service)}"] for service in SERVICES}

    def resolvers(self) -> dict[str, str]:
        """Where an edge has to look each of them up, host:port."""
        return {service: self.names[service].address for service in SERVICES}

    # Coming and going

    async def start(self, service: str) -> Pod:
        """Starts a process of a service; when it is ready its name stands for it too."""
        number = next(self._numbers)
        host, name = f"127.0.0.{10 + number}", f"{service}-{number}"
        role = roster.service(self._settings, self._secrets, service)
        address, metrics = (f"{host}:{port}" for port in self._ports(service))
        told = {
            **role.environment,
            **self._ground.told(service),
            **self._environment,
            "LEVATA_INSTANCE": name,
            "LEVATA_LISTEN": address,
            "LEVATA_METRICS_LISTEN": metrics,
            "LEVATA_TABLE_ADDRESS": self.target("table"),
        }
        path = self._settings.state / f"{name}.log"
        with path.open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", f"services.{service}", env=told, stdout=log, stderr=log
            )
        pod = Pod(service, name, host, address, metrics, process, path)
        self._stack.push_async_callback(_kill, process)

        async def ready() -> bool:
            assert process.returncode is None, pod.log.read_text()[-3000:]
            return await answers_grpc(address)

        await until(ready, START_SECONDS, f"{name} is ready")
        self.pods[service].append(pod)
        self._say(service)
        return pod

    async def end(self, pod: Pod) -> int:
        """Ends a process as the kubelet does; its exit code. Fails if it has to be killed."""
        self.pods[pod.service].remove(pod)
        self._say(pod.service)
        await asyncio.sleep(self._manners.leave_seconds)  # preStop
        os.kill(pod.process.pid, signal.SIGTERM)
        code = await asyncio.wait_for(pod.process.wait(), GRACE_SECONDS - self._manners.leave_seconds)
        self.retired.append(pod)
        return code

    async def replace(self, service: str) -> None:
        """A rolling update of a service: one more, then one less, until all are new. Each ends well, and in time."""
        for pod in list(self.pods[service]):
            await self.start(service)
            await asyncio.sleep(self._manners.settle_seconds)
            assert await self.end(pod) == 0, pod.log.read_text()[-3000:]

    def logs(self) -> dict[str, str]:
        """What each process has printed, those that have gone included."""
        pods = [*self.retired, *itertools.chain.from_iterable(self.pods.values())]
        return {pod.name: pod.log.read_text(errors="replace") for pod in pods}

    @contextlib.asynccontextmanager
    async def bus(self) -> AsyncIterator[Bus]:
        """A connection to NATS with the rights of the table service."""
        bus = await Bus.connect(self._ground.settings("table"), Metrics("test"), "test")
        try:
            yield bus
        finally:
            await bus.close()

    async def provision(self) -> None:
        """Makes the streams."""
        await provision(self._ground.settings("provision"))

    def _ports(self, service: str) -> tuple[int, int]:
        return self._settings.port(service), self._settings.metrics_port(service)

    def _say(self, service: str) -> None:
        self.names[service].addresses = [pod.host for pod in self.pods[service]]


async def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.wait()


@contextlib.asynccontextmanager
async def deployed_club(
    state: Path,
    database_url: str,
    copies: Mapping[str, int],
    manners: Manners,
    ground: Ground | None = None,
    **environment: str,
) -> AsyncIterator[DeployedClub]:
    """A club that is up.

    Args:
        state: For its keys and logs, an empty folder.
        database_url: An empty database; of PostgreSQL if several ledgers are to share it.
        copies: Processes of each service, where it is not one.
        manners: How processes go.
        ground: Where it stands; None for a server of its own.
        environment: More variables of the services.
    """
    settings = local_settings(state)
    made = await asyncio.to_thread(secrets.prepare, state)
    database = Database(database_url)
    await migrate(database)
    await database.close()
    async with contextlib.AsyncExitStack() as stack:
        if ground is None:
            await stack.enter_async_context(kept_nats(settings, made))
            ground = OneServer(settings, made.nats_passwords)
        names = {service: await stack.enter_async_context(name_server()) for service in SERVICES}
        told = {"LEVATA_DATABASE_URL": database_url, **environment}
        club = DeployedClub(settings, made, ground, names, told, manners, stack)
        await club.provision()
        await asyncio.gather(*(club.start(service) for service in SERVICES for _ in range(copies.get(service, 1))))
        yield club
