"""Databases for tests of the ledger: every test that asks for one runs on real SQLite and on real PostgreSQL."""

import itertools
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.ledger.database import Database
from services.ledger.keys import SigningKey
from services.ledger.schema import migrate
from tests.support.ledger import Clock, Entropy, World
from tests.support.postgres import PostgresServer, postgres_server

_numbers = itertools.count(1)
TEMPLATE = "levata_template"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_postgres() -> AsyncIterator[PostgresServer]:
    """One server for all tests, with a migrated database to copy from; each test has databases of its own."""
    async with postgres_server() as server:
        template = Database(await server.create_database(TEMPLATE))
        await migrate(template)
        await template.close()
        yield server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database of SQLite to copy from."""
    file = tmp_path_factory.mktemp("sqlite") / "ledger.db"
    database = Database(f"sqlite:///{file}")
    await migrate(database)
    await database.close()
    return file


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest) -> str:
    """Which kind of database."""
    kind: str = request.param
    return kind


@pytest.fixture
def server(backend: str, request: pytest.FixtureRequest) -> PostgresServer | None:
    """The server, if one is needed."""
    if backend == "sqlite":
        return None
    found: PostgresServer = request.getfixturevalue("shared_postgres")
    return found


@pytest.fixture
def empty_address(server: PostgresServer | None, tmp_path: Path) -> Callable[[], Awaitable[str]]:
    """Makes an empty database and gives its address."""

    async def make() -> str:
        if server is None:
            return f"sqlite:///{tmp_path / f'ledger-{next(_numbers)}.db'}"
        return await server.create_database(f"empty_{next(_numbers)}")

    return make


@pytest.fixture
async def address(server: PostgresServer | None, migrated_file: Path, tmp_path: Path) -> str:
    """The address of a migrated database."""
    if server is None:
        return f"sqlite:///{shutil.copyfile(migrated_file, tmp_path / 'ledger.db')}"
    name = f"ledger_{next(_numbers)}"
    connection = await asyncpg.connect(host="127.0.0.1", port=server.port, user="levata", database="postgres")
    try:
        await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{TEMPLATE}"')
    finally:
        await connection.close()
    return server.url(name)


@pytest.fixture
async def database(address: str) -> AsyncIterator[Database]:
    """A migrated database."""
    opened = Database(address)
    yield opened
    await opened.close()


@pytest.fixture
def world(database: Database) -> World:
    """The domain on that database."""
    entropy = Entropy()
    signing = SigningKey.of(Ed25519PrivateKey.from_private_bytes(entropy(32)))
    return World(database, Clock(), entropy, signing)
