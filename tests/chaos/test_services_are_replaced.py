"""Every service is replaced, one after another, as a cluster does it, while people play, wait and look around.

Nobody is told of anything, nobody's clock runs for it, and every match ends as if nothing had been.
"""

import asyncio
import logging
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from services.table import facts as f
from shared.client import TableSession, new_request_id
from shared.gen.levata.table.v1 import table_pb2
from tests.support.bystanders import Thinker, Waiting, visiting
from tests.support.deployments import SERVICES, DeployedClub, Manners, deployed_club
from tests.support.guests import Guest
from tests.support.postgres import PostgresServer
from tests.support.proofs import check_accepted, check_match, check_record, posted, read_log, record_of
from tests.support.waiting import until

SLOW_SECONDS = 0.3
"""Between two actions of a person as long as services are being replaced, so that no match ends before that."""
CLOCK = table_pb2.Clock(bid_seconds=20, play_seconds=20, choose_seconds=20)
BANK = table_pb2.Clock(bid_seconds=5, play_seconds=5, choose_seconds=5, bank_seconds=120)
LONG = table_pb2.Clock(bid_seconds=300, play_seconds=300, choose_seconds=300)
QUEUE = "arzoi-3"
"""Where three have to wait for each other."""
MISHAPS = ("table frozen", "Traceback", '"level":"error"', '"level": "error"')


@dataclass
class Evening:
    """What goes on at a club while it is replaced.

    Attributes:
        club: Where.
        over: Nothing is replaced any more; who plays finishes the match at hand quickly.
        ends: Tables at the end of their matches, with those who played at them.
        thought_at: Tables at which somebody thought all the time, and then decided.
    """

    club: DeployedClub
    over: asyncio.Event = field(default_factory=asyncio.Event)
    ends: list[tuple[table_pb2.Table, list[Guest]]] = field(default_factory=list)
    thought_at: list[str] = field(default_factory=list)

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(SLOW_SECONDS):
                await self.over.wait()
        except TimeoutError:
            pass

    async def play(self, *players: Guest, by_calls: bool, clock: table_pb2.Clock) -> None:
        """These people play a match at one table with each other and with bots."""
        host, *others = players
        table = await host.open_table(max(3, len(players)), clock=clock)
        for seat, other in enumerate(others, 1):
            await other.join(table, seat)
        await host.start(table)
        ends = await asyncio.gather(*(self._sit(player, table, by_calls) for player in players))
        assert all(end.standings == ends[0].standings for end in ends), ends
        self.ends.append((ends[0], list(players)))

    async def _sit(self, player: Guest, table: str, by_calls: bool) -> table_pb2.Table:
        if by_calls:
            return await player.play_by_calls(table, self._pause)
        async with player.club.play(table) as session:
            return await player.play_on(session, before=self._pause)

    async def think(self, thinker: Thinker) -> None:
        """Somebody thinks about one decision all the time, and makes it afterwards."""
        player = thinker.guest
        table = await player.open_table(3, clock=LONG)
        await player.start(table)
        async with player.club.play(table) as session:
            await until(lambda: session.view.my_turn, 30, "it is the thinker's turn")
            decided = session.private.SerializeToString()
            with thinker.thinking(session):
                async with asyncio.TaskGroup() as tasks:
                    looking = tasks.create_task(self._look(session, thinker))
                    await self.over.wait()
                    await until(lambda: session.state.value.connected and thinker.settled, 30, "the thinker is back")
                    looking.cancel()
            assert session.private.SerializeToString() == decided
            assert await player.act(session, player.pick(session)) is not None
            stop = table_pb2.StopTableRequest(request_id=new_request_id(), table_id=table)
            await player.club.tables.StopTable(stop)
        self.thought_at.append(table)

    @staticmethod
    async def _look(session: TableSession, thinker: Thinker) -> None:
        async for update in session:
            thinker.see(update)


