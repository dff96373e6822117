"""Streams and consumers are changed in place while messages are under way: nothing is lost, and nothing comes twice."""

import asyncio
import dataclasses
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Callable

import pytest
from nats import errors as nats_errors
from nats.js.api import DeliverPolicy
from nats.js.errors import NotFoundError

from shared import streams
from shared.bus import Bus, Message
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from shared.stream_setup import ConsumerMismatchError, ensure, ensure_consumer
from shared.streams import CONSUMERS, DAY, MEBIBYTE, STREAMS, Durable, Stream
from tests.support.nats import NatsServer
from tests.support.waiting import until

LEDGER = CONSUMERS["ledger"]
RESULTS = STREAMS["RESULTS"]
MESSAGES = 600


@pytest.fixture
async def another(nats: NatsServer) -> AsyncIterator[Callable[[], Bus]]:
    """Further connections: of other processes, and of who provisions."""
    opened = [await Bus.connect(ServiceSettings(nats_url=nats.url), Metrics("test"), "test") for _ in range(2)]
    unused = iter(opened)
    yield lambda: next(unused)
    for bus in opened:
        await bus.close()


def declare(patched: pytest.MonkeyPatch, stream: Stream = RESULTS, consumer: Durable = LEDGER) -> None:
    """What a new version declares of results and their consumer."""
    patched.setattr(streams, "STREAMS", {**STREAMS, "RESULTS": stream})
    patched.setattr(streams, "CONSUMERS", {**CONSUMERS, "ledger": consumer})


class Reader:
    """A process that reads results, and keeps note of what it was given."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.given: list[tuple[int, int]] = []
        self._seconds = seconds

    async def handle(self, message: Message) -> None:
        await asyncio.sleep(self._seconds)
        self.given.append((message.sequence, message.delivered))


async def place(bus: Bus) -> tuple[object, int, int]:
    """A consumer's identity and place: when it was made, up to where it has come, and how many it was given."""
    info = await bus.js.consumer_info("RESULTS", "ledger")
    assert info.ack_floor is not None
    assert info.delivered is not None
    return info.created, info.ack_floor.stream_seq, info.delivered.consumer_seq


