"""Every JetStream stream and key-value bucket of the club, in one place.

| name | subjects | written by | read by |
|---|---|---|---|
| TABLES | tables.log.* | table | table; republished live on tables.stored.* |
| TIMERS | tables.timer.*, tables.due.* | table | table |
| BOT_TURNS | bot.turns.* | table | bot (work queue) |
| RESULTS | results.* | table | ledger |
| LEDGER | ledger.ratings.* | ledger | matchmaking |
| DEAD | dead.> | every consumer | operators |
| AUDIT | operator.acts | operators | operators |
| LOBBY, PRESENCE | buckets | table | table |
| TICKETS | bucket | matchmaking | matchmaking |
| LEASES | bucket | table, matchmaking | table, matchmaking |

All are made by `python -m deploy.nats`; the table service may make those that it writes too, and does so again when a
restart of a lone server has emptied the memory. Nobody else may make one: the others wait until it is there.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

import nats.errors
import structlog
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, RePublish, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError, ServiceUnavailableError

from shared.bus import ASK_SECONDS, Bus, BusUnavailable

MEBIBYTE: Final = 1024 * 1024
DAY: Final = 24 * 3600.0

START_SECONDS: Final = 20.0
"""A server that has just been started is given so long to answer about its streams."""
AGAIN_SECONDS: Final = 0.5
TELL_SECONDS: Final = 30.0
"""Whoever waits says so at once, and then so often."""
_NAME_IN_USE: Final = 10058
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream as it is to be. Times in seconds; what is None or -1 has no limit.

    Attributes:
        name: Name at the server.
        subjects: What it holds.
        storage: On file, or in memory: then a restart of a lone server empties it.
        retention: By limits, or as a work queue.
        max_age: Messages older than this go.
        max_bytes: The oldest go beyond this.
        max_per_subject: Messages kept of each subject.
        duplicate_window: Repeats of a message id within it are stored once.
        options: More of the server's options, by their names.
    """

    name: str
    subjects: tuple[str, ...]
    storage: StorageType = StorageType.FILE
    retention: RetentionPolicy = RetentionPolicy.LIMITS
    max_age: float = 0.0
    max_bytes: int = -1
    max_per_subject: int = -1
    duplicate_window: float = 120.0
    options: Mapping[str, Any] | None = None

    def config(self, replicas: int) -> StreamConfig:
        """The server's configuration for it."""
        config = StreamConfig(
            name=self.name,
            subjects=list(self.subjects),
            storage=self.storage,
            retention=self.retention,
            discard=DiscardPolicy.OLD,
            max_age=self.max_age,
            max_bytes=self.max_bytes,
            max_msgs=-1,
            max_consumers=-1,
            max_msgs_per_subject=self.max_per_subject,
            max_msg_size=MEBIBYTE,
            duplicate_window=min(self.duplicate_window, self.max_age or self.duplicate_window),
            num_replicas=replicas,
            allow_direct=False,
        )
        return config.evolve(**(self.options or {}))


def bucket(name: str, storage: StorageType = StorageType.FILE, ttl: float = 0.0) -> Stream:
    """A key-value bucket: the last value of each key, gone `ttl` seconds after it was put, or with a TTL of its own.

    Reads go to the leader, so that a lease is never seen as it was.
    """
    return Stream(
        name=f"KV_{name}",
        subjects=(f"$KV.{name}.>",),
        storage=storage,
        max_age=ttl,
        max_per_subject=1,
        options={
            "discard": DiscardPolicy.NEW,
            "allow_rollup_hdrs": True,
            "deny_delete": True,
            "allow_msg_ttl": True,
        },
    )


STREAMS: Final[Mapping[str, Stream]] = {
    # The table log: for ever, in full, told at once to every table process.
    "TABLES": Stream(
        "TABLES",
        ("tables.log.*",),
        options={"republish": RePublish(src="tables.log.>", dest="tables.stored.>")},
    ),
    # Deadlines: one schedule a table, which becomes one due message a table; both go when the table is closed.
    "TIMERS": Stream(
        "TIMERS",
        ("tables.timer.*", "tables.due.*"),
        max_per_subject=1,
        options={"allow_msg_schedules": True, "allow_msg_ttl": True, "allow_rollup_hdrs": True},
    ),
    # Turns for bots: of no use a minute later, and told again by the table when they are lost.
    "BOT_TURNS": Stream(
        "BOT_TURNS",
        ("bot.turns.*",),
        storage=StorageType.MEMORY,
        retention=RetentionPolicy.WORK_QUEUE,
        max_age=60.0,
        max_bytes=256 * MEBIBYTE,
        duplicate_window=60.0,
    ),
    "RESULTS": Stream("RESULTS", ("results.*",), duplicate_window=3600.0),
    "LEDGER": Stream("LEDGER", ("ledger.ratings.*",), max_age=7 * DAY),
    "DEAD": Stream("DEAD", ("dead.>",), max_age=30 * DAY, max_bytes=256 * MEBIBYTE),
    # What operators did: nobody can take any of it back.
    "AUDIT": Stream("AUDIT", ("operator.acts",), max_age=365 * DAY, options={"deny_delete": True, "deny_purge": True}),
    "LOBBY": bucket("LOBBY"),
    "PRESENCE": bucket("PRESENCE"),
    "TICKETS": bucket("TICKETS"),
    "LEASES": bucket("LEASES", ttl=10.0),
}
"""By the name that services use; a bucket's stream is called `KV_<name>`."""


