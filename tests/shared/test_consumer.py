"""Durable consumers on a real server: nothing is lost, nothing blocks, what cannot be handled is put aside."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from shared import stream_setup
from shared.bus import Bus, Handler, Message, Postpone, Reject
from shared.consumer import pause_seconds
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from shared.streams import CONSUMERS, Durable
from tests.support.nats import NatsServer
from tests.support.waiting import until

Consume = Callable[..., "asyncio.Task[None]"]


WORKERS = {"RESULTS": Durable("worker", "RESULTS", "tests", ("results.*",)), "BOT_TURNS": CONSUMERS["bots"]}


@pytest.fixture(autouse=True)
async def _streams(bus: Bus) -> None:
    await stream_setup.ensure(bus, ["RESULTS", "BOT_TURNS", "DEAD"])


def consume(bus: Bus, handler: Handler, stream: str = "RESULTS", **options: Any) -> "asyncio.Task[None]":
    """Consumes in a task of its own."""
    durable = dataclasses.replace(WORKERS[stream], **options)
    return asyncio.create_task(bus.consume(durable, handler))


def collect(into: list[bytes]) -> Handler:
    """A handler that keeps what it is given."""

    async def handler(message: Message) -> None:
        into.append(message.data)

    return handler


async def dead_letters(bus: Bus) -> list[tuple[int, bytes]]:
    return await bus.read_subject("DEAD", "dead.RESULTS.worker")


def outcomes(metrics: Metrics, stream: str = "RESULTS") -> dict[str, float]:
    """How deliveries ended."""
    name = WORKERS[stream].name
    return {
        outcome: count
        for outcome in ("done", "retried", "dead", "late", "postponed")
        if (count := metrics.value("levata_consumer_handled_total", stream=stream, consumer=name, outcome=outcome))
    }


async def test_every_message_is_handled_once_and_acknowledged(bus: Bus, metrics: Metrics) -> None:
    handled: list[bytes] = []
    consume(bus, collect(handled))
    await asyncio.gather(*(bus.publish("results.arzoi", b"%d" % number) for number in range(500)))
    await until(lambda: len(handled) >= 500)
    assert sorted(handled, key=int) == [b"%d" % number for number in range(500)]

    async def all_acknowledged() -> bool:
        info = await bus.js.consumer_info("RESULTS", "worker")
        return (info.num_ack_pending, info.num_pending) == (0, 0)

    await until(all_acknowledged)
    assert outcomes(metrics) == {"done": 500}
    assert metrics.value("levata_consumer_in_flight", stream="RESULTS", consumer="worker") == 0


async def test_a_handler_is_told_what_it_is_given(bus: Bus) -> None:
    given: list[Message] = []

    async def handler(message: Message) -> None:
        given.append(message)

    consume(bus, handler)
    sequence = await bus.publish("results.arzoi", b"result", msg_id="m-1", headers={"Levata-Kind": "final"})
    await until(lambda: bool(given))
    (message,) = given
    assert (message.subject, message.data, message.sequence) == ("results.arzoi", b"result", sequence)
    assert message.headers["Levata-Kind"] == "final"
    assert message.delivered == 1
    assert message.stored_at.tzinfo is not None


async def test_a_message_comes_again_after_an_error(bus: Bus, metrics: Metrics) -> None:
    deliveries: list[int] = []

    async def handler(message: Message) -> None:
        deliveries.append(message.delivered)
        if message.delivered < 3:
            raise RuntimeError("not yet")

    consume(bus, handler)
    await bus.publish("results.arzoi", b"stubborn")
    await until(lambda: outcomes(metrics) == {"done": 1, "retried": 2})
    assert deliveries == [1, 2, 3]
    assert await dead_letters(bus) == []


def test_pauses_grow_and_are_bounded() -> None:
    assert [pause_seconds(delivered) for delivered in (1, 2, 3, 4)] == [0.25, 0.5, 1.0, 2.0]
    assert pause_seconds(1000) == 30.0


async def test_a_message_that_keeps_failing_becomes_a_dead_letter_and_holds_up_nobody(
    bus: Bus, metrics: Metrics
) -> None:
    handled: list[bytes] = []

    async def handler(message: Message) -> None:
        if message.data == b"poison":
            raise RuntimeError("poison")
        handled.append(message.data)

    consume(bus, handler, max_deliver=3, concurrency=1)
    poison = await bus.publish("results.arzoi", b"poison")
    await bus.publish("results.arzoi", b"good")
    await until(lambda: handled == [b"good"])
    await until(lambda: outcomes(metrics) == {"done": 1, "retried": 2, "dead": 1})
    ((_, data),) = await dead_letters(bus)
    assert data == b"poison"
    letter = await bus.js.get_last_msg("DEAD", "dead.RESULTS.worker")
    assert letter.headers is not None
    assert letter.headers["Levata-Subject"] == "results.arzoi"
    assert letter.headers["Levata-Sequence"] == str(poison)
    assert letter.headers["Levata-Delivered"] == "3"
    assert "poison" in letter.headers["Levata-Reason"]


async def test_a_message_that_must_not_be_given_up_comes_until_it_is_done(
    bus: Bus, metrics: Metrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.consumer.LONGEST_PAUSE_SECONDS", 0.01)

    async def handler(message: Message) -> None:
        if message.delivered < 15:
            raise RuntimeError("not yet")

    consume(bus, handler, max_deliver=None)
    await bus.publish("results.arzoi", b"stubborn")
    await until(lambda: outcomes(metrics) == {"done": 1, "retried": 14})
    assert await dead_letters(bus) == []


async def test_a_rejected_message_becomes_a_dead_letter_at_once(bus: Bus, metrics: Metrics) -> None:
    async def handler(message: Message) -> None:
        raise Reject("not a match result")

    consume(bus, handler)
    await bus.publish("results.arzoi", b"garbage")
    await until(lambda: outcomes(metrics) == {"dead": 1})
    assert [data for _, data in await dead_letters(bus)] == [b"garbage"]


async def test_a_message_that_kills_every_process_becomes_a_dead_letter(
    bus: Bus, metrics: Metrics, nats: NatsServer
) -> None:
    """The deliveries of processes that died are counted by the server."""
    await bus.publish("results.arzoi", b"deadly")

    async def hang(message: Message) -> None:
        await asyncio.Event().wait()

    for _ in range(2):
        other = await Bus.connect(ServiceSettings(nats_url=nats.url), Metrics("dying"), "dying")
        dying = consume(other, hang, ack_wait=1.0, max_deliver=2)
        in_flight = other.metrics.value

        def is_given(value: Callable[..., float] = in_flight) -> bool:
            return value("levata_consumer_in_flight", stream="RESULTS", consumer="worker") == 1

        await until(is_given)
        await other.close()
        dying.cancel()
    consume(bus, hang, ack_wait=1.0, max_deliver=2)
    await until(lambda: outcomes(metrics) == {"dead": 1})
    assert [data for _, data in await dead_letters(bus)] == [b"deadly"]


async def test_a_postponed_message_comes_again_and_is_no_error(bus: Bus, metrics: Metrics) -> None:
    async def handler(message: Message) -> None:
        if message.delivered == 1:
            raise Postpone(0.1)

    consume(bus, handler)
    await bus.publish("results.arzoi", b"later")
    await until(lambda: outcomes(metrics) == {"postponed": 1, "done": 1})


async def test_a_slow_handler_keeps_its_message(bus: Bus, metrics: Metrics) -> None:
    deliveries: list[int] = []
    go_on = asyncio.Event()

    async def handler(message: Message) -> None:
        deliveries.append(message.delivered)
        await go_on.wait()

    consume(bus, handler, ack_wait=0.5)
    await bus.publish("results.arzoi", b"slow")
    await until(lambda: deliveries == [1])
    # Three times what the server waits for a sign of life.
    await asyncio.sleep(1.5)
    assert deliveries == [1]
    go_on.set()
    await until(lambda: outcomes(metrics) == {"done": 1})


async def test_a_stuck_handler_is_given_up(bus: Bus, metrics: Metrics) -> None:
    deliveries: list[int] = []

    async def handler(message: Message) -> None:
        deliveries.append(message.delivered)
        if message.delivered == 1:
            await asyncio.Event().wait()

    consume(bus, handler, ack_wait=0.1)
    await bus.publish("results.arzoi", b"stuck")
    await until(lambda: outcomes(metrics) == {"late": 1, "done": 1})
    assert deliveries == [1, 2]


async def test_no_more_are_handled_at_once_than_asked_for(bus: Bus) -> None:
    at_once, most = 0, 0
    handled: list[bytes] = []

    async def handler(message: Message) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.001)
        at_once -= 1
        handled.append(message.data)

    consume(bus, handler, concurrency=3)
    await asyncio.gather(*(bus.publish("results.arzoi", b"x") for _ in range(60)))
    await until(lambda: len(handled) == 60)
    assert most == 3


async def test_two_processes_share_the_messages_of_a_work_queue(bus: Bus, nats: NatsServer) -> None:
    handled: list[list[bytes]] = [[], []]
    other = await Bus.connect(ServiceSettings(nats_url=nats.url), Metrics("other"), "other")

    def slowly(into: list[bytes]) -> Callable[[Message], Awaitable[None]]:
        async def handler(message: Message) -> None:
            await asyncio.sleep(0.002)
            into.append(message.data)

        return handler

    consume(bus, slowly(handled[0]), "BOT_TURNS", concurrency=4)
    consume(other, slowly(handled[1]), "BOT_TURNS", concurrency=4)
    await asyncio.gather(*(bus.publish("bot.turns.t", b"%d" % number) for number in range(300)))
    await until(lambda: len(handled[0]) + len(handled[1]) >= 300)
    assert sorted(handled[0] + handled[1], key=int) == [b"%d" % number for number in range(300)]
    assert all(handled)
    await other.close()


async def test_a_crashed_process_loses_nothing(bus: Bus, nats: NatsServer, metrics: Metrics) -> None:
    crashing = await Bus.connect(ServiceSettings(nats_url=nats.url), Metrics("crashing"), "crashing")
    started: list[bytes] = []

    async def hang(message: Message) -> None:
        started.append(message.data)
        await asyncio.Event().wait()

    doomed = consume(crashing, hang, ack_wait=1.0)
    await asyncio.gather(*(bus.publish("results.arzoi", b"%d" % number) for number in range(10)))
    await until(lambda: len(started) == 10)
    await crashing.close()
    doomed.cancel()
    handled: list[bytes] = []
    consume(bus, collect(handled), ack_wait=1.0)
    await until(lambda: len(handled) == 10)
    assert sorted(handled) == sorted(started)


@pytest.mark.parametrize("stream", ["RESULTS", "BOT_TURNS"])
async def test_a_consumer_goes_on_after_the_server_was_killed(bus: Bus, nats: NatsServer, stream: str) -> None:
    """BOT_TURNS lies in memory: the stream itself is gone, and made anew."""
    subject = {"RESULTS": "results.arzoi", "BOT_TURNS": "bot.turns.t"}[stream]
    handled: list[bytes] = []
    consume(bus, collect(handled), stream)
    await bus.publish(subject, b"before")
    await until(lambda: handled == [b"before"])
    for round_number in range(2):
        await nats.restart()
        await bus.publish(subject, b"after %d" % round_number)
        await until(lambda wanted=round_number + 2: len(set(handled)) == wanted)  # type: ignore[misc]


async def test_a_consumer_that_was_deleted_is_made_again(bus: Bus) -> None:
    handled: list[bytes] = []
    consume(bus, collect(handled))
    await bus.publish("results.arzoi", b"before")
    await until(lambda: handled == [b"before"])
    await bus.js.delete_consumer("RESULTS", "worker")
    await bus.publish("results.arzoi", b"after")
    await until(lambda: b"after" in handled)


async def test_draining_finishes_what_is_at_hand_and_fetches_no_more(bus: Bus, metrics: Metrics) -> None:
    started: list[bytes] = []
    go_on = asyncio.Event()

    async def handler(message: Message) -> None:
        started.append(message.data)
        await go_on.wait()

    task = consume(bus, handler, concurrency=2)
    await asyncio.gather(*(bus.publish("results.arzoi", b"%d" % number) for number in range(5)))
    await until(lambda: len(started) == 2)
    draining = asyncio.create_task(bus.drain())
    await asyncio.sleep(0)
    assert not draining.done()
    go_on.set()
    await draining
    await task
    assert len(started) == 2
    assert outcomes(metrics) == {"done": 2}
    info = await bus.js.consumer_info("RESULTS", "worker")
    assert info.num_pending == 3


async def test_how_many_wait_is_known_also_while_all_hands_are_busy(
    bus: Bus, metrics: Metrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.consumer.MEASURE_SECONDS", 0.05)
    go_on = asyncio.Event()

    async def handler(message: Message) -> None:
        await go_on.wait()

    consume(bus, handler, concurrency=1)
    await until(lambda: metrics.value("levata_consumer_waiting", stream="RESULTS", consumer="worker") == 0)
    await asyncio.gather(*(bus.publish("results.arzoi", b"x") for _ in range(8)))
    await until(lambda: metrics.value("levata_consumer_waiting", stream="RESULTS", consumer="worker") == 7)
    go_on.set()
    await until(lambda: metrics.value("levata_consumer_waiting", stream="RESULTS", consumer="worker") == 0)
