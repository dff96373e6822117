"""NATS as the club runs it, with its users."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from deploy.local.secrets import NATS_USERS, Secrets
from deploy.local.settings import LocalSettings
from deploy.nats.provision import provision
from shared.bus import Bus
from shared.metrics import Metrics
from shared.stream_setup import ensure
from shared.streams import MATCHMAKING, of_account
from tests.support.local_club import local_settings, nats_settings, running_nats
from tests.support.nats_visitors import Visitor, nats_visitors


@pytest.fixture
async def settings(tmp_path: Path) -> LocalSettings:
    """Those of a local club."""
    return local_settings(tmp_path / "state")


@pytest.fixture
async def passwords(settings: LocalSettings) -> AsyncIterator[Secrets]:
    """Of the users of a NATS that runs as the club runs it, its streams made."""
    async with running_nats(settings) as made:
        await provision(nats_settings(settings, made, "provisioner"))
        yield made


@pytest.fixture
async def visitors(settings: LocalSettings, passwords: Secrets) -> AsyncIterator[dict[str, Visitor]]:
    """One of each user of NATS."""
    async with nats_visitors(settings, passwords) as made:
        yield made


@pytest.fixture
async def buses(settings: LocalSettings, passwords: Secrets) -> AsyncIterator[dict[str, Bus]]:
    """The connection of each user; matchmaking has made what is in its own account."""
    made = {
        user: await Bus.connect(nats_settings(settings, passwords, user), Metrics(user), user)
        for user in NATS_USERS
        if user != "provisioner"
    }
    await ensure(made["matchmaking"], of_account(MATCHMAKING))
    yield made
    for bus in made.values():
        await bus.close()
