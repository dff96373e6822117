"""The harness that every service binds to: settings, logs, metrics, NATS, gRPC, health, and ordered closing.

A service is one coroutine function `bind(harness, settings)` that makes its parts and tells the harness of them. The
harness starts what was told, serves until it is told to stop or something fails, and closes everything in
reverse. `shared/process.py` makes a process of a service.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import grpc
import structlog
from grpc_health.v1 import health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import CollectorRegistry

from shared import roll_call
from shared.auth import Verifier
from shared.bus import Bus
from shared.errors import ErrorSpec, ErrorTable
from shared.metrics import Check, Exposition, Metrics
from shared.rpc.channel import TokenFile, open_channel
from shared.rpc.health import NAME as HEALTH
from shared.rpc.health import Health
from shared.rpc.interceptor import ServerInterceptor
from shared.settings import ServiceSettings

if TYPE_CHECKING:
    from shared.spans import Spans

MAX_REQUEST_BYTES: Final = 1024 * 1024
CHECK_SECONDS: Final = 2.0
"""A readiness check that takes longer has failed."""
CLOSE_SECONDS: Final = 5.0
"""How long each part that a service closes at its end may take; then the next one is closed."""
CANCEL_AGAIN_SECONDS: Final = 1.0
"""A task that goes on although it was cancelled is cancelled again after so long."""
SERVER_OPTIONS: Final = (
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
    ("grpc.max_metadata_size", 16 * 1024),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    # Calls that wait to be taken up; beyond the first number gRPC cancels some at random, without a reason.
    ("grpc.server.max_pending_requests", 20_000),
    ("grpc.server.max_pending_requests_hard_limit", 40_000),
    # Two processes on one port would share it without anybody noticing.
    ("grpc.so_reuseport", 0),
)

LONGEST_LINGER: Final = 3
"""Times `linger_seconds` that a server waits for calls to stay away."""

S = TypeVar("S", bound=ServiceSettings)
Servicer = TypeVar("Servicer")
Bind = Callable[["Harness", S], Awaitable[None]]

_log = structlog.get_logger(__name__)


class CannotStartError(Exception):
    """Raised by `bind` for what whoever starts the service can put right: told in these words, without a traceback."""


class ServiceFailedError(Exception):
    """A background task of the service failed, and the service stopped because of it."""


@dataclass(frozen=True, slots=True)
class _Background:
    name: str
    run: Callable[[], Coroutine[Any, Any, object]]


class Harness:
    """What a service is bound to.

    Attributes:
        name: Name of the service, such as `table`.
        settings: Its settings.
        metrics: Its metrics.
        bus: Its connection to NATS.
        instance: Name of this process among its likes.
        spans: Where calls and messages are traced; None: nowhere.
    """

    def __init__(
        self, name: str, settings: ServiceSettings, metrics: Metrics, bus: Bus, spans: "Spans | None" = None
    ) -> None:
        self.name = name
        self.spans = spans
        self.settings = settings
        self.metrics = metrics
        self.bus = bus
        self.instance = settings.instance
        self.errors = ErrorTable()
        self.checks: dict[str, Check] = {"nats": bus.check}
        self.servicers: list[Callable[[grpc.aio.Server], None]] = []
        self.services: list[str] = []
        self.public_methods: set[str] = set()
        self.backgrounds: list[_Background] = []
        self.drains: list[Callable[[], Awaitable[object]]] = []
        self.closes: list[Callable[[], Awaitable[object]]] = []
        self.pages: dict[str, Callable[[], str]] = {}

    def add_servicer(
        self,
        register: Callable[[Servicer, grpc.aio.Server], None],
        servicer: Servicer,
        service_full_name: str,
        public_methods: frozenset[str] = frozenset(),
    ) -> None:
        """Serves `servicer`.

        Args:
            register: The generated `add_<Service>Servicer_to_server`.
            servicer: The servicer.
            service_full_name: Such as `levata.table.v1.TableService`.
            public_methods: Names of the methods that want no token, such as `SignIn`.
        """
        self.servicers.append(lambda server: register(servicer, server))
        self.services.append(service_full_name)
        self.public_methods.update(f"/{service_full_name}/{method}" for method in public_methods)

    def add_errors(self, table: Mapping[type[Exception], ErrorSpec]) -> None:
        """Says what exceptions of the domain are to a caller."""
        self.errors.add(table)

    def on_drain(self, callback: Callable[[], Awaitable[object]]) -> None:
        """Calls `callback` at SIGTERM while calls are still open; in the order told, within `drain_seconds` in all."""
        self.drains.append(callback)

    def on_close(self, callback: Callable[[], Awaitable[object]]) -> None:
        """Calls `callback` after the last call has ended; in reverse order."""
        self.closes.append(callback)

    def background(self, name: str, run: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Runs a task from the start of the service to its end; if it raises, the service exits."""
        self.backgrounds.append(_Background(name, run))

    def readiness(self, name: str, check: Check) -> None:
        """Takes calls only while `check` returns without raising; False counts as raising."""
        self.checks[name] = check

    def add_page(self, path: str, document: Callable[[], str]) -> None:
        """Serves a JSON document over HTTP beside the metrics; `document` makes it whenever it is asked for."""
        self.pages[path] = document

    async def channel(self, address: str) -> grpc.aio.Channel:
        """A channel to another service that calls with this service's own token; it is closed with the service."""
        path = self.settings.service_token_file
        token = TokenFile(path) if path is not None else lambda: None
        opened = open_channel(address, token, self.spans)
        self.on_close(opened.close)
        return opened


