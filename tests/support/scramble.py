"""Messages gone wild: anything a field can hold, where it makes trouble, made of descriptors and a seeded chance."""

import math
import random
from collections.abc import Sequence
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

_INTEGERS: dict[int, tuple[int, int]] = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}
_NUMBERS = (0, 1, 2, 3, 4, 8, 9, 10, 56, 100, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 2**63, 2**64 - 1, -1, -(2**31))
TEXTS = (
    "",
    " ",
    "\0",
    "a\0b",
    "x" * 300,
    "ș" * 64,
    "\u202eevil",
    "\U0001f0a1" * 9,
    "'; DROP TABLE account; --",
    "%s%n{}{reason}",
    "*",
    ">",
    "tables.log.>",
    "../../etc/passwd",
    "١٢٣٤٥٦٧٨",
    "4294967296",
    "1.0.AAAA",
    "MS45OTk=",
    "9999999999999999999999.x",
    "AS",
    "1S",
    "TZ",
    "QH",
    "arzoi",
    "arzoi-3",
    "p-ana",
    "p-bogdan",
)
FLOATS = (0.0, -0.0, 1.5, -1e308, math.inf, -math.inf, math.nan)


def scrambled(good: Message, chance: random.Random, texts: Sequence[str] = (), times: int | None = None) -> Message:
    """A copy of a message with some of its fields, at any depth, set to something wild.

    Args:
        good: The message.
        chance: Decides.
        texts: More texts to choose from, such as ids that exist.
        times: So many changes; 1 to 4 if absent.
    """
    wild = type(good)()
    wild.CopyFrom(good)
    for _ in range(times if times is not None else chance.randint(1, 4)):
        _change(wild, chance, (*TEXTS, *texts))
    return wild


def _change(message: Any, chance: random.Random, texts: Sequence[str]) -> None:
    """Changes one field of a message, or of one inside it."""
    descriptor: Any = message.DESCRIPTOR
    if not descriptor.fields:
        return
    field = chance.choice(descriptor.fields)
    if chance.random() < 0.1:
        message.ClearField(field.name)
    elif field.message_type is not None and field.message_type.GetOptions().map_entry:
        return
    elif field.is_repeated:
        _change_list(getattr(message, field.name), field, chance, texts)
    elif field.message_type is not None:
        inner = getattr(message, field.name)
        inner.SetInParent()
        _change(inner, chance, texts)
    else:
        setattr(message, field.name, _value(field, chance, texts))


def _change_list(values: Any, field: Any, chance: random.Random, texts: Sequence[str]) -> None:
    what = chance.random()
    if what < 0.2 and values:
        del values[chance.randrange(len(values))]
    elif field.message_type is not None:
        if values and what < 0.7:
            _change(values[chance.randrange(len(values))], chance, texts)
        elif values and what < 0.8:
            values.add().CopyFrom(chance.choice(values))
        else:
            _change(values.add(), chance, texts)
    elif values and what < 0.6:
        values[chance.randrange(len(values))] = _value(field, chance, texts)
    else:
        values.extend([_value(field, chance, texts)] * chance.choice((1, 1, 2, 20)))


def _value(field: Any, chance: random.Random, texts: Sequence[str]) -> Any:
    kind = field.cpp_type
    if kind in _INTEGERS:
        least, most = _INTEGERS[kind]
        return min(most, max(least, chance.choice(_NUMBERS)))
    match kind:
        case FieldDescriptor.CPPTYPE_BOOL:
            return chance.random() < 0.5
        case FieldDescriptor.CPPTYPE_ENUM:
            return chance.choice((0, 1, 2, 3, 4, 5, 99, -1))
        case FieldDescriptor.CPPTYPE_FLOAT | FieldDescriptor.CPPTYPE_DOUBLE:
            return chance.choice(FLOATS)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return chance.randbytes(chance.choice((0, 1, 15, 16, 64, 65)))
    return chance.choice(texts)


def mangled(data: bytes, chance: random.Random) -> bytes:
    """Bytes with some of them flipped, cut out, doubled or put in."""
    wild = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(wild) + 1)
        match chance.randrange(4):
            case 0 if place < len(wild):
                wild[place] ^= 1 << chance.randrange(8)
            case 1:
                del wild[place : place + chance.randint(1, 4)]
            case 2:
                wild[place:place] = wild[: chance.randint(0, 8)]
            case _:
                wild[place:place] = chance.randbytes(chance.randint(1, 4))
    return bytes(wild)
