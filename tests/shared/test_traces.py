"""Traces: off unless asked for, harmless when the collector is away, and never led by strangers."""

import asyncio
import io
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import structlog
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from shared import logs, traces
from shared.bus import Bus
from shared.consumer import Message, Reject
from shared.harness import CannotStartError, Harness, Service
from shared.rpc.channel import open_channel
from shared.settings import ServiceSettings
from shared.spans import Spans
from shared.streams import Durable
from shared.traces import Trace
from tests.support.collector import Collector, collector
from tests.support.echo import SERVICE, Client, Echo
from tests.support.nats import free_port
from tests.support.services import Club
from tests.support.waiting import until

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


async def bind(harness: Harness, settings: ServiceSettings) -> None:
    harness.add_servicer(Echo.register, Echo(), SERVICE)


@pytest.fixture
async def collected() -> AsyncIterator[Collector]:
    async with collector() as running:
        yield running


@pytest.fixture
async def traced(levata: Club, collected: Collector) -> Service:
    return await levata.start("test", ServiceSettings, bind, otlp_endpoint=collected.endpoint)


def test_without_a_collector_nothing_of_tracing_is_imported() -> None:
    services = "services.table.service, services.bot.service, services.ledger.service, services.matchmaking.service"
    program = f"import sys, {services}; print([name for name in sys.modules if name.startswith('opentelemetry')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


async def test_without_a_collector_nothing_is_traced_and_no_header_is_sent(levata: Club) -> None:
    service = await levata.start("test", ServiceSettings, bind)
    assert service.harness.spans is None
    found: list[Message] = []

    async def handle(message: Message) -> None:
        found.append(message)

    bus = service.harness.bus
    await bus.publish("results.arzoi", b"x", trace=Trace())
    task = asyncio.create_task(bus.consume(Durable("worker", "RESULTS", "tests"), handle))
    await until(lambda: bool(found))
    assert traces.TRACEPARENT not in found[0].headers
    task.cancel()


