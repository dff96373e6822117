"""Turns on a real NATS, answered to a table service on real gRPC."""

import asyncio
import dataclasses
import random
import time
from typing import cast

import grpc
import pytest
from structlog.testing import capture_logs

from services.bot.chatter.chatter import Chatter
from services.bot.players.arzoi.game import PLAYERS
from services.bot.players.arzoi.view import ArzoiView
from services.bot.players.game import Player
from services.bot.service import bind
from services.bot.settings import BotSettings
from services.bot.worker import request_id
from services.table.engine.arzoi.actions import Action
from services.table.engine.arzoi.match import State
from services.table.engine.arzoi.position import Phase
from shared.errors import LevataError
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import table_pb2
from shared.harness import Service
from shared.settings import ServiceSettings
from shared.stream_setup import ensure_consumer
from shared.streams import CONSUMERS
from tests.support.arzoi_turns import decisions, turn_of
from tests.support.services import Club
from tests.support.table_stub import TableStub
from tests.support.waiting import until


def positions(count: int, phase: Phase | None = None, seats: int = 4) -> list[State]:
    """Different positions in which a player decides."""
    found = []
    rng = random.Random(count)
    for state, legal in decisions(seats, rng):
        if (phase is None or state.phase is phase) and len(legal) > 1:
            found.append(state.copy())
        if len(found) == count:
            return found
    raise AssertionError("not enough positions")


def a_turn(revision: int = 1, seconds: float = 60.0, state: State | None = None) -> bot_pb2.BotTurn:
    """A turn that has to be answered within so many seconds."""
    return turn_of(
        state or positions(5)[-1],
        revision,
        talk=table_pb2.BOT_TALK_POLITE,
        deadline_seconds=time.time() + seconds,
    )


class Tables:
    """The stub of the table service, and bots that work for it."""

    def __init__(self, club: Club) -> None:
        self.club = club
        self.stub = TableStub()

    async def open(self) -> None:
        await self.club.start("table", ServiceSettings, self.stub.bind)

    async def bots(self, name: str = "bot", **settings: object) -> Service:
        address = self.club.services["table"].address
        return await self.club.start(name, BotSettings, bind, table_address=address, **settings)

    async def redeliver_after(self, seconds: float) -> None:
        """Lets a turn whose bots died go to another after so long."""
        bus = self.club.services["table"].harness.bus
        await ensure_consumer(bus, dataclasses.replace(CONSUMERS["bots"], ack_wait=seconds))

    async def publish(self, *turns: bot_pb2.BotTurn) -> None:
        bus = self.club.services["table"].harness.bus
        for turn in turns:
            await bus.publish(f"bot.turns.{turn.table_id}", turn.SerializeToString())

    async def waiting(self) -> int:
        """Turns in the queue, those at hand included."""
        info = await self.club.services["table"].harness.bus.js.stream_info("BOT_TURNS")
        return info.state.messages

    async def until_done(self) -> None:
        """Returns when the queue is empty."""
        await until(self._empty)

    async def _empty(self) -> bool:
        return await self.waiting() == 0


@pytest.fixture
async def tables(levata: Club) -> Tables:
    opened = Tables(levata)
    await opened.open()
    return opened


def outcome(service: Service, name: str) -> float:
    return service.metrics.value("levata_bot_turns_total", outcome=name)


async def test_a_turn_is_answered_with_a_legal_action_its_revision_and_its_token(tables: Tables) -> None:
    bots = await tables.bots()
    turn = a_turn(revision=41)
    await tables.publish(turn)
    await tables.until_done()
    (request,) = tables.stub.requests
    assert request.request_id == request_id(turn)
    assert (request.table_id, request.revision, request.turn_token) == (turn.table_id, 41, "token")
    assert request.action in turn.private.legal_actions
    assert request.chat == ""
    assert outcome(bots, "answered") == 1
    assert bots.metrics.value("levata_bot_turn_lag_seconds_count") == 1
    assert bots.metrics.value("levata_bot_fallbacks_total", level="club") == 0


async def test_the_request_id_belongs_to_table_revision_and_seat() -> None:
    turn = a_turn()
    ids = {request_id(turn)}
    for field, value in (("table_id", "zzzzzzzzzzzzzzzz"), ("revision", 99), ("seat", 8)):
        other = bot_pb2.BotTurn()
        other.CopyFrom(turn)
        setattr(other, field, value)
        ids.add(request_id(other))
    assert len(ids) == 4
    later = bot_pb2.BotTurn()
    later.CopyFrom(turn)
    later.deadline.seconds += 1
    assert request_id(later) in ids


async def test_a_turn_past_its_deadline_is_dropped(tables: Tables) -> None:
    bots = await tables.bots()
    await tables.publish(a_turn(1, seconds=-1.0), a_turn(2))
    await tables.until_done()
    assert [request.revision for request in tables.stub.requests] == [2]
    assert outcome(bots, "too_late") == 1