async def replaced_under_play(folder: Path, database: str, manners: Manners, copies: dict[str, int]) -> None:
    async with deployed_club(
        folder, database, copies, manners, LEVATA_LIMIT_SECONDS="900", LEVATA_TICKET_SECONDS="1800",
        LEVATA_ACCESS_TOKEN_SECONDS="60",
    ) as club, AsyncExitStack() as stack:  # fmt: skip
        names = ("Ana", "Bogdan", "Carmen", "Dan", "Ela", "Florin", "Gina", "Horia", "Ioana")
        guests = [await stack.enter_async_context(club.guest(name, 7)) for name in names]
        ana, bogdan, carmen, dan, ela, *patient, late = guests
        evening = Evening(club)
        thinker = Thinker(dan)
        waiting = [Waiting(one) for one in patient[:2]]
        last = Waiting(late)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(evening.play(ana, bogdan, by_calls=False, clock=CLOCK))
            tasks.create_task(evening.play(carmen, ela, by_calls=True, clock=BANK))
            tasks.create_task(evening.think(thinker))
            for one in waiting:
                await one.take(QUEUE)
            waits = [tasks.create_task(one.wait()) for one in waiting]
            await until(lambda: all(one.places for one in waiting), 30, "everybody waits")
            await until(lambda: all(guest.accepted for guest in (ana, bogdan, carmen, ela)), 60, "everybody plays")
            async with visiting(patient[2]) as calls:
                for service in SERVICES:
                    before = dict(calls)
                    await club.replace(service)
                    await until(lambda: all(calls[name] > before[name] for name in calls), 30, "calls go on")  # noqa: B023
            evening.over.set()
            assert [one.places for one in waiting] == [[1], [2]]
            await last.take(QUEUE)
            waits.append(tasks.create_task(last.wait()))
        # Everybody had kept the place, and all three sit at one table, who waited longest first.
        assert all(one.losses for one in waiting)
        (table,) = {wait.result() for wait in waits}
        seen = await late.club.tables.GetTable(table_pb2.GetTableRequest(table_id=table))
        seated = [seat.player_id for seat in seen.update.table.seats]
        assert seated == [one.guest.id for one in (*waiting, last)]
        assert thinker.losses >= 1
        assert [guest.passed_by for guest in guests] == [0] * len(guests)
        await check_matches(evening, folder)
        for name, text in club.logs().items():
            assert not [line for line in text.splitlines() if any(mishap in line for mishap in MISHAPS)], name


async def check_matches(evening: Evening, folder: Path) -> None:
    """Each was played by those who sat at it, who had all their time, and is posted once, with its record."""
    reader = evening.ends[0][1][0]
    async with evening.club.bus() as bus:
        for table, players in evening.ends:
            log = await read_log(bus, table.table_id)
            check_accepted(log, players, table.table_id)
            assert {fact.by for fact in log.facts(f.ActionTaken) if isinstance(fact, f.ActionTaken)} <= {
                "player",
                "bot",
            }
            for kind in (f.ClockExpired, f.WentAway, f.SeatLeft):
                assert log.facts(kind) == [], table.table_id
            match = await posted(reader, table.match_id, seconds=60)
            check_match(match, table, log)
            check_record(await record_of(reader, table.match_id), log, table.shuffle_commitment, folder)
        for table_id in evening.thought_at:
            log = await read_log(bus, table_id)
            assert len(log.actions("player")) == 1
            assert log.facts(f.ClockExpired) == []
        assert (await bus.js.stream_info("DEAD")).state.messages == 0


@pytest.fixture
async def database(postgres: PostgresServer) -> str:
    """A database that several ledgers share."""
    return await postgres.create_database("levata")


@pytest.mark.timeout(240)
async def test_nobody_notices_that_every_service_is_replaced(
    tmp_path: Path, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    quick = Manners(settle_seconds=0.0, leave_seconds=0.2, drain_seconds=20.0, linger_seconds=0.3)
    with caplog.at_level(logging.WARNING, "shared.client"):
        await replaced_under_play(tmp_path, database, quick, {})
    assert [record.getMessage() for record in caplog.records if record.name.startswith("shared.client")] == []


@pytest.mark.soak
@pytest.mark.timeout(1200)
async def test_nobody_notices_when_two_of_each_are_replaced_at_the_pace_of_a_cluster(
    tmp_path: Path, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "shared.client"):
        await replaced_under_play(tmp_path, database, Manners(), dict.fromkeys(SERVICES, 2))
    assert [record.getMessage() for record in caplog.records if record.name.startswith("shared.client")] == []
