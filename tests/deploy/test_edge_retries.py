"""What the edge tries again, and what it takes no more: callers that repeat nothing themselves."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from deploy.local.readiness import answers_http
from shared.gen.levata.table.v1 import table_pb2, table_pb2_grpc
from shared.harness import Service
from tests.support.edge import Edge, edge
from tests.support.full_club import FullClub, full_club
from tests.support.guests import options
from tests.support.table_service import fresh, start_table
from tests.support.tokens import bearer
from tests.support.waiting import until

CALLERS = 4
"""So many call all the time."""
ONCE_MORE = 10
"""Calls that each of them still makes when a server has gone."""
PAUSE_SECONDS = 0.05
"""Between two of a caller's calls: the edge takes some fifty a second from one address."""
MANY_TABLES = {"tables_per_host": 1000}
ONLY_ONCE = (("grpc.enable_retries", 0),)


class Callers:
    """People who make tables all the time and never try again; each call has to succeed.

    Attributes:
        tables: Ids of what they made.
    """

    def __init__(self, club: FullClub, stub: "table_pb2_grpc.TableServiceAsyncStub") -> None:
        self.tables: list[str] = []
        self._issuer = club.services.issuer
        self._stub = stub
        self._over = asyncio.Event()

    async def _make(self, player: str) -> None:
        request = table_pb2.CreateTableRequest(request_id=fresh("table"), options=options(3))
        metadata = (*bearer(self._issuer.token(player, player)), ("levata-table", request.request_id))
        made = await self._stub.CreateTable(request, metadata=metadata, timeout=20)
        self.tables.append(made.table_id)
        await asyncio.sleep(PAUSE_SECONDS)

    async def _call(self, player: str) -> None:
        while not self._over.is_set():
            await self._make(player)
        for _ in range(ONCE_MORE):
            await self._make(player)

    @contextlib.asynccontextmanager
    async def busy(self) -> AsyncIterator[None]:
        """They call inside the block, and a little longer."""
        async with asyncio.timeout(100), asyncio.TaskGroup() as calling:
            for number in range(CALLERS):
                calling.create_task(self._call(f"player-{number}"))
            await until(lambda: len(self.tables) >= CALLERS, 30, "they call")
            yield
            self._over.set()


@pytest.fixture
async def club(tmp_path: Path) -> AsyncIterator[FullClub]:
    async with full_club(tmp_path, table=MANY_TABLES, bots=False) as running:
        yield running


@pytest.fixture
async def other(club: FullClub) -> Service:
    return await start_table(club.services, club.folder, "other", linger_seconds=0.5, drain_seconds=10.0, **MANY_TABLES)


@pytest.fixture
async def door(club: FullClub, other: Service, tmp_path: Path) -> AsyncIterator[Edge]:
    upstreams = {name: [club.service(name).address] for name in ("table", "matchmaking", "bot", "ledger")}
    upstreams["table"].append(other.address)
    async with edge(tmp_path / "edge", upstreams, club.service("ledger").metrics_address) as running:
        yield running


@pytest.fixture
async def callers(club: FullClub, door: Edge) -> AsyncIterator[Callers]:
    async with grpc.aio.insecure_channel(door.address, options=ONLY_ONCE) as channel:
        yield Callers(club, table_pb2_grpc.TableServiceStub(channel))


@pytest.mark.parametrize("drains", [True, False], ids=["drains", "breaks off"])
async def test_no_call_fails_when_one_of_two_servers_goes(
    club: FullClub, other: Service, door: Edge, callers: Callers, drains: bool
) -> None:
    async with callers.busy():
        await (other.stop() if drains else other.crash())
    # Each was done, and once.
    assert len(set(callers.tables)) == len(callers.tables) >= CALLERS * ONCE_MORE
    info = await club.bus.js.stream_info("TABLES", subjects_filter="tables.log.*")
    assert {subject.rpartition(".")[2] for subject in info.state.subjects or ()} == set(callers.tables)
    assert await door.figure("envoy_cluster_upstream_rq_retry_success", envoy_cluster_name="table") >= 1


async def test_callers_cannot_tell_the_edge_what_to_do(club: FullClub, door: Edge) -> None:
    """Neither how often to try again, nor how long to wait: nobody is one of us because of an address."""
    ours = bearer(club.services.issuer.token("player-1", "Ana"))
    told = (("x-envoy-upstream-rq-timeout-ms", "1"), ("x-envoy-max-retries", "100"), ("x-envoy-retry-on", "5xx"))
    async with grpc.aio.insecure_channel(door.address, options=ONLY_ONCE) as channel:
        stub: table_pb2_grpc.TableServiceAsyncStub = table_pb2_grpc.TableServiceStub(channel)
        await stub.CreateTable(
            table_pb2.CreateTableRequest(request_id=fresh("table"), options=options(3)),
            metadata=(*ours, *told),
            timeout=20,
        )
    assert await door.figure("envoy_cluster_upstream_rq_timeout", envoy_cluster_name="table") == 0


async def test_an_edge_without_memory_lets_nobody_in_and_still_says_that_it_lives(
    club: FullClub, tmp_path: Path
) -> None:
    upstreams = {name: [club.service(name).address] for name in ("table", "matchmaking", "bot", "ledger")}
    keys = club.service("ledger").metrics_address
    async with edge(tmp_path / "edge", upstreams, keys, heap_bytes=1024) as full:

        async def refuses() -> bool:
            return await full.figure("envoy_overload_envoy_overload_actions_stop_accepting_requests_active") == 1

        await until(refuses, 20, "it takes notice")
        async with grpc.aio.insecure_channel(full.address) as channel:
            stub: table_pb2_grpc.TableServiceAsyncStub = table_pb2_grpc.TableServiceStub(channel)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.ListTables(table_pb2.ListTablesRequest(), timeout=20)
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert await answers_http(full.metrics_address)
