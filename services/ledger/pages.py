"""Page tokens: opaque texts that say where the next page begins.

A token belongs to one list with its parameters and carries the sort key of the last row given, so that a page begins
right behind it whatever has changed meanwhile. A checksum over all of it refuses what no list of ours gave; it is no
secret, for a forged token could only begin a list of the same rows at another place.
"""

import base64
import binascii
import struct
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Generic, TypeVar

from services.ledger.errors import BadPageTokenError

DEFAULT_SIZE: Final = 50
_CHECK_BYTES: Final = 6
_VERSION: Final = b"\x01"

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows of a list, and the token for the next; empty on the last page."""

    rows: list[Row]
    next_page_token: str


def page_size(asked: int) -> int:
    """The size of a page; 0 asks for the usual one."""
    return asked or DEFAULT_SIZE


def integer_token(scope: str, value: int, tie: str) -> str:
    """The token behind a row whose sort key is an integer; `tie` tells it from rows with the same."""
    return _pack(scope, struct.pack(">q", value), tie)


def read_integer_token(scope: str, token: str) -> tuple[int, str]:
    """What `integer_token` was made of. Raises `BadPageTokenError`."""
    raw, tie = _unpack(scope, token)
    return struct.unpack(">q", raw)[0], tie


def float_token(scope: str, value: float, tie: str) -> str:
    """The token behind a row whose sort key is a floating-point number."""
    return _pack(scope, struct.pack(">d", value), tie)


def read_float_token(scope: str, token: str) -> tuple[float, str]:
    """What `float_token` was made of. Raises `BadPageTokenError`."""
    raw, tie = _unpack(scope, token)
    return struct.unpack(">d", raw)[0], tie


def _pack(scope: str, number: bytes, tie: str) -> str:
    body = _VERSION + number + tie.encode()
    return base64.urlsafe_b64encode(_check(scope, body) + body).rstrip(b"=").decode()


def _unpack(scope: str, token: str) -> tuple[bytes, str]:
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        check, body = raw[:_CHECK_BYTES], raw[_CHECK_BYTES:]
        if len(body) < 9 or body[:1] != _VERSION or check != _check(scope, body):
            raise BadPageTokenError
        tie = body[9:].decode()
        if "\0" in tie:
            raise BadPageTokenError
        return body[1:9], tie
    except (binascii.Error, ValueError) as error:
        raise BadPageTokenError from error


def _check(scope: str, body: bytes) -> bytes:
    return blake2b(body, key=blake2b(scope.encode(), digest_size=32).digest(), digest_size=_CHECK_BYTES).digest()
