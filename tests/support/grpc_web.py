"""A client as a browser has it: gRPC-Web over HTTP/1.1, a connection for each call, and nothing that is tried again."""

import asyncio
import struct
import urllib.parse
from collections.abc import AsyncIterator
from typing import TypeVar

import grpc
from google.protobuf.message import Message

from shared.client.errors import ClubError, connection_lost

TRAILERS = 0x80
"""Set in the first byte of a frame that holds trailers and no message."""
HTTP = {
    401: grpc.StatusCode.UNAUTHENTICATED,
    403: grpc.StatusCode.PERMISSION_DENIED,
    429: grpc.StatusCode.RESOURCE_EXHAUSTED,
    503: grpc.StatusCode.UNAVAILABLE,
}
M = TypeVar("M", bound=Message)


class WebClient:
    """Calls an edge.

    Attributes:
        token: Of the caller; empty before there is one.
        origin: Of the page that calls.
    """

    def __init__(self, address: str, origin: str = "http://localhost:3000") -> None:
        self.token = ""
        self.origin = origin
        self._address = address

    async def call(self, method: str, request: Message, kind: type[M]) -> M:
        """A unary call, such as of `levata.table.v1.TableService/GetTable`. Raises `ClubError`."""
        async for answer in self.stream(method, request, kind):
            return answer
        raise AssertionError(f"{method} ended well without an answer")

    async def stream(self, method: str, request: Message, kind: type[M]) -> AsyncIterator[M]:
        """A call with a stream of answers, until it ends well. Raises `ClubError` when it does not."""
        host, _, port = self._address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            writer.write(self._question(method, request))
            status, headers = await _head(reader)
            if status != 200:
                # The edge itself refuses pages in the words of HTTP.
                raise ClubError(HTTP.get(status, grpc.StatusCode.UNKNOWN), "HTTP", str(status), answered=False)
            if "grpc-status" in headers:  # there was nothing but the end
                _ended(headers)
                return
            body = _Body(reader)
            while True:
                flag, size = struct.unpack(">BI", await body.read(5))
                data = await body.read(size)
                if flag & TRAILERS:
                    _ended(_fields(data.decode()))
                    return
                yield kind.FromString(data)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise connection_lost(repr(error)) from error
        finally:
            writer.close()

    def _question(self, method: str, request: Message) -> bytes:
        data = request.SerializeToString()
        frame = struct.pack(">BI", 0, len(data)) + data
        lines = [
            f"POST /{method} HTTP/1.1",
            "host: club",
            f"origin: {self.origin}",
            "content-type: application/grpc-web+proto",
            "x-grpc-web: 1",
            "accept-language: en",
            f"content-length: {len(frame)}",
            *([f"authorization: Bearer {self.token}"] if self.token else []),
            *([f"levata-table: {table}"] if (table := getattr(request, "table_id", "")) else []),
        ]
        return "\r\n".join([*lines, "", ""]).encode() + frame


class _Body:
    """A body that comes in chunks."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._data = b""

    async def read(self, size: int) -> bytes:
        """So many bytes. Raises `asyncio.IncompleteReadError`."""
        while len(self._data) < size:
            length = int((await self._reader.readuntil(b"\r\n")).split(b";")[0], 16)
            if not length:
                raise asyncio.IncompleteReadError(self._data, size)
            self._data += await self._reader.readexactly(length)
            await self._reader.readexactly(2)
        found, self._data = self._data[:size], self._data[size:]
        return found


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    first, _, rest = (await reader.readuntil(b"\r\n\r\n")).decode().partition("\r\n")
    return int(first.split()[1]), _fields(rest)


def _fields(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.splitlines() if line)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _ended(trailers: dict[str, str]) -> None:
    """Raises for what a call ended with, unless that is OK."""
    code = next(one for one in grpc.StatusCode if one.value[0] == int(trailers["grpc-status"]))
    if code is not grpc.StatusCode.OK:
        message = urllib.parse.unquote(trailers.get("grpc-message", ""))
        raise ClubError(code, message.partition(":")[0] or code.name, message)
