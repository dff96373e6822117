"""Results over a real NATS into a real database: exactly once, whatever dies."""

import asyncio
import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from services.ledger.consumer import ResultsConsumer
from services.ledger.database import Database
from services.ledger.errors import DatabaseDownError
from services.ledger.measures import Measures
from services.ledger.models import Entry, MatchRow, OutboxMessage
from services.ledger.outbox import Relay
from services.ledger.posting import Ledger, Posting
from services.ledger.results import EndedMatch, ended_match
from services.ledger.service import bind
from services.ledger.settings import LedgerSettings
from services.ledger.totals import recompute
from shared import stream_setup
from shared.bus import Bus
from shared.consumer import Message
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.metrics import Metrics
from shared.process import running
from shared.settings import ServiceSettings
from shared.streams import CONSUMERS
from tests.support.ledger import World, result, rows, standings
from tests.support.nats import NatsServer
from tests.support.tokens import TokenIssuer

PATIENCE_SECONDS = 40.0


async def until(condition: Callable[[], Awaitable[bool]], what: str) -> None:
    """Waits for the thing itself."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not await condition():
        assert time.monotonic() < deadline, what
        await asyncio.sleep(0.02)


@pytest.fixture
async def bus(nats: NatsServer) -> AsyncIterator[Bus]:
    """A connection of the test's own, with the ledger's streams."""
    opened = await Bus.connect(ServiceSettings(nats_url=nats.url), Metrics("test"), "test")
    await stream_setup.ensure(opened, ["RESULTS", "LEDGER", "DEAD"])
    await stream_setup.ensure_consumer(opened, dataclasses.replace(CONSUMERS["ledger"], ack_wait=1.0))
    yield opened
    await opened.close()


@pytest.fixture
def settings(nats: NatsServer, issuer: TokenIssuer, address: str) -> LedgerSettings:
    """Settings of a ledger service on this test's NATS and database."""
    return LedgerSettings(
        listen="127.0.0.1:0",
        metrics_listen="127.0.0.1:0",
        nats_url=nats.url,
        jwks_file=issuer.jwks_file,
        signing_key_file=issuer.key_file,
        database_url=address,
        outbox_look_seconds=0.5,
        drain_seconds=2.0,
    )


async def tell(bus: Bus, message: ledger_pb2.MatchResult, msg_id: str | None = None) -> None:
    await bus.publish("results.arzoi", message.SerializeToString(), msg_id=msg_id)


async def posted(database: Database) -> int:
    return len(await rows(database, MatchRow))


async def stored(bus: Bus, stream: str) -> int:
    return (await bus.js.stream_info(stream)).state.messages


async def acknowledged(bus: Bus) -> bool:
    info = await bus.js.consumer_info("RESULTS", "ledger")
    return (info.num_pending, info.num_ack_pending) == (0, 0)


async def told(bus: Bus) -> list[ledger_pb2.RatingsChanged]:
    """Everything that the stream LEDGER holds, in order."""
    messages = []
    for sequence in range(1, await stored(bus, "LEDGER") + 1):
        message = await bus.js.get_msg("LEDGER", sequence)
        messages.append(ledger_pb2.RatingsChanged.FromString(message.data or b""))
    return messages


async def test_a_result_told_is_posted_and_its_estimates_are_told(
    world: World, bus: Bus, settings: LedgerSettings
) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    async with running("ledger", settings, bind) as service:
        await tell(bus, result("m1", [(ana, 10), (ion, -3), (None, 5)]), "m1")

        async def both_told() -> bool:
            return await stored(bus, "LEDGER") == 1 and await acknowledged(bus)

        await until(both_told, "the result is posted, acknowledged, and told")
        value = service.metrics.value
        assert value("levata_ledger_results_total", game="arzoi", outcome="posted") == 1

        async def nothing_waits() -> bool:
            sent = [row.sent_at is not None for row in await rows(world.database, OutboxMessage)]
            return all(sent) and value("levata_ledger_outbox_unsent") == value("levata_ledger_outbox_lag_seconds") == 0

        await until(nothing_waits, "the outbox is empty, and says so")
        assert value("levata_ledger_outbox_sent_total") == 1
    assert await standings(world.database) == {ana: (10, 1, 1), ion: (-3, 1, 0)}
    [message] = await told(bus)
    assert (message.match_id, {rating.player_id for rating in message.ratings}) == ("m1", {ana, ion})


