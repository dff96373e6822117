"""Somebody who does nothing, or is gone, at every kind of decision: a bot decides in time, marked as what it is."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from services.table import facts as f
from shared.client import TableSession, new_request_id
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2
from tests.support.full_club import FullClub, full_club
from tests.support.guests import Guest, notation
from tests.support.proofs import check_accepted, posted, read_log, record_of, steps_of

pytestmark = pytest.mark.timeout(240)

WITHIN_SECONDS = 90.0
ABSENCE_SECONDS = 5
SEPTICA_TABLES = 6
"""Somebody who looks for it has to go on or leave in the Septica of one of so many matches."""

CHOOSE, BID = arzoi_pb2.ARZOI_PHASE_CHOOSE, arzoi_pb2.ARZOI_PHASE_BID
PLAY, CONTINUE = arzoi_pb2.ARZOI_PHASE_PLAY, arzoi_pb2.ARZOI_PHASE_CONTINUE

CLOCKS: dict[int, table_pb2.Clock] = {
    CHOOSE: table_pb2.Clock(choose_seconds=1),
    BID: table_pb2.Clock(bid_seconds=1),
    PLAY: table_pb2.Clock(play_seconds=1),
    CONTINUE: table_pb2.Clock(play_seconds=4),
}
"""A clock for the kind of decision that is waited out, and none for the others."""


@pytest.fixture
async def club(tmp_path: Path) -> AsyncIterator[FullClub]:
    async with full_club(tmp_path / "club") as opened:
        yield opened


def phase(session: TableSession) -> int:
    return session.table.game.arzoi.phase


def is_own(session: TableSession) -> bool:
    """The player, and no bot for the player, is to decide."""
    return session.view.my_turn and not session.table.decision.by_bot


def to_decide(kind: int) -> Callable[[TableSession], bool]:
    """The player is to decide, and it is this kind of decision."""
    return lambda session: is_own(session) and phase(session) == kind


def towards(kind: int) -> Callable[[TableSession], game_pb2.GameAction]:
    """Plays so that a decision of this kind comes soon: whist of 8, or a Septica of pairs and sevens."""
    variant = arzoi_pb2.ArzoiVariant(septica=True) if kind == CONTINUE else arzoi_pb2.ArzoiVariant(whist=8)

    def pick(session: TableSession) -> game_pb2.GameAction:
        legal = list(session.private.legal_actions)
        if phase(session) == CHOOSE:
            return next((action for action in legal if action.arzoi.choose == variant), legal[0])
        if kind == CONTINUE and phase(session) == PLAY:
            return max(legal, key=lambda action: _worth(session, action.arzoi.play[0]))
        return legal[-1]

    return pick


def _worth(session: TableSession, rank: str) -> int:
    """How likely a card of this rank takes the trick, or leaves one behind that fits."""
    trick = session.table.game.arzoi.trick
    if trick:
        return rank in (trick[0].card[0], "7")
    return sum(card[0] in (rank, "7") for card in session.private.hand.arzoi.cards)


@contextlib.asynccontextmanager
async def at_a_decision(guest: Guest, kind: int, **options: Any) -> AsyncIterator[TableSession]:
    """A session at a table at which the guest now has to decide on something of this kind."""
    for _ in range(SEPTICA_TABLES if kind == CONTINUE else 1):
        table = await guest.open_table(4, bot_level=table_pb2.BOT_LEVEL_CLUB, **options)
        async with guest.club.play(table) as session:
            await guest.start(table)
            await guest.play_on(session, towards(kind), to_decide(kind))
            if to_decide(kind)(session):
                yield session
                return
    raise AssertionError(f"no decision of kind {kind} in all these matches")


async def hint(guest: Guest, session: TableSession) -> str:
    """What a bot of the table's level would do; such a bot leaves nothing to chance."""
    request = bot_pb2.SuggestMoveRequest(
        table=session.table,
        private=session.private,
        history=session.history,
        level=session.table.options.bot_level,
    )
    return notation((await guest.club.bots.SuggestMove(request)).action)


