"""Dead letters of a real consumer: looked at, sent again, dropped; and what operators did, kept."""

import asyncio

import pytest
from nats.js.errors import APIError

from shared import audit, stream_setup
from shared.bus import Bus, BusRefused, BusUnavailable, Message, Reject
from shared.dead_letters import DeadLetter, DeadLetters, NoSuchLetterError
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from shared.streams import Durable
from tests.support.nats import NatsServer
from tests.support.waiting import until


class Worker:
    """A consumer of results that refuses what begins with `bad`, until it is mended."""

    def __init__(self) -> None:
        self.mended = False
        self.handled: list[bytes] = []

    async def handle(self, message: Message) -> None:
        if message.data.startswith(b"bad") and not self.mended:
            raise Reject(f"cannot read {message.data.decode()}")
        self.handled.append(message.data)


@pytest.fixture(autouse=True)
async def _streams(bus: Bus) -> None:
    await stream_setup.ensure(bus, ["RESULTS", "AUDIT", "DEAD"])


@pytest.fixture
async def worker(bus: Bus) -> Worker:
    made = Worker()
    asyncio.create_task(bus.consume(Durable("worker", "RESULTS", "tests"), made.handle))  # noqa: RUF006 - the bus has it
    return made


@pytest.fixture
async def letters(bus: Bus, worker: Worker) -> DeadLetters:
    """The letters of a worker who was given two messages that it cannot read, and one that it can."""
    for data in (b"bad one", b"good", b"bad two"):
        await bus.publish("results.arzoi", data, msg_id=data.decode())
    found = DeadLetters(bus)

    async def buried() -> bool:
        return len(await everything(found)) == 2

    await until(buried)
    return found


async def everything(letters: DeadLetters) -> list[DeadLetter]:
    return [letter async for letter in letters]


async def test_letters_say_where_they_came_from_and_why_they_were_given_up(letters: DeadLetters) -> None:
    for letter, data in zip(await everything(letters), (b"bad one", b"bad two"), strict=True):
        assert letter.data == data
        assert letter.reason == f"cannot read {data.decode()}"
        assert (letter.stream, letter.consumer, letter.subject) == ("RESULTS", "worker", "results.arzoi")
        assert letter.delivered == 1
        assert await letters.get(letter.number) == letter


async def test_a_letter_that_is_sent_again_is_handled_and_gone(letters: DeadLetters, worker: Worker) -> None:
    first, second = await everything(letters)
    worker.mended = True
    await letters.send_again(first)
    await until(lambda: worker.handled == [b"good", b"bad one"])
    assert await everything(letters) == [second]
    with pytest.raises(NoSuchLetterError):
        await letters.get(first.number)


async def test_a_letter_that_still_cannot_be_handled_is_a_new_one(letters: DeadLetters, worker: Worker) -> None:
    first, second = await everything(letters)
    await letters.send_again(first)

    async def back() -> bool:
        return len(await everything(letters)) == 2

    await until(back)
    left, anew = await everything(letters)
    assert left == second
    assert anew.number > second.number
    assert (anew.data, anew.reason) == (first.data, first.reason)


async def test_a_letter_that_no_stream_takes_stays(bus: Bus, letters: DeadLetters) -> None:
    first, second = await everything(letters)
    await bus.js.delete_stream("RESULTS")
    with pytest.raises((BusUnavailable, BusRefused)):
        await letters.send_again(first)
    assert await everything(letters) == [first, second]


async def test_a_letter_that_was_sent_and_not_removed_is_handled_once_when_it_is_sent_once_more(
    letters: DeadLetters, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = await everything(letters)
    worker.mended = True

    async def fail(self: DeadLetters, number: int) -> None:
        raise BusUnavailable("the connection was lost")

    with monkeypatch.context() as patch:
        patch.setattr(DeadLetters, "drop", fail)
        with pytest.raises(BusUnavailable):
            await letters.send_again(first)
    assert await letters.get(first.number) == first
    await letters.send_again(first)
    await until(lambda: b"bad one" in worker.handled)
    with pytest.raises(NoSuchLetterError):
        await letters.get(first.number)
    assert worker.handled.count(b"bad one") == 1


async def test_a_letter_is_dropped_for_good_and_once(letters: DeadLetters) -> None:
    first, second = await everything(letters)
    await letters.drop(first.number)
    assert await everything(letters) == [second]
    for number in (first.number, 4711):
        with pytest.raises(NoSuchLetterError):
            await letters.drop(number)


async def test_what_operators_did_is_kept_and_cannot_be_removed(bus: Bus) -> None:
    acts = [audit.Act("mihai", "freeze", "t" * 24, "a claim"), audit.Act("ioana", "drop", "7", "not wanted")]
    for act in acts:
        await audit.note(bus, act)
    assert [line.act async for line in audit.lines(bus)] == acts
    with pytest.raises(APIError):
        await bus.js.delete_msg("AUDIT", 1)
    with pytest.raises(APIError):
        await bus.js.purge_stream("AUDIT")
    assert [line.act async for line in audit.lines(bus)] == acts


async def test_what_cannot_be_noted_is_an_error(nats: NatsServer) -> None:
    bus = await Bus.connect(ServiceSettings(nats_url=nats.url, publish_seconds=0.5), Metrics("x"), "x")
    try:
        await bus.js.delete_stream("AUDIT")
        with pytest.raises(BusUnavailable):
            await audit.note(bus, audit.Act("mihai", "freeze"))
    finally:
        await bus.close()
