"""Durable timers: one pending schedule a table, in stream `TIMERS`, consumed by whichever server is free.

A timer carries nothing but the table's id. What is due is computed from the table's state when it fires, so a timer
that fires early, late or twice does no harm. One that fired while no server was there waits for the first that comes.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from shared.bus import Bus
from shared.consumer import Message

STREAM = "TIMERS"
SUBJECT = "tables.timer"
DUE = "tables.due"
"""The stream; before the table's id, the subject of its schedule, and the one on which it fires."""


class Timers:
    """The timers of tables, on one connection."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def arm(self, table: str, when: int) -> None:
        """Makes the table's timer fire at `when` (ms since the epoch), and at no other time.

        Raises:
            shared.bus.BusUnavailable: Nobody can say whether it is armed.
        """
        moment = datetime.fromtimestamp(when / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        headers = {
            "Nats-Schedule": f"@at {moment}",
            "Nats-Schedule-Target": f"{DUE}.{table}",
        }
        await self._bus.publish(f"{SUBJECT}.{table}", b"", headers=headers)

    async def disarm(self, table: str) -> None:
        """Removes the table's timer, fired or not."""
        await self._bus.js.purge_stream(STREAM, subject=f"{SUBJECT}.{table}")
        await self._bus.js.purge_stream(STREAM, subject=f"{DUE}.{table}")

    async def consume(self, due: Callable[[str], Awaitable[None]]) -> None:
        """Calls `due` with the id of every table whose timer fires, until cancelled."""

        async def handle(message: Message) -> None:
            await due(message.subject.rpartition(".")[2])

        await self._bus.consume(
            STREAM,
            durable="tables",
            subjects=[f"{DUE}.*"],
            handler=handle,
            concurrency=64,
            ack_wait=30,
            max_deliver=None,
        )
