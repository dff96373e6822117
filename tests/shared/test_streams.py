"""The declared streams: created, updated without loss, and what each promises."""

import asyncio
import dataclasses
import datetime
from collections.abc import Callable

import pytest
from nats.js.api import RetentionPolicy, StorageType

from shared import stream_setup, streams
from shared.bus import Bus, Message
from tests.support.nats import NatsServer
from tests.support.waiting import until


def rfc3339(moment: datetime.datetime) -> str:
    return moment.astimezone(datetime.UTC).isoformat().replace("+00:00", "Z")


def schedule(table_id: str, seconds: float) -> dict[str, str]:
    """Headers that make a message on the table's timer come due so many seconds from now."""
    due = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
    return {"Nats-Schedule": f"@at {rfc3339(due)}", "Nats-Schedule-Target": f"tables.due.{table_id}"}


async def test_all_are_created_and_creating_them_again_changes_nothing(bus: Bus) -> None:
    await stream_setup.ensure(bus, list(streams.STREAMS))
    before = {info.config.name: info for info in await bus.js.streams_info()}
    assert set(before) == {stream.name for stream in streams.STREAMS.values()}
    await stream_setup.ensure(bus, list(streams.STREAMS))
    after = {info.config.name: info for info in await bus.js.streams_info()}
    assert {name: info.config for name, info in after.items()} == {name: info.config for name, info in before.items()}
    assert {name: info.created for name, info in after.items()} == {name: info.created for name, info in before.items()}


async def test_the_log_is_on_file_kept_for_ever_and_read_through_its_leader(bus: Bus) -> None:
    await stream_setup.ensure(bus, ["TABLES"])
    config = (await bus.js.stream_info("TABLES")).config
    assert config.storage == StorageType.FILE
    assert config.retention == RetentionPolicy.LIMITS
    assert not config.allow_direct
    assert not config.max_age
    assert (config.max_msgs, config.max_bytes, config.max_msgs_per_subject) == (-1, -1, -1)
    assert not config.persist_mode
    assert config.republish is not None
    assert (config.republish.src, config.republish.dest) == ("tables.log.>", "tables.stored.>")


async def test_several_processes_may_create_them_at_once(bus: Bus) -> None:
    await asyncio.gather(*(stream_setup.ensure(bus, list(streams.STREAMS)) for _ in range(5)))


async def test_an_update_keeps_the_messages_and_the_consumers(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    await stream_setup.ensure(bus, ["RESULTS"])
    sequence = await bus.publish("results.arzoi", b"result")
    handled: list[bytes] = []

    async def handler(message: Message) -> None:
        handled.append(message.data)

    consuming = asyncio.create_task(bus.consume(streams.CONSUMERS["ledger"], handler))
    await until(lambda: handled == [b"result"])
    changed = dataclasses.replace(
        streams.STREAMS["RESULTS"], max_age=90 * streams.DAY, subjects=("results.*", "corrections.*")
    )
    monkeypatch.setattr(streams, "STREAMS", {**streams.STREAMS, "RESULTS": changed})
    await stream_setup.ensure(bus, ["RESULTS"])
    config = (await bus.js.stream_info("RESULTS")).config
    assert (config.max_age, config.subjects) == (90 * streams.DAY, ["results.*", "corrections.*"])
    assert await bus.read_subject("RESULTS", "results.arzoi") == [(sequence, b"result")]
    await bus.publish("results.arzoi", b"another")
    await until(lambda: handled == [b"result", b"another"])
    consuming.cancel()


async def test_what_cannot_be_changed_is_left_alone_and_said(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    await stream_setup.ensure(bus, ["RESULTS"])
    sequence = await bus.publish("results.arzoi", b"result")
    changed = dataclasses.replace(streams.STREAMS["RESULTS"], storage=StorageType.MEMORY)
    monkeypatch.setattr(streams, "STREAMS", {**streams.STREAMS, "RESULTS": changed})
    with pytest.raises(stream_setup.StreamMismatchError, match=r"RESULTS.*storage"):
        await stream_setup.ensure(bus, ["RESULTS"])
    assert await bus.read_subject("RESULTS", "results.arzoi") == [(sequence, b"result")]


class Alarm:
    """Consumes what comes due."""

    def __init__(self, bus: Bus) -> None:
        self.due: list[tuple[str, bytes]] = []
        self.task = asyncio.create_task(bus.consume(streams.CONSUMERS["tables"], self.handle))

    async def handle(self, message: Message) -> None:
        self.due.append((message.subject, message.data))

    def rang(self, *wanted: tuple[str, bytes]) -> Callable[[], bool]:
        return lambda: sorted(self.due) == sorted(wanted)


async def test_a_deadline_comes_due_on_its_own_subject_and_leaves_nothing_behind(bus: Bus) -> None:
    await stream_setup.ensure(bus, ["TIMERS"])
    alarm = Alarm(bus)
    headers = {**schedule("a", 0.3), "Nats-Schedule-TTL": "1s"}
    await bus.publish("tables.timer.a", b"seat 2", headers=headers)
    assert alarm.due == []
    await until(alarm.rang(("tables.due.a", b"seat 2")))

    async def is_empty() -> bool:
        return (await bus.js.stream_info("TIMERS")).state.messages == 0

    await until(is_empty)


async def test_a_newer_deadline_replaces_the_older(bus: Bus) -> None:
    await stream_setup.ensure(bus, ["TIMERS"])
    alarm = Alarm(bus)
    await bus.publish("tables.timer.a", b"old", headers=schedule("a", 0.4))
    await bus.publish("tables.timer.a", b"new", headers=schedule("a", 1.0))
    await bus.publish("tables.timer.b", b"late", headers=schedule("b", 1.5))
    await until(alarm.rang(("tables.due.a", b"new"), ("tables.due.b", b"late")))


async def test_a_purged_deadline_never_comes(bus: Bus) -> None:
    await stream_setup.ensure(bus, ["TIMERS"])
    alarm = Alarm(bus)
    await bus.publish("tables.timer.a", b"cancelled", headers=schedule("a", 0.5))
    await bus.js.purge_stream("TIMERS", subject="tables.timer.a")
    await bus.publish("tables.timer.b", b"later", headers=schedule("b", 1.0))
    await until(alarm.rang(("tables.due.b", b"later")))


async def test_deadlines_survive_a_kill_also_those_that_came_due_meanwhile(bus: Bus, nats: NatsServer) -> None:
    await stream_setup.ensure(bus, ["TIMERS"])
    alarm = Alarm(bus)
    await bus.publish("tables.timer.a", b"old", headers=schedule("a", 30.0))
    await bus.publish("tables.timer.a", b"overdue", headers=schedule("a", 0.5))
    await bus.publish("tables.timer.b", b"pending", headers=schedule("b", 2.5))
    await nats.kill()
    await asyncio.sleep(0.6)
    await nats.start()
    await until(alarm.rang(("tables.due.a", b"overdue"), ("tables.due.b", b"pending")))
