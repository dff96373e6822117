"""A whole club for each module of tests of the contract, on real NATS and real PostgreSQL."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.nats import nats_server
from tests.support.postgres import postgres_server
from tests.support.whole_club import WholeClub, whole_club


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[WholeClub]:
    """The club. Nothing happens in it but what tests do."""
    folder = tmp_path_factory.mktemp("house")
    async with (
        nats_server(folder / "nats", sync_interval="2m") as nats,
        postgres_server() as postgres,
        whole_club(nats, folder, await postgres.create_database("contract")) as opened,
    ):
        yield opened
