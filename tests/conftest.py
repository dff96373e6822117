"""Fixtures for all tests."""

import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import structlog

from services.table import engine
from shared import logs
from shared.bus import Bus
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from tests.support.nats import NatsServer, nats_server
from tests.support.postgres import PostgresServer, postgres_server
from tests.support.services import Club, club
from tests.support.tokens import TokenIssuer

pytest_plugins = ("tests.support.watchdog", "tests.support.workers")

LONG_FIRST = (
    "chaos",
    "e2e",
    "local/test_supervisor.py",
    "compiled",
    "table/engine/test_compiled_engine.py",
    "deploy",
    "terminal",
    "ledger",
    "integration",
    "contract",
    "shared",
    "bot",
    "table/engine",
)
"""Folders and files that take long, the longest first; the others follow. What is begun last is short, so that no test
process is left to work alone."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begins with what takes long."""

    def place(item: pytest.Item) -> int:
        file = item.path.relative_to(Path(__file__).parent)
        return next((n for n, long in enumerate(LONG_FIRST) if file.is_relative_to(long)), len(LONG_FIRST))

    items.sort(key=place)


def pytest_report_header() -> str:
    return f"engine: {engine.build()}"


@pytest.fixture(autouse=True, scope="session")
def _logs() -> None:
    logs.configure("console", "warning")


@pytest.fixture(autouse=True)
def _logs_as_they_were() -> Iterator[None]:
    """Puts back how logs are written, which commands that a test runs in this process change: what they write to is
    closed with the test.
    """
    root = logging.getLogger()
    before, handlers, level = structlog.get_config(), root.handlers[:], root.level
    yield
    structlog.configure(**before)
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture
async def nats(tmp_path: Path) -> AsyncIterator[NatsServer]:
    """A nats-server of this test's own."""
    async with nats_server(tmp_path / "nats") as server:
        yield server


@pytest.fixture
def issuer(tmp_path: Path) -> TokenIssuer:
    """An issuer of tokens."""
    return TokenIssuer(tmp_path / "keys")


@pytest.fixture
def metrics() -> Metrics:
    """Metrics of this test's own."""
    return Metrics("test")


@pytest.fixture
async def levata(nats: NatsServer, tmp_path: Path) -> AsyncIterator[Club]:
    """A club on its own nats-server, without services yet."""
    async with club(nats, tmp_path / "keys") as opened:
        yield opened


@pytest.fixture
async def postgres() -> AsyncIterator[PostgresServer]:
    """A PostgreSQL server of this test's own."""
    async with postgres_server() as server:
        yield server


@pytest.fixture
async def bus(nats: NatsServer, metrics: Metrics) -> AsyncIterator[Bus]:
    """A connection to this test's nats-server."""
    settings = ServiceSettings(nats_url=nats.url, publish_seconds=20.0)
    connected = await Bus.connect(settings, metrics, "test")
    yield connected
    await connected.close()
