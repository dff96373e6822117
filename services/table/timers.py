"""Durable timers: one pending schedule a table, in stream `TIMERS`, consumed by whichever server is free.

A timer carries when it was to fire, and nothing else. What is due is computed from the table's state when it fires, so
a timer that fires early, late or twice does no harm. One that fired while no server was there waits for the first that
comes. One that fires before its time, because the clock of NATS is ahead, comes again when it is time here.
"""

import contextlib
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from services.table.log import ACK_SECONDS
from shared.bus import Bus, Postpone, Reject, SequenceConflict
from shared.consumer import Message
from shared.streams import CONSUMERS

STREAM = "TIMERS"
SUBJECT = "tables.timer"
DUE = "tables.due"
"""The stream; before the table's id, the subject of its schedule, and the one on which it fires."""


class Timers:
    """The timers of tables, on one connection."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def arm(self, table: str, when: int) -> int:
        """Makes the table's timer fire at `when` (ms since the epoch), and no pending one at another; its sequence.

        Raises:
            shared.bus.BusUnavailable: Nobody can say whether it is armed.
        """
        return await self._bus.publish(
            f"{SUBJECT}.{table}", str(when).encode(), headers=_schedule(table, when), ack_seconds=ACK_SECONDS
        )

    async def arm_over(self, table: str, when: int, sequence: int) -> None:
        """Makes the table's timer fire at `when` if the pending one has this sequence (0: none is pending); else that
        one stays.

        Raises:
            shared.bus.BusUnavailable: Nobody can say whether it is armed.
        """
        # A schedule leaves its subject when it fires.
        with contextlib.suppress(SequenceConflict):
            await self._bus.append(f"{SUBJECT}.{table}", str(when).encode(), sequence, headers=_schedule(table, when))

    async def disarm(self, table: str) -> None:
        """Removes the table's timer, fired or not."""
        await self._bus.js.purge_stream(STREAM, subject=f"{SUBJECT}.{table}")
        await self.forget(table)

    async def forget(self, table: str) -> None:
        """Removes what is left of the timer of a table that is gone: the one that fired."""
        await self._bus.js.purge_stream(STREAM, subject=f"{DUE}.{table}")

    async def consume(self, due: Callable[[str], Awaitable[None]], now: Callable[[], int]) -> None:
        """Calls `due` with the id of every table whose timer fires, until cancelled; `now` is the time here, in ms."""

        async def handle(message: Message) -> None:
            try:
                early = int(message.data or b"0") - now()
            except ValueError as error:
                raise Reject("a timer without a time") from error
            if early > 0:
                raise Postpone(early / 1000)
            await due(message.subject.rpartition(".")[2])

        await self._bus.consume(CONSUMERS["tables"], handle)


def _schedule(table: str, when: int) -> dict[str, str]:
    """The headers of a schedule."""
    moment = datetime.fromtimestamp(when / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    return {"Nats-Schedule": f"@at {moment}", "Nats-Schedule-Target": f"{DUE}.{table}"}
