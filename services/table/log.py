"""The log of tables: where it stands, and how it is read and written.

Stream `TABLES` has one subject a table. A record is appended with the sequence that the subject's last message is
expected to have, so of two servers that race one wins and the other learns of it. Reading goes through the stream's
leader. The stream republishes what it has stored, so that every server that has the table alive hears of it.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable

import msgspec
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

LIST_SECONDS = 10.0
"""So long the server may take to list what it has."""

Stored = tuple[int, bytes]
"""Sequence in the stream, and the record as it stands there."""


class _State(msgspec.Struct):
    subjects: dict[str, int] | None = None


class _Fault(msgspec.Struct):
    description: str = ""


class _Page(msgspec.Struct):
    """Some of a stream's subjects, of so many in total."""

    state: _State = msgspec.field(default_factory=_State)
    total: int = 0
    error: _Fault | None = None


_decode_page = msgspec.json.Decoder(_Page).decode


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

    async def tables(self) -> list[str]:
        """The ids of all tables that have a log, in order. Raises `shared.bus.BusUnavailable`."""
        found: list[str] = []
        while True:
            # The server tells so many subjects at once, and how many there are.
            wish = json.dumps({"subjects_filter": f"{SUBJECT}.*", "offset": len(found)}).encode()
            try:
                answer = await self._bus.nc.request(f"$JS.API.STREAM.INFO.{STREAM}", wish, timeout=LIST_SECONDS)
            except (nats.errors.Error, TimeoutError) as error:
                raise BusUnavailable(f"{STREAM} does not answer: {error!r}") from error
            page = _decode_page(answer.data)
            if page.error is not None:
                raise BusUnavailable(f"{STREAM}: {page.error.description}")
            subjects = page.state.subjects or {}
            found += (subject.removeprefix(f"{SUBJECT}.") for subject in subjects)
            if len(found) >= page.total or not subjects:
                return sorted(found)

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
