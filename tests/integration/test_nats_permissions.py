"""The NATS configuration against a real server: what each service may do, and above all what it may not."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import nats
import pytest
from nats.aio.client import Client
from nats.js.api import StorageType
from nats.js.errors import APIError, KeyWrongLastSequenceError

from deploy.local.secrets import NATS_USERS, Secrets
from deploy.local.settings import LocalSettings
from deploy.nats.provision import provision
from shared.bus import Bus
from shared.consumer import Message
from shared.metrics import Metrics
from shared.streams import STREAMS, ensure
from tests.support.local_club import local_settings, nats_settings, running_nats

OTHERS = [user for user in NATS_USERS if user not in ("table", "operator")]
SERVICES = ["table", "matchmaking", "bot", "ledger"]
HIDDEN = b"every hand at the table"

READS_OF_THE_LOG = [
    ("$JS.API.STREAM.MSG.GET.TABLES", {"last_by_subj": "tables.log.a"}),
    ("$JS.API.DIRECT.GET.TABLES.tables.log.a", {}),
    ("$JS.API.STREAM.SNAPSHOT.TABLES", {"deliver_subject": "_INBOX.{user}.copy"}),
    ("$JS.API.CONSUMER.CREATE.TABLES", {"stream_name": "TABLES", "config": {"deliver_subject": "_INBOX.{user}.copy"}}),
    ("$JS.API.CONSUMER.CREATE.TABLES.spy.tables.log.a", {"stream_name": "TABLES", "config": {"name": "spy"}}),
    ("$JS.API.CONSUMER.DURABLE.CREATE.TABLES.spy", {"stream_name": "TABLES", "config": {"durable_name": "spy"}}),
    ("$JS.API.CONSUMER.MSG.NEXT.TABLES.spy", {"batch": 1}),
]
SUBSCRIPTIONS_TO_THE_LOG = ["tables.log.a", "tables.log.>", "tables.stored.a", "tables.>", ">", "*.*.*"]
INBOXES_OF_OTHERS = ["_INBOX.table.x", "_INBOX.>", "_INBOX.*.x", "$JS.ACK.>", "$JS.API.>"]

FORBIDDEN_PUBLISHES = [
    *(
        (user, subject)
        for user in OTHERS
        for subject in ("results.arzoi", "bot.turns.a", "tables.log.a", "tables.due.a")
    ),
    *((user, "ledger.ratings.arzoi") for user in NATS_USERS if user not in ("ledger", "operator")),
    *((user, "$KV.TICKETS.a") for user in NATS_USERS if user != "matchmaking"),
    *((user, "$KV.LOBBY.a") for user in (*OTHERS, "operator")),
    *((user, "tables.due.a") for user in NATS_USERS),
    *((user, "$JS.API.STREAM.CREATE.COPY") for user in (*SERVICES, "operator")),
    *((user, f"operator.drain.{kind}") for user in NATS_USERS if user != "operator" for kind in SERVICES),
    *((user, "operator.hail") for user in NATS_USERS if user != "operator"),
    *((user, f"operator.here.{kind}") for user in NATS_USERS for kind in SERVICES if user != kind),
    *((user, "$JS.ACK.RESULTS.ledger.1.1.1.1.0") for user in NATS_USERS if user != "ledger"),
    *((user, f"$JS.API.STREAM.{verb}.TABLES") for user in NATS_USERS for verb in ("DELETE", "MSG.DELETE", "RESTORE")),
    *((user, f"_INBOX.{other}.x") for user in NATS_USERS for other in NATS_USERS),
]


@dataclass
class Visitor:
    """A plain connection as one user, which keeps what the server has refused it."""

    user: str
    client: Client
    refusals: list[str] = field(default_factory=list)

    async def refused_publish(self, subject: str, data: bytes = b"") -> bool:
        """Publishes with an inbox to answer to, and says whether the server refused the subject."""
        await self.client.publish(subject, data, reply=f"_INBOX.{self.user}.answer")
        return await self._refused("publish", subject)

    async def refused_subscription(self, subject: str) -> bool:
        """Subscribes, and says whether the server refused the subject."""
        await self.client.subscribe(subject)
        return await self._refused("subscription", subject)

    async def _refused(self, what: str, subject: str) -> bool:
        await self.client.flush()  # the client sends the first ping before what it has buffered, the second after it
        await self.client.flush()
        wanted = f'permissions violation for {what} to "{subject}"'.lower()
        return any(wanted in refusal.lower() for refusal in self.refusals)


@pytest.fixture
async def settings(tmp_path: Path) -> LocalSettings:
    return local_settings(tmp_path / "state")


@pytest.fixture
async def passwords(settings: LocalSettings) -> AsyncIterator[Secrets]:
    async with running_nats(settings) as made:
        await provision(nats_settings(settings, made, "provisioner"))
        yield made


@pytest.fixture
async def visitors(settings: LocalSettings, passwords: Secrets) -> AsyncIterator[dict[str, Visitor]]:
    made: dict[str, Visitor] = {}
    for user in NATS_USERS:
        refusals: list[str] = []

        async def note(error: Exception, refusals: list[str] = refusals) -> None:
            refusals.append(str(error))

        client = await nats.connect(
            f"nats://{settings.host}:{settings.nats_port}",
            user=user,
            password=passwords.nats_passwords[user],
            error_cb=note,
            inbox_prefix=f"_INBOX.{user}",
        )
        made[user] = Visitor(user, client, refusals)
    yield made
    for visitor in made.values():
        await visitor.client.close()


@pytest.fixture
async def buses(settings: LocalSettings, passwords: Secrets) -> AsyncIterator[dict[str, Bus]]:
    made = {
        user: await Bus.connect(nats_settings(settings, passwords, user), Metrics(user), user)
        for user in NATS_USERS
        if user != "provisioner"
    }
    yield made
    for bus in made.values():
        await bus.close()


async def one_message(bus: Bus, stream: str, durable: str, subjects: Sequence[str] = ()) -> Message:
    """The first message that a durable consumer hands out."""
    arrived: asyncio.Future[Message] = asyncio.get_running_loop().create_future()

    async def keep(message: Message) -> None:
        if not arrived.done():
            arrived.set_result(message)

    consuming = asyncio.create_task(bus.consume(stream, durable, list(subjects), keep))
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


async def test_of_the_services_only_that_of_tables_can_ask_for_the_log(
    visitors: dict[str, Visitor], buses: dict[str, Bus]
) -> None:
    await buses["table"].append("tables.log.a", HIDDEN, 0)
    for user in OTHERS:
        for subject, request in READS_OF_THE_LOG:
            data = json.dumps(request).replace("{user}", user).encode()
            assert await visitors[user].refused_publish(subject, data), (user, subject)


async def test_nobody_but_the_table_service_can_listen_to_the_log_or_to_answers(visitors: dict[str, Visitor]) -> None:
    for user in (*OTHERS, "operator"):
        for subject in SUBSCRIPTIONS_TO_THE_LOG + INBOXES_OF_OTHERS:
            assert await visitors[user].refused_subscription(subject), (user, subject)


async def test_the_operator_reads_the_log_and_appends_to_it_but_cannot_remove_any_of_it(
    buses: dict[str, Bus], visitors: dict[str, Visitor]
) -> None:
    operator = buses["operator"]
    first = await buses["table"].append("tables.log.a", HIDDEN, 0)
    second = await operator.append("tables.log.a", b"what an operator did", first)
    assert await operator.read_subject("TABLES", "tables.log.a") == [(first, HIDDEN), (second, b"what an operator did")]
    for subject in ("$JS.API.STREAM.PURGE.TABLES", "$JS.API.STREAM.PURGE.DEAD", "$KV.PRESENCE.a"):
        assert await visitors["operator"].refused_publish(subject), subject


async def test_a_consumer_of_turns_cannot_be_bent_to_the_log(
    visitors: dict[str, Visitor], buses: dict[str, Bus]
) -> None:
    await buses["table"].append("tables.log.a", HIDDEN, 0)
    body = {"stream_name": "TABLES", "config": {"name": "bots", "durable_name": "bots", "ack_policy": "explicit"}}
    bot = visitors["bot"]
    answer = await bot.client.request("$JS.API.CONSUMER.CREATE.BOT_TURNS.bots", json.dumps(body).encode(), timeout=10)
    assert json.loads(answer.data)["error"]["code"] == 400
    assert (await buses["table"].js.stream_info("TABLES")).state.consumer_count == 0


async def test_only_those_who_make_streams_can_copy_one_into_another(visitors: dict[str, Visitor]) -> None:
    copy = json.dumps({"name": "COPY", "mirror": {"name": "TABLES"}}).encode()
    for user in ("bot", "ledger", "matchmaking"):
        assert await visitors[user].refused_publish("$JS.API.STREAM.CREATE.COPY", copy)
        assert await visitors[user].refused_publish("$JS.API.STREAM.UPDATE.DEAD", copy)


async def test_subjects_are_written_by_their_owners_only(visitors: dict[str, Visitor], buses: dict[str, Bus]) -> None:
    for user, subject in FORBIDDEN_PUBLISHES:
        assert await visitors[user].refused_publish(subject, b"forged"), (user, subject)
    for stream in ("TABLES", "RESULTS", "BOT_TURNS", "LEDGER", "KV_TICKETS", "KV_LOBBY"):
        assert (await buses["table"].js.stream_info(stream)).state.messages == 0


async def test_turns_results_and_ratings_go_from_their_writers_to_their_readers(buses: dict[str, Bus]) -> None:
    await buses["table"].publish("bot.turns.a", b"a turn")
    await buses["table"].publish("results.arzoi", b"a result", msg_id="match-1")
    await buses["ledger"].publish("ledger.ratings.arzoi", b"ratings")
    assert (await one_message(buses["bot"], "BOT_TURNS", "bots")).data == b"a turn"
    assert (await one_message(buses["ledger"], "RESULTS", "ledger")).data == b"a result"
    assert (await one_message(buses["matchmaking"], "LEDGER", "matchmaking")).data == b"ratings"
    assert (await buses["table"].js.stream_info("BOT_TURNS")).state.messages == 0


async def test_a_message_that_cannot_be_handled_is_buried_by_every_consumer(buses: dict[str, Bus]) -> None:
    await buses["table"].publish("bot.turns.a", b"a turn")
    await buses["table"].publish("results.arzoi", b"a result")
    await buses["ledger"].publish("ledger.ratings.arzoi", b"ratings")

    async def refuse(message: Message) -> None:
        raise ValueError("cannot be handled")

    consuming = [
        asyncio.create_task(buses[user].consume(stream, durable, [], refuse, max_deliver=1))
        for user, stream, durable in (
            ("bot", "BOT_TURNS", "bots"),
            ("ledger", "RESULTS", "ledger"),
            ("matchmaking", "LEDGER", "matchmaking"),
        )
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
        ("table", "LOBBY"),
        ("table", "PRESENCE"),
        ("matchmaking", "TICKETS"),
        ("matchmaking", "LEASES"),
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


@pytest.mark.parametrize(
    ("user", "names"),
    [
        ("table", ["TABLES", "TIMERS", "BOT_TURNS", "RESULTS", "LOBBY", "PRESENCE"]),
        ("bot", ["BOT_TURNS"]),
        ("ledger", ["RESULTS", "LEDGER"]),
        ("matchmaking", ["LEDGER", "TICKETS", "LEASES"]),
    ],
)
async def test_services_find_their_streams_made(user: str, names: list[str], buses: dict[str, Bus]) -> None:
    await asyncio.wait_for(ensure(buses[user], names), 4)


async def test_the_table_service_makes_the_turns_in_memory_again_after_a_restart(buses: dict[str, Bus]) -> None:
    table = buses["table"]
    config = STREAMS["BOT_TURNS"].config(1)
    assert (await table.js.stream_info("BOT_TURNS")).config.storage == config.storage == StorageType.MEMORY
    await asyncio.wait_for(table.js.update_stream(config), 4)
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
    assert (await one_message(table, "TIMERS", "timers", ["tables.due.*"])).subject == "tables.due.a"
    await table.js.purge_stream("TIMERS", subject="tables.timer.a")


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
