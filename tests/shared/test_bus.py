"""Publishing, appending and reading on a real server, through outages."""

import asyncio
from pathlib import Path

import pytest
from nats.aio.msg import Msg
from nats.js.errors import KeyNotFoundError

from shared import stream_setup
from shared.bus import Bus, BusRefused, BusUnavailable, SequenceConflict
from shared.metrics import Metrics
from shared.reader import SubjectReader
from shared.settings import ServiceSettings
from tests.support.nats import NatsServer, free_port, nats_server
from tests.support.waiting import until


@pytest.fixture(autouse=True)
async def _streams(bus: Bus) -> None:
    await stream_setup.ensure(bus, ["TABLES", "RESULTS", "LEASES"])


async def test_an_append_tells_its_sequence_and_the_next_one_expects_it(bus: Bus) -> None:
    first = await bus.append("tables.log.a", b"created", 0)
    other = await bus.append("tables.log.b", b"created", 0)
    second = await bus.append("tables.log.a", b"joined", first)
    assert first < other < second
    assert await bus.last("TABLES", "tables.log.a") == (second, b"joined")
    assert await bus.last("TABLES", "tables.log.none") is None


async def test_of_fifty_racers_one_wins_and_the_others_are_told(bus: Bus, metrics: Metrics) -> None:
    first = await bus.append("tables.log.a", b"created", 0)
    outcomes = await asyncio.gather(
        *(bus.append("tables.log.a", b"%d" % number, first) for number in range(50)), return_exceptions=True
    )
    won = [outcome for outcome in outcomes if isinstance(outcome, int)]
    lost = [outcome for outcome in outcomes if isinstance(outcome, SequenceConflict)]
    assert (len(won), len(lost)) == (1, 49)
    assert {(one.subject, one.expected) for one in lost} == {("tables.log.a", first)}
    last = await bus.last("TABLES", "tables.log.a")
    assert last is not None
    assert last[0] == won[0]
    assert metrics.value("levata_bus_publishes_total", subject="tables.log", outcome="conflict") == 49
    assert metrics.value("levata_bus_publishes_total", subject="tables.log", outcome="stored") == 2


async def test_a_repeat_with_the_same_id_is_stored_once(bus: Bus) -> None:
    first = await bus.publish("results.arzoi", b"result", msg_id="match-1")
    assert await bus.publish("results.arzoi", b"result", msg_id="match-1") == first
    assert await bus.read_subject("RESULTS", "results.arzoi") == [(first, b"result")]


async def test_many_publishes_are_on_their_way_at_once_and_keep_their_order(bus: Bus) -> None:
    sequences = await asyncio.gather(*(bus.publish("tables.log.a", b"%d" % number) for number in range(3000)))
    assert list(sequences) == sorted(sequences)
    read = await bus.read_subject("TABLES", "tables.log.a")
    assert [data for _, data in read] == [b"%d" % number for number in range(3000)]


async def test_a_subject_is_read_whole_or_from_a_sequence_on(bus: Bus) -> None:
    sequences = []
    for number in range(10):
        sequences.append(await bus.publish("tables.log.a", b"%d" % number))
        await bus.publish("tables.log.b", b"noise")
    everything = [(sequence, b"%d" % number) for number, sequence in enumerate(sequences)]
    assert await bus.read_subject("TABLES", "tables.log.a") == everything
    assert await bus.read_subject("TABLES", "tables.log.a", sequences[7]) == everything[7:]
    assert await bus.read_subject("TABLES", "tables.log.a", sequences[9] + 1) == []
    assert await bus.read_subject("TABLES", "tables.log.none") == []


async def test_reading_leaves_no_consumers_behind(bus: Bus) -> None:
    await bus.publish("tables.log.a", b"one")
    await bus.read_subject("TABLES", "tables.log.a")

    async def none_is_left() -> bool:
        return not await bus.js.consumers_info("TABLES")

    await until(none_is_left)


