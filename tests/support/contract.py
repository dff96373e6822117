"""The contract as data: every RPC there is, what its comments promise, and every way to break a message's rules."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from shared.gen.buf.validate import validate_pb2
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.ledger.v1 import identity_pb2, ledger_pb2
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.gen.levata.table.v1 import table_pb2
from shared.messages import TEXTS

PROTOS = Path(__file__).parents[2] / "protos"
FILES = (table_pb2, bot_pb2, matchmaking_pb2, identity_pb2, ledger_pb2)
CODES = frozenset(code.name for code in grpc.StatusCode)

_RPC = re.compile(r"((?:^ *//.*\n)+) *rpc (\w+)\(", re.MULTILINE)
_SERVICE = re.compile(r"^service (\w+) \{", re.MULTILINE)
_SHOUTED = re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b|\b[A-Z]{5,}\b")


@dataclass(frozen=True)
class Method:
    """One RPC.

    Attributes:
        path: As gRPC names it, such as `/levata.table.v1.TableService/GetTable`.
        home: Which of our processes serves it, such as `table`.
        name: Its name.
        comment: What the contract says of it.
        request: Class of its requests.
        response: Class of its answers.
        streams_in: Requests are a stream.
        streams_out: Answers are a stream.
    """

    path: str
    home: str
    name: str
    comment: str
    request: type[Message]
    response: type[Message]
    streams_in: bool
    streams_out: bool

    @property
    def public(self) -> bool:
        """It wants no token."""
        return "No token wanted." in self.comment

    @property
    def promised(self) -> dict[str, str]:
        """Canonical code by reason, as the comment names them."""
        return promises(self.comment)

    def asks_for(self, field: str) -> bool:
        """Whether its request has a field of this name."""
        return field in self.request.DESCRIPTOR.fields_by_name


def promises(comment: str) -> dict[str, str]:
    """Canonical code by reason in a comment: a code, and in brackets after it the reasons."""
    found: dict[str, str] = {}
    code = ""
    for word in _SHOUTED.findall(comment):
        if word in CODES:
            code = word
        elif word in TEXTS:
            found[word] = code
    return found


def shouted(comment: str) -> set[str]:
    """Words of a comment that look like reasons and are no codes."""
    return {word for word in _SHOUTED.findall(comment) if "_" in word} - CODES


def _comments(source: str) -> dict[tuple[str, str], str]:
    """Comments by service and RPC, from the text of a proto."""
    starts = [(found.start(), found[1]) for found in _SERVICE.finditer(source)]
    comments = {}
    for found in _RPC.finditer(source):
        service = [name for start, name in starts if start < found.start()][-1]
        comments[service, found[2]] = " ".join(line.strip().lstrip("/ ") for line in found[1].splitlines())
    return comments


def _methods() -> Iterator[Method]:
    for file in FILES:
        descriptor: Any = file.DESCRIPTOR
        comments = _comments((PROTOS / descriptor.name).read_text())
        for service in descriptor.services_by_name.values():
            for method in service.methods:
                yield Method(
                    path=f"/{service.full_name}/{method.name}",
                    home=descriptor.package.split(".")[1],
                    name=method.name,
                    comment=comments[service.name, method.name],
                    request=GetMessageClass(method.input_type),
                    response=GetMessageClass(method.output_type),
                    streams_in=method.client_streaming,
                    streams_out=method.server_streaming,
                )


METHODS: dict[str, Method] = {method.path: method for method in _methods()}
"""Every RPC of the contract, by path."""


def named(name: str) -> Method:
    """The RPC of this name; names are unique in the contract."""
    (method,) = [method for method in METHODS.values() if method.name == name]
    return method


# Messages


def messages_within(kind: Any) -> dict[str, Any]:
    """The messages of ours that a message can hold, itself only if it can hold itself, by their full names."""
    found: dict[str, Any] = {}
    open_: list[Any] = [kind]
    while open_:
        for field in open_.pop().fields:
            inner = field.message_type
            if inner is not None and inner.full_name.startswith("levata.") and inner.full_name not in found:
                found[inner.full_name] = inner
                open_.append(inner)
    return found


@dataclass(frozen=True)
class Breach:
    """A message that breaks one rule.

    Attributes:
        field: Path of the field, as the violation has to name it.
        how: What is wrong.
        message: The message.
    """

    field: str
    how: str
    message: Message


BEYOND_CEL: dict[str, tuple[Any, ...]] = {"absence_seconds.range": (1, 4, 301, 2**32 - 1)}
"""Values that break each rule written in CEL."""


def breaches(good: Message) -> list[Breach]:
    """Every way to break a rule of a message: each a copy of `good` with one thing wrong."""
    descriptor: Any = type(good).DESCRIPTOR
    return list(_breaches(good, descriptor, ()))


_Step = tuple[FieldDescriptor, bool]
"""A field to go into, and whether its first element is meant."""


def _breaches(good: Message, descriptor: Descriptor, way: tuple[_Step, ...]) -> Iterator[Breach]:
    for oneof in descriptor.oneofs:
        if oneof.GetOptions().Extensions[validate_pb2.oneof].required:
            broken, place = _copy(good, way)
            place.ClearField(oneof.name)
            yield Breach(_path(way, oneof.name), "none of a oneof", broken)
    for field in descriptor.fields:
        rules = field.GetOptions().Extensions[validate_pb2.field]
        for how, value in _wrong_values(field, rules):
            broken, place = _copy(good, way)
            _set(place, field, value)
            yield Breach(_path(way, field.name), how, broken)
        for how, value in _wrong_values(field, rules.repeated.items):
            broken, place = _copy(good, way)
            _set(place, field, [value])
            yield Breach(_path(way, field.name) + "[0]", how, broken)
        inner = field.message_type
        if inner is not None and inner.full_name.startswith("levata.") and not inner.GetOptions().map_entry:
            yield from _breaches(good, inner, (*way, (field, field.is_repeated)))


def _path(way: tuple[_Step, ...], last: str) -> str:
    return ".".join([*(field.name + ("[0]" if element else "") for field, element in way), last])


def _copy(good: Message, way: tuple[_Step, ...]) -> tuple[Message, Any]:
    """A copy, and the message inside it that the way leads to."""
    broken = type(good)()
    broken.CopyFrom(good)
    place: Any = broken
    for field, element in way:
        place = getattr(place, field.name)
        if element:
            place = place[0] if len(place) else place.add()
        else:
            place.SetInParent()
    return broken, place


def _set(place: Any, field: FieldDescriptor, value: Any) -> None:
    if value is None:
        place.ClearField(field.name)
    elif field.is_repeated:
        del getattr(place, field.name)[:]
        getattr(place, field.name).extend(value)
    else:
        setattr(place, field.name, value)


def _wrong_values(field: FieldDescriptor, rules: Any) -> Iterator[tuple[str, Any]]:
    """Values of a field that its rules forbid. Fails on a rule that it does not know, so that none goes untested."""
    for rule, value in rules.ListFields():
        if rule.name == "required":
            yield "missing", None
        elif rule.name == "cel":
            for one in value:
                yield from (("beyond " + one.id, wrong) for wrong in BEYOND_CEL[one.id])
        elif rule.name == "enum":
            assert {one.name for one, _ in value.ListFields()} <= {"defined_only", "not_in"}, field.full_name
            assert value.defined_only
            yield from (("undefined", number) for number in (99, -1, 2**31 - 1))
            yield from (("forbidden", number) for number in value.not_in)
        elif rule.name == "repeated":
            assert {one.name for one, _ in value.ListFields()} <= {"min_items", "max_items", "items"}, field.full_name
            element: Any = GetMessageClass(field.message_type)() if field.message_type is not None else "x"
            if value.HasField("min_items"):
                yield "too few", [element] * (value.min_items - 1)
            yield "too many", [element] * (value.max_items + 1)
        else:
            for limit, bound in value.ListFields():
                yield from _beyond(rule.name, limit.name, bound, field)


def _beyond(kind: str, limit: str, bound: Any, field: FieldDescriptor) -> Iterator[tuple[str, Any]]:
    match kind, limit:
        case "uint32", "lte":
            yield "too much", bound + 1
            yield "far too much", 2**32 - 1
        case "uint32", "gte":
            yield "too little", bound - 1
        case "string", "max_len":
            yield "too long", "ă" * (bound + 1)
        case "string", "min_len":
            yield "too short", "x" * (bound - 1)
        case "bytes", "max_len":
            yield "too long", b"\xff" * (bound + 1)
        case "bytes", "min_len":
            yield "too short", b"\xff" * (bound - 1)
        case "string", "pattern":
            for wrong in ("", "!", "ș" * 20, "x y z w " * 3, "abcdefghij\n", "A" * 100, "a" * 100):
                if re.fullmatch(bound.removeprefix("^").removesuffix("$"), wrong) is None:
                    yield f"{wrong!r}", wrong
        case _:
            raise AssertionError(f"{field.full_name}: no values beyond {kind}.{limit} are known")
