"""Reads the status that a call ended with, details and all."""

from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2


@dataclass(frozen=True)
class Told:
    """What a caller is told.

    Attributes:
        code: Canonical code.
        message: The status message, for developers.
        reason: Of the ErrorInfo.
        domain: Of the ErrorInfo.
        metadata: Of the ErrorInfo.
        violations: Of the BadRequest: description by field.
        retry_seconds: Of the RetryInfo.
        locale: Of the LocalizedMessage.
        text: Of the LocalizedMessage.
        request_id: Of the RequestInfo.
        pushback_milliseconds: The trailer that retrying clients obey.
    """

    code: grpc.StatusCode
    message: str = ""
    reason: str = ""
    domain: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    violations: dict[str, str] = field(default_factory=dict)
    retry_seconds: float | None = None
    locale: str = ""
    text: str = ""
    request_id: str = ""
    pushback_milliseconds: int | None = None


def told(error: grpc.aio.AioRpcError) -> Told:
    """What `error` tells."""
    found: dict[str, Any] = {"code": error.code(), "message": error.details() or ""}
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-retry-pushback-ms":
            found["pushback_milliseconds"] = int(value)
        if key != "grpc-status-details-bin":
            continue
        assert isinstance(value, bytes)
        status = status_pb2.Status.FromString(value)
        assert status.code == error.code().value[0]
        assert status.message == error.details()
        for detail in status.details:
            info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
            retry, localized = error_details_pb2.RetryInfo(), error_details_pb2.LocalizedMessage()
            request = error_details_pb2.RequestInfo()
            if detail.Unpack(info):
                found |= {"reason": info.reason, "domain": info.domain, "metadata": dict(info.metadata)}
            elif detail.Unpack(bad):
                found["violations"] = {one.field: one.description for one in bad.field_violations}
            elif detail.Unpack(retry):
                found["retry_seconds"] = retry.retry_delay.ToMilliseconds() / 1000
            elif detail.Unpack(localized):
                found |= {"locale": localized.locale, "text": localized.message}
            elif detail.Unpack(request):
                found["request_id"] = request.request_id
    return Told(**found)


async def refused(call: Awaitable[Any]) -> Told:
    """Makes a call that has to fail, and says what the caller is told."""
    try:
        answer = await call
    except grpc.aio.AioRpcError as error:
        return told(error)
    raise AssertionError(f"the call was served: {answer}")
