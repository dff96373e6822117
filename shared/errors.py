"""Errors as callers see them: a canonical code, a stable reason, and details in the form of `google.rpc`.

Anything below a servicer raises a `LevataError`, or an exception of its domain that the service has listed in an
`ErrorTable`; the server's interceptor turns either into a status. `failure` gives the same as plain values, for
answers that travel inside a stream.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

import grpc
import structlog
from google.protobuf import any_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from shared import messages
from shared.messages import DEFAULT_LANGUAGE, Language

DOMAIN: Final = "levata"
STATUS_DETAILS_KEY: Final = "grpc-status-details-bin"
RETRY_PUSHBACK_KEY: Final = "grpc-retry-pushback-ms"

Violations = Sequence[tuple[str, str]]

_log = structlog.get_logger(__name__)


class LevataError(Exception):
    """A request that is refused or could not be served. By convention nothing has changed.

    Attributes:
        code: Canonical code.
        reason: Stable and machine-readable, such as `NOT_YOUR_TURN`; `shared.messages` has its text.
        metadata: More for programs, and for the placeholders of the text.
        violations: Malformed fields: path and what is wrong with each.
        retry_after: When to try again, in seconds; None when it says nothing.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        metadata: Mapping[str, str] | None = None,
        violations: Violations = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason
        self.metadata = dict(metadata or {})
        self.violations = list(violations)
        self.retry_after = retry_after

    def __str__(self) -> str:
        parts = [f"{self.code.name} {self.reason}"]
        parts += [f"{key}={value}" for key, value in self.metadata.items()]
        parts += [f"{path}: {text}" for path, text in self.violations]
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class ErrorSpec:
    """What an exception of the domain is to a caller.

    Attributes:
        code: Canonical code.
        reason: The reason, or a function that reads it off the exception.
        metadata: A function that reads the metadata off the exception.
        violations: A function that reads malformed fields off the exception.
        retry_after: Seconds, or a function that reads them off the exception.
    """

    code: grpc.StatusCode
    reason: str | Callable[[Any], str]
    metadata: Callable[[Any], Mapping[str, str]] | None = None
    violations: Callable[[Any], Violations] | None = None
    retry_after: float | Callable[[Any], float | None] | None = None

    def error(self, exception: Exception) -> LevataError:
        """The error for `exception`."""
        return LevataError(
            self.code,
            self.reason(exception) if callable(self.reason) else self.reason,
            self.metadata(exception) if self.metadata else None,
            self.violations(exception) if self.violations else (),
            self.retry_after(exception) if callable(self.retry_after) else self.retry_after,
        )


@dataclass(frozen=True, slots=True)
class Refusal:
    """A `LevataError` in plain values, its text in the caller's language.

    Attributes:
        code: Canonical code.
        reason: Stable and machine-readable.
        message: For people.
        metadata: More for programs.
        retry_after: When to try again, in seconds; None when it says nothing.
        violations: Malformed fields: path and what is wrong with each.
    """

    code: grpc.StatusCode
    reason: str
    message: str
    metadata: dict[str, str] = field(default_factory=dict)
    retry_after: float | None = None
    violations: Violations = ()

    @property
    def number(self) -> int:
        """The canonical code as a number."""
        return code_number(self.code)

    @property
    def retry_milliseconds(self) -> int:
        """`retry_after` in whole milliseconds, rounded up; 0 when it says nothing."""
        return math.ceil((self.retry_after or 0.0) * 1000)


class ErrorTable:
    """Which exceptions of the domain are what to a caller. The nearest class in the exception's ancestry counts."""

    def __init__(self) -> None:
        self._specs: dict[type[Exception], ErrorSpec] = {grpc.aio.AioRpcError: DOWNSTREAM}

    def add(self, specs: Mapping[type[Exception], ErrorSpec]) -> None:
        """Adds classes, or replaces them."""
        self._specs.update(specs)

    def error(self, exception: BaseException) -> LevataError:
        """What `exception` is to a caller; INTERNAL, and written to the log with its traceback, if it is not listed."""
        known = self._known(exception)
        if known is not None:
            return known
        _log.error("unexpected error", exc_info=exception)
        return LevataError(grpc.StatusCode.INTERNAL, "INTERNAL")

    def _known(self, exception: BaseException) -> LevataError | None:
        if isinstance(exception, LevataError):
            return exception
        if isinstance(exception, BaseExceptionGroup):  # Of tasks that ended together: any that is known explains it.
            return next(filter(None, map(self._known, exception.exceptions)), None)
        if isinstance(exception, Exception):
            for ancestor in type(exception).__mro__:
                spec = self._specs.get(ancestor)
                if spec is not None:
                    return spec.error(exception)
        return None