@dataclass
class Story:
    """What one seat is seen to go through.

    Attributes:
        seat: The seat.
        told: Its actions (`bid 2`, with who decided), and its clock, presence and absence, in order.
    """

    seat: int
    told: list[tuple[str, object]] = field(default_factory=list)

    def add(self, update: table_pb2.Update) -> None:
        for event in update.events:
            kind = event.WhichOneof("event")
            if kind == "action_taken" and event.action_taken.seat == self.seat:
                self.told.append((notation(event.action_taken.action), event.action_taken.decided_by))
            elif kind == "clock_expired" and event.clock_expired.seat == self.seat:
                self.told.append(("clock", event.clock_expired.away))
            elif kind == "presence_changed" and event.presence_changed.seat == self.seat:
                presence = event.presence_changed
                self.told.append(("presence", (presence.present, presence.away)))

    def decisions(self) -> list[tuple[str, object]]:
        return [one for one in self.told if one[0] not in ("clock", "presence")]


async def decide_next(guest: Guest, session: TableSession, after: int) -> int:
    """Makes the guest's next decision, which is the guest's own again; the revision."""
    await guest.play_on(session, until=lambda now: now.revision > after and is_own(now))
    revision = await guest.act(session, session.private.legal_actions[0])
    assert revision is not None
    return revision


async def stop(guest: Guest, table: str) -> None:
    await guest.club.tables.StopTable(table_pb2.StopTableRequest(request_id=new_request_id(), table_id=table))


@pytest.mark.parametrize("kind", CLOCKS, ids=arzoi_pb2.ArzoiPhase.Name)
async def test_a_bot_decides_what_a_player_lets_run_out_and_the_next_decision_is_the_players(
    club: FullClub, kind: int
) -> None:
    async with (
        asyncio.timeout(WITHIN_SECONDS),
        club.guest("Ana") as ana,
        at_a_decision(ana, kind, clock=CLOCKS[kind]) as session,
    ):
        begun, deadline = session.revision, session.table.decision.deadline.ToNanoseconds()
        assert deadline
        updates = aiter(session)
        assert (await anext(updates)).revision == begun
        wanted = await hint(ana, session)
        story, expired_at = Story(0), 0
        async for update in updates:
            story.add(update)
            if not expired_at and story.told:
                expired_at = update.at.ToNanoseconds()
                assert update.table.decision.by_bot
            if story.decisions():
                break
        assert story.told == [("clock", False), (wanted, table_pb2.DECIDED_BY_BOT_FOR_TIMEOUT)]
        assert expired_at >= deadline
        own = await decide_next(ana, session, begun)
        await stop(ana, session.table_id)
        log = await read_log(club.bus, session.table_id)
        check_accepted(log, [ana], session.table_id)
        assert [one.action for one in log.actions("timeout")] == [wanted]
        assert own == log.actions("player")[-1].revision
        assert log.facts(f.ClockExpired) == [f.ClockExpired(0)]
        table = club.service("table").metrics
        assert table.value("levata_table_timeouts_total", kind="turn") == 1
        assert table.value("levata_table_rule_of_thumb_total") == 0


@pytest.mark.parametrize("kind", CLOCKS, ids=arzoi_pb2.ArzoiPhase.Name)
async def test_a_bot_plays_for_a_player_who_is_gone_until_the_player_is_back_on_the_same_seat(
    club: FullClub, kind: int
) -> None:
    async with asyncio.timeout(WITHIN_SECONDS), club.guest("Ana") as ana, club.guest("Viewer") as viewer:
        story = Story(0)
        async with at_a_decision(ana, kind, absence_seconds=ABSENCE_SECONDS) as session:
            table, begun, wanted = session.table_id, session.revision, await hint(ana, session)
            gone = viewer.club.watch(table, after_revision=begun)
        seen = begun
        async for update in gone:
            story.add(update)
            if story.decisions():
                seen = update.revision
                break
        assert story.told == [
            ("presence", (False, False)),
            ("presence", (False, True)),
            (wanted, table_pb2.DECIDED_BY_BOT_FOR_ABSENT),
        ]
        async with ana.club.play(table) as back:
            assert back.view.seat == 0
            await ana.play_on(back, until=lambda now: now.table.seats[0].present)
            assert not back.table.seats[0].away
            own = await decide_next(ana, back, seen)
            await stop(ana, table)
        log = await read_log(club.bus, table)
        check_accepted(log, [ana], table)
        (first, *_) = log.actions("absent", seat=0)
        assert first.action == wanted
        assert max(one.revision for one in log.actions("absent")) < own
        (lost,) = [fact for fact in log.facts(f.Disconnected) if isinstance(fact, f.Disconnected)][:1]
        (away,) = [record for record in log.records if f.WentAway(0) in record.facts]
        assert away.at >= lost.lost + ABSENCE_SECONDS * 1000