@pytest.mark.parametrize("code", ["FAILED_PRECONDITION", "ABORTED", "NOT_FOUND", "ALREADY_EXISTS"])
async def test_a_table_that_moved_on_is_left_alone(tables: Tables, code: str) -> None:
    bots = await tables.bots()
    tables.stub.answer = lambda request, before: LevataError(grpc.StatusCode[code], "STALE_REVISION")
    await tables.publish(a_turn())
    await tables.until_done()
    assert len(tables.stub.requests) == 1
    assert outcome(bots, "moved_on") == 1


async def test_what_the_rules_refuse_is_answered_again_by_a_rule_of_thumb(tables: Tables) -> None:
    bots = await tables.bots()

    def answer(request: table_pb2.SubmitActionRequest, before: int) -> LevataError | None:
        return LevataError(grpc.StatusCode.FAILED_PRECONDITION, "NO_FIT", {"rule": "RM-22"}) if before == 0 else None

    tables.stub.answer = answer
    turn = a_turn()
    with capture_logs() as logs:
        await tables.publish(turn)
        await tables.until_done()
    first, second = tables.stub.requests
    assert first.request_id == request_id(turn)
    assert second.request_id == request_id(turn, by_thumb=True) != first.request_id
    assert second.action in turn.private.legal_actions
    assert (second.revision, second.turn_token) == (first.revision, first.turn_token)
    assert outcome(bots, "answered") == 1
    assert bots.metrics.value("levata_bot_fallbacks_total", level="club") == 1
    (complaint,) = [entry for entry in logs if entry["log_level"] == "error"]
    assert complaint["failed"].startswith("an illegal ")


async def test_what_the_rules_refuse_twice_is_counted_and_left_to_the_table(tables: Tables) -> None:
    bots = await tables.bots()
    tables.stub.answer = lambda request, before: LevataError(
        grpc.StatusCode.FAILED_PRECONDITION, "NO_FIT", {"rule": "RM-22"}
    )
    await tables.publish(a_turn())
    await tables.until_done()
    assert len(tables.stub.requests) == 2
    assert outcome(bots, "refused") == 1


async def test_a_refusal_is_counted_and_not_repeated(tables: Tables) -> None:
    bots = await tables.bots()
    tables.stub.answer = lambda request, before: LevataError(grpc.StatusCode.PERMISSION_DENIED, "NOT_SEATED")
    await tables.publish(a_turn())
    await tables.until_done()
    assert len(tables.stub.requests) == 1
    assert outcome(bots, "refused") == 1


async def test_an_unavailable_table_is_asked_again_with_the_same_request(tables: Tables) -> None:
    bots = await tables.bots()
    unavailable = LevataError(grpc.StatusCode.UNAVAILABLE, "DRAINING")
    tables.stub.answer = lambda request, before: unavailable if before < 8 else None
    await tables.publish(a_turn())
    await tables.stub.wait_for(accepted=1)
    await tables.until_done()
    assert len(tables.stub.requests) >= 9
    assert all(request == tables.stub.requests[0] for request in tables.stub.requests)
    assert len(tables.stub.accepted) == 1
    assert outcome(bots, "answered") == 1
    assert bots.metrics.value("levata_bot_submit_retries_total") >= 1


async def test_a_bot_gives_up_at_the_deadline(tables: Tables) -> None:
    bots = await tables.bots()
    tables.stub.answer = lambda request, before: LevataError(grpc.StatusCode.UNAVAILABLE, "DRAINING")
    await tables.publish(a_turn(seconds=1.0))
    await until(lambda: outcome(bots, "gave_up") == 1)
    await tables.until_done()
    assert tables.stub.accepted == []


async def test_a_turn_of_a_bot_process_that_died_is_answered_alike_by_another(tables: Tables) -> None:
    await tables.redeliver_after(0.5)
    dying = await tables.bots("dying")
    tables.stub.gate.clear()
    turn = a_turn(revision=5)
    await tables.publish(turn)
    await tables.stub.wait_for(requests=1)
    await dying.crash()
    assert await tables.waiting() == 1
    living = await tables.bots("living")
    await tables.stub.wait_for(requests=2)
    tables.stub.gate.set()
    await tables.until_done()
    first, second = tables.stub.requests
    assert first == second
    assert second.request_id == request_id(turn)
    assert outcome(living, "answered") == 1


async def test_a_turn_told_twice_is_answered_under_one_request_id(tables: Tables) -> None:
    await tables.bots()
    turn = a_turn(revision=6)
    await tables.publish(turn, turn)
    await tables.until_done()
    assert {request.request_id for request in tables.stub.requests} == {request_id(turn)}
    assert len({request.action.SerializeToString() for request in tables.stub.requests}) == 1


