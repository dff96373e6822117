"""Sessions: playing and talking across connections that break."""

import asyncio
from typing import Any

import grpc
import pytest

from shared.client import session as session_module
from shared.client.errors import ClubError
from shared.client.observable import Phase
from shared.gen.levata.table.v1 import arzoi_pb2
from tests.support.scripted_club import (
    BROKEN,
    DRAINING,
    SLOW,
    TABLE_ID,
    Connection,
    Refused,
    ScriptedClub,
    bid,
    dealt,
    scored,
)


async def test_a_session_is_entered_with_the_table_in_view(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.happen(scored(1))
    async with enter() as club, club.play(TABLE_ID) as session:
        assert session.table.table_id == TABLE_ID
        assert session.revision == 1
        assert session.private.seat == 1
        assert len(session.score_sheet.arzoi.rows) == 1
        assert session.state.value.connected
    assert session.state.value.phase is Phase.CLOSED


async def test_an_action_is_in_view_when_it_is_answered(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.happen()
    async with enter() as club, club.play(TABLE_ID) as session:
        assert await session.act(arzoi_pb2.ArzoiAction(bid=3)) == 2
        assert session.revision == 2
        assert await session.act(bid(2)) == 3
        assert await session.say("hello") == 4
        assert session.table.game.arzoi.orbit == 4
    taken = [event.action_taken.action for update in scripted.tables.updates for event in update.events]
    assert taken[:2] == [bid(3), bid(2)]


async def test_an_action_says_what_it_was_decided_on(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.happen()
    async with enter() as club, club.play(TABLE_ID) as session:
        await session.act(bid(1))
        await session.act(bid(1), against=1)
    asked = [message.submit_action for message in scripted.tables.asked]
    assert [(request.revision, request.table_id) for request in asked] == [(1, TABLE_ID), (1, TABLE_ID)]
    assert len({request.request_id for request in asked}) == 2


@pytest.mark.parametrize("end", [BROKEN, DRAINING, SLOW])
async def test_a_request_without_an_answer_is_repeated_with_the_same_id(
    scripted: ScriptedClub, enter: Any, end: Refused
) -> None:
    await scripted.tables.happen()
    scripted.tables.script += [
        Connection(loses_replies=True, ends_after=2, ends_with=end),
        Connection(loses_replies=True, ends_after=0, ends_with=end),
        Connection(),
    ]
    async with enter() as club, club.play(TABLE_ID) as session:
        phases = [session.state.value.phase]
        session.state.follow(lambda state: phases.append(state.phase))
        assert await session.act(bid(3)) == 2
        assert len(set(scripted.tables.received)) == 1
        assert len(scripted.tables.received) >= 2
        assert len(scripted.tables.updates) == 2
        assert phases[:2] == [Phase.CONNECTED, Phase.RECONNECTING]
        assert session.state.value.connected


async def test_requests_made_while_there_is_no_connection_go_out_in_order(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.happen()
    async with enter() as club, club.play(TABLE_ID) as session:
        await scripted.stop()
        await asyncio.wait_for(session.state.until(lambda state: state.phase is Phase.RECONNECTING), 10)
        said = [asyncio.create_task(session.say(f"line {number}")) for number in range(5)]
        await asyncio.sleep(0)
        await scripted.start()
        assert await asyncio.wait_for(asyncio.gather(*said), 20) == [2, 3, 4, 5, 6]
    texts = [event.chat_said.text for update in scripted.tables.updates for event in update.events]
    assert texts == [f"line {number}" for number in range(5)]


async def test_a_refusal_is_raised_with_its_details_and_changes_nothing(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.happen()
    scripted.tables.refusals.append(
        Refused(grpc.StatusCode.FAILED_PRECONDITION, "MUST_FOLLOW_SUIT", metadata={"rule": "AZ-18"}, message="follow")
    )
    async with enter() as club, club.play(TABLE_ID) as session:
        with pytest.raises(ClubError) as raised:
            await session.act(bid(1))
        assert (raised.value.reason, raised.value.metadata, raised.value.message) == (
            "MUST_FOLLOW_SUIT",
            {"rule": "AZ-18"},
            "follow",
        )
        assert session.revision == 1
        assert await session.act(bid(1)) == 2


async def test_a_request_that_the_club_cannot_take_now_is_sent_again(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.happen()
    scripted.tables.refusals += [
        Refused(grpc.StatusCode.UNAVAILABLE, "DEPENDENCY_DOWN", retry_seconds=0.01),
        Refused(grpc.StatusCode.UNAVAILABLE, "DEPENDENCY_DOWN", retry_seconds=0.01),
    ]
    async with enter() as club, club.play(TABLE_ID) as session:
        assert await session.act(bid(1)) == 2
    assert len(scripted.tables.received) == 3
    assert len(set(scripted.tables.received)) == 1


async def test_no_answer_in_time_is_an_error_that_leaves_the_outcome_open(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.happen()
    scripted.tables.script.append(Connection(loses_replies=True))
    async with enter() as club, club.play(TABLE_ID) as session:
        with pytest.raises(ClubError) as raised:
            await session.act(bid(1), timeout_seconds=0.05)
        assert raised.value.reason == "NO_ANSWER"
        assert not raised.value.answered


async def test_readers_get_a_snapshot_and_then_everything_once(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.happen()
    scripted.tables.script += [Connection(ends_after=3), Connection(ends_after=2), Connection()]
    async with enter() as club, club.play(TABLE_ID) as session:

        async def read() -> list[tuple[int, bool]]:
            return [(update.revision, update.snapshot) async for update in session]

        early = asyncio.create_task(read())
        for _ in range(6):
            await session.say("x")
        late = asyncio.create_task(read())
        await asyncio.sleep(0)
        await session.say("x")
        await scripted.tables.close()
        assert await early == [(1, True), *((revision, False) for revision in range(2, 9))]
        assert await late == [(7, True), (8, False)]
        assert session.closed


async def test_a_reader_that_falls_behind_gets_a_snapshot(
    scripted: ScriptedClub, enter: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "UPDATES_KEPT", 3)
    await scripted.tables.happen()
    async with enter() as club, club.play(TABLE_ID) as session:
        reading = aiter(session)
        assert (await anext(reading)).snapshot
        for _ in range(5):
            await session.say("x")
        await scripted.tables.close()
        rest = [(update.revision, update.snapshot) async for update in reading]
    assert rest == [(5, True), (6, False)]


async def test_what_the_session_knows_after_many_breaks_is_what_a_newcomer_sees(
    scripted: ScriptedClub, enter: Any
) -> None:
    await scripted.tables.happen()
    scripted.tables.script += [Connection(ends_after=number % 3 + 1) for number in range(20)]
    async with enter() as club, club.play(TABLE_ID) as session:
        for number in range(20):
            await scripted.tables.happen(dealt())
            await session.act(bid(number % 8))
            await scripted.tables.happen(scored(number))
        await asyncio.wait_for(session.reached(61), 20)
        fresh = scripted.tables.snapshot()
        assert session.table == fresh.table
        assert session.score_sheet == fresh.score_sheet
        assert len(session.history) == 3
        assert session.view.history_complete


async def test_a_table_that_is_unknown_cannot_be_entered(scripted: ScriptedClub, enter: Any) -> None:
    missing = Refused(grpc.StatusCode.NOT_FOUND, "TABLE_NOT_FOUND")
    scripted.tables.script.append(Connection(ends_after=0, ends_with=missing))
    async with enter() as club:
        with pytest.raises(ClubError) as raised:
            async with club.play(TABLE_ID):
                pass
    assert raised.value.reason == "TABLE_NOT_FOUND"


async def test_requests_at_a_closed_table_fail(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.happen()
    scripted.tables.script.append(Connection(loses_replies=True))
    async with enter() as club, club.play(TABLE_ID) as session:
        asking = asyncio.create_task(session.act(bid(1)))
        await session.reached(2)
        await scripted.tables.close()
        for attempt in (asking, session.say("anybody?")):
            with pytest.raises(ClubError) as raised:
                await attempt
            assert raised.value.reason == "TABLE_NOT_FOUND"
        assert session.state.value.error is None


async def test_a_refusal_on_the_way_is_raised_to_readers_and_askers(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.happen()
    removed = Refused(grpc.StatusCode.PERMISSION_DENIED, "NOT_WATCHABLE")
    scripted.tables.script.append(Connection(ends_after=2, ends_with=removed))
    async with enter() as club, club.play(TABLE_ID) as session:
        seen = []

        async def read() -> None:
            async for update in session:
                seen.append(update.revision)
                if len(seen) == 1:
                    await scripted.tables.say("x")

        with pytest.raises(ClubError) as raised:
            await read()
        assert seen == [1, 2]
        assert raised.value.reason == "NOT_WATCHABLE"
        with pytest.raises(ClubError, match="NOT_WATCHABLE"):
            await session.act(bid(1))


async def test_leaving_is_a_call_of_its_own(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.happen()
    async with enter() as club, club.play(TABLE_ID) as session:
        assert await session.leave() == 2
        await asyncio.wait_for(session.reached(2), 10)


async def test_the_offset_of_the_servers_clock_is_known(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.happen()
    async with enter() as club, club.play(TABLE_ID) as session:
        await session.say("x")
        assert session.server_now() == 1_800_000_002


class Crossed:
    """A stream of which every write but the first crosses its end: both then fail as gRPC has them fail."""

    def __init__(self, call: Any) -> None:
        self._call = call
        self._written = 0
        self._crossed = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call, name)

    async def write(self, message: Any) -> None:
        self._written += 1
        if self._written > 1:
            self._crossed.set()
            raise self._failure()
        await self._call.write(message)

    async def read(self) -> Any:
        reading = asyncio.ensure_future(self._call.read())
        crossed = asyncio.ensure_future(self._crossed.wait())
        await asyncio.wait([reading, crossed], return_when=asyncio.FIRST_COMPLETED)
        crossed.cancel()
        if reading.done():
            return await reading
        reading.cancel()
        raise self._failure()

    @staticmethod
    def _failure() -> grpc.aio.AioRpcError:
        nothing = grpc.aio.Metadata()
        return grpc.aio.AioRpcError(grpc.StatusCode.INTERNAL, nothing, nothing, "Internal error from Core")


async def test_a_stream_that_ends_while_it_is_written_to_has_broken(scripted: ScriptedClub, enter: Any) -> None:
    """gRPC calls it an internal error, and the reason that the club gave is lost."""
    await scripted.tables.happen()
    errors: list[ClubError | None] = []
    async with enter() as club:
        session = club.play(TABLE_ID)
        open_play, left = session._open_play, 3

        def opened(token: str | None) -> Any:
            nonlocal left
            left -= 1
            call = open_play(token)
            return Crossed(call) if left >= 0 else call

        session._open_play = opened
        async with session:
            session.state.follow(lambda state: errors.append(state.error))
            assert await session.act(bid(1)) == 2
    told = [(error.code, error.reason) for error in errors if error is not None]
    assert told == [(grpc.StatusCode.UNAVAILABLE, "ENDED")] * 3


async def test_nothing_is_asked_before_the_club_has_let_us_in(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.happen()
    scripted.tables.script += [Connection(loses_replies=True, ends_after=2), Connection(silent=True)]
    async with enter(silence_seconds=0.2) as club, club.play(TABLE_ID) as session:
        assert await session.act(bid(1)) == 2
    # The one that stayed silent was asked nothing but to watch.
    assert len(scripted.tables.watches) == 3
    assert len(scripted.tables.received) == 2


async def test_cancelling_a_request_leaves_the_session_whole(scripted: ScriptedClub, enter: Any) -> None:
    await scripted.tables.happen()
    scripted.tables.script.append(Connection(loses_replies=True, ends_after=2))
    async with enter() as club, club.play(TABLE_ID) as session:
        asking = asyncio.create_task(session.act(bid(1)))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await session.say("still here")
        assert session._requests == {}
