"""NATS as the manifests run it: three servers with their own arguments, environment, configuration and secrets."""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import nats
import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error

from deploy.kubernetes import builds, secrets
from deploy.nats.provision import provision
from shared.bus import Bus, BusUnavailable, SequenceConflict
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from shared.streams import CLUB, STREAMS, of_account
from tests.support.local_club import free_ports
from tests.support.nats import nats_binary
from tests.support.pods import Pods, replaced
from tests.support.waiting import until

START_SECONDS = 60.0
SERVERS = 3


class Server:
    """One pod of NATS, as a process.

    Attributes:
        name: Of the pod.
        url: For clients.
    """

    def __init__(self, pods: Pods, number: int, ports: list[list[int]], root: Path) -> None:
        workload = pods.workload("nats")
        client, monitor, peer = ports[number]
        self.name = f"nats-{number}"
        self.url = f"nats://127.0.0.1:{client}"
        self._probe = f"http://127.0.0.1:{monitor}{workload.main['startupProbe']['httpGet']['path']}"
        self._stop = workload.main["lifecycle"]["preStop"]["exec"]["command"]
        pods.mount(workload, root)
        self._environment = replaced(
            pods.environment(workload, self.name),
            [
                ("0.0.0.0:4222", f"127.0.0.1:{client}"),
                ("0.0.0.0:8222", f"127.0.0.1:{monitor}"),
                ("0.0.0.0:6222", f"127.0.0.1:{peer}"),
                ("/data", str(root / "data")),
                *((f"nats-{other}.nats-peers:6222", f"127.0.0.1:{ports[other][2]}") for other in range(SERVERS)),
            ],
        )
        self._arguments = [one.replace("/etc/nats", str(root / "etc/nats")) for one in workload.main["args"]]
        self._log = root / "log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The process, as long as it has been started."""
        assert self._process is not None
        return self._process

    def start(self) -> None:
        """Starts it."""
        with self._log.open("ab") as log:
            command = [str(nats_binary()), *self._arguments]
            self._process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)

    def ready(self) -> bool:
        """Whether its startup probe passes."""
        assert self.process.poll() is None, self._log.read_text()[-3000:]
        try:
            with urllib.request.urlopen(self._probe, timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def kill(self) -> None:
        """Kills it with SIGKILL."""
        self.process.kill()
        self.process.wait()

    def go(self) -> int:
        """Ends it as the kubelet does, by its hook and at once the signal; its exit code."""
        hook = [str(nats_binary()), *(one.replace("ldm=1", f"ldm={self.process.pid}") for one in self._stop[1:])]
        subprocess.run(hook, check=True, capture_output=True)
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


class Cluster:
    """All three.

    Attributes:
        pods: The pods of the build.
        servers: The servers by name.
    """

    def __init__(self, pods: Pods, root: Path) -> None:
        self.pods = pods
        free = free_ports(3 * SERVERS)
        ports = [free[3 * number : 3 * number + 3] for number in range(SERVERS)]
        made = [Server(pods, number, ports, root / f"nats-{number}") for number in range(SERVERS)]
        self.servers = {server.name: server for server in made}

    @property
    def urls(self) -> list[str]:
        """Where clients find them."""
        return [server.url for server in self.servers.values()]

    def wait(self) -> None:
        """Waits until all are ready."""
        deadline = time.monotonic() + START_SECONDS
        while not all(server.ready() for server in self.servers.values()):
            assert time.monotonic() < deadline, "the servers do not find each other"
            time.sleep(0.1)

    def settings(self, name: str) -> ServiceSettings:
        """The settings of a workload as its manifest gives them; `ledger-app` is of no use here."""
        environment = self.pods.environment(self.pods.workload(name), f"{name}-0", {"ledger-app": ""})
        environment = replaced(environment, [("nats://nats:4222", ",".join(self.urls))])
        with pytest.MonkeyPatch.context() as patched:
            for variable in [one for one in os.environ if one.startswith("LEVATA_")]:
                patched.delenv(variable)
            for variable, value in environment.items():
                patched.setenv(variable, value)
            return ServiceSettings(publish_seconds=30.0)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    root = tmp_path_factory.mktemp("cluster")
    secrets.make(root / "secrets")
    (production,) = builds.combinations(builds.copy(builds.DEPLOY, root / "deploy"), ["production"])
    made = Cluster(Pods(production, root / "secrets"), root)
    try:
        for server in made.servers.values():
            server.start()
        made.wait()
        asyncio.run(provision(made.settings("provision")))
        yield made
    finally:
        for server in made.servers.values():
            with contextlib.suppress(AssertionError):
                server.kill()


@pytest.fixture
async def table(cluster: Cluster) -> AsyncIterator[Bus]:
    """The table service's connection."""
    bus = await Bus.connect(cluster.settings("table"), Metrics("table"), "table")
    yield bus
    await bus.close()


async def test_every_stream_is_made_with_three_copies(cluster: Cluster, table: Bus) -> None:
    assert cluster.settings("table").replicas == SERVERS
    for stream in (STREAMS[name] for name in of_account(CLUB)):
        info = await table.js.stream_info(stream.name)
        assert info.config.num_replicas == SERVERS, stream.name
        assert info.config.subjects == list(stream.subjects)


async def test_passwords_are_compared_with_their_hashes(cluster: Cluster) -> None:
    """Each user comes in with the password that its pods are given; nobody does with another's, or with the hash."""
    hashes = cluster.pods.files("Secret", "levata-nats-hashes")
    names = ("table", "matchmaking", "bot", "ledger", "provision")
    for name, other in zip(names, (*names[1:], names[0]), strict=True):
        settings = cluster.settings(name)
        assert settings.nats_user is not None
        await (await enter(cluster, settings.nats_user, _plain(settings))).close()
        for guess in (_plain(cluster.settings(other)), hashes[settings.nats_user].decode()):
            with pytest.raises(Error):
                await enter(cluster, settings.nats_user, guess)


async def enter(cluster: Cluster, user: str, password: str) -> Client:
    """A connection to one of the servers, which is tried once."""
    return await nats.connect(
        cluster.urls[0], user=user, password=password, allow_reconnect=False, max_reconnect_attempts=0
    )


def _plain(settings: ServiceSettings) -> str:
    assert settings.nats_password is not None
    return settings.nats_password.get_secret_value()


async def test_the_log_is_the_table_services_alone(cluster: Cluster, table: Bus) -> None:
    await table.append("tables.log.hidden", b"every hand", 0)
    bot = await Bus.connect(cluster.settings("bot"), Metrics("bot"), "bot")
    told: list[bytes] = []

    async def keep(message: Msg) -> None:
        told.append(message.data)

    for subject in ("tables.stored.>", "tables.log.>", "_INBOX.bot.answer"):
        await bot.nc.subscribe(subject, cb=keep)
    for subject in ("tables.log.hidden", "results.arzoi", "$JS.API.STREAM.MSG.GET.TABLES"):
        await bot.nc.publish(subject, b'{"last_by_subj": "tables.log.hidden"}', reply="_INBOX.bot.answer")
    await bot.nc.flush()
    await table.append("tables.log.hidden", b"every card", 1)
    await bot.nc.flush()
    await until(lambda: any(b"JetStream not enabled" in one for one in told))
    assert not [one for one in told if b"every" in one or b"ZXZlcnkg" in one]
    assert [data for _, data in await table.read_subject("TABLES", "tables.log.hidden")] == [
        b"every hand",
        b"every card",
    ]
    assert (await table.js.stream_info("RESULTS")).state.messages == 0
    await bot.close()


async def test_what_was_acknowledged_outlives_the_loss_of_any_server(cluster: Cluster, table: Bus) -> None:
    """Kill -9 of the server that leads the log; then one goes in good order. The log is whole, and written on."""
    log = Log(table)
    await log.write(20)
    leader = cluster.servers[await log.leader()]
    writing = asyncio.create_task(log.write(60))
    await until(lambda: len(log.written) > 40)
    leader.kill()
    await writing
    assert await log.leader() != leader.name
    assert await log.read() == log.written
    leader.start()
    await asyncio.to_thread(cluster.wait)

    going = cluster.servers[await log.leader()]
    ending = asyncio.create_task(asyncio.to_thread(going.go))
    while not ending.done():
        await log.write(1)
    assert await ending == 0
    going.start()
    await asyncio.to_thread(cluster.wait)
    await log.write(5)
    assert await log.read() == log.written
    assert (await table.js.stream_info("TABLES")).config.num_replicas == SERVERS


class Log:
    """A table's log, written as the table service writes it: after an unknown outcome the log itself is asked."""

    def __init__(self, bus: Bus) -> None:
        self.written: list[bytes] = []
        self._bus = bus
        self._subject = "tables.log.a"
        self._sequence = 0

    async def leader(self) -> str:
        """Name of the server that leads the stream."""
        found = ""

        async def led() -> bool:
            nonlocal found
            try:
                info = await self._bus.js.stream_info("TABLES")
            except Error:
                return False
            found = (info.cluster.leader or "") if info.cluster else ""
            return bool(found)

        await until(led, START_SECONDS)
        return found

    async def write(self, count: int) -> None:
        """Appends so many more records."""
        for _ in range(count):
            data = b"%d" % len(self.written)
            while not await self._stored(data):
                pass
            self.written.append(data)

    async def _stored(self, data: bytes) -> bool:
        try:
            self._sequence = await self._bus.append(self._subject, data, self._sequence)
        except (BusUnavailable, SequenceConflict):
            last = await self._bus.last("TABLES", self._subject)
            if last is None or last[1] != data:
                return False
            self._sequence = last[0]
        return True

    async def read(self) -> list[bytes]:
        """All of it."""
        return [data for _, data in await self._bus.read_subject("TABLES", self._subject)]
