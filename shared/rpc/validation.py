"""Validation at the door: the rules written in the protos, by protovalidate."""

from collections.abc import Sequence

import grpc
import protovalidate
from google.protobuf.message import Message

from shared.errors import LevataError

MAX_VIOLATIONS = 20
TOLD_CHARACTERS = 2000
"""A refusal tells so many violations, and so much of them: clients take 8 KiB of a status and no more."""
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
        raise LevataError(grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", violations=_told(violations))


def _told(violations: Sequence[protovalidate.Violation]) -> list[tuple[str, str]]:
    """The first violations, one at least: the path of each and what is wrong."""
    told: list[tuple[str, str]] = []
    characters = 0
    for one in violations[:MAX_VIOLATIONS]:
        path, text = field_path(one), one.proto.message or one.proto.rule_id
        characters += len(path) + len(text)
        if told and characters > TOLD_CHARACTERS:
            break
        told.append((path, text))
    return told


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