async def test_a_service_that_shall_trace_and_cannot_says_so(levata: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shared.spans", None)
    with pytest.raises(CannotStartError, match="tracing"):
        await levata.start("test", ServiceSettings, bind, otlp_endpoint="http://127.0.0.1:1")


async def test_a_collector_that_is_away_holds_up_nobody(levata: Club) -> None:
    away = f"http://127.0.0.1:{free_port()}"
    service = await levata.start("test", ServiceSettings, bind, otlp_endpoint=away)
    client = Client(await levata.channel(service))
    assert await client.call("One", ["a"], levata.as_player("p-ana")) == ["a"]
    begin = time.monotonic()
    await service.stop()
    assert time.monotonic() - begin < 20


async def test_a_call_is_a_span_that_says_how_it_ended(levata: Club, traced: Service, collected: Collector) -> None:
    client = Client(await levata.channel(traced))
    await client.call("One", ["a"], levata.as_player("p-ana"))
    for text in ("no", "boom"):
        with pytest.raises(grpc.aio.AioRpcError):
            await client.call("One", [text], levata.as_player("p-ana"))
    served = [span for span in await collected.of(traced) if span.name == f"{SERVICE}/One"]
    assert [(span.attributes["rpc.response.status_code"], span.failed) for span in served] == [
        ("OK", False),
        ("PERMISSION_DENIED", False),
        ("INTERNAL", True),
    ]
    assert served[2].attributes["error.type"] == "INTERNAL"
    assert len({span.trace for span in served}) == 3


async def test_messages_of_a_stream_are_traces_of_their_own(
    levata: Club, traced: Service, collected: Collector
) -> None:
    client = Client(await levata.channel(traced))
    assert await client.call("Talking", ["a", "b", "c"], levata.as_player("p-ana")) == ["a", "b", "c"]
    spans = await collected.of(traced)
    (stream,) = [span for span in spans if span.name == f"{SERVICE}/Talking"]
    messages = [span for span in spans if span.name == f"{SERVICE}/Talking message"]
    # The first of them opens the stream.
    assert [span.links for span in messages] == [(stream.id,)] * 2
    assert len({span.trace for span in (*messages, stream)}) == 3


@pytest.mark.parametrize(
    "traceparent",
    ["", "00", f"00-{TRACE}-{SPAN}", f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE.upper()}-{SPAN}-01", "x" * 5000, "ș"],
)
async def test_a_trace_that_is_written_wrongly_is_none(traceparent: str) -> None:
    made = InMemorySpanExporter()
    spans = Spans("test", "test-1", "", exporter=made)
    span = spans.call("/a/B", [("traceparent", traceparent)])
    span.end(grpc.StatusCode.OK)
    await spans.flush()
    (seen,) = made.get_finished_spans()
    assert seen.parent is None
    await spans.close()


async def test_who_began_a_trace_decides_whether_it_is_kept() -> None:
    made = InMemorySpanExporter()
    spans = Spans("test", "test-1", "", share=0.0, exporter=made)
    spans.call("/a/B", []).end(grpc.StatusCode.OK)
    spans.call("/a/B", [("traceparent", f"00-{TRACE}-{SPAN}-00")]).end(grpc.StatusCode.OK)
    spans.call("/a/B", [("traceparent", f"00-{TRACE}-{SPAN}-01")]).end(grpc.StatusCode.OK)
    await spans.flush()
    (seen,) = made.get_finished_spans()
    assert seen.parent is not None
    assert f"{seen.context.trace_id:032x}" == TRACE
    await spans.close()


async def test_a_task_works_in_one_span_at_a_time_and_afterwards_in_that_before() -> None:
    spans = Spans("test", "test-1", "", exporter=InMemorySpanExporter())
    assert traces.current() == ""
    outer = spans.call("/a/B", [("traceparent", f"00-{TRACE}-{SPAN}-01")])
    assert traces.current() == outer.traceparent
    assert traces.trace_id() == TRACE
    inner = spans.request("/c/D")
    assert traces.current() == inner.traceparent
    inner.end(grpc.StatusCode.OK)
    assert traces.current() == outer.traceparent
    outer.end(grpc.StatusCode.OK)
    assert (traces.current(), traces.trace_id()) == ("", "")
    await spans.close()


async def test_a_call_to_another_service_takes_the_trace_along(
    levata: Club, traced: Service, collected: Collector
) -> None:
    spans = Spans("caller", "caller-1", collected.endpoint)
    channel = open_channel(traced.address, lambda: levata.issuer.token("p-ana"), spans)
    begun = spans.call("/a/B", [])
    client = Client(channel)
    await client.call("One", ["a"], ())
    with pytest.raises(grpc.aio.AioRpcError):
        await client.call("One", ["no"], ())
    begun.end(grpc.StatusCode.OK)
    await spans.close()
    seen = await collected.of(traced)
    (root,) = [span for span in seen if span.name == "a/B"]
    asked = [span for span in seen if span.kind == "CLIENT"]
    assert [(span.service, span.parent, span.failed) for span in asked] == [
        ("caller", root.id, False),
        ("caller", root.id, True),
    ]
    served = {span.parent for span in seen if span.kind == "SERVER" and span.service == "test"}
    assert served == {span.id for span in asked}
    await channel.close()


async def test_a_message_that_is_handled_goes_on_where_it_was_published(bus: Bus, levata: Club) -> None:
    made = InMemorySpanExporter()
    bus.spans = Spans("test", "test-1", "", exporter=made)
    within: list[str] = []

    async def handle(message: Message) -> None:
        within.append(traces.trace_id())
        if message.data == b"bad":
            raise Reject("not good")

    begun = bus.spans.call("/a/B", [])
    await bus.publish("results.arzoi", b"good", trace=Trace())
    await bus.publish("results.arzoi", b"bad", trace=Trace(new=True))
    await bus.publish("results.arzoi", b"good", trace=Trace(parent=f"00-{TRACE}-{SPAN}-01"))
    await bus.publish("results.arzoi", b"good")
    begun.end(grpc.StatusCode.OK)
    task = asyncio.create_task(bus.consume(Durable("worker", "RESULTS", "tests"), handle, 1))
    await until(lambda: len(within) == 4)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await bus.spans.flush()
    root = begun.traceparent[3:35]
    assert within[0] == root
    assert within[2] == TRACE
    assert len(set(within)) == 4
    published = [span for span in made.get_finished_spans() if span.name == "publish results.arzoi"]
    (new,) = [span for span in published if span.links]
    assert f"{new.context.trace_id:032x}" == within[1]
    assert f"{new.links[0].context.trace_id:032x}" == root
    handled = [span for span in made.get_finished_spans() if span.name == "process results.arzoi"]
    outcomes = {f"{span.context.trace_id:032x}": (span.attributes or {})["levata.outcome"] for span in handled}
    assert outcomes[within[1]] == "dead"
    assert [span.status.status_code for span in handled].count(StatusCode.ERROR) == 1
    await bus.spans.close()


async def test_a_line_of_a_log_says_for_which_trace_it_was_written() -> None:
    written = io.StringIO()
    logs.configure("json", "info", written)
    try:
        spans = Spans("test", "test-1", "", exporter=InMemorySpanExporter())
        log: Any = structlog.get_logger()
        log.info("before")
        span = spans.call("/a/B", [])
        log.info("within")
        span.end(grpc.StatusCode.OK)
        await spans.close()
    finally:
        logs.configure("console", "warning")
    before, within = map(json.loads, written.getvalue().splitlines())
    assert "trace_id" not in before
    assert within["trace_id"] == span.traceparent[3:35]
