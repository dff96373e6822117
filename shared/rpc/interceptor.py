"""The one interceptor of every server: context and logs, metrics, tokens, validation, errors, drain.

It is one and not six, because each would cost a coroutine a call. Handlers are wrapped once a method and kept.
"""

import asyncio
import contextlib
import inspect
import random
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import grpc
import structlog
from google.protobuf.message import DecodeError, Message

from shared import auth, errors, logs, messages
from shared.errors import ErrorTable, LevataError
from shared.metrics import Metrics
from shared.rpc.validation import malformed, validate

if TYPE_CHECKING:
    from shared.spans import OpenSpan, Spans

OPEN_SERVICES: Final = ("/grpc.health.v1.Health/", "/grpc.reflection.")
"""They want no token, are not validated, and answer while the server drains."""
DRAIN_RETRY_SECONDS: Final = 0.5
FIRST_MESSAGE_SECONDS: Final = 1.0
"""So long a stream of requests that is refused is waited for to begin. What a client writes to a call that has ended
fails, and gRPC's client for Python then says INTERNAL in place of the reason that it was given."""

_REQUEST_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_OUR_FAULT: Final = frozenset(
    {grpc.StatusCode.DATA_LOSS, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.UNKNOWN}
)
_FROM_THE_START: Final = (
    grpc.StatusCode.OK,
    grpc.StatusCode.DATA_LOSS,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.UNKNOWN,
)
"""Codes that are counted from 0, for an alert looks at them."""
_NOTEWORTHY: Final = frozenset(
    {grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAUTHENTICATED}
)
_CODES: Final[Mapping[int, grpc.StatusCode]] = {errors.code_number(code): code for code in grpc.StatusCode}

_log = structlog.get_logger(__name__)

Context = grpc.aio.ServicerContext[Any, Any]
RawHandler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


class _Malformed:
    """Stands for a message whose bytes could not be read."""


_MALFORMED: Final = _Malformed()


def _lenient(deserialize: Callable[[bytes], Any] | None) -> Callable[[bytes], Any] | None:
    """A deserializer that does not raise, so that the caller is told what it did and not that we failed."""
    if deserialize is None:
        return None

    def read(data: bytes) -> Any:
        try:
            return deserialize(data)
        except (DecodeError, ValueError):
            return _MALFORMED

    return read


@dataclass(slots=True)
class _Call:
    """A call in progress."""

    request_id: str
    language: messages.Language
    begin: float
    span: "OpenSpan | None"