def _downstream_is_down(error: grpc.aio.AioRpcError) -> bool:
    return error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)


class _Downstream(ErrorSpec):
    """Another service that did not answer is a dependency that is down; any other answer of it is our own mistake."""

    __slots__ = ()

    def error(self, exception: Exception) -> LevataError:
        if isinstance(exception, grpc.aio.AioRpcError) and _downstream_is_down(exception):
            return LevataError(grpc.StatusCode.UNAVAILABLE, "DEPENDENCY_DOWN", retry_after=1.0)
        _log.error("another service refused our call", exc_info=exception)
        return LevataError(grpc.StatusCode.INTERNAL, "INTERNAL")


DOWNSTREAM: Final = _Downstream(grpc.StatusCode.UNAVAILABLE, "DEPENDENCY_DOWN")


@dataclass(frozen=True, slots=True)
class Audience:
    """Whom errors are told: the language of the caller, and the service's table."""

    language: Language
    table: ErrorTable


audience: ContextVar[Audience | None] = ContextVar("levata_error_audience", default=None)
"""Of the call that this task serves; set by the server's interceptor."""


def failure(error: BaseException, language: Language | None = None, table: ErrorTable | None = None) -> Refusal:
    """What `error` is to the caller of this task.

    Args:
        error: Anything that was raised; unlisted exceptions are logged and become INTERNAL.
        language: Instead of the caller's.
        table: Instead of the service's.
    """
    listener = audience.get() or Audience(DEFAULT_LANGUAGE, _BARE)
    told = (table or listener.table).error(error)
    spoken = language or listener.language
    return Refusal(
        told.code,
        told.reason,
        messages.text(told.reason, spoken, told.metadata),
        dict(told.metadata),
        told.retry_after,
        tuple(told.violations),
    )


_BARE = ErrorTable()


def code_number(code: grpc.StatusCode) -> int:
    """The number of a canonical code on the wire."""
    number: int = code.value[0]
    return number


def status_details(error: LevataError, language: Language, request_id: str = "") -> status_pb2.Status:
    """The whole status of `error`: the message in English for developers, the localized one for people."""
    parts: list[Message] = [error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=error.metadata)]
    if error.violations:
        parts.append(
            error_details_pb2.BadRequest(
                field_violations=[
                    error_details_pb2.BadRequest.FieldViolation(field=path, description=text)
                    for path, text in error.violations
                ]
            )
        )
    if error.retry_after is not None:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(math.ceil(error.retry_after * 1000))
        parts.append(retry)
    parts.append(
        error_details_pb2.LocalizedMessage(
            locale=language, message=messages.text(error.reason, language, error.metadata)
        )
    )
    if request_id:
        parts.append(error_details_pb2.RequestInfo(request_id=request_id))
    details = []
    for part in parts:
        packed = any_pb2.Any()
        packed.Pack(part)
        details.append(packed)
    return status_pb2.Status(code=code_number(error.code), message=developer_message(error), details=details)


def developer_message(error: LevataError) -> str:
    """The status message: English, with the reason and the malformed fields."""
    said = f"{error.reason}: {messages.text(error.reason, 'en', error.metadata)}"
    if error.violations:
        said += " " + "; ".join(f"{path}: {text}" for path, text in error.violations[:10])
    return said


def trailers(error: LevataError, language: Language, request_id: str = "") -> tuple[tuple[str, str | bytes], ...]:
    """The trailing metadata that carries the status; gRPC clients that retry also wait as long as it says."""
    details = (STATUS_DETAILS_KEY, status_details(error, language, request_id).SerializeToString())
    if error.retry_after is not None and error.code is grpc.StatusCode.UNAVAILABLE:
        return (details, (RETRY_PUSHBACK_KEY, str(math.ceil(error.retry_after * 1000))))
    return (details,)
