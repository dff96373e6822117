"""An edge before real services: what it lets through, and what it refuses."""

import asyncio
import http.client
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path

import grpc
import pytest

from shared.client import Addresses
from shared.client.errors import ClubError
from shared.gen.levata.ledger.v1 import identity_pb2, identity_pb2_grpc
from shared.gen.levata.table.v1 import table_pb2, table_pb2_grpc
from tests.support.edge import Edge, edge_before
from tests.support.full_club import FullClub, full_club
from tests.support.guests import guest
from tests.support.tokens import TokenIssuer, bearer
from tests.support.waiting import until


@pytest.fixture
async def club(tmp_path: Path) -> AsyncIterator[FullClub]:
    async with full_club(tmp_path) as running:
        yield running


@pytest.fixture
async def door(club: FullClub, tmp_path: Path) -> AsyncIterator[Edge]:
    async with edge_before(club, tmp_path / "edge") as running:
        yield running


@pytest.fixture
async def channel(door: Edge) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(door.address) as opened:
        yield opened


def everything_at(address: str) -> Addresses:
    return Addresses(address, address, address, address)


async def refusal(call: Awaitable[object]) -> ClubError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return ClubError.from_rpc(caught.value)


async def test_a_native_client_plays_a_whole_match_through_the_edge(club: FullClub, door: Edge) -> None:
    async with guest(everything_at(door.address), "Ana") as ana:
        table = await ana.open_table(3)
        await ana.start(table)
        over = await ana.play(table)
    assert over.status == table_pb2.TABLE_STATUS_FINISHED


async def test_who_has_no_token_or_a_foreign_one_is_refused_at_the_edge(
    club: FullClub, door: Edge, channel: grpc.aio.Channel, tmp_path: Path
) -> None:
    tables = table_pb2_grpc.TableServiceStub(channel)
    foreign = TokenIssuer(tmp_path / "foreign").token("player-1", "Ana")
    request = table_pb2.ListTablesRequest()
    calls = club.service("table").registry.get_sample_value
    before = calls("levata_rpc_started_total", {"method": "/levata.table.v1.TableService/ListTables"})
    for metadata in ((), (("authorization", "Bearer nonsense"),), bearer(foreign)):
        error = await refusal(tables.ListTables(request, metadata=metadata))
        assert (error.code, error.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID")
    assert calls("levata_rpc_started_total", {"method": "/levata.table.v1.TableService/ListTables"}) == before
    ours = bearer(club.services.issuer.token("player-1", "Ana"))
    await tables.ListTables(request, metadata=ours)


async def test_a_page_from_elsewhere_is_refused_at_the_edge(club: FullClub, channel: grpc.aio.Channel) -> None:
    tables = table_pb2_grpc.TableServiceStub(channel)
    ours = bearer(club.services.issuer.token("player-1", "Ana"))
    error = await refusal(
        tables.ListTables(table_pb2.ListTablesRequest(), metadata=(*ours, ("origin", "https://elsewhere.example")))
    )
    assert (error.code, error.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ORIGIN_FORBIDDEN")
    await tables.ListTables(table_pb2.ListTablesRequest(), metadata=(*ours, ("origin", "http://localhost:3000")))


async def test_who_is_too_fast_is_told_when_to_try_again(channel: grpc.aio.Channel) -> None:
    identity = identity_pb2_grpc.IdentityServiceStub(channel)
    answers = await asyncio.gather(
        *(identity.GetJwks(identity_pb2.GetJwksRequest()) for _ in range(400)), return_exceptions=True
    )
    refused = [ClubError.from_rpc(one) for one in answers if isinstance(one, grpc.aio.AioRpcError)]
    assert len(refused) < 300
    assert {(error.code, error.reason, error.retry_after) for error in refused} == {
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_FAST", 1.0)
    }


async def test_new_keys_are_taken_up_while_the_edge_runs(club: FullClub, channel: grpc.aio.Channel) -> None:
    tables = table_pb2_grpc.TableServiceStub(channel)
    club.services.issuer.renew("test-2")
    renewed = bearer(club.services.issuer.token("player-1", "Ana"))

    async def known() -> bool:
        try:
            await tables.ListTables(table_pb2.ListTablesRequest(), metadata=renewed)
        except grpc.aio.AioRpcError:
            return False
        return True

    await until(known, 20, "the new keys are known")


async def test_tokens_stay_good_while_the_ledger_is_away(club: FullClub, door: Edge, channel: grpc.aio.Channel) -> None:
    tables = table_pb2_grpc.TableServiceStub(channel)
    ours = bearer(club.services.issuer.token("player-1", "Ana"))
    await tables.ListTables(table_pb2.ListTablesRequest(), metadata=ours)
    await club.service("ledger").stop()

    async def missed() -> bool:
        return await door.figure("envoy_http_jwt_authn_jwks_fetch_failed") >= 3

    await until(missed, 30, "the keys were asked for in vain")
    await tables.ListTables(table_pb2.ListTablesRequest(), metadata=ours)


def test_nothing_but_the_figures_is_to_be_had_at_their_port(door: Edge) -> None:
    host, _, port = door.metrics_address.rpartition(":")
    for method, path, status in (
        ("GET", "/metrics", 200),
        ("GET", "/ready", 200),
        ("GET", "/config_dump", 404),
        ("POST", "/quitquitquit", 404),
        ("GET", "/metrics/../config_dump", 404),
    ):
        connection = http.client.HTTPConnection(host, int(port), timeout=10)
        connection.request(method, path)
        assert connection.getresponse().status == status, (method, path)
        connection.close()
