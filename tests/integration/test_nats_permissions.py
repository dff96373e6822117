"""The NATS configuration against a real server: what each service may do, and above all what it may not."""

import asyncio
import dataclasses
import json

import nats
import pytest
from nats.js.api import StorageType
from nats.js.errors import APIError, KeyWrongLastSequenceError, NotFoundError

from deploy.local.roster import NATS_CONFIGURATION
from deploy.local.secrets import NATS_USERS, Secrets
from deploy.local.settings import LocalSettings
from deploy.nats.provision import provision
from services.table.service import MADE_HERE
from services.table.service import STREAMS as STREAMS_OF_TABLES
from services.table.timers import Timers
from shared.bus import Bus
from shared.consumer import Message
from shared.stream_setup import ensure, wait_for
from shared.streams import CONSUMERS, MATCHMAKING, STREAMS, account_of, of_account
from tests.support.local_club import nats_settings, running_nats
from tests.support.nats_grants import Grants, lacking, parse, spare
from tests.support.nats_visitors import Visitor
from tests.support.waiting import until

KINDS = {"service", "stream"}
OTHERS = [user for user in NATS_USERS if user not in ("table", "operator", "backup", "restore")]
"""Whose business the log is not."""
SERVICES = ["table", "matchmaking", "bot", "ledger"]
HIDDEN = b"every hand at the table"
FORGED = b"what somebody has forged"

FORBIDDEN_PUBLISHES = [
    *(
        (user, subject)
        for user in (*OTHERS, "backup")
        for subject in ("results.arzoi", "bot.turns.a", "tables.log.a", "tables.due.a")
    ),
    *(
        ("restore", subject)
        for subject in ("bot.turns.a", "tables.due.a", "dead.a.b", "$KV.PRESENCE.a", "operator.acts")
    ),
    *((user, "ledger.ratings.arzoi") for user in NATS_USERS if user not in ("ledger", "operator")),
    *((user, "$KV.TICKETS.a") for user in NATS_USERS if user != "matchmaking"),
    *((user, "$KV.LOBBY.a") for user in (*OTHERS, "operator", "backup")),
    *((user, "tables.due.a") for user in NATS_USERS),
    *((user, "$JS.API.STREAM.CREATE.COPY") for user in (*SERVICES, "operator", "backup")),
    *((user, "$JS.API.STREAM.SNAPSHOT.TABLES") for user in NATS_USERS if user != "backup"),
    *((user, f"operator.drain.{kind}") for user in NATS_USERS if user != "operator" for kind in SERVICES),
    *((user, "operator.hail") for user in NATS_USERS if user != "operator"),
    *((user, f"operator.here.{kind}") for user in NATS_USERS for kind in SERVICES if user != kind),
    *((user, "$JS.ACK.RESULTS.ledger.1.1.1.1.0") for user in NATS_USERS if user != "ledger"),
    *((user, "$JS.API.STREAM.MSG.DELETE.TABLES") for user in NATS_USERS),
    *(
        (user, f"$JS.API.STREAM.{verb}.TABLES")
        for user in NATS_USERS
        if user != "restore"
        for verb in ("DELETE", "RESTORE")
    ),
    *((user, f"_INBOX.{other}.x") for user in NATS_USERS for other in NATS_USERS),
]


async def one_message(bus: Bus, consumer: str) -> Message:
    """The first message that a durable consumer hands out."""
    arrived: asyncio.Future[Message] = asyncio.get_running_loop().create_future()

    async def keep(message: Message) -> None:
        if not arrived.done():
            arrived.set_result(message)

    consuming = asyncio.create_task(bus.consume(CONSUMERS[consumer], keep))
    try:
        return await asyncio.wait_for(arrived, 20)
    finally:
        await bus.drain()
        await consuming


async def test_nobody_comes_in_with_a_wrong_password_or_none(settings: LocalSettings, passwords: Secrets) -> None:
    url = f"nats://{settings.host}:{settings.nats_port}"
    for login in ({}, {"user": "table", "password": "guess"}, {"user": "table"}):
        with pytest.raises(nats.errors.Error):
            await nats.connect(url, allow_reconnect=False, max_reconnect_attempts=0, **login)


async def test_the_table_service_writes_and_reads_its_log(buses: dict[str, Bus]) -> None:
    table = buses["table"]
    stored: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def take(message: object) -> None:
        stored.set_result(getattr(message, "data", b""))

    await table.nc.subscribe("tables.stored.a", cb=take)
    sequence = await table.append("tables.log.a", HIDDEN, 0)
    assert await table.read_subject("TABLES", "tables.log.a") == [(sequence, HIDDEN)]
    assert await table.last("TABLES", "tables.log.a") == (sequence, HIDDEN)
    assert await asyncio.wait_for(stored, 10) == HIDDEN
    await table.js.purge_stream("TABLES", subject="tables.log.a")
    assert await table.read_subject("TABLES", "tables.log.a") == []


