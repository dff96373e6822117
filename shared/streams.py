"""Every JetStream stream and key-value bucket of the club, in one place.

| name | subjects | written by | read by |
|---|---|---|---|
| TABLES | tables.log.* | table | table; republished live on tables.stored.* |
| TIMERS | tables.timer.*, tables.due.* | table | table |
| BOT_TURNS | bot.turns.* | table | bot (work queue) |
| RESULTS | results.* | table | ledger |
| LEDGER | ledger.ratings.* | ledger | matchmaking |
| DEAD | dead.> | every consumer | operators |
| LOBBY, PRESENCE | buckets | table | table |
| TICKETS | bucket | matchmaking | matchmaking |
| LEASES | bucket | table, matchmaking | table, matchmaking |
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

import structlog
from nats.js.api import DiscardPolicy, RePublish, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError

from shared.bus import Bus

MEBIBYTE: Final = 1024 * 1024
DAY: Final = 24 * 3600.0

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

    It does so again after every reconnection, for streams in memory do not outlive a lone server.

    Raises:
        StreamMismatchError: One exists that cannot be changed.
        nats.js.errors.APIError, nats.errors.Error: The server does not answer or does not permit it.
    """
    wanted = [STREAMS[name].config(replicas) for name in dict.fromkeys([*names, "DEAD"])]

    async def ensure_all() -> None:
        for config in wanted:
            await _ensure(bus, config)

    await ensure_all()
    bus.on_reconnect(ensure_all)


async def _ensure(bus: Bus, config: StreamConfig) -> None:
    assert config.name is not None
    try:
        present = (await bus.js.stream_info(config.name)).config
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
