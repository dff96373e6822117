"""The right to match a queue: held by one process at a time, and lost by a process that is not heard of.

The lease only keeps processes out of each other's way. What keeps two of them from doing harm, when one that was
replaced does not know it yet, is that every step goes through the queue's wave, which one of them alone can change.
"""

import asyncio
import math
import secrets
import time
from collections.abc import Callable

import msgspec
import structlog

from shared.bus import Bus, BusUnavailable, SequenceConflict

BUCKET = "LEASES"
STREAM = f"KV_{BUCKET}"

_log = structlog.get_logger(__name__)


class Holding(msgspec.Struct, frozen=True):
    """Who holds a lease; `token` differs for every time that it is won."""

    holder: str
    token: str


class LeaseLostError(Exception):
    """Another process may hold the lease now."""


class Lease:
    """One process's claim to one lease.

    Args:
        bus: The bus.
        key: Name of the lease.
        holder: Name of this process.
        seconds: It is lost when it was not renewed for so long; at least 1.
        clock: Monotonic clock, in seconds.
    """

    def __init__(
        self, bus: Bus, key: str, holder: str, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._bus = bus
        self._subject = f"$KV.{BUCKET}.{key}"
        self._holder = holder
        self._seconds = seconds
        self._clock = clock
        self._data = b""
        self._sequence = 0
        self._until = 0.0

    @property
    def held(self) -> bool:
        """Nobody else can hold it now."""
        return self._sequence != 0 and self._clock() < self._until

    async def acquire(self) -> int:
        """Waits until the lease is ours, and returns its number: higher than that of everybody who held it before."""
        while True:
            try:
                number = await self.try_acquire()
            except BusUnavailable as error:
                _log.warning("the lease cannot be read", lease=self._subject, error=str(error))
                number = None
            if number is not None:
                return number
            await asyncio.sleep(self._seconds / 4)

    async def try_acquire(self) -> int | None:
        """Takes the lease if nobody holds it. Raises `BusUnavailable`."""
        last = await self._bus.last(STREAM, self._subject)
        if last is not None and last[1]:
            return None
        data = msgspec.json.encode(Holding(self._holder, secrets.token_hex(8)))
        begin = self._clock()
        try:
            self._sequence = await self._put(data, last[0] if last else 0)
        except SequenceConflict:
            return None
        self._data = data
        self._until = begin + self._seconds
        return self._sequence

    async def renew(self) -> None:
        """Keeps the lease. Raises `LeaseLostError`, or `BusUnavailable`: then it may still be ours until it ends."""
        begin = self._clock()
        try:
            self._sequence = await self._put(self._data, self._sequence)
        except SequenceConflict:
            # Also when an earlier renewal was stored and its answer was lost.
            last = await self._bus.last(STREAM, self._subject)
            if last is None or last[1] != self._data:
                self._sequence = 0
                raise LeaseLostError(self._subject) from None
            self._sequence = last[0]
            return
        self._until = begin + self._seconds

    async def keep(self) -> None:
        """Renews the lease for as long as it can. Raises `LeaseLostError` when it is lost."""
        while True:
            await asyncio.sleep(self._seconds / 3)
            try:
                await self.renew()
            except BusUnavailable as error:
                _log.warning("the lease could not be renewed", lease=self._subject, error=str(error))
            if not self.held:
                raise LeaseLostError(self._subject)

    async def release(self) -> None:
        """Gives the lease back, so that another process can have it at once. Does nothing when it is not ours."""
        if not self.held:
            return
        sequence, self._sequence = self._sequence, 0
        try:
            await self._put(b"", sequence)
        except (BusUnavailable, SequenceConflict) as error:
            _log.info("the lease was not given back", lease=self._subject, error=str(error))

    async def _put(self, data: bytes, after: int) -> int:
        headers = {"Nats-TTL": f"{max(1, math.ceil(self._seconds))}s"}
        return await self._bus.append(self._subject, data, after, headers)