async def test_the_operator_reads_the_log_and_appends_to_it_but_cannot_remove_any_of_it(
    buses: dict[str, Bus], visitors: dict[str, Visitor]
) -> None:
    operator = buses["operator"]
    first = await buses["table"].append("tables.log.a", HIDDEN, 0)
    second = await operator.append("tables.log.a", b"what an operator did", first)
    assert await operator.read_subject("TABLES", "tables.log.a") == [(first, HIDDEN), (second, b"what an operator did")]
    for subject in ("$JS.API.STREAM.PURGE.TABLES", "$JS.API.STREAM.PURGE.DEAD", "$KV.PRESENCE.a"):
        assert await visitors["operator"].refused_publish(subject), subject


async def test_subjects_are_written_by_their_owners_only(visitors: dict[str, Visitor], buses: dict[str, Bus]) -> None:
    """Where the streams are, a user is refused what it may not write; from another account it is not heard."""
    for user, subject in FORBIDDEN_PUBLISHES:
        if visitors[user].at_home:
            assert await visitors[user].refused_publish(subject, FORGED), (user, subject)
        elif subject != f"_INBOX.{user}.x":
            await visitors[user].send(subject, FORGED)
    for visitor in visitors.values():
        await visitor.settle()
    for stream in ("TABLES", "RESULTS", "BOT_TURNS", "LEDGER", "KV_LOBBY"):
        assert (await buses["table"].js.stream_info(stream)).state.messages == 0
    assert (await buses["matchmaking"].js.stream_info("KV_TICKETS")).state.messages == 0
    for visitor in visitors.values():
        assert not visitor.has_seen(FORGED), visitor.user


async def test_an_answer_of_jetstream_cannot_be_stored_as_a_record_from_another_account(
    visitors: dict[str, Visitor], buses: dict[str, Bus]
) -> None:
    """NATS checks on which subject something is published, and not on which its publisher wants the answer."""
    reads = {"bot": "BOT_TURNS.bots", "ledger": "RESULTS.ledger", "matchmaking": "LEDGER.matchmaking"}
    for user, consumer in reads.items():
        for subject in ("tables.log.a", "results.arzoi", "bot.turns.a", "$KV.LOBBY.a", "dead.forged"):
            for request in (f"CLUB.API.CONSUMER.INFO.{consumer}", "$JS.API.INFO", f"dead.{consumer}"):
                await visitors[user].send(request, b"", reply=subject)
    for visitor in visitors.values():
        await visitor.settle()

    async def told() -> bool:
        return (await buses["table"].js.stream_info("DEAD")).state.messages == len(reads) * 5

    await until(told)
    for stream in ("TABLES", "RESULTS", "BOT_TURNS", "KV_LOBBY"):
        assert (await buses["table"].js.stream_info(stream)).state.messages == 0, stream


async def test_turns_results_and_ratings_go_from_their_writers_to_their_readers(buses: dict[str, Bus]) -> None:
    await buses["table"].publish("bot.turns.a", b"a turn")
    await buses["table"].publish("results.arzoi", b"a result", msg_id="match-1")
    await buses["ledger"].publish("ledger.ratings.arzoi", b"ratings")
    assert (await one_message(buses["bot"], "bots")).data == b"a turn"
    assert (await one_message(buses["ledger"], "ledger")).data == b"a result"
    assert (await one_message(buses["matchmaking"], "matchmaking")).data == b"ratings"
    assert (await buses["table"].js.stream_info("BOT_TURNS")).state.messages == 0


async def test_a_message_that_cannot_be_handled_is_buried_by_every_consumer(buses: dict[str, Bus]) -> None:
    await buses["table"].publish("bot.turns.a", b"a turn")
    await buses["table"].publish("results.arzoi", b"a result")
    await buses["ledger"].publish("ledger.ratings.arzoi", b"ratings")

    async def refuse(message: Message) -> None:
        raise ValueError("cannot be handled")

    consuming = [
        asyncio.create_task(buses[one.reader].consume(dataclasses.replace(one, max_deliver=1), refuse))
        for one in CONSUMERS.values()
        if one.reader != "table"
    ]
    async with asyncio.timeout(20):
        while (await buses["table"].js.stream_info("DEAD")).state.messages < 3:  # noqa: ASYNC110 - counted by NATS
            await asyncio.sleep(0.05)
    for bus in buses.values():
        await bus.drain()
    await asyncio.gather(*consuming)


@pytest.mark.parametrize(
    ("user", "bucket"),
    [
        ("matchmaking", "TICKETS"),
        ("matchmaking", "LEASES"),
        ("matchmaking", "RATINGS"),
    ],
)
async def test_buckets_are_read_written_and_watched_by_their_owners(
    user: str, bucket: str, buses: dict[str, Bus]
) -> None:
    kv = await buses[user].kv(bucket)
    revision = await kv.create("a", b"1")
    with pytest.raises(KeyWrongLastSequenceError):
        await kv.create("a", b"2")
    await kv.update("a", b"2", last=revision)
    assert (await kv.get("a")).value == b"2"
    watcher = await kv.watchall()
    async with asyncio.timeout(10):
        first = await anext(aiter(watcher))
    assert (first.key, first.value) == ("a", b"2")
    assert await kv.keys() == ["a"]
    await kv.delete("a")