async def test_duplicates_over_two_services_at_once_are_posted_once(
    world: World, bus: Bus, settings: LedgerSettings
) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    for _ in range(3):  # without a message id, so that the stream keeps every copy
        for n in range(10):
            await tell(bus, result(f"m{n}", [(ana, n), (ion, -n)]))
    async with running("ledger", settings, bind) as one, running("ledger", settings, bind) as other:
        await until(lambda: acknowledged(bus), "everything is handled")
        counts = {
            outcome: sum(
                service.metrics.value("levata_ledger_results_total", game="arzoi", outcome=outcome)
                for service in (one, other)
            )
            for outcome in ("posted", "duplicate")
        }
        assert counts["posted"] == 10
        assert counts["duplicate"] >= 20  # more when the machine is slow and a delivery is repeated

        async def all_told() -> bool:
            return all(row.sent_at is not None for row in await rows(world.database, OutboxMessage))

        await until(all_told, "everything is told")
    assert await standings(world.database) == {ana: (45, 10, 10), ion: (-45, 10, 1)}
    messages = await told(bus)
    assert sorted(message.match_id for message in messages) == sorted(f"m{n}" for n in range(10))
    assert [message.number for message in messages] == sorted(message.number for message in messages)
    assert (await recompute(world.database)).disagreements == ()


async def test_a_process_that_dies_between_commit_and_acknowledgement_posts_nothing_twice(
    world: World, bus: Bus, settings: LedgerSettings
) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    measures = Measures(Metrics("dying"))
    dying = ResultsConsumer(world.ledger, Relay(world.database, bus, measures, world.clock), measures)
    committed = asyncio.Event()

    async def post_and_hang(message: Message) -> None:
        await dying.handle(message)
        committed.set()
        await asyncio.Event().wait()

    doomed = await Bus.connect(ServiceSettings(nats_url=settings.nats_url), Metrics("doomed"), "doomed")
    consuming = asyncio.create_task(doomed.consume(CONSUMERS["ledger"], post_and_hang))
    await tell(bus, result("m1", [(ana, 10), (ion, -3)]), "m1")
    async with asyncio.timeout(PATIENCE_SECONDS):
        await committed.wait()
    await doomed.nc.close()  # the process is gone: committed, never acknowledged, nothing told
    consuming.cancel()
    await asyncio.gather(consuming, return_exceptions=True)
    assert not await acknowledged(bus)
    assert await stored(bus, "LEDGER") == 0

    async with running("ledger", settings, bind) as service:
        await until(lambda: acknowledged(bus), "the message came again")
        assert service.metrics.value("levata_ledger_results_total", game="arzoi", outcome="duplicate") == 1

        async def is_told() -> bool:
            return await stored(bus, "LEDGER") == 1

        await until(is_told, "what the dead process wrote in the outbox is told")
    assert await standings(world.database) == {ana: (10, 1, 1), ion: (-3, 1, 0)}


async def test_a_relay_that_dies_between_telling_and_marking_tells_nothing_twice(world: World, bus: Bus) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    for n in range(3):
        await world.ledger.post(ended_match(result(f"m{n}", [(ana, n), (ion, -n)])))

    class Dying(Relay):
        async def _mark(self, sent: list[int | None]) -> None:
            raise ConnectionError("killed")

    measures = Measures(Metrics("relay"))
    with pytest.raises(ConnectionError):
        await Dying(world.database, bus, measures, world.clock).send_some()
    assert all(row.sent_at is None for row in await rows(world.database, OutboxMessage))
    relay = Relay(world.database, bus, Measures(Metrics("relay")), world.clock)
    assert await relay.send_some() == 3
    assert await relay.send_some() == 0
    assert [message.match_id for message in await told(bus)] == ["m0", "m1", "m2"]
    assert {row.sent_at for row in await rows(world.database, OutboxMessage)} == {world.clock()}


