"""The harness inside one process: what it serves, when it is ready, how it ends."""

import asyncio
import contextlib
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from shared import harness as harness_module
from shared import stream_setup
from shared.bus import BusUnavailable, Message
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2 as pb
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2_grpc as rpc
from shared.harness import Harness, Service, ServiceFailedError
from shared.process import running
from shared.rpc.health import LIVENESS
from shared.settings import ServiceSettings
from shared.streams import Durable
from tests.support.nats import NatsServer, free_port
from tests.support.services import Club
from tests.support.statuses import refused
from tests.support.waiting import until
from tests.support.waiting_room import SERVICE, WaitingRoom

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


class Bound:
    """A waiting room bound to a harness, with a switch for its readiness and a diary."""

    def __init__(self) -> None:
        self.room = WaitingRoom()
        self.diary: list[str] = []
        self.dependency_answers = True
        self.harness: Harness | None = None

        async def queues(request: Any) -> pb.ListQueuesResponse:
            return pb.ListQueuesResponse()

        self.room.queues = queues

    async def bind(self, harness: Harness, settings: ServiceSettings) -> None:
        self.harness = harness
        await self.room.bind(harness, settings)

        async def dependency() -> None:
            if not self.dependency_answers:
                raise ConnectionError("the database does not answer")

        harness.readiness("database", dependency)


@pytest.fixture
def bound() -> Bound:
    return Bound()


@pytest.fixture
async def service(levata: Club, bound: Bound) -> Service:
    return await levata.start("matchmaking", ServiceSettings, bound.bind, readiness_seconds=0.05)


@pytest.fixture
async def channel(levata: Club, service: Service) -> grpc.aio.Channel:
    return await levata.channel(service)


async def health(channel: grpc.aio.Channel, name: str = "") -> Any:
    stub = health_pb2_grpc.HealthStub(channel)
    return (await stub.Check(health_pb2.HealthCheckRequest(service=name))).status


async def test_health_is_told_without_a_token_for_the_whole_and_for_each_service(channel: grpc.aio.Channel) -> None:
    assert await health(channel) == SERVING
    assert await health(channel, SERVICE) == SERVING
    assert (await refused(health(channel, "levata.unknown.v1.X"))).code is grpc.StatusCode.NOT_FOUND
    listed = await health_pb2_grpc.HealthStub(channel).List(health_pb2.HealthListRequest())
    assert {SERVICE, LIVENESS, ""} <= set(listed.statuses)


async def test_readiness_follows_the_dependencies(channel: grpc.aio.Channel, service: Service, bound: Bound) -> None:
    watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(service=SERVICE))
    assert (await watch.read()).status == SERVING
    bound.dependency_answers = False
    assert (await watch.read()).status == NOT_SERVING
    assert service.metrics.value("levata_readiness_check_ok", check="database") == 0
    assert service.metrics.value("levata_readiness_check_ok", check="nats") == 1
    assert service.metrics.value("levata_ready") == 0
    bound.dependency_answers = True
    assert (await watch.read()).status == SERVING


async def test_a_service_is_not_ready_while_nats_is_down(
    channel: grpc.aio.Channel, service: Service, nats: NatsServer
) -> None:
    await nats.kill()
    await until(lambda: not service.ready)
    assert await health(channel) == NOT_SERVING
    await nats.start()
    await until(lambda: service.ready)
    assert await health(channel) == SERVING


async def test_a_service_lives_whatever_its_dependencies_do(
    channel: grpc.aio.Channel, service: Service, bound: Bound, nats: NatsServer
) -> None:
    assert await health(channel, LIVENESS) == SERVING
    bound.dependency_answers = False
    await nats.kill()
    await until(lambda: not service.ready)
    assert await health(channel) == NOT_SERVING
    assert await health(channel, LIVENESS) == SERVING


async def test_reflection_tells_the_services_and_their_files(channel: grpc.aio.Channel) -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    requests = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol=SERVICE),
    ]
    answers = [answer async for answer in stub.ServerReflectionInfo(iter(requests))]
    names = {service.name for service in answers[0].list_services_response.service}
    assert {SERVICE, "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"} <= names
    assert answers[1].file_descriptor_response.file_descriptor_proto