async def test_three_times_in_a_row_makes_a_player_away_until_heard_of(club: FullClub) -> None:
    clock = table_pb2.Clock(bid_seconds=1, play_seconds=1, choose_seconds=1)
    async with asyncio.timeout(WITHIN_SECONDS), club.guest("Ana") as ana:
        table = await ana.open_table(3, clock=clock)
        story = Story(0)
        async with ana.club.play(table) as session:
            await ana.start(table)
            async for update in session:
                if not update.snapshot:
                    story.add(update)
                if len(story.decisions()) >= 4:
                    break
            assert [by for _, by in story.decisions()[:4]] == [
                *[table_pb2.DECIDED_BY_BOT_FOR_TIMEOUT] * 3,
                table_pb2.DECIDED_BY_BOT_FOR_ABSENT,
            ]
            assert [one for one in story.told if one[0] == "clock"] == [("clock", False)] * 2 + [("clock", True)]
            heard = await session.say("am revenit")
            assert not session.table.seats[0].away
            assert await decide_next(ana, session, heard) > heard
            await stop(ana, table)


async def test_what_bots_decided_for_a_player_is_in_the_record_and_in_the_ledger(
    club: FullClub, tmp_path: Path
) -> None:
    async with asyncio.timeout(WITHIN_SECONDS), club.guest("Ana") as ana:
        async with at_a_decision(ana, BID, clock=CLOCKS[BID]) as session:
            begun = session.revision
            async for update in session:
                if any(event.HasField("clock_expired") for event in update.events) and update.revision > begun:
                    break
            table = await ana.play_on(session)
        log = await read_log(club.bus, table.table_id)
        by_timeout = log.actions("timeout")
        assert by_timeout
        match = await posted(ana, table.match_id)
        assert match.seats[0].decisions_by_bot == len(by_timeout)
        steps = steps_of(await record_of(ana, table.match_id))
        assert [step for step in steps if step[2] == "timeout"] == [("0", one.action, "timeout") for one in by_timeout]


async def test_without_any_bot_service_the_table_bids_by_the_hand_and_not_nought(tmp_path: Path) -> None:
    clock = table_pb2.Clock(bid_seconds=1)
    async with (
        asyncio.timeout(WITHIN_SECONDS),
        full_club(tmp_path / "club", table={"bot_milliseconds": 50}, bots=False) as club,
        club.guest("Ana") as ana,
    ):
        table = await ana.open_table(3, clock=clock)
        async with ana.club.play(table) as session:
            await ana.start(table)

            bids = 0
            while bids < 2:
                await ana.play_on(session, towards(BID), to_decide(BID))
                bids += 1
                waited = session.revision
                async for update in session:
                    if update.revision > waited and any(event.HasField("action_taken") for event in update.events):
                        break
            await stop(ana, table)
        log = await read_log(club.bus, table)
        bids_by_bots = [one.action for one in log.actions("timeout") + log.actions("bot") if "bid" in one.action]
        assert len(log.actions("timeout")) == 2
        assert sum(int(bid.split()[1]) for bid in bids_by_bots) >= len(bids_by_bots) / 2
        assert club.service("table").metrics.value("levata_table_rule_of_thumb_total") > 0
