"""A match that ends exactly while a backup is taken, before one part or another: it counts once, whenever that is."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlmodel import col, select

from deploy.backup import database, restoring
from services.ledger.database import Database
from services.ledger.models import MatchRow, OutboxMessage, RatingRow, Standing
from services.ledger.service import bind as bind_ledger
from services.ledger.settings import LedgerSettings
from services.table import commands as c
from services.table import facts as f
from services.table.log import SUBJECT, TableLog
from services.table.metrics import TableMetrics
from services.table.results import Results
from services.table.state import TableState, fold
from shared.bus import Bus
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.harness import Service
from shared.metrics import Metrics
from tests.support.backups import before_part, restore, settings_of, take
from tests.support.nats import NatsServer, nats_server
from tests.support.proofs import read_log
from tests.support.services import Club, club
from tests.support.table_service import start_table
from tests.support.tables import ANA, BOGDAN, PaperTable
from tests.support.waiting import until

GAME = "whist"
SEATS = 3
AGO = 60_000
"""So many ms ago the match was begun."""
TO_COME = 40
"""Records of the end: enough that another end has other points."""


def played() -> list[bytes]:
    """The log of a match of two people and a bot; the people are away, so that bots play it to its end."""
    paper = PaperTable()
    paper.now = time.time_ns() // 1_000_000 - AGO
    paper.do(c.CreateTable("t" * 24, f.Options(game=GAME, seats=SEATS), host=ANA))
    paper.do(c.TakeSeat(BOGDAN))
    for person in (ANA, BOGDAN):
        paper.do(c.Connect(person.player, "server-a"))
    paper.do(c.StartMatch(ANA.player))
    for person in (ANA, BOGDAN):
        paper.do(c.Disconnect(person.player, "server-a", paper.now))
    paper.wait(20_000)
    paper.play_on()
    return paper.log


class Ending:
    """A match in the log of a table, but for its last tricks.

    Attributes:
        log: All records of the table.
    """

    def __init__(self, bus: Bus, log: list[bytes]) -> None:
        self.log = log
        self._bus = bus
        self._sequence = 0
        self._state = TableState()

    async def begin(self) -> None:
        """Writes all of it but the end."""
        for data in self.log[:-TO_COME]:
            await self._append(data)
        assert not self._state.over

    async def end(self) -> None:
        """Writes the end, and tells the result, as a table server does."""
        for data in self.log[-TO_COME:]:
            await self._append(data)
        assert self._state.status == "finished"
        log = TableLog(self._bus)
        await Results(self._bus, log, TableMetrics(Metrics("table"))).publish(self._state)
        confirmed = f.Record(self._state.revision + 1, self._state.link, self._state.at, (f.ResultPosted(),))
        await self._append(f.encode(confirmed))

    async def _append(self, data: bytes) -> None:
        self._sequence = await self._bus.append(f"{SUBJECT}.{'t' * 24}", data, self._sequence)
        self._state, _ = fold(self._state, f.decode(data), f.link(data))


@contextlib.asynccontextmanager
async def opened(nats: NatsServer, folder: Path) -> AsyncIterator[tuple[Club, Bus]]:
    """A club without services, and a connection to its NATS."""
    async with club(nats, folder / "keys") as services:
        bus = await Bus.connect(settings_of(nats), Metrics("test"), "test")
        try:
            yield services, bus
        finally:
            await bus.close()


async def start_ledger(services: Club, folder: Path) -> Service:
    """Starts a ledger over the database in `folder`."""
    return await services.start(
        "ledger",
        LedgerSettings,
        bind_ledger,
        listen="127.0.0.1:0",
        metrics_listen="127.0.0.1:0",
        database_url=url_in(folder),
        signing_key_file=services.issuer.key_file,
    )


def url_in(folder: Path) -> str:
    """The address of the database in a folder."""
    return f"sqlite:///{folder / 'ledger.db'}"


async def counted(folder: Path) -> tuple[list[str], dict[str, tuple[int, int]]]:
    """The matches that the ledger has, and points and matches of everybody."""
    opened_database = Database(url_in(folder))
    try:
        async with opened_database.reading() as session:
            matches = list((await session.scalars(select(col(MatchRow.match_id)))).all())
            standings = (await session.scalars(select(Standing).where(col(Standing.game) == GAME))).all()
            return matches, {one.player_id: (one.points, one.matches) for one in standings}
    finally:
        await opened_database.close()


async def check_counted_once(services: Club, bus: Bus, folder: Path) -> tuple[int, ...]:
    """The match is over in the log and counts once in the ledger, with the points of the log; they are returned."""

    async def settled() -> bool:
        log = await read_log(bus, "t" * 24)
        return bool(log.points) and len((await counted(folder))[0]) == 1

    await until(settled)
    log = await read_log(bus, "t" * 24)

    async def concluded() -> bool:
        info = await bus.js.consumer_info("RESULTS", "ledger")
        return not info.num_pending and not info.num_ack_pending

    await until(concluded)
    figures = services.services["ledger"].metrics
    assert not figures.value("levata_ledger_results_total", game=GAME, outcome="contradiction")
    matches, standings = await counted(folder)
    assert matches == ["t" * 24]
    assert standings == {ANA.player: (log.points[0], 1), BOGDAN.player: (log.points[1], 1)}
    return log.points


async def check_ratings_told(bus: Bus, folder: Path) -> None:
    """Whoever takes in all that the stream tells, in order and by its numbers, has the ratings of the database."""

    async def same() -> bool:
        number, told = 0, {}
        for _, data in await bus.read_subject("LEDGER", f"ledger.ratings.{GAME}"):
            message = ledger_pb2.RatingsChanged.FromString(data)
            assert message.number > number
            number = message.number
            told.update({one.player_id: (one.mean, one.deviation, one.matches) for one in message.ratings})
        opened_database = Database(url_in(folder))
        try:
            async with opened_database.reading() as session:
                rows = (await session.scalars(select(RatingRow).where(col(RatingRow.game) == GAME))).all()
                return told == {row.player_id: (row.mean, row.deviation, row.matches) for row in rows}
        finally:
            await opened_database.close()

    await until(same)


@pytest.fixture(autouse=True)
def _nobody_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no table server to be listened for."""
    monkeypatch.setattr(restoring, "LISTEN_SECONDS", 0.01)


