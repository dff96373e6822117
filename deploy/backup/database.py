"""The ledger's database, taken at one moment while it is in use, and put into an empty one.

SQLite is copied by its own backup interface, which waits for no writer and holds none up. Of PostgreSQL the rows are
taken by COPY within one transaction that sees one moment; its tables are made by the ledger's own migrations when they
are put back. So no program of PostgreSQL's is wanted, whose version would have to fit the server's.
"""

import asyncio
import contextlib
import errno
import sqlite3
import time
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from alembic import command
from sqlalchemy.engine import URL
from sqlmodel import col

from deploy.backup.errors import BackupError, DamagedBackupError
from deploy.backup.manifest import DatabaseTaken, TableTaken
from services.ledger.database import Database, database_url
from services.ledger.errors import DatabaseDownError
from services.ledger.models import METADATA, MatchRow
from services.ledger.rating_changes import tell_all
from services.ledger.schema import alembic_config, migrate, present_revision

SQLITE_FILE: Final = "ledger.db"
ROWS: Final = "ledger.{table}.copy"
BUSY_SECONDS: Final = 30.0


async def take(url: str, folder: Path) -> DatabaseTaken:
    """Takes the database at `url` as it is now into `folder`.

    Raises:
        BackupError: It is not there, has no tables, or cannot be read.
    """
    target = database_url(url)
    with _Told(folder.parent):
        if target.get_backend_name() == "sqlite":
            return await asyncio.to_thread(_take_sqlite, Path(target.database or ""), folder / SQLITE_FILE)
        return await _take_postgres(target, folder)


def _take_sqlite(source: Path, copy: Path) -> DatabaseTaken:
    if not source.exists():
        raise BackupError(f"there is no database {source}")
    at = time.time_ns() // 1_000_000
    with (
        contextlib.closing(sqlite3.connect(source, timeout=BUSY_SECONDS)) as original,
        contextlib.closing(sqlite3.connect(copy)) as taken,
    ):
        original.backup(taken)
        # A copy is one file: what the original's journal held is in it.
        taken.execute("PRAGMA journal_mode = DELETE")
        (sound,) = taken.execute("PRAGMA integrity_check").fetchone()
        if sound != "ok":
            raise BackupError(f"the database {source} is damaged: {sound}")
        rows = taken.execute("SELECT version_num FROM alembic_version").fetchall()
    if len(rows) != 1:
        raise BackupError(f"the database {source} has no tables of a ledger")
    return DatabaseTaken("sqlite", rows[0][0], at, file=copy.name)


async def _take_postgres(target: URL, folder: Path) -> DatabaseTaken:
    database = Database(target.render_as_string(hide_password=False))
    try:
        revision = await present_revision(database)
    finally:
        await database.close()
    if revision is None:
        raise BackupError("the database has no tables of a ledger")
    at = time.time_ns() // 1_000_000
    async with (
        _connection(target) as connection,
        connection.transaction(isolation="repeatable_read", readonly=True),
    ):
        tables = [await _take_rows(connection, table, folder) for table in METADATA.sorted_tables]
    return DatabaseTaken("postgresql", revision, at, tables=tuple(tables))


async def _take_rows(connection: Any, table: sa.Table, folder: Path) -> TableTaken:
    columns = tuple(column.name for column in table.columns)
    path = folder / ROWS.format(table=table.name)
    done = await connection.copy_from_table(table.name, columns=columns, output=path)
    return TableTaken(str(table.name), path.name, columns, int(done.rpartition(" ")[2]))


async def put(url: str, taken: DatabaseTaken, folder: Path) -> None:
    """Puts what was taken into the database at `url`, which must be empty: all of it or, if that fails, nothing.

    Raises:
        BackupError: It is not empty, of another kind, or away.
        DamagedBackupError: The files do not hold what the manifest says.
    """
    target = database_url(url)
    if target.get_backend_name() != taken.kind:
        raise BackupError(f"the backup is of {taken.kind}, the database to restore into is {target.get_backend_name()}")
    with _Told(Path(target.database or "").parent):
        if taken.kind == "sqlite":
            await asyncio.to_thread(_put_sqlite, folder / taken.file, Path(target.database or ""))
        else:
            await _put_postgres(target, taken, folder)