async def test_a_read_goes_on_when_its_consumer_is_lost_midway(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    await asyncio.gather(*(bus.publish("tables.log.a", b"%d" % number) for number in range(1000)))
    monkeypatch.setattr("shared.reader.BATCH", 100)
    receive = SubjectReader._on_message
    received, lost = 0, 0

    async def sabotaged(reader: SubjectReader, message: Msg) -> None:
        nonlocal received, lost
        received += 1
        if received in (250, 700):
            await bus.js.delete_consumer("TABLES", message.metadata.consumer)
            lost += 1
        await receive(reader, message)

    monkeypatch.setattr(SubjectReader, "_on_message", sabotaged)
    read = await bus.read_subject("TABLES", "tables.log.a")
    assert [data for _, data in read] == [b"%d" % number for number in range(1000)]
    assert lost == 2


async def test_every_stored_record_is_told_live_to_whoever_listens(bus: Bus) -> None:
    heard: asyncio.Queue[tuple[str, bytes, str]] = asyncio.Queue()

    async def listen(message: object) -> None:
        subject, data = message.subject, message.data  # type: ignore[attr-defined]
        heard.put_nowait((subject, data, message.headers["Nats-Sequence"]))  # type: ignore[attr-defined]

    await bus.nc.subscribe("tables.stored.*", cb=listen)
    sequence = await bus.append("tables.log.a", b"created", 0)
    async with asyncio.timeout(5):
        assert await heard.get() == ("tables.stored.a", b"created", str(sequence))


async def test_nothing_takes_a_publish_without_a_stream(bus: Bus) -> None:
    bus.publish_seconds = 0.2
    with pytest.raises(BusUnavailable) as caught:
        await bus.publish("nowhere.at.all", b"lost")
    assert not caught.value.maybe_stored


async def test_what_the_stream_does_not_want_is_refused_for_good(bus: Bus) -> None:
    with pytest.raises(BusRefused):
        await bus.publish("tables.log.a", b"x" * (1024 * 1024 + 1))
    with pytest.raises(BusRefused):
        await bus.publish("tables.log.a", b"x", headers={"Nats-Expected-Stream": "ANOTHER"})


async def test_a_publish_during_an_outage_fails_in_bounded_time_and_is_never_stored_later(
    bus: Bus, nats: NatsServer, metrics: Metrics
) -> None:
    first = await bus.append("tables.log.a", b"created", 0)
    bus.publish_seconds = 0.5
    await nats.kill()
    await until(lambda: not bus.is_connected)
    outcomes = await asyncio.gather(
        *(bus.append("tables.log.a", b"lost", first) for _ in range(100)), return_exceptions=True
    )
    assert all(isinstance(outcome, BusUnavailable) and not outcome.maybe_stored for outcome in outcomes)
    assert metrics.value("levata_bus_connected") == 0
    with pytest.raises(BusUnavailable):
        await bus.last("TABLES", "tables.log.a")
    with pytest.raises(BusUnavailable):
        await bus.check()
    await nats.start()
    await until(lambda: bus.is_connected)
    await bus.check()
    assert await bus.read_subject("TABLES", "tables.log.a") == [(first, b"created")]
    bus.publish_seconds = 20.0
    assert await bus.append("tables.log.a", b"joined", first) > first
    assert metrics.value("levata_bus_reconnects_total") == 1


async def test_a_publish_waits_for_a_server_that_comes_back_in_time(nats: NatsServer, metrics: Metrics) -> None:
    patient = await Bus.connect(ServiceSettings(nats_url=nats.url, publish_seconds=30.0), Metrics("patient"), "patient")
    await nats.kill()
    await until(lambda: not patient.is_connected)
    waiting = asyncio.create_task(patient.publish("tables.log.a", b"patience"))
    await nats.start()
    assert await waiting > 0
    await patient.close()


async def test_what_was_acknowledged_survives_a_kill_under_load(bus: Bus, nats: NatsServer) -> None:
    acknowledged: list[int] = []
    unknown: list[int] = []
    killed = asyncio.Event()

    async def write(number: int) -> None:
        try:
            await bus.publish("tables.log.a", b"%d" % number)
            acknowledged.append(number)
        except BusUnavailable as error:
            if error.maybe_stored:
                unknown.append(number)

    async def writer(first: int) -> None:
        number = first
        while not killed.is_set():
            await write(number)
            number += 1

    writers = [asyncio.create_task(writer(1_000_000 * index)) for index in range(20)]
    await until(lambda: len(acknowledged) > 500)
    await nats.kill()
    killed.set()
    await asyncio.gather(*writers)
    await nats.start()
    await until(lambda: bus.is_connected)
    read = {int(data) for _, data in await bus.read_subject("TABLES", "tables.log.a")}
    assert set(acknowledged) <= read
    assert read <= set(acknowledged) | set(unknown)


async def test_reconnecting_is_told(bus: Bus, nats: NatsServer) -> None:
    told = asyncio.Event()

    async def broken() -> None:
        raise ValueError("must not disturb the others")

    async def callback() -> None:
        await bus.check()
        told.set()

    bus.on_reconnect(broken)
    bus.on_reconnect(callback)
    await nats.restart()
    async with asyncio.timeout(20):
        await told.wait()


async def test_no_server_at_all_is_said_in_bounded_time() -> None:
    settings = ServiceSettings(nats_url=f"nats://127.0.0.1:{free_port()}", publish_seconds=0.5)
    with pytest.raises(BusUnavailable):
        await Bus.connect(settings, Metrics("test"), "test")


async def test_users_read_their_own_answers_only(tmp_path: Path) -> None:
    permissions = """
    accounts: { LEVATA: { jetstream: enabled, users: [
      { user: table, password: one, permissions: { publish: ["$JS.>", "tables.>", "dead.>"],
        subscribe: ["_INBOX.table.>", "tables.stored.*"] } }
      { user: bot, password: two, permissions: { publish: ["$JS.>"], subscribe: ["_INBOX.bot.>"] } }
    ] } }
    """
    async with nats_server(tmp_path / "guarded", more=permissions) as guarded:
        table = await Bus.connect(
            ServiceSettings(nats_url=guarded.url, nats_user="table", nats_password="one"), Metrics("table"), "table"
        )
        await stream_setup.ensure(table, ["TABLES"])
        sequence = await table.append("tables.log.a", b"created", 0)
        assert await table.read_subject("TABLES", "tables.log.a") == [(sequence, b"created")]
        bot_settings = ServiceSettings(nats_url=guarded.url, nats_user="bot", nats_password="two", publish_seconds=0.5)
        bot = await Bus.connect(bot_settings, Metrics("bot"), "bot")
        with pytest.raises(BusUnavailable):
            await bot.append("tables.log.a", b"forged", sequence)
        overheard: list[object] = []

        async def overhear(message: object) -> None:
            overheard.append(message)

        await bot.nc.subscribe("_INBOX.table.>", cb=overhear)
        await table.append("tables.log.a", b"joined", sequence)
        await bot.nc.flush()
        assert overheard == []
        await bot.close()
        await table.close()
        wrong = ServiceSettings(nats_url=guarded.url, nats_user="bot", nats_password="one", publish_seconds=0.5)
        with pytest.raises(BusUnavailable):
            await Bus.connect(wrong, Metrics("bot"), "bot")


async def test_a_lease_is_taken_once_and_runs_out(bus: Bus) -> None:
    leases = await bus.kv("LEASES")
    revision = await leases.create("matcher.arzoi-4", b"one", msg_ttl=1.0)
    with pytest.raises(Exception, match="wrong last sequence"):
        await leases.create("matcher.arzoi-4", b"two", msg_ttl=1.0)
    revision = await leases.update("matcher.arzoi-4", b"one", last=revision)
    await leases.delete("matcher.arzoi-4", last=revision)
    revision = await leases.create("matcher.arzoi-4", b"two", msg_ttl=1.0)

    async def taken_over() -> bool:
        try:
            await leases.create("matcher.arzoi-4", b"three", msg_ttl=1.0)
        except KeyNotFoundError:
            return False  # it ran out between the client's attempt and its look at whose it is
        except Exception as error:
            if "wrong last sequence" not in str(error):
                raise
            return False
        return True

    await until(taken_over)


async def test_an_unknown_bucket_is_said(bus: Bus) -> None:
    with pytest.raises(BusUnavailable):
        await bus.kv("NOWHERE")
