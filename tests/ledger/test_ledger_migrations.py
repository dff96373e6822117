"""Migrations, on both databases."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from alembic import command
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from services.ledger.database import Database
from services.ledger.errors import DatabaseDownError
from services.ledger.models import APPEND_ONLY, MatchRow, RatingsTold
from services.ledger.schema import alembic_config, differences, migrate, newest_revision, present_revision
from tests.support.ledger import World, rentz, rows

MakeEmpty = Callable[[], Awaitable[str]]


async def test_an_empty_database_is_brought_to_the_newest_revision(empty_address: MakeEmpty) -> None:
    database = Database(await empty_address())
    try:
        assert await present_revision(database) is None
        assert await migrate(database) == newest_revision()
        assert await present_revision(database) == newest_revision()
    finally:
        await database.close()


async def test_migrating_again_changes_nothing(database: Database) -> None:
    assert await migrate(database) == newest_revision()


async def test_the_models_and_the_migrated_database_agree(database: Database) -> None:
    assert await differences(database) == []


async def test_a_missing_column_would_be_noticed(database: Database) -> None:
    async with database.connection() as connection:
        await connection.execute(text("ALTER TABLE outbox DROP COLUMN subject"))
    assert await differences(database) != []


async def test_processes_that_start_at_once_migrate_once(empty_address: MakeEmpty) -> None:
    address = await empty_address()
    databases = [Database(address) for _ in range(4)]
    try:
        revisions = await asyncio.gather(*(migrate(database) for database in databases))
        assert revisions == [newest_revision()] * 4
        assert await differences(databases[0]) == []
    finally:
        for database in databases:
            await database.close()


async def test_a_migration_that_fails_leaves_nothing_behind(
    empty_address: MakeEmpty, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(await empty_address())
    upgrade = command.upgrade

    def upgrade_and_fail(*arguments: object) -> None:
        upgrade(*arguments)  # type: ignore[arg-type]
        raise RuntimeError("the power went out")

    try:
        with monkeypatch.context() as patch:
            patch.setattr("alembic.command.upgrade", upgrade_and_fail)
            with pytest.raises(RuntimeError):
                await migrate(database)
        assert await present_revision(database) is None
        assert await migrate(database) == newest_revision()
    finally:
        await database.close()


async def test_every_migration_can_be_taken_back(database: Database) -> None:
    async with database.connection() as connection:
        await connection.run_sync(lambda sync: command.downgrade(alembic_config(sync), "base"))
    assert await present_revision(database) is None
    assert await migrate(database) == newest_revision()


async def test_what_was_posted_before_points_ratings_is_kept_and_later_messages_have_higher_numbers(
    empty_address: MakeEmpty,
) -> None:
    database = Database(await empty_address())
    at = "'2026-01-01 00:00:00+00:00'"
    try:
        async with database.connection() as connection:
            await connection.run_sync(lambda sync: command.upgrade(alembic_config(sync), "0001"))
            for statement in (
                "INSERT INTO accounts (player_id, name, name_key, external, created_at)"
                f" VALUES ('a', 'Ana', 'ana', false, {at})",
                "INSERT INTO matches (posting, match_id, table_id, game, options, started_at, ended_at, record,"
                " private, all_human, posted_at)"
                f" VALUES (1, 'm', 't', 'arzoi', '{{}}', {at}, {at}, 'r', false, true, {at})",
                "INSERT INTO rating_changes (change_id, match_id, kind, game, player_id, mean_before, deviation_before,"
                " mean, deviation, matches) VALUES (7, 'm', 'result', 'arzoi', 'a', 1, 1, 1, 1, 1)",
            ):
                await connection.execute(text(statement))
        assert await migrate(database) == newest_revision()
        assert await differences(database) == []
        [match] = await rows(database, MatchRow)
        assert (match.match_id, match.stopped, match.hands_finished, match.hands) == ("m", False, 1, 1)
        [told] = await rows(database, RatingsTold)
        assert (told.game, told.number) == ("arzoi", 7)
        with pytest.raises(IntegrityError, match="append-only"):
            async with database.writing() as session:
                await session.execute(text("UPDATE matches SET stopped = true"))
    finally:
        await database.close()


@pytest.mark.parametrize("table", APPEND_ONLY)
@pytest.mark.parametrize("change", ["UPDATE {0} SET match_id = match_id", "DELETE FROM {0}"])
async def test_the_database_refuses_to_change_what_happened(world: World, table: str, change: str) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    await world.ledger.post(rentz("m1", [(ana, 10), (ion, -3)]))
    async with world.database.writing() as session:
        await session.execute(text("INSERT INTO reversals VALUES ('m1', 'test', '2026-01-01 00:00:00+00:00')"))
    with pytest.raises(IntegrityError, match="append-only"):
        async with world.database.writing() as session:
            await session.execute(text(change.format(table)))


async def test_a_database_that_is_away_is_told_as_such() -> None:
    database = Database("postgresql://levata@127.0.0.1:1/nothing")
    assert not await database.ping()
    with pytest.raises(DatabaseDownError):
        async with database.reading() as session:
            await session.execute(text("SELECT 1"))
    await database.close()


def test_only_sqlite_files_and_postgresql_are_taken() -> None:
    for address in ("mysql://root@host/levata", "sqlite://", "sqlite:///:memory:"):
        with pytest.raises(ValueError, match=r"SQLite|file"):
            Database(address)
