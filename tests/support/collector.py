"""A collector of traces on loopback, as OpenTelemetry's own speaks: it keeps what it is sent."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as pb
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as rpc
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from shared.harness import Service
from tests.support.waiting import stopped


@dataclass(frozen=True)
class Seen:
    """A span that was sent.

    Attributes:
        service: Of which service.
        name: What it is of.
        kind: SERVER, CLIENT, PRODUCER or CONSUMER.
        trace: Id of its trace.
        id: Its own.
        parent: Of which it is a part; empty for the first of a trace.
        links: Ids of the spans that it is linked to.
        attributes: What is said of it.
        failed: Whether it ended in an error.
    """

    service: str
    name: str
    kind: str
    trace: str
    id: str
    parent: str
    links: tuple[str, ...]
    attributes: Mapping[str, str]
    failed: bool


@dataclass
class Collector(rpc.TraceServiceServicer):
    """The collector.

    Attributes:
        spans: All that was sent.
        endpoint: Where it listens.
    """

    spans: list[Seen] = field(default_factory=list)
    endpoint: str = ""

    async def Export(self, request: Any, context: Any) -> pb.ExportTraceServiceResponse:
        """Takes spans."""
        for resource in request.resource_spans:
            about = _attributes(resource.resource.attributes)
            for scope in resource.scope_spans:
                self.spans += [_seen(about["service.name"], span) for span in scope.spans]
        return pb.ExportTraceServiceResponse()

    async def of(self, *services: Service) -> list[Seen]:
        """Everything that was sent, after these services have sent what they have."""
        for service in services:
            assert service.harness.spans is not None
            await service.harness.spans.flush()
        return list(self.spans)


def _seen(service: str, span: Span) -> Seen:
    return Seen(
        service,
        span.name,
        Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"),
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        tuple(link.span_id.hex() for link in span.links),
        _attributes(span.attributes),
        span.status.code == 2,
    )


def _attributes(attributes: Any) -> dict[str, str]:
    return {one.key: one.value.string_value or str(one.value.int_value) for one in attributes}


@contextlib.asynccontextmanager
async def collector() -> AsyncIterator[Collector]:
    """A collector until the end of the block."""
    made = Collector()
    server = grpc.aio.server()
    rpc.add_TraceServiceServicer_to_server(made, server)  # type: ignore[no-untyped-call]
    made.endpoint = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield made
    finally:
        await stopped(server)
