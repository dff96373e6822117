"""The ledger's database, taken while it is in use and put into an empty one: SQLite and PostgreSQL."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import select

from deploy.backup import database
from deploy.backup.errors import BackupError, DamagedBackupError
from services.ledger.database import Database
from services.ledger.keys import SigningKey
from services.ledger.models import LedgerTable, MatchRow, OutboxMessage, PointsRatingRow, RatingRow
from services.ledger.rating_changes import NUMBERS_SKIPPED
from services.ledger.schema import differences, migrate
from services.ledger.totals import recompute
from shared.gen.levata.ledger.v1 import ledger_pb2
from tests.support.ledger import Clock, Entropy, World, finished, rentz, rows, secret_of
from tests.support.postgres import PostgresServer, postgres_server

Address = Callable[[], Awaitable[str]]
_numbers = itertools.count(1)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server() -> AsyncIterator[PostgresServer]:
    """A server of PostgreSQL; each test has databases of its own."""
    async with postgres_server() as found:
        yield found


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Address:
    """Gives the address of a database without tables, another one every time."""
    if request.param == "sqlite":

        async def make() -> str:
            return f"sqlite:///{tmp_path / f'ledger-{next(_numbers)}.db'}"

        return make
    server: PostgresServer = request.getfixturevalue("server")

    async def create() -> str:
        return await server.create_database(f"ledger_{next(_numbers)}")

    return create


def world_of(opened: Database) -> World:
    """The domain on a database."""
    entropy = Entropy()
    return World(opened, Clock(), entropy, SigningKey.of(Ed25519PrivateKey.from_private_bytes(entropy(32))))


async def fill(url: str) -> list[str]:
    """Brings a database up to date and puts people and matches into it; the people's accounts."""
    opened = Database(url)
    await migrate(opened)
    world = world_of(opened)
    people = [await world.guest(name) for name in ("Ana", "Ștefan", "Ion", "Dan")]
    for number in range(3):
        await world.ledger.post(finished(f"arzoi-{number}", [(people[0], 7), (people[1], -3), (None, 1)]))
    await world.ledger.post(
        rentz("rentz-1", [(one, points) for one, points in zip(people, (9, 5, 0, -14), strict=True)])
    )
    await opened.close()
    return people


async def everything(url: str) -> dict[str, list[str]]:
    """All rows of all tables, as text."""
    opened = Database(url)
    try:
        async with opened.reading() as session:
            tables = LedgerTable.metadata.sorted_tables
            return {one.name: sorted(map(repr, (await session.execute(select(one))).all())) for one in tables}
    finally:
        await opened.close()


async def test_a_database_comes_back_row_by_row_and_goes_on(address: Address, tmp_path: Path) -> None:
    one, two = await address(), await address()
    people = await fill(one)
    taken = await database.take(one, tmp_path)
    before = await everything(one)
    assert all(
        before[name] for name in ("accounts", "entries", "ratings", "points_ratings", "outbox", "refresh_tokens")
    )
    await database.put(two, taken, tmp_path)
    assert await everything(two) == before
    assert await database.posted(two, ["arzoi-1", "rentz-1", "unknown"]) == {"arzoi-1", "rentz-1"}

    opened = Database(two)
    assert await differences(opened) == []
    assert not (await recompute(opened)).disagreements
    world = world_of(opened)
    await world.identity.sign_in_with_device("Ana", secret_of("Ana"))
    await world.ledger.post(finished("after", [(people[0], 1), (people[1], 0), (None, 0)]))
    postings = [row.posting for row in await rows(opened, MatchRow)]
    assert max(postings) > max(row.posting for row in await rows(opened, MatchRow) if row.match_id != "after")
    with pytest.raises(Exception, match="append-only"):
        async with opened.connection() as connection:
            await connection.exec_driver_sql("DELETE FROM entries")
    await opened.close()