class Service:
    """One running service.

    Attributes:
        name: Its name.
        harness: What it is bound to.
        address: Where it answers gRPC, host:port.
        failure: What a background task failed with, if one did.
    """

    def __init__(self, name: str, settings: ServiceSettings) -> None:
        self.name = name
        self.settings = settings
        self.metrics = Metrics(name)
        self.address = ""
        self.failure: BaseException | None = None
        self.stopping = asyncio.Event()
        self.ready = False
        self._started = 0
        self._exposition = Exposition(self.metrics, lambda: self.ready)
        self._health: Health | None = None
        self._tasks: list[asyncio.Task[object]] = []
        self._bus: Bus | None = None
        self._spans: Spans | None = None
        self._server: grpc.aio.Server | None = None
        self._harness: Harness | None = None
        self._interceptor: ServerInterceptor | None = None
        self._ending: asyncio.Task[None] | None = None

    @property
    def harness(self) -> Harness:
        """The harness; only after `start`."""
        assert self._harness is not None
        return self._harness

    @property
    def registry(self) -> CollectorRegistry:
        """The metrics' registry."""
        return self.metrics.registry

    @property
    def metrics_address(self) -> str:
        """Where it answers HTTP, host:port."""
        return self._exposition.address

    async def start(self, bind: Callable[[Harness, Any], Awaitable[None]]) -> None:
        """Binds and serves. If anything fails, what was opened is closed again before it is raised."""
        try:
            await self._start(bind)
        except BaseException:
            await self.stop()
            raise

    async def _start(self, bind: Callable[[Harness, Any], Awaitable[None]]) -> None:
        settings = self.settings
        await self._exposition.start(settings.metrics_listen)
        self._spans = _tracing(self.name, settings)
        self._bus = await Bus.connect(settings, self.metrics, f"{self.name} {settings.instance}")
        self._bus.spans = self._spans
        harness = self._harness = Harness(self.name, settings, self.metrics, self._bus, self._spans)
        await bind(harness, settings)
        self._exposition.pages.update(harness.pages)
        self._interceptor = ServerInterceptor(
            self.metrics, Verifier.of(settings), harness.errors, frozenset(harness.public_methods), self._spans
        )
        server = self._server = grpc.aio.server(
            interceptors=[self._interceptor],
            options=(*SERVER_OPTIONS, *_connection_age(settings)),
            maximum_concurrent_rpcs=settings.max_concurrent_rpcs,
        )
        for register in harness.servicers:
            register(server)
        self._health = Health(harness.services)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        reflection.enable_server_reflection([*harness.services, HEALTH, reflection.SERVICE_NAME], server)
        try:
            port = server.add_insecure_port(settings.listen)
        except RuntimeError as error:
            raise OSError(f"cannot listen on {settings.listen}: is the port taken?") from error
        self.address = f"{settings.listen.rpartition(':')[0]}:{port}"
        await server.start()
        self._supervise("loop watch", self.metrics.watch_loop())
        self._supervise("bus watch", self._bus.watch())
        for task in harness.backgrounds:
            self._supervise(task.name, task.run())
        await self.check_readiness()
        self._supervise("readiness", self._keep_checking())
        self._started = time.time_ns() // 1_000_000
        await roll_call.answer(self._bus, self.name, self._here, self.stopping.set)
        _log.info(
            "serving", service=self.name, address=self.address, metrics_address=self.metrics_address, ready=self.ready
        )

    def _here(self) -> roll_call.Here:
        """What this server says of itself when an operator hails all servers."""
        draining = self.stopping.is_set()
        return roll_call.Here(
            self.name, self.settings.instance, self.address, self._started, self.ready and not draining, draining
        )

    # Supervision

    def _supervise(self, name: str, run: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(run, name=f"{self.name}: {name}")
        task.add_done_callback(self._on_task_done)
        self._tasks.append(task)

    def _on_task_done(self, task: asyncio.Task[object]) -> None:
        if task.cancelled() or self._ending is not None:
            return
        error = task.exception()
        if error is not None:
            _log.error("a background task failed; the service stops", task=task.get_name(), exc_info=error)
            self.failure = self.failure or error
            self.stopping.set()

    # Readiness

    async def _keep_checking(self) -> None:
        while True:
            await asyncio.sleep(self.settings.readiness_seconds)
            await self.check_readiness()

    async def check_readiness(self) -> bool:
        """Makes all checks now, tells the health service, and returns whether the service takes calls."""
        results = await asyncio.gather(*(self._check(name, check) for name, check in self.harness.checks.items()))
        await self._set_ready(all(results) and not self.stopping.is_set())
        return self.ready

    async def _check(self, name: str, check: Check) -> bool:
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                passed = await check() is not False
        except Exception as error:
            passed = False
            _log.warning("not ready", check=name, error=str(error) or repr(error))
        self.metrics.check_ok.labels(name).set(passed)
        return passed

    async def _set_ready(self, ready: bool) -> None:
        if ready != self.ready and self._ending is None:
            _log.info("ready" if ready else "not ready")
        self.ready = ready
        self.metrics.ready.set(ready)
        if self._health is not None:
            await self._health.set(ready)

    # The end

    async def stop(self) -> None:
        """Drains and closes everything: health first, then drain callbacks, consumers, calls, tasks, closes, NATS."""
        await self._end_once(self._drain)

    async def crash(self) -> None:
        """Ends as if killed: nothing is drained, and whoever is connected sees the connection break. For tests."""
        await self._end_once(self._break_off)

    async def _end_once(self, how: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Ends the service by `how`, or waits until it has ended if that is already going on."""
        self.stopping.set()
        if self._ending is None:
            self._ending = asyncio.create_task(how())
        await asyncio.shield(self._ending)

    async def _drain(self) -> None:
        deadline = time.monotonic() + self.settings.drain_seconds
        await self._set_ready(False)
        if self._interceptor is not None:
            self._interceptor.draining = True
        for callback in self._harness.drains if self._harness else ():
            await self._within(deadline, "drain", callback)
        if self._bus is not None:
            await self._within(deadline, "drain of consumers", self._bus.drain)
        if self._interceptor is not None:
            await self._linger(self._interceptor, deadline)
        if self._health is not None:
            await self._within(time.monotonic() + CLOSE_SECONDS, "end of health", self._health.end)
        await self._stop_server(max(0.0, deadline - time.monotonic()))
        await self._close()

    async def _linger(self, interceptor: ServerInterceptor, deadline: float) -> None:
        """Goes on refusing calls until they stay away, so that none has just arrived when the server stops.

        gRPC ends such a call with CANCELLED, by which its caller cannot know that another server will take it. Where
        there is always somebody who calls, it stops all the same after a while: whoever knows this server only, and
        neither asks for its health nor looks up its name again, finds another when the connection ends.
        """
        quiet = self.settings.linger_seconds
        begun = time.monotonic()
        deadline = min(deadline, begun + LONGEST_LINGER * quiet)
        while (left := min(max(begun, interceptor.refused_at) + quiet, deadline) - time.monotonic()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(left)

    async def _break_off(self) -> None:
        if self._bus is not None:
            for consumer in list(self._bus.consumers):
                consumer.abandon()
        await self._stop_server(None)
        await self._close()

    async def _stop_server(self, grace: float | None) -> None:
        server = self._server
        if server is not None:
            await self._within(time.monotonic() + (grace or 0.0) + CLOSE_SECONDS, "stop", lambda: server.stop(grace))

    async def _close(self) -> None:
        await self._end_tasks()
        for callback in reversed(self._harness.closes if self._harness else []):
            await self._within(time.monotonic() + max(1.0, self.settings.drain_seconds), "close", callback)
        if self._bus is not None:
            await self._within(time.monotonic() + CLOSE_SECONDS, "close of NATS", self._bus.close)
        if self._spans is not None:
            await self._within(time.monotonic() + CLOSE_SECONDS, "close of traces", self._spans.close)
        await self._within(time.monotonic() + CLOSE_SECONDS, "close of metrics", self._exposition.close)
        _log.info("stopped", service=self.name)

    async def _end_tasks(self) -> None:
        """Cancels the background tasks until they have ended, as long as that may take.

        Once is not enough: a cancellation can be lost in `asyncio.wait_for`, when what is waited for comes just then.
        """
        deadline = time.monotonic() + CLOSE_SECONDS
        while left := {task for task in self._tasks if not task.done()}:
            if time.monotonic() >= deadline:
                _log.error("background tasks do not end", tasks=sorted(task.get_name() for task in left))
                return
            for task in left:
                task.cancel()
            await asyncio.wait(left, timeout=min(CANCEL_AGAIN_SECONDS, deadline - time.monotonic()))

    async def _within(self, deadline: float, what: str, callback: Callable[[], Awaitable[object]]) -> None:
        """Calls `callback` until the deadline; whatever happens, the end goes on."""
        try:
            async with asyncio.timeout(max(0.05, deadline - time.monotonic())):
                await callback()
        except Exception:
            _log.exception(f"{what} failed", callback=getattr(callback, "__qualname__", repr(callback)))


def _tracing(name: str, settings: ServiceSettings) -> "Spans | None":
    """What traces the service, if a collector is named. Nothing of it is imported otherwise.

    Raises:
        CannotStartError: OpenTelemetry is not installed.
    """
    if not settings.otlp_endpoint:
        return None
    try:
        from shared.spans import Spans
    except ImportError as error:
        raise CannotStartError(f"LEVATA_OTLP_ENDPOINT wants the extra `tracing` installed: {error}") from error
    return Spans(name, settings.instance, settings.otlp_endpoint, settings.trace_share)


def _connection_age(settings: ServiceSettings) -> tuple[tuple[str, int], ...]:
    """The server's options for the age of connections; gRPC spreads the moment by a tenth either way."""
    milliseconds = int(settings.connection_age_seconds * 1000)
    return (("grpc.max_connection_age_ms", milliseconds),) if milliseconds else ()
