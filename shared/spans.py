"""Spans of OpenTelemetry for calls and messages, named and described by its semantic conventions, sent over OTLP.

Imported only where a collector is named. A span tells who called whom, for how long, and how it ended; the table and
the request that it was about are attributes, for a span is found by them. What was sent is not in it.
"""

import asyncio
import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import grpc
import structlog
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from shared import traces
from shared.publisher import kind_of
from shared.traces import TRACEPARENT, Trace

EXPORT_SECONDS: Final = 3.0
"""A collector that takes longer to answer is away: spans are dropped, and nobody waits."""

_TRACEPARENT: Final = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})")
_OUR_FAULT: Final = frozenset(
    {
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DATA_LOSS,
    }
)
"""Codes that make an error of a server's span; to a caller every code but OK is one."""
_ABOUT: Final = ("table_id", "match_id", "request_id")
"""Ids out of the context of log lines that a span is given."""
_BAD_OUTCOMES: Final = frozenset({"retried", "late", "dead", "unacknowledged"})


class OpenSpan:
    """A span that has begun. The task that began it works in it until it ends."""

    def __init__(self, span: Span, faults: frozenset[grpc.StatusCode]) -> None:
        self._span = span
        self._faults = faults
        self._before = traces.current()
        self.traceparent = _written(span.get_span_context())
        traces.enter(self.traceparent)

    def end(self, code: grpc.StatusCode) -> None:
        """Ends the span of a call."""
        self._span.set_attribute("rpc.response.status_code", code.name)
        self._end(code.name if code in self._faults else None)

    def end_delivery(self, outcome: str) -> None:
        """Ends the span of a delivery; an outcome as `consumer_handled_total` has it."""
        self._span.set_attribute("levata.outcome", outcome)
        self._end(outcome if outcome in _BAD_OUTCOMES else None)

    def close(self) -> None:
        """Ends a span that tells only for how long."""
        self._end(None)

    def _end(self, error: str | None) -> None:
        if error is not None:
            self._span.set_status(StatusCode.ERROR)
            self._span.set_attribute("error.type", error)
        if self._span.is_recording():
            bound = structlog.contextvars.get_contextvars()
            self._span.set_attributes({f"levata.{name}": str(bound[name]) for name in _ABOUT if name in bound})
        self._span.end()
        traces.enter(self._before)


