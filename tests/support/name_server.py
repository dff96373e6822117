"""A name server on loopback: what a cluster's DNS says of a headless service, and changes as servers come and go."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator, Sequence
from typing import cast

HEADER_BYTES = 12
ADDRESS = 1
"""The type of a question for IPv4 addresses; for all others there are none."""


class NameServer(asyncio.DatagramProtocol):
    """Answers for every name with the same addresses.

    Attributes:
        addresses: What names stand for, as of now.
    """

    def __init__(self) -> None:
        self.addresses: Sequence[str] = ()
        self._transport: asyncio.DatagramTransport | None = None

    @property
    def address(self) -> str:
        """Where it listens, host:port."""
        assert self._transport is not None
        host, port = self._transport.get_extra_info("sockname")[:2]
        return f"{host}:{port}"

    def target(self, port: int) -> str:
        """A gRPC target that looks a name up here."""
        return f"dns://{self.address}/service.test:{port}"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        assert self._transport is not None
        if len(data) <= HEADER_BYTES:
            return  # gRPC's resolver tries the line now and then, and asks nothing
        end = HEADER_BYTES
        while data[end]:
            end += data[end] + 1
        kind: int = struct.unpack_from("!H", data, end + 1)[0]
        found = [socket.inet_aton(address) for address in self.addresses] if kind == ADDRESS else []
        header = data[:2] + struct.pack("!5H", 0x8180, 1, len(found), 0, 0)
        # Each answer points back to the name in the question; nobody may keep it.
        answers = b"".join(struct.pack("!3HIH", 0xC000 | HEADER_BYTES, ADDRESS, 1, 0, 4) + one for one in found)
        self._transport.sendto(header + data[HEADER_BYTES : end + 5] + answers, addr)

    def close(self) -> None:
        """Answers no more."""
        assert self._transport is not None
        self._transport.close()


@contextlib.asynccontextmanager
async def name_server() -> AsyncIterator[NameServer]:
    """A name server inside a `with` block."""
    _, server = await asyncio.get_running_loop().create_datagram_endpoint(NameServer, local_addr=("127.0.0.1", 0))
    try:
        yield server
    finally:
        server.close()