async def test_public_methods_want_no_token_and_all_others_do(channel: grpc.aio.Channel) -> None:
    stub: Any = rpc.MatchmakingServiceStub(channel)
    await stub.ListQueues(pb.ListQueuesRequest())
    told = await refused(stub.GetTicket(pb.GetTicketRequest()))
    assert (told.code, told.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_MISSING")
    basic = (("authorization", "Basic cDpx"),)
    assert (await refused(stub.GetTicket(pb.GetTicketRequest(), metadata=basic))).reason == "TOKEN_INVALID"


async def test_tokens_that_are_expired_or_foreign_are_refused_on_the_wire(
    levata: Club, channel: grpc.aio.Channel
) -> None:
    stub: Any = rpc.MatchmakingServiceStub(channel)
    for token, reason in (
        (levata.issuer.token("p-ana", seconds=-60), "TOKEN_EXPIRED"),
        (levata.issuer.token("p-ana", iss="another"), "TOKEN_INVALID"),
        (levata.issuer.token("p-ana", aud="another"), "TOKEN_INVALID"),
    ):
        metadata = (("authorization", f"Bearer {token}"),)
        told = await refused(stub.GetTicket(pb.GetTicketRequest(), metadata=metadata))
        assert (told.code, told.reason) == (grpc.StatusCode.UNAUTHENTICATED, reason)


async def test_a_service_calls_another_with_its_own_token_and_the_request_id_goes_along(
    levata: Club, service: Service, bound: Bound
) -> None:
    from structlog.contextvars import get_contextvars

    from shared.auth import caller

    seen: list[tuple[str, bool, str]] = []

    async def get(request: Any) -> pb.GetTicketResponse:
        seen.append((caller().player_id, caller().is_service, get_contextvars()["request_id"]))
        return pb.GetTicketResponse()

    bound.room.get = get
    relay = WaitingRoom()

    async def bind_relay(harness: Harness, settings: ServiceSettings) -> None:
        stub: Any = rpc.MatchmakingServiceStub(await harness.channel(service.address))

        async def forward(request: Any) -> Any:
            return await stub.GetTicket(request)

        relay.get = forward
        await relay.bind(harness, settings)

    second = await levata.start("bot", ServiceSettings, bind_relay)
    client: Any = rpc.MatchmakingServiceStub(await levata.channel(second))
    metadata = (*levata.as_player("p-ana"), ("x-request-id", "req-9"))
    await client.GetTicket(pb.GetTicketRequest(), metadata=metadata)
    assert seen == [("service:bot", True, "req-9")]


async def test_the_end_comes_in_order(levata: Club, bound: Bound) -> None:
    """Health first, then drain callbacks in order, consumers, open calls, background tasks, closes in reverse."""
    diary = bound.diary
    go_on = asyncio.Event()
    started = asyncio.Event()
    holder: list[Service] = []

    async def bind(harness: Harness, settings: ServiceSettings) -> None:
        await bound.bind(harness, settings)
        await stream_setup.ensure(harness.bus, ["RESULTS"])

        async def write(what: str) -> None:
            diary.append(f"{what}, ready {holder[0].ready}")

        async def drain_watches() -> None:
            diary.append("drain watches")
            go_on.set()
            bound.room.watch.put_nowait(None)

        async def handle(message: Message) -> None:
            started.set()
            await go_on.wait()
            diary.append("delivery finished")

        async def background() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                diary.append("background cancelled")

        harness.on_drain(lambda: write("drain first"))
        harness.on_drain(drain_watches)
        harness.on_close(lambda: write("close first"))
        harness.on_close(lambda: write("close second"))
        harness.background("results", lambda: harness.bus.consume(Durable("worker", "RESULTS", "tests"), handle))
        harness.background("background", background)

    async def slow(request: Any) -> pb.GetTicketResponse:
        await go_on.wait()
        await asyncio.sleep(0.05)
        diary.append("call finished")
        return pb.GetTicketResponse()

    bound.room.get = slow
    service = await levata.start("matchmaking", ServiceSettings, bind)
    holder.append(service)
    channel = await levata.channel(service)
    stub: Any = rpc.MatchmakingServiceStub(channel)
    player = levata.as_player("p-ana")
    watching_health = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
    assert (await watching_health.read()).status == SERVING
    call = asyncio.ensure_future(stub.GetTicket(pb.GetTicketRequest(), metadata=player))
    watch = stub.WatchTicket(pb.WatchTicketRequest(ticket_id="t"), metadata=player)
    reading = asyncio.ensure_future(watch.read())
    await bound.room.watching.wait()
    await service.harness.bus.publish("results.arzoi", b"x")
    await started.wait()

    await service.stop()
    assert (await watching_health.read()).status == NOT_SERVING
    assert await watching_health.read() is grpc.aio.EOF
    await call
    assert await reading is grpc.aio.EOF
    assert diary[:2] == ["drain first, ready False", "drain watches"]
    assert set(diary[2:4]) == {"delivery finished", "call finished"}
    assert diary[4:] == ["background cancelled", "close second, ready False", "close first, ready False"]
    with pytest.raises(BusUnavailable):
        await service.harness.bus.publish("results.arzoi", b"x")


async def test_new_calls_are_sent_elsewhere_while_a_service_drains(levata: Club, bound: Bound) -> None:
    draining, go_on = asyncio.Event(), asyncio.Event()

    async def bind(harness: Harness, settings: ServiceSettings) -> None:
        await bound.bind(harness, settings)

        async def drain() -> None:
            draining.set()
            await go_on.wait()

        harness.on_drain(drain)

    service = await levata.start("matchmaking", ServiceSettings, bind, drain_seconds=30.0)
    channel = await levata.channel(service)
    stub: Any = rpc.MatchmakingServiceStub(channel)
    await stub.ListQueues(pb.ListQueuesRequest())
    stopping = asyncio.create_task(service.stop())
    await draining.wait()
    told = await refused(stub.ListQueues(pb.ListQueuesRequest()))
    assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
    assert told.retry_seconds
    assert told.pushback_milliseconds
    assert await health(channel) == NOT_SERVING
    assert await health(channel, LIVENESS) == SERVING
    go_on.set()
    await stopping


async def test_callbacks_that_hang_or_fail_do_not_hold_up_the_end(levata: Club, bound: Bound) -> None:
    closed: list[str] = []

    async def bind(harness: Harness, settings: ServiceSettings) -> None:
        await bound.bind(harness, settings)

        async def hang() -> None:
            await asyncio.Event().wait()

        async def fail() -> None:
            raise ValueError("cannot drain")

        async def close() -> None:
            closed.append("closed")

        harness.on_drain(fail)
        harness.on_drain(hang)
        harness.on_close(close)
        harness.on_close(fail)

    service = await levata.start("matchmaking", ServiceSettings, bind, drain_seconds=0.2)
    async with asyncio.timeout(20):
        await service.stop()
    assert closed == ["closed"]


async def test_a_task_that_misses_its_cancellation_is_cancelled_again_and_one_that_never_ends_is_left(
    levata: Club, bound: Bound, monkeypatch: pytest.MonkeyPatch
) -> None:
    missed: list[str] = []
    over = asyncio.Event()
    monkeypatch.setattr(harness_module, "CANCEL_AGAIN_SECONDS", 0.05)
    monkeypatch.setattr(harness_module, "CLOSE_SECONDS", 0.5)

    async def bind(harness: Harness, settings: ServiceSettings) -> None:
        await bound.bind(harness, settings)

        async def miss() -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                missed.append("one")
            try:
                await asyncio.Event().wait()
            finally:
                missed.append("two")

        async def go_on() -> None:
            while not over.is_set():
                with contextlib.suppress(asyncio.CancelledError):
                    await over.wait()
            missed.append("all")

        harness.background("miss", miss)
        harness.background("go on", go_on)

    service = await levata.start("matchmaking", ServiceSettings, bind)
    async with asyncio.timeout(20):
        await service.stop()
    assert missed == ["one", "two"]
    over.set()
    await until(lambda: missed == ["one", "two", "all"])


async def test_a_failing_background_task_ends_the_service(levata: Club, bound: Bound) -> None:
    go = asyncio.Event()

    async def bind(harness: Harness, settings: ServiceSettings) -> None:
        await bound.bind(harness, settings)

        async def fail() -> None:
            await go.wait()
            raise RuntimeError("the outbox is broken")

        harness.background("outbox", fail)

    async def run_until_it_fails() -> None:
        async with running("ledger", levata.settings(ServiceSettings, "ledger"), bind) as service:
            channel = await levata.channel(service)
            assert await health(channel) == SERVING
            go.set()
            await service.stopping.wait()
            await service.stop()
            assert (await refused(health(channel))).code is grpc.StatusCode.UNAVAILABLE

    with pytest.raises(ServiceFailedError, match="the outbox is broken"):
        await run_until_it_fails()


async def test_a_task_that_returns_is_no_failure(levata: Club, bound: Bound) -> None:
    done = asyncio.Event()

    async def bind(harness: Harness, settings: ServiceSettings) -> None:
        await bound.bind(harness, settings)

        async def once() -> None:
            done.set()

        harness.background("once", once)

    service = await levata.start("ledger", ServiceSettings, bind)
    await done.wait()
    assert await health(await levata.channel(service)) == SERVING


async def test_a_crash_drains_nothing_and_breaks_connections(levata: Club, service: Service, bound: Bound) -> None:
    drained: list[str] = []

    async def drain() -> None:
        drained.append("drained")

    service.harness.on_drain(drain)
    channel = await levata.channel(service)
    stub: Any = rpc.MatchmakingServiceStub(channel)
    watch = stub.WatchTicket(pb.WatchTicketRequest(ticket_id="t"), metadata=levata.as_player("p-ana"))
    reading = asyncio.ensure_future(watch.read())
    await bound.room.watching.wait()
    await service.crash()
    assert (await refused(reading)).code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
    assert drained == []
    assert bound.room.watch_ended.is_set()


async def test_several_services_share_a_process(levata: Club) -> None:
    rooms = [Bound() for _ in range(3)]
    services = [
        await levata.start(name, ServiceSettings, room.bind)
        for name, room in zip(("table", "bot", "ledger"), rooms, strict=True)
    ]
    assert len({service.address for service in services}) == 3
    stub: Any = rpc.MatchmakingServiceStub(await levata.channel("bot"))
    await stub.ListQueues(pb.ListQueuesRequest())
    method = f"/{SERVICE}/ListQueues"
    counts = [service.metrics.value("levata_rpc_started_total", method=method) for service in services]
    assert counts == [0, 1, 0]


async def test_what_was_opened_is_closed_when_a_service_cannot_start(levata: Club, bound: Bound) -> None:
    taken = await levata.start("matchmaking", ServiceSettings, bound.bind)
    closed: list[str] = []

    async def bind(harness: Harness, settings: ServiceSettings) -> None:
        async def close() -> None:
            closed.append("closed")

        harness.on_close(close)

    settings = levata.settings(ServiceSettings, "other", listen=taken.address)
    with pytest.raises(OSError, match="is the port taken"):
        async with running("other", settings, bind):
            raise AssertionError("it must not start")
    assert closed == ["closed"]


async def test_a_service_without_nats_does_not_start(levata: Club, bound: Bound) -> None:
    settings = levata.settings(ServiceSettings, "x", nats_url=f"nats://127.0.0.1:{free_port()}", publish_seconds=0.3)
    with pytest.raises(BusUnavailable):
        async with running("x", settings, bound.bind):
            raise AssertionError("it must not start")


async def test_a_retrying_client_gets_through_a_restart(levata: Club, bound: Bound) -> None:
    port = free_port()
    listen = f"127.0.0.1:{port}"

    async def bind_client(harness: Harness, settings: ServiceSettings) -> None:
        harness.metrics.gauge("client", "Marks the client.").set(1)

    client = await levata.start("bot", ServiceSettings, bind_client)
    stub: Any = rpc.MatchmakingServiceStub(await client.harness.channel(listen))
    async with contextlib.AsyncExitStack() as stack:
        settings = levata.settings(ServiceSettings, "matchmaking", listen=listen)
        first = await stack.enter_async_context(running("matchmaking", settings, bound.bind))
        await stub.ListQueues(pb.ListQueuesRequest())
        await first.stop()
        calling = asyncio.ensure_future(stub.ListQueues(pb.ListQueuesRequest(), timeout=30, wait_for_ready=True))
        await stack.enter_async_context(running("matchmaking", settings, Bound().bind))
        await calling
