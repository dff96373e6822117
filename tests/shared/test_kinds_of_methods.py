"""The server's interceptor does the same for all four kinds of methods, also those that write to the context."""

from typing import Any

import grpc
import pytest

from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.harness import Harness, Service
from shared.rpc import interceptor
from shared.settings import ServiceSettings
from tests.support.echo import SERVICE, Client, Echo, chat
from tests.support.services import Club
from tests.support.statuses import refused
from tests.support.waiting import until

REFUSALS = 300
"""Of a stream, while it is written to: without the wait some in a hundred cross the first message."""
METHODS = ["One", "Yielding", "Writing", "Collecting", "Talking"]


@pytest.fixture
async def service(levata: Club) -> Service:
    async def bind(harness: Harness, settings: ServiceSettings) -> None:
        harness.add_servicer(Echo.register, Echo(), SERVICE)

    return await levata.start("test", ServiceSettings, bind)


@pytest.fixture
async def client(levata: Club, service: Service) -> Client:
    return Client(await levata.channel(service))


@pytest.mark.parametrize(
    ("method", "answers"),
    [
        ("One", ["a"]),
        ("Yielding", ["first", "a"]),
        ("Writing", ["first", "a"]),
        ("Collecting", ["a b"]),
        ("Talking", ["a", "b"]),
    ],
)
async def test_every_kind_is_served_and_counted(
    levata: Club, service: Service, client: Client, method: str, answers: list[str]
) -> None:
    assert await client.call(method, ["a", "b"], levata.as_player("p-ana", "Ana")) == answers
    path = f"/{SERVICE}/{method}"
    value = service.metrics.value
    assert value("levata_rpc_started_total", method=path) == 1
    # The caller has its answer before the server has counted that it was given.
    await until(lambda: value("levata_rpc_handled_total", method=path, code="OK") == 1)
    seconds = {kind: value(f"levata_rpc_{kind}_count", method=path) for kind in ("seconds", "stream_seconds")}
    assert seconds == {"seconds": float(method == "One"), "stream_seconds": float(method != "One")}
    assert value("levata_rpc_in_flight", method=path) == 0


@pytest.mark.parametrize("method", METHODS)
async def test_every_kind_refuses_with_reason(levata: Club, service: Service, client: Client, method: str) -> None:
    told = await refused(client.call(method, ["no"], levata.as_player("p-ana")))
    assert (told.code, told.reason) == (grpc.StatusCode.PERMISSION_DENIED, "MUTED")
    path = f"/{SERVICE}/{method}"
    await until(lambda: service.metrics.value("levata_rpc_handled_total", method=path, code="PERMISSION_DENIED") == 1)
    assert service.metrics.value("levata_rpc_refused_total", reason="MUTED") == 1


@pytest.mark.parametrize("method", METHODS)
async def test_every_kind_survives_an_accident(levata: Club, client: Client, method: str) -> None:
    told = await refused(client.call(method, ["boom"], levata.as_player("p-ana")))
    assert (told.code, told.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert await client.call(method, ["a"], levata.as_player("p-ana"))


@pytest.mark.parametrize("method", METHODS)
async def test_every_kind_wants_a_token(client: Client, method: str) -> None:
    told = await refused(client.call(method, ["a"], ()))
    assert (told.code, told.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_MISSING")


@pytest.mark.parametrize("method", ["One", "Yielding", "Writing"])
async def test_single_requests_are_validated_at_the_door(levata: Club, client: Client, method: str) -> None:
    told = await refused(client.call(method, [""], levata.as_player("p-ana")))
    assert (told.code, set(told.violations)) == (grpc.StatusCode.INVALID_ARGUMENT, {"text"})


@pytest.mark.parametrize("method", ["Collecting", "Talking"])
async def test_requests_on_a_stream_are_left_to_the_servicer(levata: Club, client: Client, method: str) -> None:
    assert await client.call(method, [""], levata.as_player("p-ana")) == [""]


async def test_bytes_that_are_no_message_end_a_stream_as_the_callers_mistake(levata: Club, service: Service) -> None:
    channel = await levata.channel(service)
    talk: Any = channel.stream_stream(f"/{SERVICE}/Talking")
    call = talk(iter([b"\xff\xff"]), metadata=levata.as_player("p-ana"))
    told = await refused(call.read())
    assert (told.code, told.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST")


async def test_a_stream_is_not_refused_while_its_first_message_is_on_the_way(levata: Club, service: Service) -> None:
    channel = await levata.channel(service)
    talk: Any = channel.stream_stream(f"/{SERVICE}/Talking", pb.SendChatRequest.SerializeToString)
    reasons = set()
    for _ in range(REFUSALS):
        call = talk()
        await call.write(chat("a"))  # raises when the call is over
        reasons.add((await refused(call.read())).reason)
    assert reasons == {"TOKEN_MISSING"}


async def test_a_stream_that_never_begins_is_refused_all_the_same(
    levata: Club, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interceptor, "FIRST_MESSAGE_SECONDS", 0.01)
    channel = await levata.channel(service)
    told = await refused(channel.stream_stream(f"/{SERVICE}/Talking")().read())
    assert (told.code, told.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_MISSING")
    over: Any = channel.stream_stream(f"/{SERVICE}/Talking")()
    await over.done_writing()
    assert (await refused(over.read())).reason == "TOKEN_MISSING"
