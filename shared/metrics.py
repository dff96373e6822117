"""Prometheus metrics: a registry for each service, the golden signals of its RPCs and consumers, and their exposition.

Names start with `levata_`. Labels are few and bounded: methods, streams, codes, never a player or a table. What an
alert counts is there from the start, at 0: Prometheus sees no increase in a series that begins with 1.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import PackageNotFoundError, version

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

LATENCY_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Buckets for what a person waits for."""
STREAM_SECONDS = (1.0, 10.0, 60.0, 300.0, 900.0, 3600.0, 14400.0)
"""Buckets for streams, which last as long as somebody looks on."""
PREFIX = "levata_"
REQUEST_SECONDS = 5.0

# They would be as many samples again, for nobody.
disable_created_metrics()  # type: ignore[no-untyped-call]

_log = structlog.get_logger(__name__)


def _version() -> str:
    """The version of Levata; empty where it runs without being installed."""
    try:
        return version("levata")
    except PackageNotFoundError:
        return ""


class Metrics:
    """The metrics of one service in one process.

    Attributes:
        registry: Holds them; never the library's global one, so that services can share a process.
    """

    def __init__(self, service: str) -> None:
        self.service = service
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self.gauge("build_info", "Always 1; the label says which version of Levata runs.", ("version",)).labels(
            _version()
        ).set(1)
        self.rpc_started = self.counter("rpc_started_total", "Calls begun.", ("method",))
        self.rpc_handled = self.counter("rpc_handled_total", "Calls ended, by canonical code.", ("method", "code"))
        self.rpc_refused = self.counter("rpc_refused_total", "Calls that ended in an error, by reason.", ("reason",))
        self.rpc_seconds = self.histogram("rpc_seconds", "From the arrival of a call to its one answer.", ("method",))
        self.rpc_stream_seconds = self.histogram(
            "rpc_stream_seconds", "From the beginning of a stream to its end.", ("method",), STREAM_SECONDS
        )
        self.rpc_in_flight = self.gauge("rpc_in_flight", "Calls and streams open now.", ("method",))
        self.messages_sent = self.counter("rpc_messages_sent_total", "Messages sent on streams.", ("method",))
        self.consumer_handled = self.counter(
            "consumer_handled_total",
            "Deliveries ended: done, retried (given back after an error), dead (given up), late (too slow), postponed.",
            ("stream", "consumer", "outcome"),
        )
        self.consumer_seconds = self.histogram(
            "consumer_seconds", "Time to handle one delivery.", ("stream", "consumer")
        )
        self.consumer_in_flight = self.gauge("consumer_in_flight", "Deliveries being handled.", ("stream", "consumer"))
        self.consumer_waiting = self.gauge(
            "consumer_waiting", "Messages that no consumer of this name has been given yet.", ("stream", "consumer")
        )
        self.publishes = self.counter(
            "bus_publishes_total",
            "Publishes to JetStream: stored, conflict, refused, unavailable. The subject is its first two words.",
            ("subject", "outcome"),
        )
        self.publish_seconds = self.histogram(
            "bus_publish_seconds", "From a publish to its acknowledgement.", ("subject",)
        )
        self.bus_connected = self.gauge("bus_connected", "1 while connected to NATS.")
        self.bus_reconnects = self.counter("bus_reconnects_total", "Connections to NATS won back.")
        self.stream_messages = self.gauge("stream_messages", "Messages that a stream of JetStream holds.", ("stream",))
        self.stream_bytes = self.gauge("stream_bytes", "What they take, in each of its copies.", ("stream",))
        self.stream_newest = self.gauge(
            "stream_newest_timestamp_seconds", "When the newest message of a stream was stored; 0: never.", ("stream",)
        )
        self.stream_copies = self.gauge("stream_copies", "Copies of a stream that there should be.", ("stream",))
        self.stream_copies_in_sync = self.gauge(
            "stream_copies_in_sync", "Copies that have everything, the leader's included; 0: nobody leads.", ("stream",)
        )
        self.ready = self.gauge("ready", "1 while the service takes calls.")
        self.check_ok = self.gauge("readiness_check_ok", "1 while the readiness check passes.", ("check",))
        self.loop_lag = self.histogram(
            "loop_lag_seconds", "How late the event loop woke up, looked at every second; saturation."
        )

    def counter(self, name: str, documentation: str, labels: Sequence[str] = ()) -> Counter:
        """A counter `levata_<name>` in this registry; Prometheus's `_total` is added if missing."""
        return Counter(PREFIX + name, documentation, labels, registry=self.registry)

    def gauge(self, name: str, documentation: str, labels: Sequence[str] = ()) -> Gauge:
        """A gauge `levata_<name>` in this registry."""
        return Gauge(PREFIX + name, documentation, labels, registry=self.registry)

    def histogram(
        self, name: str, documentation: str, labels: Sequence[str] = (), buckets: Sequence[float] = LATENCY_SECONDS
    ) -> Histogram:
        """A histogram `levata_<name>` in this registry."""
        return Histogram(PREFIX + name, documentation, labels, buckets=buckets, registry=self.registry)

    def text(self) -> bytes:
        """All metrics in Prometheus's text format."""
        return generate_latest(self.registry)

    def value(self, name: str, **labels: str) -> float:
        """One sample, 0 if there is none yet: for tests and checks. `name` with its prefix and suffix."""
        sample = self.registry.get_sample_value(name, labels)
        return 0.0 if sample is None else sample

    async def watch_loop(self, period_seconds: float = 1.0) -> None:
        """Measures for ever how late the event loop wakes up."""
        while True:
            before = time.monotonic()
            await asyncio.sleep(period_seconds)
            self.loop_lag.observe(max(0.0, time.monotonic() - before - period_seconds))


