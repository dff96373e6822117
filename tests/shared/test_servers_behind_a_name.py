"""Calls to a name go to all servers behind it: those that were there, and those that come and go."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from shared.client import Addresses, Club
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2 as pb
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2_grpc as rpc
from shared.harness import Service
from shared.rpc.channel import open_channel
from shared.settings import ServiceSettings
from tests.support import services
from tests.support.name_server import NameServer, name_server
from tests.support.statuses import Told, told
from tests.support.waiting import until
from tests.support.waiting_room import WaitingRoom

CALLERS = 16
"""Enough that one of them has always just called."""
BETWEEN_NEWCOMERS = 0.1
"""Seconds."""
UNAVAILABLE_DRAINING = (grpc.StatusCode.UNAVAILABLE, "DRAINING")
ADDRESSES = ("127.0.0.1", "127.0.0.2")
"""Two hosts; on some systems the second has to be made first."""


def port_of_both() -> int:
    """A port that is free at both addresses."""
    for _ in range(100):
        with socket.socket() as one, socket.socket() as two:
            one.bind((ADDRESSES[0], 0))
            port: int = one.getsockname()[1]
            try:
                two.bind((ADDRESSES[1], port))
            except OSError:
                continue
            return port
    pytest.skip(f"this system has no {ADDRESSES[1]}")


class Servers:
    """The same service at two hosts, and a caller who knows them by name.

    Attributes:
        names: Where the caller looks them up.
        rooms: What answers, by host.
        answered: How often each host answered.
        target: What they are called.
        token: The caller's.
    """

    def __init__(self, levata: services.Club, names: NameServer) -> None:
        self.names = names
        self.rooms: dict[str, WaitingRoom] = {}
        self.answered = dict.fromkeys(ADDRESSES, 0)
        self._levata = levata
        self._port = port_of_both()
        self.target = names.target(self._port)
        self.token = levata.issuer.token("p-ana")
        self.channel = open_channel(self.target, lambda: self.token)
        self.stub: Any = rpc.MatchmakingServiceStub(self.channel)

    async def start(self, address: str, **more: Any) -> Service:
        """Starts the server of a host."""
        room = self.rooms[address] = WaitingRoom()

        async def queues(request: pb.ListQueuesRequest) -> pb.ListQueuesResponse:
            self.answered[address] += 1
            return pb.ListQueuesResponse()

        room.queues = queues
        return await self._levata.start(address, ServiceSettings, room.bind, listen=f"{address}:{self._port}", **more)

    async def call(self) -> None:
        """One call, which has to succeed."""
        await self.stub.ListQueues(pb.ListQueuesRequest(), timeout=20)

    async def call_until_answered_by(self, address: str) -> None:
        """Calls until one of the calls is answered there."""
        before = self.answered[address]

        async def called() -> bool:
            await self.call()
            return self.answered[address] > before

        await until(called)


@pytest.fixture
async def servers(levata: services.Club) -> AsyncIterator[Servers]:
    async with name_server() as names:
        both = Servers(levata, names)
        yield both
        await both.channel.close()


@contextlib.asynccontextmanager
async def busy(servers: Servers) -> AsyncIterator[None]:
    """Many call all the time meanwhile, and each call has to succeed."""
    over = asyncio.Event()

    async def keep_calling() -> None:
        while not over.is_set():
            await servers.call()

    callers = [asyncio.create_task(keep_calling()) for _ in range(CALLERS)]
    await servers.call()
    yield
    over.set()
    await asyncio.gather(*callers)


async def test_calls_are_spread_over_all_servers_behind_a_name(servers: Servers) -> None:
    for address in ADDRESSES:
        await servers.start(address)
    servers.names.addresses = ADDRESSES
    for address in ADDRESSES:
        await servers.call_until_answered_by(address)
    before = dict(servers.answered)
    for _ in range(10):
        await servers.call()
    assert [servers.answered[address] - before[address] for address in ADDRESSES] == [5, 5]


async def test_a_server_that_is_added_is_found_and_streams_go_on_where_they_are(servers: Servers) -> None:
    old, new = ADDRESSES
    await servers.start(old, connection_age_seconds=0.5)
    servers.names.addresses = [old]
    watch = servers.stub.WatchTicket(pb.WatchTicketRequest(ticket_id="t"))
    reading = asyncio.ensure_future(watch.read())
    await servers.rooms[old].watching.wait()
    await servers.call()
    await servers.start(new)
    servers.names.addresses = ADDRESSES
    await servers.call_until_answered_by(new)  # so the connections to the old one have ended once
    assert not reading.done()
    servers.rooms[old].watch.put_nowait(pb.Ticket(ticket_id="t"))
    assert (await reading).ticket.ticket_id == "t"
    watch.cancel()


async def test_no_call_fails_while_servers_are_replaced_one_after_another(servers: Servers) -> None:
    """Neither does one that arrives in the very moment in which a server stops."""
    leaving, coming = ADDRESSES
    first = await servers.start(leaving)
    servers.names.addresses = [leaving]
    async with busy(servers):
        await servers.start(coming)
        servers.names.addresses = [coming]
        await first.stop()
    await servers.call_until_answered_by(coming)


async def test_a_server_that_drains_is_left_at_once(servers: Servers) -> None:
    leaving, staying = ADDRESSES
    first = await servers.start(leaving, linger_seconds=1.0, drain_seconds=5.0)
    await servers.start(staying)
    servers.names.addresses = ADDRESSES
    for address in ADDRESSES:
        await servers.call_until_answered_by(address)
    async with busy(servers):
        await first.stop()
    # Those that were on their way when it said so; after them nobody came, though its name was still there.
    assert first.metrics.value("levata_rpc_refused_total", reason="DRAINING") <= CALLERS


async def test_a_client_that_knows_only_the_server_that_goes_finds_the_one_that_came(servers: Servers) -> None:
    """A client does not ask for health, and looks the name up again only when a connection ends: so the server does not
    wait for it to stay away as long as it may.
    """
    leaving, coming = ADDRESSES
    first = await servers.start(leaving, linger_seconds=0.5, drain_seconds=60.0)
    servers.names.addresses = [leaving]
    addresses = Addresses(servers.target, servers.target, servers.target, servers.target)
    async with Club.connect(addresses, token=servers.token) as club:

        async def call() -> None:
            await club.matchmaking.ListQueues(pb.ListQueuesRequest(), timeout=6)

        async def go() -> None:
            await servers.start(coming)
            servers.names.addresses = [coming]
            await first.stop()

        await call()
        async with asyncio.timeout(40), asyncio.TaskGroup() as calling:
            going = calling.create_task(go())
            # There is always somebody who has just come.
            while not (going.done() and servers.answered[coming]):
                calling.create_task(call())
                await asyncio.sleep(BETWEEN_NEWCOMERS)


async def test_whoever_knows_one_server_only_is_told_that_it_drains_until_nobody_calls_any_more(
    levata: services.Club,
) -> None:
    """Bare callers without retries: each is refused with a reason, and none is broken off when the server stops."""
    room = WaitingRoom()

    async def queues(request: pb.ListQueuesRequest) -> pb.ListQueuesResponse:
        return pb.ListQueuesResponse()

    room.queues = queues
    service = await levata.start("tiny", ServiceSettings, room.bind, linger_seconds=0.2, drain_seconds=30.0)
    stub: Any = rpc.MatchmakingServiceStub(await levata.channel(service))

    async def call_until_refused() -> Told:
        while True:
            try:
                await stub.ListQueues(pb.ListQueuesRequest(), timeout=20)
            except grpc.aio.AioRpcError as error:
                return told(error)

    callers = [asyncio.create_task(call_until_refused()) for _ in range(CALLERS)]
    await stub.ListQueues(pb.ListQueuesRequest())
    await service.stop()
    answers = await asyncio.gather(*callers)
    assert [(answer.code, answer.reason) for answer in answers] == [UNAVAILABLE_DRAINING] * CALLERS