async def test_a_database_is_taken_as_it_was_at_one_moment_while_results_come_in(
    address: Address, tmp_path: Path
) -> None:
    url = await address()
    people = await fill(url)
    opened = Database(url)
    world = world_of(opened)
    on = True

    async def post() -> None:
        number = 0
        while on:
            number += 1
            await world.ledger.post(finished(f"more-{number}", [(people[0], 1), (people[1], 0), (None, 0)]))

    posting = asyncio.create_task(post())
    taken = []
    for number in range(4):
        folder = tmp_path / f"taken-{number}"
        folder.mkdir()
        taken.append((await database.take(url, folder), folder))
    on = False
    await posting
    await opened.close()
    kept, folder = taken[-1]
    other = await address()
    await database.put(other, kept, folder)
    copy = Database(other)
    assert not (await recompute(copy)).disagreements  # totals, estimates and entries are of one moment
    assert len(await rows(copy, MatchRow)) >= 4
    await copy.close()


async def test_all_ratings_are_told_again_under_numbers_that_nobody_has_seen(address: Address, tmp_path: Path) -> None:
    one, two = await address(), await address()
    await fill(one)
    await database.put(two, await database.take(one, tmp_path), tmp_path)
    assert await database.bring_up(two, datetime(2026, 3, 8, tzinfo=UTC)) == 2
    opened = Database(two)
    told = [ledger_pb2.RatingsChanged.FromString(row.payload) for row in await rows(opened, OutboxMessage)]
    again = {message.game: message for message in told if message.number > NUMBERS_SKIPPED}
    assert {
        one.player_id: one.mean for message in again.values() for one in message.ratings if one.game == "arzoi"
    } == {row.player_id: row.mean for row in await rows(opened, RatingRow) if row.game == "arzoi"}
    assert {one.player_id: one.rating for one in again["rentz"].points_ratings} == {
        row.player_id: row.rating for row in await rows(opened, PointsRatingRow)
    }
    assert all(not message.match_id for message in again.values())
    await opened.close()


async def test_a_database_that_is_not_empty_is_left_as_it_is(address: Address, tmp_path: Path) -> None:
    one, two = await address(), await address()
    await fill(one)
    taken = await database.take(one, tmp_path)
    await fill(two)
    before = await everything(two)
    with pytest.raises(BackupError, match=r"not empty|already"):
        await database.put(two, taken, tmp_path)
    assert await everything(two) == before


async def test_tables_without_rows_are_filled_and_damaged_rows_are_not_put_in(
    server: PostgresServer, tmp_path: Path
) -> None:
    one, two, third = [await server.create_database(f"made_{next(_numbers)}") for _ in range(3)]
    await fill(one)
    taken = await database.take(one, tmp_path)
    opened = Database(two)
    await migrate(opened)  # as the job of a cluster does before
    await opened.close()
    await database.put(two, taken, tmp_path)
    assert await everything(two) == await everything(one)

    (name,) = [table.file for table in taken.tables if table.name == "standings"]
    lines = (tmp_path / name).read_bytes().splitlines(keepends=True)
    for damaged in (lines[:-1], [*lines[:-1], b"no\trow\n"]):
        (tmp_path / name).write_bytes(b"".join(damaged))
        with pytest.raises(DamagedBackupError):
            await database.put(third, taken, tmp_path)
        assert not any((await everything(third)).values())  # all of it, or nothing


async def test_a_database_of_another_kind_or_without_a_ledger_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    with pytest.raises(BackupError, match="there is no database"):
        await database.take(url, tmp_path)
    await fill(url)
    (tmp_path / "backup").mkdir()
    taken = await database.take(url, tmp_path / "backup")
    with pytest.raises(BackupError, match="the backup is of sqlite, the database to restore into is postgresql"):
        await database.put("postgresql://levata@127.0.0.1:1/levata", taken, tmp_path / "backup")
    with pytest.raises(BackupError, match="cannot be reached"):
        await database.take("postgresql://levata@127.0.0.1:1/levata", tmp_path / "backup")