class _Method:
    """One method of the server: its metrics, and what its calls have to bring."""

    def __init__(self, server: "ServerInterceptor", name: str, streams: bool) -> None:
        metrics = server.metrics
        self.server = server
        self.name = name
        self.service_of_ours = not name.startswith(OPEN_SERVICES)
        self.wants_token = self.service_of_ours and name not in server.public_methods
        self.started = metrics.rpc_started.labels(name)
        self.in_flight = metrics.rpc_in_flight.labels(name)
        self.seconds = (metrics.rpc_stream_seconds if streams else metrics.rpc_seconds).labels(name)
        self.sent = metrics.messages_sent.labels(name)
        self.handled = {code: metrics.rpc_handled.labels(name, code.name) for code in _FROM_THE_START}
        self._names_table: dict[type, bool] = {}

    def begin(self, context: Context) -> _Call:
        """Counts the call, and binds what belongs to it to this task. Does not raise."""
        self.started.inc()
        self.in_flight.inc()
        request_id, language = "", messages.DEFAULT_LANGUAGE
        for key, value in context.invocation_metadata() or ():
            if key == "x-request-id" and isinstance(value, str) and _REQUEST_ID.fullmatch(value):
                request_id = value
            elif key == "accept-language":
                language = messages.language_of(str(value))
        request_id = request_id or f"{random.getrandbits(64):016x}"
        errors.audience.set(errors.Audience(language, self.server.table))
        logs.bind(request_id=request_id, rpc=self.name)
        spans = self.server.spans
        traced = spans is not None and self.service_of_ours
        span = spans.call(self.name, context.invocation_metadata()) if spans is not None and traced else None
        return _Call(request_id, language, time.perf_counter(), span)

    def admit(self, context: Context) -> None:
        """Raises if the call may not be served: draining, too late, or without a good token."""
        if not self.service_of_ours:
            return
        if self.server.draining:
            self.server.refused_at = time.monotonic()
            raise LevataError(grpc.StatusCode.UNAVAILABLE, "DRAINING", retry_after=DRAIN_RETRY_SECONDS)
        left = context.time_remaining()
        if left is not None and left <= 0:
            raise LevataError(grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED")
        if self.wants_token:
            who = self.server.verifier.verify(_bearer(context))
            auth.set_caller(who)
            logs.bind(player_id=who.player_id)

    def check(self, request: Any) -> None:
        """Raises if the message is malformed."""
        if request is _MALFORMED:
            raise malformed("cannot be read as the message that this method wants")
        if self.service_of_ours and isinstance(request, Message):
            kind = type(request)
            names_table = self._names_table.get(kind)
            if names_table is None:
                names_table = self._names_table[kind] = "table_id" in kind.DESCRIPTOR.fields_by_name
            validate(request)
            if names_table:
                logs.bind(table_id=getattr(request, "table_id"))  # noqa: B009 - not known to the type

    def refuse(self, call: _Call, error: BaseException) -> LevataError:
        """What `error` is to the caller; counted and logged."""
        told = self.server.table.error(error)
        self.server.metrics.rpc_refused.labels(told.reason).inc()
        if told.code in _OUR_FAULT:
            log = _log.error
        elif told.reason == "DEPENDENCY_DOWN":
            log = _log.warning
        else:
            log = _log.info if told.code in _NOTEWORTHY else _log.debug
        # What the rules refuse is explained by the caller's own cards, which belong in no log.
        text = {} if told.code is grpc.StatusCode.FAILED_PRECONDITION else {"error": str(error)}
        log("refused", code=told.code.name, reason=told.reason, **text)
        return told

    def end(self, call: _Call, code: grpc.StatusCode) -> None:
        """Counts the end of the call."""
        self.in_flight.dec()
        seconds = time.perf_counter() - call.begin
        self.seconds.observe(seconds)
        handled = self.handled.get(code)
        if handled is None:
            handled = self.handled[code] = self.server.metrics.rpc_handled.labels(self.name, code.name)
        handled.inc()
        _log.debug("served", code=code.name, seconds=round(seconds, 6))
        if call.span is not None:
            call.span.end(code)


def _bearer(context: Context) -> str:
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            scheme, _, token = str(value).partition(" ")
            if scheme.lower() != "bearer":
                raise LevataError(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID")
            return token.strip()
    return ""


def _told_code(context: Context) -> grpc.StatusCode:
    """The code that the handler has set, which is a number or an enumerator, or nothing at all."""
    code: Any = context.code()
    if isinstance(code, grpc.StatusCode):
        return code
    return _CODES.get(code, grpc.StatusCode.UNKNOWN) if isinstance(code, int) else grpc.StatusCode.OK


class ServerInterceptor(grpc.aio.ServerInterceptor):
    """Wraps every handler of a server.

    Attributes:
        metrics: Where calls are counted.
        verifier: Verifies tokens.
        table: The service's exceptions.
        public_methods: Full names (`/levata.x.v1.XService/Method`) of those that want no token.
        spans: Where calls are traced; None: nowhere.
        draining: Refuse new calls with UNAVAILABLE (DRAINING).
        refused_at: When a call was last refused for that, by the monotonic clock.
    """

    def __init__(
        self,
        metrics: Metrics,
        verifier: auth.Verifier,
        table: ErrorTable,
        public_methods: frozenset[str],
        spans: "Spans | None" = None,
    ) -> None:
        self.metrics = metrics
        self.verifier = verifier
        self.table = table
        self.public_methods = public_methods
        self.spans = spans
        self.draining = False
        self.refused_at = 0.0
        self._wrapped: dict[str, RawHandler] = {}

    async def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Awaitable[RawHandler | None]]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "RawHandler | None":
        """The wrapped handler of a method; None, which gRPC answers with UNIMPLEMENTED, if there is no such method."""
        name = handler_call_details.method
        wrapped = self._wrapped.get(name)
        if wrapped is None:
            handler = await continuation(handler_call_details)
            if handler is None:
                return handler
            wrapped = self._wrapped[name] = _wrap(
                _Method(self, name, bool(handler.request_streaming or handler.response_streaming)), handler
            )
        return wrapped


async def _serve(
    method: _Method, context: Context, work: Callable[[_Call], Awaitable[Any]], asked: "_Requests | None" = None
) -> Any:
    """Runs `work` for a call, and ends the call whatever comes of it; `asked` are the requests if they are a stream."""
    call = method.begin(context)
    code = grpc.StatusCode.UNKNOWN
    try:
        method.admit(context)
        answer = await work(call)
        code = _told_code(context)
        return answer
    except asyncio.CancelledError:
        code = grpc.StatusCode.CANCELLED
        raise
    except grpc.aio.AbortError:
        code = _told_code(context)
        raise
    except Exception as error:
        # The caller has left; what followed from that is nobody's error. A message that could not be written is how one
        # hears of it first: only afterwards is the call told to be done.
        if context.cancelled() or context.done() or isinstance(error, grpc.aio.InternalError):
            code = grpc.StatusCode.CANCELLED
            raise asyncio.CancelledError from error
        told = method.refuse(call, error)
        code = told.code
        if asked is not None:
            await asked.begun()
        await context.abort(
            told.code, errors.developer_message(told), errors.trailers(told, call.language, call.request_id)
        )
    finally:
        method.end(call, code)


def _wrap(method: _Method, handler: RawHandler) -> RawHandler:
    read = _lenient(handler.request_deserializer)
    write = handler.response_serializer
    inner: Any
    if handler.request_streaming:
        if handler.response_streaming:
            inner = handler.stream_stream
            return grpc.stream_stream_rpc_method_handler(_streaming(method, inner, True), read, write)
        inner = handler.stream_unary
        return grpc.stream_unary_rpc_method_handler(_single(method, inner, True), read, write)
    if handler.response_streaming:
        inner = handler.unary_stream
        return grpc.unary_stream_rpc_method_handler(_streaming(method, inner, False), read, write)
    inner = handler.unary_unary
    return grpc.unary_unary_rpc_method_handler(_single(method, inner, False), read, write)


def _single(method: _Method, inner: Callable[..., Any], request_streaming: bool) -> Callable[..., Any]:
    """The handler of a method with one answer."""

    async def serve(request: Any, context: Context) -> Any:
        asked = _Requests(request, method) if request_streaming else None

        async def work(call: _Call) -> Any:
            if asked is not None:
                with asked.of(call):
                    return await inner(asked, context)
            method.check(request)
            return await inner(request, context)

        return await _serve(method, context, work, asked)

    return serve


def _streaming(method: _Method, inner: Callable[..., Any], request_streaming: bool) -> Callable[..., Any]:
    """The handler of a method that answers with a stream, by yielding or by `context.write`.

    A generator of the servicer is closed here, in this task, as soon as the call ends.
    """
    yields = inspect.isasyncgenfunction(inner)

    async def serve(request: Any, context: Context) -> None:
        asked = _Requests(request, method) if request_streaming else None

        async def answer(what: Any) -> None:
            if not yields:
                await inner(what, context)
                return
            async with contextlib.aclosing(inner(what, context)) as answers:
                async for message in answers:
                    await context.write(message)
                    method.sent.inc()

        async def work(call: _Call) -> None:
            if asked is not None:
                with asked.of(call):
                    await answer(asked)
            else:
                method.check(request)
                await answer(request)

        await _serve(method, context, work, asked)

    return serve


class _Requests:
    """The messages of a request stream, whose rules the servicer checks. One that cannot even be read raises in its
    place, and the next can be asked for all the same: so one bad message need not end a stream.

    Where calls are traced, every message but the first, which opens the stream, has a trace of its own: from when it is
    there until the next is asked for.
    """

    def __init__(self, requests: AsyncIterator[Any], method: _Method) -> None:
        self._requests = aiter(requests)
        self._method = method
        self._stream: OpenSpan | None = None
        self._handled: OpenSpan | None = None
        self._asked = False
        self._opened = False

    @contextlib.contextmanager
    def of(self, call: _Call) -> Iterator[None]:
        """They are those of `call`, which is served inside the block."""
        self._stream = call.span
        try:
            yield
        finally:
            self._conclude()

    async def begun(self) -> None:
        """Waits a moment for the first message, if nobody has asked for it, so that a refusal does not cross it."""
        if not self._asked:
            with contextlib.suppress(TimeoutError, StopAsyncIteration):
                async with asyncio.timeout(FIRST_MESSAGE_SECONDS):
                    await anext(self._requests)

    def __aiter__(self) -> "_Requests":
        return self

    async def __anext__(self) -> Any:
        self._conclude()
        self._asked = True
        request = await anext(self._requests)
        if request is _MALFORMED:
            raise malformed("cannot be read as the message that this method wants")
        spans = self._method.server.spans
        if spans is not None and self._stream is not None and self._opened:
            self._handled = spans.message(self._method.name, _kind(request), self._stream)
        self._opened = True
        return request

    def _conclude(self) -> None:
        handled, self._handled = self._handled, None
        if handled is not None:
            handled.close()


def _kind(request: Any) -> str:
    """What a message of a stream is: which of its alternatives, where it has such."""
    alternatives = request.DESCRIPTOR.oneofs if isinstance(request, Message) else ()
    return (request.WhichOneof(alternatives[0].name) if alternatives else None) or "message"
