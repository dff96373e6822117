"""The log of tables: where it stands, and how it is read and written.

Stream `TABLES` has one subject a table. A record is appended with the sequence that the subject's last message is
expected to have, so of two servers that race one wins and the other learns of it. Reading goes through the stream's
leader. The stream republishes what it has stored, so that every server that has the table alive hears of it.
"""

import asyncio
from collections.abc import Awaitable, Callable

import nats.errors
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from shared.bus import Bus, BusUnavailable

STREAM = "TABLES"
SUBJECT = "tables.log"
STORED = "tables.stored"
"""The stream; before the table's id, the subject of its log, and the one on which what is stored is told."""

READS = 64
"""So many logs are read at once: after a reconnection every table asks, and NATS answers only so many questions."""

ACK_SECONDS = 1.5
"""After so long without an acknowledgement the log itself is asked: from a server that has gone none ever comes."""

Stored = tuple[int, bytes]
"""Sequence in the stream, and the record as it stands there."""


class TableLog:
    """The log, on one connection."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._reads = asyncio.Semaphore(READS)

    async def append(self, table: str, data: bytes, expected: int) -> int:
        """Appends a record to a table's log and returns its sequence.

        Args:
            table: The table.
            data: The record.
            expected: Sequence of the table's last record; 0 when it has none.

        Raises:
            shared.bus.SequenceConflict: Another record came first.
            shared.bus.BusUnavailable: Nobody can say whether it was stored; read before writing again.
        """
        return await self._bus.append(f"{SUBJECT}.{table}", data, expected, ack_seconds=ACK_SECONDS)

    async def read(self, table: str, after: int = 0) -> list[Stored]:
        """All records of a table after a sequence, in order. Raises `shared.bus.BusUnavailable`."""
        async with self._reads:
            return await self._bus.read_subject(STREAM, f"{SUBJECT}.{table}", after + 1)

    async def holds(self, table: str) -> bool:
        """Whether the log has anything of a table. Raises `shared.bus.BusUnavailable`."""
        return await self._bus.last(STREAM, f"{SUBJECT}.{table}") is not None

    async def follow(self, table: str, heard: Callable[[int, bytes], Awaitable[None]]) -> Subscription:
        """Calls `heard` for every record that is stored from now on, by whichever server."""

        async def take(message: Msg) -> None:
            sequence = int((message.headers or {})["Nats-Sequence"])
            await heard(sequence, message.data)

        try:
            return await self._bus.nc.subscribe(f"{STORED}.{table}", cb=take)
        except nats.errors.Error as error:
            raise BusUnavailable(f"the log of {table} cannot be followed") from error

    async def erase(self, table: str) -> None:
        """Removes the log of a closed table."""
        await self._bus.js.purge_stream(STREAM, subject=f"{SUBJECT}.{table}")