async def test_two_bot_processes_share_the_turns_and_answer_each_once(tables: Tables) -> None:
    one = await tables.bots("one", concurrency=2, pace_alone_milliseconds=20)
    two = await tables.bots("two", concurrency=2, pace_alone_milliseconds=20)
    turns = [a_turn(revision, state=state) for revision, state in enumerate(positions(80), 1)]
    await tables.publish(*turns)
    await tables.stub.wait_for(accepted=len(turns))
    await tables.until_done()
    assert sorted(request.revision for request in tables.stub.accepted) == [turn.revision for turn in turns]
    by_revision = {turn.revision: turn for turn in turns}
    for request in tables.stub.accepted:
        assert request.action in by_revision[request.revision].private.legal_actions
    assert outcome(one, "answered") + outcome(two, "answered") == len(turns)
    assert outcome(one, "answered") > 0
    assert outcome(two, "answered") > 0


async def test_what_is_no_turn_becomes_a_dead_letter_and_stops_nobody(tables: Tables) -> None:
    bots = await tables.bots()
    bus = tables.club.services["table"].harness.bus
    await bus.publish("bot.turns.garbage", b"\xff\xff\xff")
    idle = a_turn(1)
    del idle.private.legal_actions[:]
    await tables.publish(idle, a_turn(2))
    await tables.until_done()
    await until(lambda: outcome(bots, "answered") == 1)
    assert outcome(bots, "unreadable") == 2
    assert (await bus.js.stream_info("DEAD")).state.messages == 2


async def test_a_turn_that_contradicts_itself_is_still_answered_by_a_rule_of_thumb(tables: Tables) -> None:
    bots = await tables.bots()
    turn = a_turn(state=positions(20, Phase.PLAY)[-1])
    turn.private.hand.arzoi.cards[0] = "XX"
    await tables.publish(turn)
    await tables.until_done()
    (request,) = tables.stub.accepted
    assert request.action in turn.private.legal_actions
    assert bots.metrics.value("levata_bot_fallbacks_total", level="none") == 1


async def test_a_turn_is_answered_though_its_player_and_the_chatter_fail(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def decide(self, view: ArzoiView, rng: random.Random) -> Action:
            raise RuntimeError("the hand was KH QS")

    def speechless(*arguments: object) -> str:
        raise RuntimeError("no words for KH QS")

    monkeypatch.setitem(cast(dict[str, Player], PLAYERS), "club", Broken())
    monkeypatch.setattr(Chatter, "line", speechless)
    bots = await tables.bots()
    turn = a_turn(state=positions(20, Phase.BID)[-1])
    with capture_logs() as logged:
        await tables.publish(turn)
        await tables.until_done()
    (request,) = tables.stub.accepted
    assert request.action in turn.private.legal_actions
    assert bots.metrics.value("levata_bot_fallbacks_total", level="club") == 1
    assert {"a rule of thumb decided", "words failed"} <= {entry["event"] for entry in logged}
    assert "KH" not in str(logged)


async def test_nobody_waits_for_the_pace_when_the_time_of_a_person_is_out(tables: Tables) -> None:
    await tables.bots(pace_milliseconds=10_000, pace_alone_milliseconds=10_000, pace_share=0.9)
    turn = a_turn(seconds=3600.0)
    turn.company = True
    turn.decided_by = table_pb2.DECIDED_BY_BOT_FOR_TIMEOUT
    await tables.publish(turn)
    async with asyncio.timeout(7.0):
        await tables.stub.wait_for(accepted=1)


async def test_the_pace_never_costs_the_deadline(tables: Tables) -> None:
    bots = await tables.bots(pace_milliseconds=10_000, pace_share=0.5)
    turn = a_turn(seconds=4.0)
    turn.company = True
    await tables.publish(turn)
    await tables.stub.wait_for(accepted=1)
    await tables.until_done()
    assert outcome(bots, "answered") == 1


async def test_bots_talk_in_company_and_are_counted(tables: Tables) -> None:
    bots = await tables.bots(pace_milliseconds=0, talk_table_gap_seconds=0.0, talk_seat_gap_seconds=0.0)
    turns = [a_turn(revision, state=state) for revision, state in enumerate(positions(200), 1)]
    for turn in turns:
        turn.company = True
    await tables.publish(*turns)
    await tables.stub.wait_for(accepted=len(turns))
    await tables.until_done()
    said = [request.chat for request in tables.stub.accepted if request.chat]
    assert said
    assert bots.metrics.value("levata_bot_chat_lines_total") == len(said)


async def test_a_draining_bot_finishes_the_turn_at_hand(tables: Tables) -> None:
    bots = await tables.bots(drain_seconds=10.0)
    tables.stub.gate.clear()
    await tables.publish(a_turn())
    await tables.stub.wait_for(requests=1)
    stopping = asyncio.create_task(bots.stop())
    tables.stub.gate.set()
    await stopping
    assert await tables.waiting() == 0
    assert len(tables.stub.accepted) == 1


async def test_bots_go_on_after_nats_was_killed_and_the_queue_was_lost(tables: Tables) -> None:
    bots = await tables.bots()
    await tables.publish(a_turn(1))
    await tables.stub.wait_for(accepted=1)
    await tables.club.nats.restart()
    await tables.publish(a_turn(2))
    await tables.stub.wait_for(accepted=2)
    await until(lambda: outcome(bots, "answered") == 2)
