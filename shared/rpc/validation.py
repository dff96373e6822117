"""Validation at the door: the rules written in the protos, by protovalidate."""

import grpc
import protovalidate
from google.protobuf.message import Message

from shared.errors import LevataError

MAX_VIOLATIONS = 20
EXPLAINED_BYTES = 4096
"""A malformed message larger than this is told its first violation only: finding all of them, of which a megabyte can
have hundreds of thousands, would take seconds in which nobody else is served."""

_validator = protovalidate.Validator()


def validate(message: Message) -> None:
    """Raises INVALID_ARGUMENT (BAD_REQUEST) with a violation for each malformed field."""
    violations = _validator.collect_violations(message, fail_fast=True)
    if violations:
        if message.ByteSize() <= EXPLAINED_BYTES:
            violations = _validator.collect_violations(message)
        raise LevataError(
            grpc.StatusCode.INVALID_ARGUMENT,
            "BAD_REQUEST",
            violations=[
                (field_path(one), one.proto.message or one.proto.rule_id) for one in violations[:MAX_VIOLATIONS]
            ],
        )


def field_path(violation: protovalidate.Violation) -> str:
    """The path of the malformed field, such as `options.clock.bid_seconds` or `players[0].name`."""
    if violation.proto.field is None:
        return ""
    path = ""
    for element in violation.proto.field.elements:
        path += ("." if path else "") + element.field_name
        if element.subscript is not None:
            path += f"[{element.subscript.value!r}]"
    return path


def malformed(text: str) -> LevataError:
    """The error for a message that cannot even be read."""
    return LevataError(grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", violations=[("", text)])