async def test_limits_and_settings_change_under_way_without_loss_or_repeat(
    bus: Bus, another: Callable[[], Bus], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes read, one writes, and versions come and go: every message is handled once."""
    await ensure(bus, ["RESULTS"])
    made, _, _ = await place(bus)
    other, provisioner = another(), another()
    readers = [Reader(0.002), Reader(0.002)]
    consuming = [
        asyncio.create_task(where.consume(LEDGER, reader.handle))
        for where, reader in zip((bus, other), readers, strict=True)
    ]
    written: list[int] = []

    async def write() -> None:
        for number in range(MESSAGES):
            game = ("arzoi", "rentz", "remi")[number % 3]
            written.append(await bus.publish(f"results.{game}", b"%d" % number, msg_id=f"m-{number}"))

    writing = asyncio.create_task(write())
    versions = itertools.cycle(
        [
            (dataclasses.replace(RESULTS, max_age=90 * DAY), dataclasses.replace(LEDGER, ack_wait=5.0)),
            (
                dataclasses.replace(RESULTS, max_bytes=512 * MEBIBYTE, duplicate_window=600.0),
                dataclasses.replace(LEDGER, ack_wait=60.0, subjects=("results.*",)),
            ),
            (
                dataclasses.replace(RESULTS, subjects=("results.*", "corrections.*")),
                dataclasses.replace(LEDGER, subjects=("results.arzoi", "results.rentz", "results.remi")),
            ),
            (RESULTS, dataclasses.replace(LEDGER, options={"max_ack_pending": 50})),
        ]
    )
    changes = 0
    while not writing.done() or changes < 8:
        stream, consumer = next(versions)
        declare(monkeypatch, stream, consumer)
        await ensure(provisioner, ["RESULTS"])
        config = (await bus.js.stream_info("RESULTS")).config
        assert (config.max_age or 0, config.subjects) == (stream.max_age, list(stream.subjects))
        present = (await bus.js.consumer_info("RESULTS", "ledger")).config
        assert present.ack_wait == consumer.ack_wait
        changes += 1
    await writing

    async def all_read() -> bool:
        info = await bus.js.consumer_info("RESULTS", "ledger")
        return (info.num_pending, info.num_ack_pending) == (0, 0)

    await until(all_read)
    given = [one for reader in readers for one in reader.given]
    assert Counter(sequence for sequence, _ in given) == Counter(written)
    assert {delivered for _, delivered in given} == {1}
    assert all(reader.given for reader in readers)
    assert (await place(bus)) == (made, written[-1], MESSAGES)
    for task in consuming:
        task.cancel()


async def test_a_consumer_that_is_changed_goes_on_where_it_stood(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with a wider filter: what it has passed does not come."""
    declare(monkeypatch, consumer=dataclasses.replace(LEDGER, subjects=("results.arzoi",)))
    await ensure(bus, ["RESULTS"])
    for game in ("arzoi", "rentz", "arzoi"):
        await bus.publish(f"results.{game}", b"before")
    reader = Reader()
    first = asyncio.create_task(bus.consume(LEDGER, reader.handle))
    await until(lambda: len(reader.given) == 2)
    await bus.drain()
    await first
    declare(monkeypatch)
    await ensure(bus, ["RESULTS"])
    info = await bus.js.consumer_info("RESULTS", "ledger")
    assert info.config.filter_subjects in (None, [])
    assert not info.config.filter_subject
    assert info.num_pending == 0
    sequence = await bus.publish("results.rentz", b"after")
    message = await (await bus.js.pull_subscribe_bind("ledger", "RESULTS")).fetch(1, timeout=10)
    assert [one.metadata.sequence.stream for one in message] == [sequence]


async def test_a_reader_learns_of_a_shorter_wait_and_holds_what_it_works_on(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.consumer.MEASURE_SECONDS", 0.1)
    await ensure(bus, ["RESULTS"])
    reader = Reader(1.5)
    consuming = asyncio.create_task(bus.consume(LEDGER, reader.handle))
    await ensure_consumer(bus, dataclasses.replace(LEDGER, ack_wait=0.5))
    await asyncio.sleep(0.3)  # longer than it takes to look again
    sequence = await bus.publish("results.arzoi", b"slow")
    await until(lambda: bool(reader.given))
    assert reader.given == [(sequence, 1)]
    consuming.cancel()


@pytest.mark.parametrize(
    ("options", "named"),
    [({"max_waiting": 64}, "max_waiting"), ({"deliver_policy": DeliverPolicy.NEW}, "deliver_policy")],
)
async def test_what_cannot_be_changed_in_place_is_left_alone_and_said(
    bus: Bus, options: dict[str, object], named: str
) -> None:
    await ensure(bus, ["RESULTS"])
    before = (await bus.js.consumer_info("RESULTS", "ledger")).config
    sequence = await bus.publish("results.arzoi", b"result")
    with pytest.raises(ConsumerMismatchError, match=rf"RESULTS/ledger: \['{named}'\] cannot be changed in place.*name"):
        await ensure_consumer(bus, dataclasses.replace(LEDGER, options=options))
    assert (await bus.js.consumer_info("RESULTS", "ledger")).config == before
    reader = Reader()
    consuming = asyncio.create_task(bus.consume(LEDGER, reader.handle))
    await until(lambda: reader.given == [(sequence, 1)])
    consuming.cancel()


async def test_a_process_of_an_older_version_changes_nothing_back(
    bus: Bus, another: Callable[[], Bus], nats: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not when it starts as one that only makes what is missing, nor when it comes back after the server was away."""
    await ensure(bus, ["RESULTS", "LEDGER"])
    declare(monkeypatch, dataclasses.replace(RESULTS, max_age=DAY), dataclasses.replace(LEDGER, ack_wait=7.0))
    await ensure(another(), ["RESULTS", "LEDGER"])
    declare(monkeypatch)
    await ensure(another(), ["RESULTS"], change=False)
    await bus.js.delete_consumer("LEDGER", "matchmaking")
    await nats.restart()

    async def made_again() -> bool:
        """The last of what is looked at after a reconnection."""
        try:
            return bool(await bus.js.consumer_info("LEDGER", "matchmaking"))
        except (nats_errors.Error, NotFoundError):
            return False

    await until(made_again)
    assert (await bus.js.stream_info("RESULTS")).config.max_age == DAY
    assert (await bus.js.consumer_info("RESULTS", "ledger")).config.ack_wait == 7.0