class Exposition:
    """A small HTTP/1.1 server for operators: `/metrics`, `/livez`, `/readyz`, and what a service adds.

    It runs on the service's own event loop: an answer from `/livez` means that the loop turns.

    Attributes:
        pages: More documents by path, each made when it is asked for.
        address: Where it listens, host:port.
    """

    def __init__(self, metrics: Metrics, is_ready: Callable[[], bool]) -> None:
        self._metrics = metrics
        self._is_ready = is_ready
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.pages: dict[str, Callable[[], str]] = {}
        self.address = ""

    async def start(self, listen: str) -> None:
        """Listens on `listen` (host:port, port 0 for any). Raises `OSError` if the port is taken."""
        host, _, port = listen.rpartition(":")
        self._server = await asyncio.start_server(self._accept, host.strip("[]") or None, int(port))
        name = self._server.sockets[0].getsockname()
        self.address = f"[{name[0]}]:{name[1]}" if ":" in name[0] else f"{name[0]}:{name[1]}"

    async def close(self) -> None:
        """Stops listening and ends what is open."""
        if self._server is None:
            return
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._answer(reader, writer)
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass  # A client that talks nonsense, stalls or leaves is not our concern.
        except asyncio.CancelledError:
            pass  # Closing.
        finally:
            self._open.discard(task)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
        status, kind, body = self._page(method, target.partition("?")[0])
        lines = (f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", "Connection: close")
        writer.write("\r\n".join((*lines, "", "")).encode() + (b"" if method == "HEAD" else body))
        await writer.drain()

    def _page(self, method: str, path: str) -> tuple[str, str, bytes]:
        plain = "text/plain; charset=utf-8"
        if method not in ("GET", "HEAD"):
            return "405 Method Not Allowed", plain, b"only GET\n"
        if path == "/metrics":
            return "200 OK", CONTENT_TYPE_LATEST, self._metrics.text()
        if path == "/livez":
            return "200 OK", plain, b"alive\n"
        if path == "/readyz":
            if self._is_ready():
                return "200 OK", plain, b"ready\n"
            return "503 Service Unavailable", plain, b"not ready\n"
        if path in self.pages:
            return "200 OK", "application/json", self.pages[path]().encode()
        known = ", ".join(["/metrics", "/livez", "/readyz", *self.pages])
        return "404 Not Found", plain, f"{known}\n".encode()


Check = Callable[[], Awaitable[object]]
"""A readiness check: returns when the dependency answers, raises when not; False counts as not."""