async def test_the_table_service_and_matchmaking_find_what_they_make_made(buses: dict[str, Bus]) -> None:
    await asyncio.wait_for(wait_for(buses["table"], STREAMS_OF_TABLES), 10)
    await asyncio.wait_for(ensure(buses["table"], MADE_HERE, change=False), 10)
    await asyncio.wait_for(ensure(buses["matchmaking"], of_account(MATCHMAKING)), 10)
    for name in of_account(MATCHMAKING):
        with pytest.raises(NotFoundError):
            await buses["operator"].js.stream_info(STREAMS[name].name)


async def test_the_table_service_makes_the_turns_in_memory_again_after_a_restart(buses: dict[str, Bus]) -> None:
    table = buses["table"]
    config = STREAMS["BOT_TURNS"].config(1)
    assert (await table.js.stream_info("BOT_TURNS")).config.storage == config.storage == StorageType.MEMORY
    await asyncio.wait_for(table.js.add_stream(config), 4)
    with pytest.raises(APIError):  # there already; permitted to ask
        await asyncio.wait_for(table.js.add_stream(config.evolve(max_bytes=1024)), 4)


async def test_the_provisioner_repeats_safely_and_keeps_messages(
    settings: LocalSettings, passwords: Secrets, buses: dict[str, Bus]
) -> None:
    await buses["table"].append("tables.log.a", HIDDEN, 0)
    await provision(nats_settings(settings, passwords, "provisioner"))
    assert (await buses["table"].js.stream_info("TABLES")).state.messages == 1


async def test_timers_fire_and_are_consumed_by_the_table_service(buses: dict[str, Bus]) -> None:
    table = buses["table"]
    headers = {"Nats-Schedule": "@at 2020-01-01T00:00:00Z", "Nats-Schedule-Target": "tables.due.a"}
    await table.publish("tables.timer.a", b"", headers=headers)
    assert (await one_message(table, "tables")).subject == "tables.due.a"
    await table.js.purge_stream("TIMERS", subject="tables.timer.a")


async def test_a_timer_without_a_time_is_put_aside_by_the_table_service(buses: dict[str, Bus]) -> None:
    """It can never be handled, and clocks are never given up otherwise."""
    table = buses["table"]
    headers = {"Nats-Schedule": "@at 2020-01-01T00:00:00Z", "Nats-Schedule-Target": "tables.due.a"}
    await table.publish("tables.timer.a", b"no time", headers=headers)
    timers = Timers(table)

    async def due(table_id: str) -> None:
        raise AssertionError(table_id)

    consuming = asyncio.create_task(timers.consume(due, lambda: 0))

    async def put_aside() -> bool:
        return await buses["operator"].last("DEAD", "dead.TIMERS.tables") is not None

    await until(put_aside)
    await table.drain()
    await consuming


async def test_the_log_is_flushed_before_it_is_acknowledged(settings: LocalSettings) -> None:
    assert settings.nats_sync_interval == "always"
    quick = settings.model_copy(update={"nats_sync_interval": "2m"})
    for wanted, interval in ((settings, "always"), (quick, "2m")):
        async with running_nats(wanted):
            reader, writer = await asyncio.open_connection(wanted.host, wanted.nats_monitor_port)
            writer.write(b"GET /jsz?config=1 HTTP/1.0\r\n\r\n")
            answer = json.loads((await reader.read()).partition(b"\r\n\r\n")[2])
            writer.close()
        assert answer["config"].get("sync_always", False) is (interval == "always")


def test_a_grant_that_lacks_and_one_that_is_spare_are_found() -> None:
    granted = Grants(frozenset({"a.*", "b.>", "c"}), frozenset(), frozenset())
    assert lacking(granted.publish, {"a.x", "b.x.y", "a.x.y", "b"}) == {"a.x.y", "b"}
    assert spare(granted.publish, {"a.x", "b.x.y"}) == {"c"}


def test_what_one_account_imports_is_what_another_exports_to_it() -> None:
    accounts = parse(NATS_CONFIGURATION.read_text())["accounts"]
    exported = {
        (kind, one[kind], account)
        for one in accounts["CLUB"]["exports"]
        for kind in one.keys() & KINDS
        for account in one["accounts"]
    }
    imported = {
        (kind, one[kind]["subject"], account)
        for account, content in accounts.items()
        for one in content.get("imports", ())
        for kind in one.keys() & KINDS
    }
    assert exported == imported
    imports = [one for account in accounts.values() for one in account.get("imports", ())]
    renamed = {one["service"]["subject"] for one in imports if "to" in one}
    abroad = [one for one in CONSUMERS.values() if one.reader != "table"]
    requests = ("INFO", "MSG.NEXT")
    assert renamed == {f"$JS.API.CONSUMER.{verb}.{one.stream}.{one.name}" for one in abroad for verb in requests}


def test_users_are_in_the_accounts_that_the_services_believe() -> None:
    accounts = parse(NATS_CONFIGURATION.read_text())["accounts"]
    found = {user["user"]: name for name, account in accounts.items() for user in account["users"]}
    assert found == {user: account_of(user) for user in NATS_USERS}