class Spans:
    """Makes the spans of one service, and sends them to a collector in the background.

    Args:
        service: Name of the service.
        instance: Name of the process.
        endpoint: The collector, such as `http://collector:4317`; with `https` over TLS.
        share: Of the traces that begin here so many are kept, 0 to 1; of the others it is decided where they began.
        exporter: Where spans go instead, for tests.
    """

    def __init__(
        self, service: str, instance: str, endpoint: str, share: float = 1.0, exporter: SpanExporter | None = None
    ) -> None:
        resource = Resource.create(
            {"service.namespace": "levata", "service.name": service, "service.instance.id": instance}
        )
        # The one for a whole process, which OpenTelemetry keeps too, is left alone: services can share a process.
        self._provider = TracerProvider(sampler=ParentBased(TraceIdRatioBased(share)), resource=resource)
        if exporter is None:
            exporter = OTLPSpanExporter(endpoint, insecure=not endpoint.startswith("https:"), timeout=EXPORT_SECONDS)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("levata")

    async def flush(self) -> None:
        """Sends what there is, and returns when it was sent or could not be."""
        await asyncio.to_thread(self._provider.force_flush)

    async def close(self) -> None:
        """Sends what there is, and ends; a collector that is away is not waited for."""
        await asyncio.to_thread(self._provider.shutdown)

    # Calls

    def call(self, method: str, metadata: Iterable[tuple[str, str | bytes]] | None) -> OpenSpan:
        """A call to this service has begun."""
        parent = next((str(value) for key, value in metadata or () if key == TRACEPARENT), "")
        span = self._start(_method(method), SpanKind.SERVER, parent, _rpc(method))
        return OpenSpan(span, _OUR_FAULT)

    def message(self, method: str, kind: str, stream: OpenSpan) -> OpenSpan:
        """A message of a stream is being handled: a trace of its own, for the stream may last for hours."""
        attributes = {**_rpc(method), "levata.message": kind}
        span = self._start(f"{_method(method)} {kind}", SpanKind.SERVER, "", attributes, _links(stream.traceparent))
        return OpenSpan(span, frozenset())

    def request(self, method: str) -> OpenSpan:
        """A call to another service begins."""
        span = self._start(_method(method), SpanKind.CLIENT, traces.current(), _rpc(method))
        return OpenSpan(span, frozenset(grpc.StatusCode) - {grpc.StatusCode.OK})

    # Messages

    @contextlib.contextmanager
    def publish(self, subject: str, headers: dict[str, str], trace: Trace) -> Iterator[None]:
        """Around a publish; adds to the headers what the trace goes on from where the message is handled."""
        parent = traces.current() if trace.parent is None else trace.parent
        attributes = _messaging(subject, "publish", "send")
        name = f"publish {kind_of(subject)}"
        if trace.new:
            span = self._start(name, SpanKind.PRODUCER, "", attributes, _links(parent))
        else:
            span = self._start(name, SpanKind.PRODUCER, parent, attributes)
        opened = OpenSpan(span, frozenset())
        headers[TRACEPARENT] = opened.traceparent
        try:
            yield
        except Exception as error:
            span.set_status(StatusCode.ERROR)
            span.set_attribute("error.type", type(error).__name__)
            raise
        finally:
            opened.close()

    def delivery(
        self, stream: str, consumer: str, subject: str, headers: Mapping[str, str], sequence: int, delivered: int
    ) -> OpenSpan:
        """A message is being handled."""
        attributes: dict[str, Any] = {
            **_messaging(subject, "process", "process"),
            "messaging.consumer.group.name": consumer,
            "messaging.message.id": f"{stream}:{sequence}",
            "levata.delivered": delivered,
        }
        name = f"process {kind_of(subject)}"
        span = self._start(name, SpanKind.CONSUMER, headers.get(TRACEPARENT, ""), attributes)
        return OpenSpan(span, frozenset())

    def _start(
        self, name: str, kind: SpanKind, parent: str, attributes: Mapping[str, Any], links: tuple[Link, ...] = ()
    ) -> Span:
        came_from = _read(parent)
        context = set_span_in_context(NonRecordingSpan(came_from)) if came_from is not None else None
        # Without a parent the context has to be an empty one, not that of somebody who traces beside us.
        return self._tracer.start_span(
            name, context if context is not None else _NOWHERE, kind, dict(attributes), links
        )


_NOWHERE: Final = set_span_in_context(NonRecordingSpan(SpanContext(0, 0, is_remote=False)))


def _method(method: str) -> str:
    return method.lstrip("/")


def _rpc(method: str) -> dict[str, str]:
    return {"rpc.system.name": "grpc", "rpc.method": _method(method)}


def _messaging(subject: str, operation: str, kind: str) -> dict[str, str]:
    return {
        "messaging.system": "nats",
        "messaging.operation.name": operation,
        "messaging.operation.type": kind,
        "messaging.destination.name": subject,
        "messaging.destination.template": f"{kind_of(subject)}.*",
    }


def _read(traceparent: str) -> SpanContext | None:
    """A span of somebody else's; None if that is not how one is written."""
    found = _TRACEPARENT.fullmatch(traceparent)
    if found is None:
        return None
    return SpanContext(int(found[1], 16), int(found[2], 16), is_remote=True, trace_flags=TraceFlags(int(found[3], 16)))


def _written(span: SpanContext) -> str:
    return f"00-{span.trace_id:032x}-{span.span_id:016x}-{int(span.trace_flags):02x}"


def _links(traceparent: str) -> tuple[Link, ...]:
    linked = _read(traceparent)
    return (Link(linked),) if linked is not None else ()
