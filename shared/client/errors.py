"""What the club answers when it refuses."""

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from shared.gen.levata.table.v1 import table_pb2

_DETAILS_KEY = "grpc-status-details-bin"
_CODES = {code.value[0]: code for code in grpc.StatusCode}


class ClubError(Exception):
    """A refusal, or a connection that failed.

    Attributes:
        code: Canonical gRPC code.
        reason: Stable and machine-readable, such as `NOT_YOUR_TURN`; the name of the code when nobody gave a reason.
        message: For people, in the language asked for.
        metadata: More for programs, such as `rule` or `revision`.
        violations: Malformed fields of the request with what is wrong with each.
        retry_after: Seconds after which the server asks to be tried again; None when it says nothing.
        answered: The club itself gave this answer; False when the connection, or something on the way, did.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        message: str,
        metadata: dict[str, str] | None = None,
        retry_after: float | None = None,
        violations: tuple[tuple[str, str], ...] = (),
        answered: bool = True,
    ) -> None:
        faults = "; ".join(f"{field}: {fault}" for field, fault in violations)
        super().__init__(f"{reason}: {message}" + (f" ({faults})" if faults else ""))
        self.code = code
        self.reason = reason
        self.message = message
        self.metadata = metadata or {}
        self.retry_after = retry_after
        self.violations = violations
        self.answered = answered

    @classmethod
    def from_rpc(cls, error: grpc.aio.AioRpcError) -> "ClubError":
        """Reads the status of a failed call, with all its details."""
        code = error.code()
        details = _status(error)
        reason, metadata, retry_after = code.name, {}, None
        message = error.details() or code.name
        violations: list[tuple[str, str]] = []
        answered = False
        for detail in details:
            info = error_details_pb2.ErrorInfo()
            localized = error_details_pb2.LocalizedMessage()
            retry = error_details_pb2.RetryInfo()
            malformed = error_details_pb2.BadRequest()
            if detail.Unpack(info):
                reason, metadata, answered = info.reason, dict(info.metadata), True
            elif detail.Unpack(localized):
                message = localized.message
            elif detail.Unpack(retry):
                retry_after = retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9
            elif detail.Unpack(malformed):
                violations += [(violation.field, violation.description) for violation in malformed.field_violations]
        return cls(code, reason, message, metadata, retry_after, tuple(violations), answered)

    @classmethod
    def from_failure(cls, failure: table_pb2.Failure) -> "ClubError":
        """Reads a refusal that came on a PlayTable stream."""
        code = _CODES.get(failure.code, grpc.StatusCode.UNKNOWN)
        retry_after = failure.retry_milliseconds / 1000 if failure.retry_milliseconds else None
        violations = tuple((violation.field, violation.description) for violation in failure.violations)
        return cls(code, failure.reason or code.name, failure.message, dict(failure.metadata), retry_after, violations)


class ContractBrokenError(ClubError):
    """The server keeps sending revisions that cannot be: a gap that resuming does not close, or a step backwards."""

    def __init__(self, message: str) -> None:
        super().__init__(grpc.StatusCode.DATA_LOSS, "CONTRACT_BROKEN", message)


def connection_lost(message: str, reason: str = "UNAVAILABLE") -> ClubError:
    """The error for a stream that broke without a status of its own."""
    return ClubError(grpc.StatusCode.UNAVAILABLE, reason, message, answered=False)


def _status(error: grpc.aio.AioRpcError) -> list[any_pb2.Any]:
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS_KEY:
            return list(status_pb2.Status.FromString(value).details)
    return []
