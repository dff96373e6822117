"""NATS as the manifests run it: three servers with their own arguments, environment, configuration and secrets."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import nats
import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error

from deploy.kubernetes.flows import Flow, allowed
from deploy.nats.provision import provision
from shared.bus import Bus, BusUnavailable, SequenceConflict
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from shared.streams import CLUB, STREAMS, of_account
from tests.support.connections import connected
from tests.support.nats_pods import SERVERS, START_SECONDS, NatsCluster, nats_pods
from tests.support.waiting import until


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsCluster]:
    with nats_pods(tmp_path_factory.mktemp("cluster")) as made:
        asyncio.run(provision(made.settings("provision")))
        yield made


@pytest.fixture
async def table(cluster: NatsCluster) -> AsyncIterator[Bus]:
    """The table service's connection."""
    bus = await Bus.connect(cluster.settings("table"), Metrics("table"), "table")
    yield bus
    await bus.close()


async def test_every_stream_is_made_with_three_copies(cluster: NatsCluster, table: Bus) -> None:
    assert cluster.settings("table").replicas == SERVERS
    for stream in (STREAMS[name] for name in of_account(CLUB)):
        info = await table.js.stream_info(stream.name)
        assert info.config.num_replicas == SERVERS, stream.name
        assert info.config.subjects == list(stream.subjects)


async def test_servers_connect_to_each_other_where_policies_let_them_and_nowhere_else(cluster: NatsCluster) -> None:
    numbers = {port: number for server in cluster.servers.values() for port, number in server.ports.items()}
    seen: set[Flow] = set()

    def together() -> bool:
        for ports in connected([server.process.pid for server in cluster.servers.values()]).values():
            # At the other end of what a server has accepted is the client's own port, which is no server's.
            seen.update(Flow("nats", "nats", numbers[port]) for port in ports if port in numbers)
        return bool(seen)

    await until(together)
    names = {Flow("nats", "dns", 53, protocol) for protocol in ("UDP", "TCP")}
    assert {flow for flow in allowed(cluster.build) if flow.source == "nats"} == seen | names


async def test_passwords_are_compared_with_their_hashes(cluster: NatsCluster) -> None:
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


async def enter(cluster: NatsCluster, user: str, password: str) -> Client:
    """A connection to one of the servers, which is tried once."""
    return await nats.connect(
        cluster.urls[0], user=user, password=password, allow_reconnect=False, max_reconnect_attempts=0
    )


def _plain(settings: ServiceSettings) -> str:
    assert settings.nats_password is not None
    return settings.nats_password.get_secret_value()


async def test_the_log_is_the_table_services_alone(cluster: NatsCluster, table: Bus) -> None:
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


async def test_what_was_acknowledged_outlives_the_loss_of_any_server(cluster: NatsCluster, table: Bus) -> None:
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