async def test_many_relays_at_once_tell_each_fact_once_and_in_order(world: World, bus: Bus) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    for n in range(12):
        await world.ledger.post(ended_match(result(f"m{n}", [(ana, n), (ion, -n)])))
    relays = [Relay(world.database, bus, Measures(Metrics("relay")), world.clock) for _ in range(4)]
    await asyncio.gather(*(relay.send_some() for relay in relays))
    assert [message.match_id for message in await told(bus)] == [f"m{n}" for n in range(12)]


async def test_told_facts_are_forgotten_after_a_week_and_others_never(world: World, bus: Bus) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    relay = Relay(world.database, bus, Measures(Metrics("relay")), world.clock)
    await world.ledger.post(ended_match(result("m1", [(ana, 1), (ion, 2)])))
    await relay.send_some()
    world.clock.advance(days=8)
    await world.ledger.post(ended_match(result("m2", [(ana, 1), (ion, 2)])))
    world.clock.advance(days=8)
    async with world.database.writing() as session:
        await relay.forget(session)
    assert [row.message_id for row in await rows(world.database, OutboxMessage)] == ["ratings-m2-result-0"]


async def test_the_outbox_waits_for_nats_to_come_back(
    world: World, bus: Bus, nats: NatsServer, settings: LedgerSettings
) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    async with running("ledger", settings, bind):
        await nats.kill()
        await world.ledger.post(ended_match(result("m1", [(ana, 1), (ion, 2)])))
        await nats.start()

        async def is_told() -> bool:
            with contextlib.suppress(Exception):
                return await stored(bus, "LEDGER") == 1
            return False

        await until(is_told, "the fact is told after all")


@pytest.mark.rule("AZ-53", "RZ-21")
async def test_a_stopped_match_is_posted_where_it_is_rated_and_otherwise_dropped(
    world: World, bus: Bus, settings: LedgerSettings
) -> None:
    people = [await world.guest(name) for name in ("Ana", "Ion", "Radu", "Maria")]
    seats: list[tuple[str | None, int]] = list(zip(people, (200, -500, -1000, -1500), strict=True))
    async with running("ledger", settings, bind) as service:
        await tell(bus, result("m1", seats, finished=2, hands=8))
        await bus.publish("results.rentz", result("m2", seats, game="rentz", finished=16).SerializeToString())

        async def both_told() -> bool:
            return await stored(bus, "LEDGER") == 1 and await acknowledged(bus)

        await until(both_told, "both are handled, and one of them told")
        value = service.metrics.value
        assert value("levata_ledger_results_total", game="arzoi", outcome="stopped") == 1
        assert value("levata_ledger_results_total", game="rentz", outcome="posted") == 1
    assert [match.match_id for match in await rows(world.database, MatchRow)] == ["m2"]
    [message] = await told(bus)
    assert [one.rating for one in message.points_ratings] == [1010, 1001, 997, 990]
    assert await standings(world.database) == {}