@pytest.mark.parametrize(
    ("part", "prompt"),
    [
        ("RESULTS", True),
        ("database", True),
        ("database", False),
        ("TABLES", True),
        ("TABLES", False),
        ("later", True),
    ],
)
async def test_a_match_that_ends_before_a_part_is_taken_counts_once_after_the_restore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, prompt: bool
) -> None:
    """`prompt`: the ledger posts the result at once; else it is too slow to have it before everything is taken."""
    before, after = tmp_path / "before", tmp_path / "after"
    async with nats_server(tmp_path / "nats") as nats, opened(nats, before) as (services, bus):
        ledger = await start_ledger(services, before)
        ending = Ending(bus, played())
        await ending.begin()
        if not prompt:
            await ledger.stop()

        async def ends() -> None:
            await ending.end()
            if prompt:
                await until(lambda: _told(before))

        before_part(monkeypatch, part, ends)
        await take(nats, url_in(before), tmp_path / "backup")
        assert bool((await counted(before))[0]) == prompt

    async with nats_server(tmp_path / "nats again", sync_interval="2m") as nats:
        done = await restore(nats, url_in(after), tmp_path / "backup")
        assert done.resumed.resumed == (part == "later")
        assert not done.resumed.known
        async with opened(nats, after) as (services, bus):
            await start_ledger(services, after)
            await start_table(services, after, bot_milliseconds=5)
            points = await check_counted_once(services, bus, after)
            last = f.decode(ending.log[-1]).facts[-1]
            assert isinstance(last, f.MatchFinished)
            # What came after the backup is lost, and the match ends otherwise.
            assert (points == last.points) == (part != "later")
            await check_ratings_told(bus, after)


async def _told(folder: Path) -> bool:
    """The ledger has posted something, and noted that everybody was told of the ratings that came of it."""
    opened_database = Database(url_in(folder))
    try:
        async with opened_database.reading() as session:
            told = (await session.scalars(select(col(OutboxMessage.sent_at)))).all()
            return bool(told) and all(told)
    finally:
        await opened_database.close()


async def test_a_match_that_a_newer_database_knows_the_end_of_is_stopped_and_not_counted_again(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    async with nats_server(tmp_path / "nats") as nats, opened(nats, before) as (services, bus):
        await start_ledger(services, before)
        ending = Ending(bus, played())
        await ending.begin()
        await take(nats, url_in(before), tmp_path / "backup")
        await ending.end()
        await until(lambda: _told(before))
        (tmp_path / "newer").mkdir()
        newer = await database.take(url_in(before), tmp_path / "newer")
        counted_before = await counted(before)

    async with nats_server(tmp_path / "nats again", sync_interval="2m") as nats:
        await database.put(url_in(after), newer, tmp_path / "newer")
        done = await restore(nats, url_in(after), tmp_path / "backup", with_database=False)
        assert (done.resumed.resumed, done.resumed.known) == (0, 1)
        async with opened(nats, after) as (services, bus):
            ledger = await start_ledger(services, after)
            table = await start_table(services, after)
            await check_ratings_told(bus, after)
            log = await read_log(bus, "t" * 24)
            assert log.facts(f.TableStopped) == [
                f.TableStopped("operator", "restore", "the ledger has the result of this match already")
            ]
            assert not (await bus.js.stream_info("RESULTS")).state.messages
            assert await counted(after) == counted_before
            await asyncio.gather(ledger.stop(), table.stop())
