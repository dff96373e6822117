"""The connection to the database: SQLite on one machine, PostgreSQL for many.

Transactions that write are opened with `writing()`, those that only read with `reading()`, which sees one moment of the
database however many statements it makes. On SQLite a writing transaction takes the write lock when it begins, so that
two writers wait for each other instead of failing half way; readers are never held up (WAL).
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine

from services.ledger.database_kind import NO_DATABASE, database_kind
from services.ledger.errors import DatabaseDamagedError, DatabaseDownError

_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg"}
_BEGIN = "levata_begin"
DAMAGED = ("file is not a database", "database disk image is malformed")
"""How SQLite says that its file cannot be read."""
POSTGRES_PORT = 5432
BUSY_SECONDS = 30
"""How long a writer on SQLite waits for another one."""


def database_url(given: str) -> URL:
    """The URL with the driver that is used here. Raises `ValueError` for other databases, and for what is no URL."""
    kind = database_kind(given)
    try:
        return make_url(given).set(drivername=_DRIVERS[kind])
    except ArgumentError as error:
        raise ValueError(NO_DATABASE) from error


def lock_number(name: str) -> int:
    """The number of the PostgreSQL advisory lock called `name`."""
    return int.from_bytes(blake2b(f"levata.ledger.{name}".encode(), digest_size=8).digest(), "big", signed=True)


class Database:
    """An engine and the two kinds of transactions on it.

    Args:
        url: Such as `sqlite:////var/lib/levata/ledger.db` or `postgresql://user:secret@host/levata`.
        pool_size: Connections kept open at most.
    """

    def __init__(self, url: str, pool_size: int = 5) -> None:
        self.url = database_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite:
            self._engine = _sqlite_engine(self.url, pool_size)
            reading, writing = self._engine, self._engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})
        else:
            self._engine = create_async_engine(self.url, pool_size=pool_size, pool_pre_ping=True)
            reading = self._engine.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True, levata_read=True
            )
            writing = self._engine
        self._writing_engine = writing
        self._down_is_down = _DownIsDown(self.url)
        # SQLite lets waiting writers try again at random; within one process they queue up instead.
        self._turn: AbstractAsyncContextManager[object] = asyncio.Lock() if self.is_sqlite else nullcontext()
        self._reads = async_sessionmaker(reading, expire_on_commit=False)
        self._writes = async_sessionmaker(writing, expire_on_commit=False)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncSession]:
        """A transaction that reads one moment. Raises `DatabaseDownError`."""
        with self._down_is_down:
            async with self._reads() as session, session.begin():
                yield session

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncSession]:
        """A transaction that is kept when the block ends, and undone when it raises. Raises `DatabaseDownError`."""
        with self._down_is_down:
            async with self._turn, self._writes() as session, session.begin():
                yield session

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection]:
        """A bare connection in a transaction that may write, for migrations. Raises `DatabaseDownError`."""
        with self._down_is_down:
            async with self._writing_engine.begin() as connection:
                yield connection

    async def lock(self, session: AsyncSession | AsyncConnection, name: str) -> None:
        """Waits until no other transaction holds the lock called `name`, and holds it until the end of this one."""
        if not self.is_sqlite:  # a writer on SQLite is alone anyway
            await session.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": lock_number(name)})

    async def ping(self) -> bool:
        """Whether the database answers."""
        try:
            async with self.reading() as session:
                await session.execute(text("SELECT 1"))
        except DatabaseDownError:
            return False
        return True

    async def close(self) -> None:
        """Closes all connections."""
        await self._engine.dispose()


def upsert(database: Database, table: type[Any]) -> Any:
    """An insert that knows ON CONFLICT, in the dialect of the database."""
    return (sqlite.insert if database.is_sqlite else postgresql.insert)(table)


class _DownIsDown:
    """Turns what drivers raise when the database is away, or damaged, into one error that says where it is."""

    def __init__(self, url: URL) -> None:
        self._url = url

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, DatabaseError) and str(error.orig).startswith(DAMAGED):
            raise DatabaseDamagedError(
                f"{self._url.database} is damaged, or is no SQLite database ({error.orig}); "
                "put a backup in its place, or move it away to begin with an empty one"
            ) from error
        if isinstance(error, OperationalError | InterfaceError | PoolTimeoutError | OSError):
            raise DatabaseDownError(self._down(error)) from error

    def _down(self, error: BaseException) -> str:
        reason = str(getattr(error, "orig", None) or error) or repr(error)
        if self._url.get_backend_name() == "sqlite":
            return f"the database {self._url.database} cannot be used: {reason}; see to its permissions and to the disk"
        where = f"{self._url.host or 'localhost'}:{self._url.port or POSTGRES_PORT}/{self._url.database or ''}"
        return (
            f"the PostgreSQL database at {where} cannot be reached: {reason}; "
            "see that it runs and that LEVATA_DATABASE_URL names it"
        )


def _sqlite_engine(url: URL, pool_size: int) -> AsyncEngine:
    """SQLite with WAL, foreign keys, patience, and transactions that begin when they are said to."""
    if not url.database or url.database == ":memory:":
        raise ValueError("the ledger needs a file: an SQLite database in memory would be lost")
    Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_async_engine(url, pool_size=pool_size, connect_args={"timeout": BUSY_SECONDS})

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, record: object) -> None:
        connection.isolation_level = None  # the driver must not begin transactions by itself
        cursor = connection.cursor()
        for pragma in (
            f"busy_timeout = {BUSY_SECONDS * 1000}",
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(str(connection.get_execution_options().get(_BEGIN, "BEGIN")))

    return engine
