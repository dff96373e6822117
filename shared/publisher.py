"""Acknowledged publishes to JetStream, many on their way at once.

The NATS client offers requests too, at a higher price for each, and it keeps what is published while the connection is
down and sends it afterwards, when the publisher has long been told that it failed. Here nothing is sent without a
connection.
"""

import asyncio
import functools
import itertools
import time
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg

from shared.bus_errors import BusRefused, BusUnavailable, SequenceConflict
from shared.metrics import Metrics

WRONG_SEQUENCE: Final = frozenset({10071, 10164})
NO_LEADER: Final = 10008
"""The cluster has none now, and has stored nothing."""
RETRY_SECONDS: Final = 0.05
OUTCOMES: Final = ("stored", "conflict", "refused", "unavailable")
"""How a publish ends; all are counted from 0, for an alert looks at them."""


class _AckError(msgspec.Struct):
    code: int = 0
    err_code: int = 0
    description: str = ""


class _Ack(msgspec.Struct):
    stream: str = ""
    seq: int = 0
    duplicate: bool = False
    error: _AckError | None = None


_decode_ack = msgspec.json.Decoder(_Ack).decode


def kind_of(subject: str) -> str:
    """What a subject is about, such as `tables.log` or `$KV.LOBBY`: of these there are few."""
    return ".".join(subject.split(".", 2)[:2])


class Publisher:
    """Publishes over one connection.

    Args:
        nc: The client.
        metrics: Where publishes are counted.
        connection: Waits at most so many seconds for a connection; raises `BusUnavailable` with the text given.
    """

    def __init__(self, nc: Client, metrics: Metrics, connection: Callable[[float, str], Awaitable[None]]) -> None:
        self._nc = nc
        self._connection = connection
        self._acks: dict[str, asyncio.Future[Msg]] = {}
        self._tokens = itertools.count(1)
        self._inbox = ""
        # Looking up labels costs more than counting.
        self._outcomes = functools.cache(
            lambda label: {outcome: metrics.publishes.labels(label, outcome) for outcome in OUTCOMES}
        )
        self._histogram = functools.cache(metrics.publish_seconds.labels)

    async def start(self) -> None:
        """Subscribes to the acknowledgements; once, before the first publish."""
        self._inbox = self._nc.new_inbox() + "."
        await self._nc.subscribe(self._inbox + "*", cb=self._on_ack)

    def fail(self, why: str) -> None:
        """Fails everything that is on its way: its acknowledgements will not come any more."""
        for future in self._acks.values():
            if not future.done():
                future.set_exception(BusUnavailable(why, maybe_stored=True))

    async def store(
        self,
        subject: str,
        data: bytes,
        headers: dict[str, str] | None,
        expected: int | None,
        seconds: float,
        ack_seconds: float | None = None,
    ) -> int:
        """Publishes a message and returns its sequence.

        Args:
            subject: The subject.
            data: The message.
            headers: Its headers, the expected sequence included.
            expected: The expected sequence, for the error that says it is not the last.
            seconds: How long it may take.
            ack_seconds: How long of that the acknowledgement may take once it was sent; None for all of it.

        Raises:
            SequenceConflict, BusUnavailable, BusRefused: See each.
        """
        label = kind_of(subject)
        begin = time.monotonic()
        outcome = "unavailable"
        try:
            ack = await self._exchange(subject, data, headers, begin + seconds, ack_seconds or seconds)
            if ack.error is None:
                outcome = "stored"
                return ack.seq
            if expected is not None and ack.error.err_code in WRONG_SEQUENCE:
                outcome = "conflict"
                raise SequenceConflict(subject, expected)
            if ack.error.code == 503:
                raise BusUnavailable(f"{subject}: {ack.error.description}")
            outcome = "refused"
            raise BusRefused(subject, ack.error.err_code, ack.error.description)
        finally:
            self._outcomes(label)[outcome].inc()
            self._histogram(label).observe(time.monotonic() - begin)

    async def _exchange(
        self, subject: str, data: bytes, headers: dict[str, str] | None, deadline: float, ack_seconds: float
    ) -> _Ack:
        """One publish and its acknowledgement; repeated while no stream is there, for then nothing was stored."""
        while True:
            await self._connection(max(0.0, deadline - time.monotonic()), f"{subject}: no connection to NATS")
            loop = asyncio.get_running_loop()
            token = str(next(self._tokens))
            future: asyncio.Future[Msg] = loop.create_future()
            self._acks[token] = future
            patience = min(ack_seconds, max(0.0, deadline - time.monotonic()))
            timer = loop.call_later(patience, self._too_late, token, subject)
            try:
                await self._nc.publish(subject, data, reply=self._inbox + token, headers=headers)
                answer = await future
            except nats.errors.Error as error:
                if isinstance(error, nats.errors.MaxPayloadError):
                    raise BusRefused(subject, 0, "too large") from error
                raise BusUnavailable(f"{subject}: {error!r}") from error
            finally:
                timer.cancel()
                self._acks.pop(token, None)
                if not future.done():
                    future.cancel()
            if answer.headers is None or answer.headers.get("Status") != "503":
                ack = _decode_ack(answer.data)
                if ack.error is None or ack.error.err_code != NO_LEADER:
                    return ack
            if time.monotonic() + RETRY_SECONDS > deadline:
                raise BusUnavailable(f"{subject}: no stream takes it")
            await asyncio.sleep(RETRY_SECONDS)

    async def _on_ack(self, message: Msg) -> None:
        future = self._acks.get(message.subject[len(self._inbox) :])
        if future is not None and not future.done():
            future.set_result(message)

    def _too_late(self, token: str, subject: str) -> None:
        future = self._acks.get(token)
        if future is not None and not future.done():
            future.set_exception(BusUnavailable(f"{subject}: no acknowledgement in time", maybe_stored=True))
