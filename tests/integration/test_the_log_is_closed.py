"""Nobody but the table service and those who look after the club reads the table log: every way is tried for real."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from deploy.local.secrets import NATS_USERS
from shared.bus import Bus
from tests.support.nats_visitors import Visitor
from tests.support.waiting import until

STRANGERS = [user for user in NATS_USERS if user in ("bot", "ledger", "matchmaking", "provisioner")]
TABLE = "tables.log.a"
BEFORE = b"every hand at the table, dealt before"
AFTER = b"every hand at the table, dealt after"
OWN = {
    "bot": ("BOT_TURNS", "bots"),
    "ledger": ("RESULTS", "ledger"),
    "matchmaking": ("KV_TICKETS", "matchmaking"),
    "provisioner": ("RESULTS", "ledger"),
    "table": ("RESULTS", "ledger"),
}
"""A stream and a consumer with which each has something to do."""
PREFIXES = ("$JS.API", "CLUB.API", "$JS.CLUB.API", "$JS.levata.API")
"""Before requests to JetStream: of one's own account, of that of the streams, and of domains."""

SUBSCRIPTIONS = [
    *("tables.log.a", "tables.log.>", "tables.stored.a", "tables.>", ">", "*.*.*", "*.>"),
    *("_INBOX.>", "_INBOX.table.>", "_INBOX.*.x", "_R_.>", "$JS.>", "$JS.ACK.>", "$JS.API.>", "$KV.>", "$SYS.>"),
]


def requests(user: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What may be asked of JetStream to read a log, without what it begins with, and the body."""
    inbox = f"_INBOX.{user}.log"
    own, consumer = OWN[user]
    log = {"name": "TABLES"}
    elsewhere = [{"name": "TABLES", "external": {"api": api, "deliver": inbox}} for api in PREFIXES]
    # Straight from the stream.
    yield "STREAM.MSG.GET.TABLES", {"last_by_subj": TABLE}
    yield "STREAM.MSG.GET.TABLES", {"seq": 1}
    for subject in ("DIRECT.GET.TABLES", f"DIRECT.GET.TABLES.{TABLE}"):
        yield subject, {"seq": 1}
        yield subject, {"last_by_subj": TABLE}
        yield subject, {"multi_last": [TABLE], "batch": 10}
    yield "STREAM.SNAPSHOT.TABLES", {"deliver_subject": inbox}
    # By a consumer of one's own, pushed and pulled, or by that of another.
    for config in ({"deliver_subject": inbox}, {"deliver_subject": inbox, "deliver_policy": "last", "name": "spy"}):
        yield "CONSUMER.CREATE.TABLES", {"stream_name": "TABLES", "config": config}
    for name in ("spy", "server"):
        body = {"stream_name": "TABLES", "config": {"name": name, "durable_name": name, "ack_policy": "none"}}
        pushed = {"stream_name": "TABLES", "config": {**body["config"], "deliver_subject": inbox}}  # type: ignore[dict-item]
        for subject in (
            f"CONSUMER.CREATE.TABLES.{name}",
            f"CONSUMER.CREATE.TABLES.{name}.{TABLE}",
            f"CONSUMER.DURABLE.CREATE.TABLES.{name}",
            # Under the name of a consumer that one may make, or of a stream that one reads.
            f"CONSUMER.CREATE.{own}.{consumer}",
            f"CONSUMER.DURABLE.CREATE.{own}.{consumer}",
        ):
            yield subject, body
            yield subject, pushed
        yield f"CONSUMER.MSG.NEXT.TABLES.{name}", {"batch": 10}
        yield f"CONSUMER.UNPIN.TABLES.{name}", {"group": "a"}
    # By a copy: a stream of one's own that mirrors it, or takes it in, or is fed by what is stored.
    for source in (log, *elsewhere):
        yield "STREAM.CREATE.COPY", {"name": "COPY", "mirror": source}
        yield "STREAM.CREATE.MIX", {"name": "MIX", "sources": [source]}
        yield f"STREAM.UPDATE.{own}", {"name": own, "sources": [source]}
    yield "STREAM.CREATE.EAR", {"name": "EAR", "subjects": ["tables.stored.>"]}
    yield "STREAM.CREATE.EAR2", {"name": "EAR2", "subjects": ["tables.log.a"]}
    yield (
        "STREAM.UPDATE.TABLES",
        {"name": "TABLES", "subjects": ["tables.log.*"], "republish": {"src": ">", "dest": inbox}},
    )
    # And what such copies hold.
    for copy in ("COPY", "MIX", "EAR", "EAR2", own, "KV_LOBBY"):
        yield f"STREAM.MSG.GET.{copy}", {"seq": 1}
        yield f"STREAM.MSG.GET.{copy}", {"last_by_subj": TABLE}
        yield f"DIRECT.GET.{copy}.{TABLE}", {}
        yield f"CONSUMER.CREATE.{copy}", {"stream_name": copy, "config": {"deliver_subject": inbox}}
        yield f"STREAM.SNAPSHOT.{copy}", {"deliver_subject": inbox}


async def tried_everything(visitor: Visitor, record: Bus) -> None:
    """Tries all there is, before a record is written and after; `record` is the table service's connection."""
    # A consumer pushes to none but who listens to its very subject.
    for subject in (*SUBSCRIPTIONS, f"_INBOX.{visitor.user}.log"):
        await visitor.listen(subject)
    for _ in range(2):  # what the first round has made, the second reads
        for request, body in requests(visitor.user):
            for prefix in PREFIXES:
                await visitor.send(f"{prefix}.{request}", json.dumps(body).encode())
        await visitor.settle()
    last = await record.last("TABLES", TABLE)
    assert last is not None
    await record.append(TABLE, AFTER, last[0])
    for request, body in requests(visitor.user):
        for prefix in PREFIXES:
            await visitor.send(f"{prefix}.{request}", json.dumps(body).encode())
    await visitor.settle()


@pytest.fixture
async def record(buses: dict[str, Bus]) -> Bus:
    """The table service's connection, after a deal was logged."""
    await buses["table"].append(TABLE, BEFORE, 0)
    await buses["table"].read_subject("TABLES", TABLE)
    return buses["table"]


@pytest.mark.parametrize("user", STRANGERS)
async def test_with_the_credentials_of_others_the_log_cannot_be_read(
    user: str, visitors: dict[str, Visitor], record: Bus
) -> None:
    await tried_everything(visitors[user], record)
    assert visitors[user].received, "nothing at all was answered: nothing was tried"
    for secret in (BEFORE, AFTER):
        assert not visitors[user].has_seen(secret)


async def test_with_the_credentials_of_the_table_service_the_same_attempts_read_it(
    visitors: dict[str, Visitor], record: Bus
) -> None:
    """So what the others try would work if they were let in."""
    table = visitors["table"]
    await tried_everything(table, record)
    await until(lambda: "_INBOX.table.answer" in table.has_seen(BEFORE), what="an answer that holds the record")
    await until(lambda: TABLE in table.has_seen(AFTER), what="the record pushed by a consumer")
    await until(lambda: f"tables.stored.{TABLE.rpartition('.')[2]}" in table.has_seen(AFTER), what="it is republished")
