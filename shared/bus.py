"""NATS JetStream as the services use it: acknowledged publishes, optimistic appends, whole reads, robust consumers.

Every publish waits for its acknowledgement, many can wait at once, and none waits longer than `publish_seconds`. While
the connection is down nothing is buffered: a publish waits for it to come back, within the same bound.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import nats
import nats.errors
import structlog
from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.errors import APIError, NotFoundError, ServiceUnavailableError
from nats.js.kv import KeyValue

from shared.bus_errors import BusRefused, BusUnavailable, SequenceConflict
from shared.consumer import Consumer, Handler, Message, Postpone, Reject
from shared.metrics import Metrics
from shared.publisher import RETRY_SECONDS, Publisher
from shared.reader import SubjectReader
from shared.settings import ServiceSettings
from shared.streams import STREAMS, Durable, account_of
from shared.traces import Trace

if TYPE_CHECKING:
    from shared.spans import Spans

__all__ = ["Bus", "BusRefused", "BusUnavailable", "Handler", "Message", "Postpone", "Reject", "SequenceConflict"]

EXPECTED_SEQUENCE: Final = "Nats-Expected-Last-Subject-Sequence"
MESSAGE_ID: Final = "Nats-Msg-Id"
OWN_API: Final = "$JS.API"
"""Before requests about streams of one's own account. About another's they begin with that account's name: see
deploy/nats/nats.conf."""
NO_MESSAGE: Final = 10037
MAX_BUFFERED_BYTES: Final = 8 * 1024 * 1024
WATCH_SECONDS: Final = 5.0
COMPLAINT_SECONDS: Final = 10.0
ASK_SECONDS: Final = 2.0
"""A question about a stream that is not answered within this was lost; it is asked again."""
READ_ATTEMPTS: Final = 20
CLOSE_SECONDS: Final = 2.0
"""How long a server may take for what is still on its way, and then for the farewell."""

_log = structlog.get_logger(__name__)


def as_user(settings: ServiceSettings) -> dict[str, Any]:
    """The options of a connection with which it comes as the user that the settings name, if they name one."""
    if settings.nats_user is None:
        return {}
    return {
        # An inbox that permissions can be given for: no service can read another's answers.
        "inbox_prefix": f"_INBOX.{settings.nats_user}",
        "user": settings.nats_user,
        "password": settings.nats_password.get_secret_value() if settings.nats_password else "",
    }


class Bus:
    """A connection to NATS with JetStream.

    Attributes:
        nc: The client.
        js: Its JetStream context, for what this class does not offer; of streams of its own account.
        metrics: Where publishes and deliveries are counted.
        publish_seconds: How long a publish may take.
        account: The account of its user; empty at a server without users.
        spans: Where messages are traced; None: nowhere.
    """

    def __init__(
        self, nc: Client, js: JetStreamContext, metrics: Metrics, publish_seconds: float = 5.0, account: str = ""
    ) -> None:
        self.nc = nc
        self.js = js
        self.metrics = metrics
        self.publish_seconds = publish_seconds
        self.account = account
        self.spans: Spans | None = None
        self.consumers: set[Consumer] = set()
        self._asking = nc.jetstream(timeout=min(ASK_SECONDS, publish_seconds))
        self._publisher = Publisher(nc, metrics, self._connection)
        self._connected = asyncio.Event()
        if nc.is_connected:
            self._connected.set()
        self._reconnected: list[Callable[[], Awaitable[object]]] = []
        self._draining = False
        self._closing = False
        self._complaint = ("", 0.0)
        self._closed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    async def connect(cls, settings: ServiceSettings, metrics: Metrics, name: str) -> "Bus":
        """Connects as `name`, trying for `publish_seconds`; afterwards it reconnects for ever.

        Raises:
            BusUnavailable: No server answered in time, or it did not accept user and password.
        """
        nc = Client()
        js = nc.jetstream(timeout=settings.publish_seconds)
        bus = cls(nc, js, metrics, settings.publish_seconds, account_of(settings.nats_user))
        try:
            async with asyncio.timeout(settings.publish_seconds):
                await nc.connect(
                    servers=[url.strip() for url in settings.nats_url.split(",")],
                    name=name,
                    allow_reconnect=True,
                    max_reconnect_attempts=-1,
                    reconnect_time_wait=0.25,  # type: ignore[arg-type]  # seconds; fractions work
                    connect_timeout=2,
                    ping_interval=10,
                    max_outstanding_pings=2,
                    pending_size=MAX_BUFFERED_BYTES,
                    error_cb=bus._on_error,
                    disconnected_cb=bus._on_disconnected,
                    reconnected_cb=bus._on_reconnected,
                    closed_cb=bus._on_closed,
                    **as_user(settings),
                )
        except (TimeoutError, OSError, nats.errors.Error) as error:
            with contextlib.suppress(Exception):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await nc.close()
            raise BusUnavailable(f"no connection to NATS: {error!r}") from error
        await bus.start()
        return bus

    async def start(self) -> None:
        """Makes ready to publish; `connect` has done it already."""
        await self._publisher.start()
        self._connected.set()
        self.metrics.bus_connected.set(1)

    # Connection

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection now."""
        return self.nc.is_connected and self._connected.is_set()

    def on_reconnect(self, callback: Callable[[], Awaitable[object]]) -> None:
        """Calls `callback` after every reconnection, in a task of its own; what it raises is logged."""
        self._reconnected.append(callback)

    async def check(self) -> None:
        """A readiness check: NATS answers. Raises `BusUnavailable`."""
        await self._connection(1.0, "no connection to NATS")
        try:
            async with asyncio.timeout(1.0):
                await self.nc.flush()
        except (TimeoutError, nats.errors.Error) as error:
            raise BusUnavailable("NATS does not answer") from error

    async def watch(self) -> None:
        """Returns when the bus is closed. Raises `BusUnavailable` if the client has given up of itself.

        The client reconnects for ever, except after some errors that it takes for final, such as a refused password.
        """
        while not self._closed.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(WATCH_SECONDS):
                    await self._closed.wait()
            given_up = self.nc._reconnection_task
            if self.nc.is_reconnecting and given_up is not None and given_up.done():
                raise BusUnavailable("the NATS client does not try to reconnect any more")
        if not self._closing:
            raise BusUnavailable(f"the NATS client has closed the connection: {self.nc.last_error!r}")

    async def drain(self) -> None:
        """Stops pulling, and waits until the deliveries being handled are done."""
        self._draining = True
        await asyncio.gather(*(consumer.drain() for consumer in list(self.consumers)))

    async def close(self) -> None:
        """Ends the connection; what is on its way is sent first."""
        self._closing = True
        for consumer in list(self.consumers):
            consumer.abandon()
        for task in self._tasks:
            task.cancel()
        self._publisher.fail("the connection was closed")
        with contextlib.suppress(nats.errors.Error, OSError, TimeoutError):
            if self.nc.is_connected:
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self.nc.flush()
        # While the server is away, the client writes to the connection that it lost; uvloop calls that a RuntimeError.
        with contextlib.suppress(nats.errors.Error, OSError, TimeoutError, RuntimeError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.nc.close()
        self.metrics.bus_connected.set(0)

    async def _connection(self, seconds: float, what: str) -> None:
        if self.nc.is_closed:
            raise BusUnavailable(what)
        if self.is_connected:
            return
        if not self.nc.is_connected:
            self._connected.clear()  # The client tells of a loss only after a while.
        try:
            async with asyncio.timeout(seconds):
                await self._connected.wait()
        except TimeoutError as error:
            raise BusUnavailable(what) from error

    async def _on_error(self, error: Exception) -> None:
        # While the server is down the client complains four times a second.
        said = str(error) or repr(error)
        if said != self._complaint[0] or time.monotonic() - self._complaint[1] > COMPLAINT_SECONDS:
            self._complaint = (said, time.monotonic())
            _log.warning("trouble with NATS", error=said)

    async def _on_disconnected(self) -> None:
        self._connected.clear()
        self.metrics.bus_connected.set(0)
        self._publisher.fail("the connection to NATS was lost")
        if not self.nc.is_closed:
            _log.warning("disconnected from NATS")

    async def _on_reconnected(self) -> None:
        self._connected.set()
        self.metrics.bus_connected.set(1)
        self.metrics.bus_reconnects.inc()
        _log.info("reconnected to NATS")
        for consumer in self.consumers:
            consumer.reconnected()
        for callback in self._reconnected:
            task = asyncio.create_task(self._call_back(callback))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _call_back(self, callback: Callable[[], Awaitable[object]]) -> None:
        try:
            await callback()
        except Exception:
            _log.exception("a callback after reconnecting failed")

    async def _on_closed(self) -> None:
        self._closed.set()
        self._connected.clear()
        self.metrics.bus_connected.set(0)

    # Publishing

    async def publish(
        self,
        subject: str,
        data: bytes,
        msg_id: str | None = None,
        headers: Mapping[str, str] | None = None,
        trace: Trace | None = None,
        ack_seconds: float | None = None,
    ) -> int:
        """Stores a message and returns its sequence in the stream.

        Args:
            subject: The subject; a stream must hold it.
            data: The message.
            msg_id: A repeat with the same id within the stream's window is stored once.
            headers: More headers.
            trace: The trace that goes on where the message is handled; None: none does.
            ack_seconds: How long the acknowledgement may take; None for `publish_seconds`.

        Raises:
            BusUnavailable: No answer in time, or the stream is not there.
            BusRefused: The stream does not want it.
        """
        sent = dict(headers or {})
        if msg_id is not None:
            sent[MESSAGE_ID] = msg_id
        if trace is None or self.spans is None:
            return await self._publisher.store(subject, data, sent or None, None, self.publish_seconds, ack_seconds)
        with self.spans.publish(subject, sent, trace):
            return await self._publisher.store(subject, data, sent, None, self.publish_seconds, ack_seconds)

    async def append(
        self,
        subject: str,
        data: bytes,
        expected_last_subject_sequence: int,
        headers: Mapping[str, str] | None = None,
        ack_seconds: float | None = None,
    ) -> int:
        """Stores a message if the last one on its subject has the expected sequence (0: there is none).

        Returns its own sequence. The acknowledgement may take `ack_seconds`, or `publish_seconds` for None.

        Raises:
            SequenceConflict: Another message is the last.
            BusUnavailable: No answer in time; look at `maybe_stored`.
            BusRefused: The stream does not want it.
        """
        sent = {**(headers or {}), EXPECTED_SEQUENCE: str(expected_last_subject_sequence)}
        expected = expected_last_subject_sequence
        return await self._publisher.store(subject, data, sent, expected, self.publish_seconds, ack_seconds)

    # Reading

    async def last(self, stream: str, subject: str) -> tuple[int, bytes] | None:
        """The last message of a subject, from the stream's leader: its sequence and data. Raises `BusUnavailable`."""
        deadline = time.monotonic() + self.publish_seconds
        while True:
            await self._connection(max(0.0, deadline - time.monotonic()), "no connection to NATS")
            try:
                message = await self._asking.get_msg(stream, subject=subject, direct=False)
                return message.seq or 0, message.data or b""
            except NotFoundError as error:
                if error.err_code == NO_MESSAGE:
                    return None
                raise BusUnavailable(f"{stream}: {error}") from error
            except (ServiceUnavailableError, nats.errors.TimeoutError) as error:
                # No leader now, or the server has just started, or the question was lost with the connection.
                if time.monotonic() + RETRY_SECONDS > deadline:
                    raise BusUnavailable(f"{stream}: {error}") from error
                await asyncio.sleep(RETRY_SECONDS)
            except (APIError, nats.errors.Error) as error:
                raise BusUnavailable(f"{stream}: {error}") from error

    async def read_subject(self, stream: str, subject: str, from_sequence: int = 1) -> list[tuple[int, bytes]]:
        """All messages of a subject from `from_sequence` of the stream on, up to the last that the leader knows.

        Returns sequence and data of each, in order. Raises `BusUnavailable` if it cannot be read to the end.
        """
        reader = SubjectReader(self.nc, self._asking, stream, subject)
        found: list[tuple[int, bytes]] = []
        for attempt in range(READ_ATTEMPTS):
            last = await self.last(stream, subject)
            begin = found[-1][0] + 1 if found else from_sequence
            if last is None or last[0] < begin:
                return found
            try:
                found += await reader.read(begin, last[0])
            except (APIError, nats.errors.Error, TimeoutError) as error:
                _log.warning("reading a subject was interrupted", stream=stream, error=repr(error), attempt=attempt)
                found += reader.salvage()
            # The consumer may live beside a replica that lags behind: read on until the leader's last is there.
            if found and found[-1][0] >= last[0]:
                return found
            await asyncio.sleep(min(0.02 * 2**attempt, 0.5))
        raise BusUnavailable(f"{stream}: {subject} cannot be read to its end")

    # Consuming

    def owns(self, stream: str) -> bool:
        """Whether a stream (by its name in `STREAMS`) is in the account of this connection."""
        return self.account in ("", STREAMS[stream].account)

    def api(self, stream: str) -> str:
        """What requests about a stream (by its name in `STREAMS`) begin with."""
        return OWN_API if self.owns(stream) else f"{STREAMS[stream].account}.API"

    async def consume(self, durable: Durable, handler: Handler, concurrency: int | None = None) -> None:
        """Gives every message of a durable consumer to `handler` until the bus drains or this task is cancelled.

        Any number of processes may do so and share the messages. See `shared.consumer`.

        Args:
            durable: The consumer, as declared in `shared.streams`.
            handler: Handles one message; returning means done.
            concurrency: At most so many messages at once in this process; None: as declared.
        """
        consumer = Consumer(self, durable, handler, concurrency or durable.concurrency)
        self.consumers.add(consumer)
        try:
            if not self._draining:
                await consumer.run()
        finally:
            self.consumers.discard(consumer)

    async def kv(self, bucket: str) -> KeyValue:
        """A key-value bucket that `shared.streams` has made. Raises `BusUnavailable`."""
        try:
            return await self.js.key_value(bucket)
        except (APIError, nats.errors.Error) as error:
            raise BusUnavailable(f"no bucket {bucket}: {error!r}") from error