async def test_malformed_results_become_dead_letters_and_hold_up_nobody(
    world: World, bus: Bus, settings: LedgerSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    twice = result("bad", [(ana, 1), (ana, 2)])
    await bus.publish("results.arzoi", b"\xff\xff not a message")
    await tell(bus, twice)
    await tell(bus, result("good", [(ana, 1), (ion, 2)]))
    async with running("ledger", settings, bind) as service:
        await until(lambda: acknowledged(bus), "everything is handled")
        assert service.metrics.value("levata_ledger_results_total", game="unknown", outcome="malformed") == 2
    assert [match.match_id for match in await rows(world.database, MatchRow)] == ["good"]
    letters = [await bus.js.get_msg("DEAD", sequence) for sequence in (1, 2)]
    assert {letter.data for letter in letters} == {b"\xff\xff not a message", twice.SerializeToString()}
    assert {letter.subject for letter in letters} == {"dead.RESULTS.ledger"}
    assert any("two seats" in (letter.headers or {})["Levata-Reason"] for letter in letters)


async def test_an_unknown_account_does_not_poison_the_stream(world: World, bus: Bus, settings: LedgerSettings) -> None:
    ana = await world.guest("Ana")
    await tell(bus, result("m1", [(ana, 1), ("elsewhere-7", 2)]))
    async with running("ledger", settings, bind):
        await until(lambda: acknowledged(bus), "it is handled")
    assert await standings(world.database) == {ana: (1, 1, 0), "elsewhere-7": (2, 1, 1)}
    assert await stored(bus, "DEAD") == 0


async def test_a_ledger_killed_again_and_again_posts_every_match_once(
    world: World, bus: Bus, settings: LedgerSettings, tmp_path: Path
) -> None:
    """Real processes, ended with SIGKILL while results stream in."""
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    matches = 60
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("LEVATA_")},
        "LEVATA_LISTEN": "127.0.0.1:0",
        "LEVATA_METRICS_LISTEN": "127.0.0.1:0",
        "LEVATA_NATS_URL": settings.nats_url,
        "LEVATA_JWKS_FILE": str(settings.jwks_file),
        "LEVATA_SIGNING_KEY_FILE": str(settings.signing_key_file),
        "LEVATA_DATABASE_URL": settings.database_url.get_secret_value(),
        "LEVATA_OUTBOX_LOOK_SECONDS": "0.5",
        "LEVATA_LOG_FORMAT": "json",
    }

    def start() -> subprocess.Popen[bytes]:
        with (tmp_path / "ledger.log").open("ab") as log:
            return subprocess.Popen([sys.executable, "-m", "services.ledger"], env=environment, stdout=log, stderr=log)

    process = start()
    try:
        for goal in (1, 20, 40):
            for n in range(goal - 1, goal + 19):
                await tell(bus, result(f"m{n}", [(ana, 1), (ion, -1)]), f"m{n}")

            async def reached(goal: int = goal) -> bool:
                return await posted(world.database) >= goal

            await until(reached, f"{goal} matches are posted: {(tmp_path / 'ledger.log').read_text()[-2000:]}")
            process.send_signal(signal.SIGKILL)
            process.wait()
            process = start()
        for n in range(59, matches):
            await tell(bus, result(f"m{n}", [(ana, 1), (ion, -1)]), f"m{n}")

        async def finished() -> bool:
            return (
                await posted(world.database) == matches
                and await acknowledged(bus)
                and all(row.sent_at is not None for row in await rows(world.database, OutboxMessage))
            )

        await until(finished, "all is posted, acknowledged and told")
    finally:
        process.kill()
        process.wait()
    assert await standings(world.database) == {ana: (matches, matches, matches), ion: (-matches, matches, 0)}
    assert len(await rows(world.database, Entry)) == 2 * matches
    assert (await recompute(world.database)).disagreements == ()
    messages = await told(bus)
    assert sorted(message.match_id for message in messages) == sorted(f"m{n}" for n in range(matches))
    lines = [json.loads(line) for line in (tmp_path / "ledger.log").read_text().splitlines() if line.startswith("{")]
    assert any(line["event"] == "result posted" for line in lines)


async def test_a_ledger_waits_for_a_database_that_is_away(
    world: World, bus: Bus, settings: LedgerSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    tries = 0
    post = Ledger.post

    async def post_at_third(self: Ledger, match: EndedMatch) -> Posting:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise DatabaseDownError("connection refused")
        return await post(self, match)

    monkeypatch.setattr(Ledger, "post", post_at_third)
    await tell(bus, result("m1", [(ana, 1), (ion, 2)]))
    async with running("ledger", settings, bind) as service:
        await until(lambda: acknowledged(bus), "it is posted in the end")
        assert service.metrics.value("levata_ledger_results_total", game="arzoi", outcome="posted") == 1
    assert (tries, await stored(bus, "DEAD")) == (3, 0)
