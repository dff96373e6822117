"""A durable pull consumer that keeps going: through reconnections, lost consumers, failing handlers and bad messages.

A message is acknowledged after its handler has returned. If the handler raises, the message is given back and comes
again after a growing pause; after `max_deliver` deliveries, or at once when the handler raises `Reject`, it is stored
in the stream DEAD with the reason, and not given again. While a handler runs, the server is told to wait.

How long the server waits is asked of the server, for it may be changed while this runs. A consumer that is not there is
waited for; only at a server without users is it made here.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

import nats.errors
import structlog
from nats.aio.msg import Msg
from nats.js.api import ConsumerInfo
from nats.js.errors import APIError, NotFoundError

from shared import logs
from shared.bus_errors import BusRefused, BusUnavailable
from shared.streams import STREAMS, Durable

if TYPE_CHECKING:
    from shared.bus import Bus

PULL_SECONDS: Final = 5.0
GRACE_SECONDS: Final = 1.0
"""Longer than a pull lasts: then its answer is lost, and another is sent."""
FIRST_PAUSE_SECONDS: Final = 0.25
LONGEST_PAUSE_SECONDS: Final = 30.0
MEASURE_SECONDS: Final = 5.0
MAX_WAITS: Final = 10
"""A handler may take so many times `ack_wait`."""
PATIENT_FAILURES: Final = 3
"""So many failures in a row belong to every reconnection; more are told."""
TELL_SECONDS: Final = 30.0
"""A consumer that cannot be set up is told of so often."""
DEAD_SUBJECT: Final = "dead"

_log = structlog.get_logger(__name__)


class Reject(Exception):  # noqa: N818 - the domain's own word
    """Raised by a handler for a message that can never be handled: it becomes a dead letter at once."""


class Postpone(Exception):  # noqa: N818 - the domain's own word
    """Raised by a handler to have the message again later. It counts as a delivery, not as an error.

    Attributes:
        seconds: The pause.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Message:
    """One delivery.

    Attributes:
        subject: Subject it was published on.
        data: What was published.
        headers: Headers, if any.
        sequence: Its sequence in the stream.
        delivered: How many times it has been delivered, this one included.
        stored_at: When it was stored.
    """

    subject: str
    data: bytes
    headers: Mapping[str, str]
    sequence: int
    delivered: int
    stored_at: datetime


Handler = Callable[[Message], Awaitable[object]]


def pause_seconds(delivered: int) -> float:
    """The pause before the next delivery after so many have failed."""
    pause: float = FIRST_PAUSE_SECONDS * 2 ** min(delivered - 1, 20)
    return min(pause, LONGEST_PAUSE_SECONDS)


def _trouble(error: Exception) -> str:
    if isinstance(error, NotFoundError):
        return "the stream or its consumer is not there yet; waiting for whoever makes it"
    return "consumer is set up again"