def _put_sqlite(copy: Path, target: Path) -> None:
    if target.exists():
        raise BackupError(f"there is a database {target} already")
    target.parent.mkdir(parents=True, exist_ok=True)
    with (
        contextlib.closing(sqlite3.connect(f"{copy.resolve().as_uri()}?mode=ro", uri=True)) as taken,
        contextlib.closing(sqlite3.connect(target)) as made,
    ):
        taken.backup(made)
    target.chmod(0o600)


async def _put_postgres(target: URL, taken: DatabaseTaken, folder: Path) -> None:
    await _make_tables(target, taken.revision)
    async with _connection(target) as connection, connection.transaction():
        for table in taken.tables:
            if await connection.fetchval(f'SELECT EXISTS (SELECT 1 FROM "{table.name}")'):
                raise BackupError(
                    f"the database is not empty: {table.name} has rows; if an attempt before this one has restored it, "
                    "set LEVATA_RESTORE_DATABASE=false"
                )
            done = await connection.copy_to_table(table.name, columns=table.columns, source=folder / table.file)
            if int(done.rpartition(" ")[2]) != table.rows:
                raise DamagedBackupError(f"{table.file} does not have the {table.rows} rows that were taken")
            await _count_on(connection, table)


async def _make_tables(target: URL, revision: str) -> None:
    """Brings an empty database to the revision that was taken."""
    database = Database(target.render_as_string(hide_password=False))
    try:
        present = await present_revision(database)
        if present is None:
            async with database.connection() as connection:
                await database.lock(connection, "migrations")
                await connection.run_sync(lambda sync: command.upgrade(alembic_config(sync), revision))
        elif present != revision:
            raise BackupError(
                f"the database has tables of revision {present}, the backup is of {revision}: "
                "restore into a database without tables, and bring it up to date afterwards"
            )
    finally:
        await database.close()


async def _count_on(connection: Any, table: TableTaken) -> None:
    """Lets numbers that the database gives out go on behind the highest that was put in."""
    for column in table.columns:
        sequence = await connection.fetchval("SELECT pg_get_serial_sequence($1, $2)", f'"{table.name}"', column)
        if sequence is not None:
            await connection.execute(
                f'SELECT setval($1::regclass, COALESCE((SELECT max("{column}") FROM "{table.name}"), 0) + 1, false)',
                sequence,
            )


@contextlib.asynccontextmanager
async def _connection(target: URL) -> AsyncIterator[Any]:
    """A connection of the driver's own, which knows COPY."""
    import asyncpg

    plain = target.set(drivername="postgresql").render_as_string(hide_password=False)
    connection = await asyncpg.connect(plain)
    try:
        yield connection
    finally:
        await connection.close()


class _Told(contextlib.AbstractContextManager[None]):
    """Turns what databases and drivers raise into `BackupError`.

    Args:
        written: The folder that is written to, for when there is no room in it.
    """

    def __init__(self, written: Path | None = None) -> None:
        self._written = written

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        import asyncpg

        if isinstance(error, asyncpg.DataError):
            raise DamagedBackupError(f"the rows of the backup cannot be read: {error}") from error
        if isinstance(error, DatabaseDownError):
            raise BackupError(str(error)) from error
        if self._written is not None and _is_full(error):
            raise BackupError(f"there is no room left in {self._written}") from error
        if isinstance(error, sqlite3.Error | asyncpg.PostgresError | asyncpg.InterfaceError | OSError):
            raise BackupError(f"the database cannot be used: {error}") from error


def _is_full(error: BaseException | None) -> bool:
    """Whether there was no room for a file."""
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


async def bring_up(url: str, now: datetime) -> int:
    """Brings a database that was restored to the newest revision, and lets the ledger tell all ratings again: whoever
    was told of them has lost it. Returns how many messages that makes.

    Raises:
        BackupError: The database cannot be used.
    """
    database = Database(url)
    try:
        with _Told():
            await migrate(database)
            async with database.writing() as session:
                return await tell_all(database, session, now)
    finally:
        await database.close()


async def posted(url: str, matches: list[str]) -> set[str]:
    """Those of these matches whose result the ledger has.

    Raises:
        BackupError: The database cannot be used.
    """
    database = Database(url)
    try:
        with _Told():
            async with database.reading() as session:
                found: set[str] = set()
                for begin in range(0, len(matches), 500):
                    some = matches[begin : begin + 500]
                    statement = sa.select(col(MatchRow.match_id)).where(col(MatchRow.match_id).in_(some))
                    found.update((await session.execute(statement)).scalars())
                return found
    finally:
        await database.close()