REMOVED: Final[Mapping[str, str]] = {"KV-Operation": "PURGE", "Nats-Rollup": "sub", "Nats-TTL": "1h"}
"""Headers of a message that removes a key of a bucket. Whoever follows the bucket is told, and no trace is kept for
ever: the client's own purge leaves a marker for every key there ever was."""


class StreamMismatchError(Exception):
    """A stream exists and cannot be changed into what is declared, such as another storage. An operator decides."""


async def ensure(bus: Bus, names: list[str], replicas: int = 1) -> None:
    """Creates the streams and buckets `names` and DEAD, or updates their limits and options; messages stay.

    For those alone who may make them: see `wait_for`. It does so again after every reconnection, however long that
    takes, for streams in memory do not outlive a lone server.

    Raises:
        StreamMismatchError: One exists that cannot be changed.
        BusUnavailable: No answer within `START_SECONDS`; so it is, too, for whoever may not make a stream.
        nats.js.errors.APIError: The server refuses it.
    """
    wanted = [STREAMS[name].config(replicas) for name in dict.fromkeys([*names, "DEAD"])]

    async def ensure_all() -> None:
        for config in wanted:
            await _ensure(bus, config)

    async def ensure_again() -> None:
        await _patiently(bus, "making the streams again", ensure_all)

    try:
        async with asyncio.timeout(START_SECONDS):
            await _patiently(bus, "making the streams", ensure_all)
    except TimeoutError as error:
        raise BusUnavailable(
            f"NATS did not answer about {', '.join(names)} within {START_SECONDS:g} s; may this user make streams?"
        ) from error
    bus.on_reconnect(ensure_again)


async def wait_for(bus: Bus, names: list[str]) -> None:
    """Returns when the streams and buckets `names` are there, however long it takes: for who may not make them."""

    async def look() -> None:
        for name in names:
            await _asking(bus).stream_info(STREAMS[name].name)

    await _patiently(bus, f"waiting for {', '.join(names)}", look, (NotFoundError,))


def _asking(bus: Bus) -> JetStreamContext:
    return bus.nc.jetstream(timeout=ASK_SECONDS)


async def _patiently(
    bus: Bus, what: str, work: Callable[[], Awaitable[None]], more: tuple[type[Exception], ...] = ()
) -> None:
    """Does the work, and again while the server is away, has just started, or (`more`) does not have it yet."""
    told = 0.0
    while True:
        try:
            await work()
        except (nats.errors.Error, TimeoutError) as error:
            lasting = isinstance(error, APIError) and not isinstance(error, (ServiceUnavailableError, *more))
            if lasting or bus.nc.is_closed:
                raise
            if not told or time.monotonic() - told > TELL_SECONDS:
                _log.warning("NATS is not ready for us yet; trying on", what=what, error=str(error) or repr(error))
                told = time.monotonic()
            await asyncio.sleep(AGAIN_SECONDS)
        else:
            if told:
                _log.info("NATS is ready for us", what=what)
            return


async def _ensure(bus: Bus, config: StreamConfig) -> None:
    assert config.name is not None
    try:
        present = (await _asking(bus).stream_info(config.name)).config
    except NotFoundError:
        try:
            await bus.js.add_stream(config)
        except APIError as error:
            if error.err_code != _NAME_IN_USE:
                raise
            present = (await bus.js.stream_info(config.name)).config  # Another process was faster.
        else:
            _log.info("stream created", stream=config.name)
            return
    changes = {
        one.name: getattr(config, one.name)
        for one in fields(config)
        if getattr(config, one.name) is not None and getattr(config, one.name) != getattr(present, one.name)
    }
    if not changes:
        return
    try:
        await bus.js.update_stream(present.evolve(**changes))
    except APIError as error:
        raise StreamMismatchError(f"{config.name}: {sorted(changes)} cannot be changed: {error.description}") from error
    _log.info("stream updated", stream=config.name, changed=sorted(changes))