class Consumer:
    """The loop behind `Bus.consume`."""

    def __init__(self, bus: "Bus", durable: Durable, handler: Handler, concurrency: int) -> None:
        self._bus = bus
        self._declared = durable
        self._stream = STREAMS[durable.stream].name
        self._durable = durable.name
        self._handler = handler
        self._concurrency = concurrency
        self._max_deliver = durable.max_deliver
        self._ack_wait = durable.ack_wait
        self._api = bus.api(durable.stream)
        self._js = bus.nc.jetstream(timeout=bus.publish_seconds, prefix=self._api)
        self._running: set[asyncio.Task[None]] = set()
        self._holds: dict[int, asyncio.TimerHandle] = {}
        self._saying: set[asyncio.Task[None]] = set()
        self._stopped = False
        self._lost = False
        self._wanted = 0
        self._wake = asyncio.Event()
        self._finished = asyncio.Event()
        self._finished.set()
        labels = (self._stream, self._durable)
        metrics = bus.metrics
        self._in_flight = metrics.consumer_in_flight.labels(*labels)
        self._waiting = metrics.consumer_waiting.labels(*labels)
        self._seconds = metrics.consumer_seconds.labels(*labels)
        self._outcomes = {
            outcome: metrics.consumer_handled.labels(*labels, outcome)
            for outcome in ("done", "retried", "dead", "late", "postponed")
        }

    async def run(self) -> None:
        """Consumes until `drain` is called or the task is cancelled."""
        self._finished.clear()
        failures = 0
        told = 0.0
        measuring = asyncio.create_task(self._measure())
        try:
            while not self._stopped:
                try:
                    await self._session()
                    failures = 0
                except (APIError, nats.errors.Error, OSError, TimeoutError) as error:
                    failures += 1
                    if failures > PATIENT_FAILURES and time.monotonic() - told > TELL_SECONDS:
                        told = time.monotonic()
                        log = _log.warning
                    else:
                        log = _log.debug
                    log(_trouble(error), stream=self._stream, consumer=self._durable, error=str(error) or repr(error))
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(min(0.1 * 2 ** min(failures, 10), 5.0)):
                            await self._until_woken()
            await asyncio.gather(*self._running, return_exceptions=True)
        finally:
            measuring.cancel()
            for task in self._running:
                task.cancel()
            self._finished.set()

    async def drain(self) -> None:
        """Stops fetching, and returns when every delivery at hand is finished."""
        self._stopped = True
        self._wake.set()
        await self._finished.wait()

    def abandon(self) -> None:
        """Stops at once; unfinished deliveries come again, here or elsewhere."""
        self._stopped = True
        self._wake.set()
        for task in self._running:
            task.cancel()

    def reconnected(self) -> None:
        """The connection is new: pulls of the old one are lost."""
        self._lost = True
        self._wake.set()

    async def _until_woken(self) -> None:
        self._wake.clear()
        await self._wake.wait()

    async def _session(self) -> None:
        """Makes sure of the consumer and pulls from it until stopped or lost."""
        self._lost = False
        await self._ensure()
        inbox = self._bus.nc.new_inbox()
        subscription = await self._bus.nc.subscribe(inbox, cb=self._on_message)
        try:
            while not self._stopped and not self._lost:
                free = self._concurrency - len(self._running)
                if free <= 0:
                    await self._until_woken()
                    continue
                await self._pull(inbox, free)
        finally:
            self._wanted = 0
            if not self._bus.nc.is_closed:
                await subscription.unsubscribe()

    async def _ensure(self) -> None:
        """Makes sure of the consumer, as it is: who provisions the streams changes it. Raises `NotFoundError`."""
        try:
            info = await self._js.consumer_info(self._stream, self._durable)
        except NotFoundError:
            if self._bus.account:
                raise
            info = await self._js.add_consumer(self._stream, self._declared.config())
        self._learn(info)

    def _learn(self, info: ConsumerInfo) -> None:
        self._ack_wait = info.config.ack_wait or self._declared.ack_wait
        self._waiting.set(info.num_pending or 0)

    async def _pull(self, inbox: str, batch: int) -> None:
        """Asks for up to `batch` messages and waits until they are there or the time is over."""
        self._wanted = batch
        request = json.dumps({"batch": batch, "expires": int(PULL_SECONDS * 1e9)}).encode()
        await self._bus.nc.publish(
            f"{self._api}.CONSUMER.MSG.NEXT.{self._stream}.{self._durable}", request, reply=inbox
        )
        deadline = time.monotonic() + PULL_SECONDS + GRACE_SECONDS
        while self._wanted > 0 and not self._stopped and not self._lost:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError("a pull was not answered")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._until_woken()

    async def _on_message(self, message: Msg) -> None:
        if not message.reply:
            self._on_status((message.headers or {}).get("Status", ""))
            return
        self._wanted -= 1
        self._waiting.set(message.metadata.num_pending)
        if self._stopped:
            with contextlib.suppress(nats.errors.Error):
                await message.nak()
            return
        task = asyncio.create_task(self._deliver(message))
        self._running.add(task)
        task.add_done_callback(self._on_done)
        if self._wanted <= 0:
            self._wake.set()

    def _on_status(self, status: str) -> None:
        if status == "100":
            return
        if status in ("404", "408"):  # Nothing came in time: ask again.
            self._waiting.set(0)
            self._wanted = 0
        else:  # The consumer or its leader is gone.
            self._lost = True
        self._wake.set()

    def _on_done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._wake.set()
        if not task.cancelled() and task.exception() is not None:
            _log.error("a delivery could not be concluded", exc_info=task.exception())

    async def _deliver(self, raw: Msg) -> None:
        metadata = raw.metadata
        message = Message(
            raw.subject,
            raw.data,
            raw.headers or {},
            metadata.sequence.stream,
            metadata.num_delivered,
            metadata.timestamp,
        )
        structlog.contextvars.clear_contextvars()
        logs.bind(consumer=self._durable, subject=message.subject, sequence=message.sequence)
        begin = time.monotonic()
        self._in_flight.inc()
        spans = self._bus.spans
        span = (
            spans.delivery(
                self._stream, self._durable, message.subject, message.headers, message.sequence, message.delivered
            )
            if spans is not None
            else None
        )
        outcome = "unacknowledged"
        try:
            outcome = await self._handle(raw, message)
            self._outcomes[outcome].inc()
        except (nats.errors.Error, OSError) as error:
            # The outcome could not be told to the server, which will give the message again.
            _log.warning("no acknowledgement possible", error=repr(error))
        finally:
            self._in_flight.dec()
            self._seconds.observe(time.monotonic() - begin)
            if span is not None:
                span.end_delivery(outcome)

    async def _handle(self, raw: Msg, message: Message) -> str:
        """Handles a message, concludes it, and says how it ended."""
        if self._max_deliver is not None and message.delivered > self._max_deliver:
            return await self._bury(raw, message, "delivered too often, and never concluded")
        hold = asyncio.get_running_loop().call_later(self._ack_wait / 2, self._hold, raw, message)
        try:
            async with asyncio.timeout(MAX_WAITS * self._ack_wait) as limit:
                await self._handler(message)
        except Reject as error:
            return await self._bury(raw, message, str(error))
        except Postpone as error:
            await raw.nak(delay=error.seconds)
            return "postponed"
        except Exception as error:
            late = isinstance(error, TimeoutError) and limit.expired()
            _log.warning("a message could not be handled", delivered=message.delivered, late=late, exc_info=True)
            if self._max_deliver is not None and message.delivered >= self._max_deliver:
                return await self._bury(raw, message, repr(error))
            await raw.nak(delay=pause_seconds(message.delivered))
            return "late" if late else "retried"
        finally:
            self._holds.pop(message.sequence, hold).cancel()
        await raw.ack()
        return "done"

    def _hold(self, raw: Msg, message: Message) -> None:
        """Tells the server that the message is being worked on, now and then again until it is concluded."""
        loop = asyncio.get_running_loop()
        self._holds[message.sequence] = loop.call_later(self._ack_wait / 2, self._hold, raw, message)
        task = loop.create_task(self._say_in_progress(raw))
        self._saying.add(task)
        task.add_done_callback(self._saying.discard)

    async def _say_in_progress(self, raw: Msg) -> None:
        with contextlib.suppress(nats.errors.Error, OSError):
            await raw.in_progress()

    async def _measure(self) -> None:
        """Looks for ever at the consumer: how many messages wait (when every slot is taken, no delivery tells)."""
        while True:
            await asyncio.sleep(MEASURE_SECONDS)
            with contextlib.suppress(APIError, nats.errors.Error, OSError):
                self._learn(await self._js.consumer_info(self._stream, self._durable))

    async def _bury(self, raw: Msg, message: Message, reason: str) -> str:
        """Stores a dead letter, then ends the message. If it cannot be stored, the message comes again."""
        headers = {
            "Levata-Reason": reason.replace("\n", " ")[:500],
            "Levata-Subject": message.subject,
            "Levata-Sequence": str(message.sequence),
            "Levata-Delivered": str(message.delivered),
        }
        try:
            await self._bus.publish(
                f"{DEAD_SUBJECT}.{self._stream}.{self._durable}",
                message.data,
                # With the time: a stream in memory counts from 1 again after a restart.
                msg_id=f"{self._stream}-{self._durable}-{message.sequence}-{message.stored_at.timestamp():.6f}",
                headers=headers,
            )
        except (BusRefused, BusUnavailable):
            _log.exception("a dead letter could not be stored")
            await raw.nak(delay=pause_seconds(message.delivered))
            return "retried"
        _log.error("dead letter", reason=headers["Levata-Reason"], delivered=message.delivered)
        await raw.term()
        return "dead"
