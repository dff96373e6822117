"""Channels to the club's services: spread over all healthy servers, with retries, keepalive, and the caller's token.

A name such as `dns:///table:7001` stands for all servers that it resolves to, and calls go to one after another. The
name is looked up again when a connection ends, so a server that is added is found when the others let their connections
grow no older than `LEVATA_CONNECTION_AGE_SECONDS`.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import grpc
import structlog

from shared import traces
from shared.rpc import policy

if TYPE_CHECKING:
    from shared.spans import Spans

CHANNEL_OPTIONS: Final[Sequence[tuple[str, Any]]] = (
    ("grpc.service_config", policy.service_config(attempts=5, by_health=True)),
    ("grpc.enable_retries", 1),
    *policy.RECONNECTING,
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
)
REREAD_SECONDS: Final = 30.0

TokenSource = Callable[[], str | None]


class TokenFile:
    """A token in a file, read again from time to time, for it may be renewed under our feet.

    Args:
        path: The file.
        now: The present moment in seconds, from any beginning.
    """

    def __init__(self, path: Path, now: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._now = now
        self._token: str | None = None
        self._read_at = -1e9

    def __call__(self) -> str | None:
        """The token. Raises `OSError` if it has never been readable."""
        now = self._now()
        if now - self._read_at >= REREAD_SECONDS:
            try:
                self._token = self._path.read_text().strip()
            except OSError:
                if self._token is None:
                    raise
            self._read_at = now
        return self._token


class _Metadata:
    """Adds the token, and the ids of the request and the trace that this task works for, to the metadata of a call."""

    def __init__(self, token: TokenSource, spans: "Spans | None") -> None:
        self._token = token
        self._spans = spans

    def add(self, details: grpc.aio.ClientCallDetails) -> grpc.aio.ClientCallDetails:
        metadata = grpc.aio.Metadata(*(details.metadata or ()))
        present = set(metadata.keys())
        token = self._token()
        if token and "authorization" not in present:
            metadata.add("authorization", f"Bearer {token}")
        request_id = structlog.contextvars.get_contextvars().get("request_id")
        if request_id and "x-request-id" not in present:
            metadata.add("x-request-id", str(request_id))
        traceparent = traces.current()
        if traceparent and traces.TRACEPARENT not in present:
            metadata.add(traces.TRACEPARENT, traceparent)
        return grpc.aio.ClientCallDetails(
            details.method, details.timeout, metadata, details.credentials, details.wait_for_ready
        )


class _UnaryUnary(_Metadata, grpc.aio.UnaryUnaryClientInterceptor):
    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        if self._spans is None:
            return await continuation(self.add(client_call_details), request)
        method = client_call_details.method
        span = self._spans.request(method if isinstance(method, str) else method.decode())
        code = grpc.StatusCode.CANCELLED
        try:
            call = await continuation(self.add(client_call_details), request)
            code = await call.code()
            return call
        finally:
            span.end(code)


class _UnaryStream(_Metadata, grpc.aio.UnaryStreamClientInterceptor):
    async def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return await continuation(self.add(client_call_details), request)


class _StreamUnary(_Metadata, grpc.aio.StreamUnaryClientInterceptor):
    async def intercept_stream_unary(self, continuation: Any, client_call_details: Any, request_iterator: Any) -> Any:
        return await continuation(self.add(client_call_details), request_iterator)


class _StreamStream(_Metadata, grpc.aio.StreamStreamClientInterceptor):
    async def intercept_stream_stream(self, continuation: Any, client_call_details: Any, request_iterator: Any) -> Any:
        return await continuation(self.add(client_call_details), request_iterator)


def open_channel(address: str, token: TokenSource = lambda: None, spans: "Spans | None" = None) -> grpc.aio.Channel:
    """A channel to `address` (host:port, or a gRPC target); it connects when first used.

    Args:
        address: Where to.
        token: Gives the token for `authorization: Bearer`, at every call.
        spans: Where single calls are traced; None: nowhere.
    """
    return grpc.aio.insecure_channel(
        address,
        options=CHANNEL_OPTIONS,
        interceptors=[kind(token, spans) for kind in (_UnaryUnary, _UnaryStream, _StreamUnary, _StreamStream)],
    )
