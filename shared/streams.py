"""Every JetStream stream, key-value bucket and durable consumer of the club, in one place.

| name | account | subjects | written by | read by |
|---|---|---|---|---|
| TABLES | CLUB | tables.log.* | table | table; republished live on tables.stored.* |
| TIMERS | CLUB | tables.timer.*, tables.due.* | table | table, as consumer `tables` |
| BOT_TURNS | CLUB | bot.turns.* | table | bot, as consumer `bots` (work queue) |
| RESULTS | CLUB | results.* | table | ledger, as consumer `ledger` |
| LEDGER | CLUB | ledger.ratings.* | ledger | matchmaking, as consumer `matchmaking` |
| DEAD | CLUB | dead.> | every consumer | operators |
| AUDIT | CLUB | operator.acts | operators | operators |
| BACKUPS | CLUB | backups.taken | `levata backup` | operators |
| LOBBY, PRESENCE | CLUB | buckets | table | table |
| TICKETS, LEASES, RATINGS | MATCHMAKING | buckets | matchmaking | matchmaking |

Those of the account CLUB, and their consumers, are made by `python -m deploy.nats`; the table service makes BOT_TURNS
again when a restart of a lone server has emptied the memory. Matchmaking makes those of its own account. Nobody else
may make one: the others wait until it is there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DiscardPolicy,
    RePublish,
    RetentionPolicy,
    StorageType,
    StreamConfig,
)

MEBIBYTE: Final = 1024 * 1024
DAY: Final = 24 * 3600.0

CLUB: Final = "CLUB"
MATCHMAKING: Final = "MATCHMAKING"
ACCOUNTS: Final[Mapping[str, str]] = {"bot": "BOT", "ledger": "LEDGER", "matchmaking": MATCHMAKING}
"""The account of each user of NATS that is not in `CLUB`: see deploy/nats/nats.conf."""


def account_of(user: str | None) -> str:
    """The account of a user; empty for a server without users, where everything is in one."""
    return ACCOUNTS.get(user, CLUB) if user is not None else ""


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
        account: Where it is at a server with accounts: that of the user who makes it.
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
    account: str = CLUB

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


def bucket(name: str, ttl: float = 0.0, account: str = CLUB) -> Stream:
    """A key-value bucket: the last value of each key, gone `ttl` seconds after it was put, or with a TTL of its own.

    Reads go to the leader, so that a lease is never seen as it was.
    """
    return Stream(
        name=f"KV_{name}",
        subjects=(f"$KV.{name}.>",),
        account=account,
        max_age=ttl,
        max_per_subject=1,
        options={
            "discard": DiscardPolicy.NEW,
            "allow_rollup_hdrs": True,
            "deny_delete": True,
            "allow_msg_ttl": True,
        },
    )


@dataclass(frozen=True, slots=True)
class Durable:
    """A durable pull consumer as it is to be: how far its readers have come in a stream, whoever of them is up.

    Attributes:
        name: Name at the server.
        stream: The stream it reads, by its name in `STREAMS`.
        reader: The service whose processes share the messages.
        subjects: Which of the stream's subjects; empty for all.
        concurrency: At most so many messages at once in one process; nothing is fetched beyond that.
        ack_wait: A message whose process died is given to another after so many seconds. While it is worked on, the
            server is told to wait on.
        max_deliver: After so many failures a message becomes a dead letter; None: it is never given up.
        options: More of the server's options, by their names.
    """

    name: str
    stream: str
    reader: str
    subjects: tuple[str, ...] = ()
    concurrency: int = 16
    ack_wait: float = 30.0
    max_deliver: int | None = 10
    options: Mapping[str, Any] | None = None

    def config(self) -> ConsumerConfig:
        """The server's configuration for it."""
        config = ConsumerConfig(
            name=self.name,
            durable_name=self.name,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=self.ack_wait,
            filter_subjects=list(self.subjects),
            # Counted by us: the server would drop a message that kills every process without a word.
            max_deliver=-1,
            max_ack_pending=10_000,
            max_waiting=512,
        )
        return config.evolve(**(self.options or {}))


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
    # Backups that were taken: whoever watches over the club sees how old the newest is.
    "BACKUPS": Stream("BACKUPS", ("backups.taken",), max_per_subject=100),
    "LOBBY": bucket("LOBBY"),
    "PRESENCE": bucket("PRESENCE"),
    "TICKETS": bucket("TICKETS", account=MATCHMAKING),
    "LEASES": bucket("LEASES", ttl=10.0, account=MATCHMAKING),
    "RATINGS": bucket("RATINGS", account=MATCHMAKING),
}
"""By the name that services use; a bucket's stream is called `KV_<name>`."""

CONSUMERS: Final[Mapping[str, Durable]] = {
    # A clock that ran out is never given up: what is due is computed from the log.
    "tables": Durable("tables", "TIMERS", "table", ("tables.due.*",), concurrency=64, max_deliver=None),
    # Soon given to another bot: somebody waits. What kills five bots is put aside; the table then plays by itself.
    "bots": Durable("bots", "BOT_TURNS", "bot", ("bot.turns.*",), concurrency=64, ack_wait=3.0, max_deliver=5),
    # A database that is away for a week must not turn results into dead letters: the ledger says which can never be.
    "ledger": Durable("ledger", "RESULTS", "ledger", concurrency=4, max_deliver=None),
    "matchmaking": Durable("matchmaking", "LEDGER", "matchmaking", concurrency=4),
}
"""By their names."""


REMOVED: Final[Mapping[str, str]] = {"KV-Operation": "PURGE", "Nats-Rollup": "sub", "Nats-TTL": "1h"}
"""Headers of a message that removes a key of a bucket. Whoever follows the bucket is told, and no trace is kept for
ever: the client's own purge leaves a marker for every key there ever was."""


def of_account(account: str) -> list[str]:
    """Names, as in `STREAMS`, of the streams and buckets of an account."""
    return [name for name, stream in STREAMS.items() if stream.account == account]
