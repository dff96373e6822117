from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest

from services.matchmaking.settings import MatchmakingSettings
from shared import stream_setup, streams
from shared.bus import Bus
from shared.metrics import Metrics
from tests.support.nats import NatsServer
from tests.support.recorded_tables import RecordedTables, recorded_tables


class Clock:
    """The wall clock of a test, in seconds."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0

    def __call__(self) -> float:
        return self.time

    def advance(self, seconds: float) -> None:
        self.time += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def tables() -> AsyncIterator[RecordedTables]:
    async with recorded_tables() as servicer:
        yield servicer


@pytest.fixture
async def connect(nats: NatsServer) -> AsyncIterator[Callable[[], Awaitable[Bus]]]:
    """Connects to NATS once more."""
    async with AsyncExitStack() as stack:

        async def connected() -> Bus:
            bus = await Bus.connect(MatchmakingSettings(nats_url=nats.url), Metrics("matchmaking"), "test")
            stack.push_async_callback(bus.close)
            await stream_setup.ensure(bus, streams.of_account(streams.MATCHMAKING))
            return bus

        yield connected
