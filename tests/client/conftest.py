from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import pytest

from shared.client.addresses import Addresses
from shared.client.backoff import Backoff
from shared.client.club import Club
from shared.client.credentials import CredentialStore
from tests.support.scripted_club import ScriptedClub, scripted_club


@pytest.fixture
async def scripted() -> AsyncIterator[ScriptedClub]:
    async with scripted_club() as club:
        yield club


class Sleeps:
    """Waits for nothing but a turn of the loop, and remembers for how long it should have."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.really = 0.002

    async def __call__(self, seconds: float) -> None:
        import asyncio

        self.seconds.append(seconds)
        await asyncio.sleep(self.really)


@pytest.fixture
def sleeps() -> Sleeps:
    return Sleeps()


Enter = Callable[..., AbstractAsyncContextManager[Club]]


@pytest.fixture
def enter(scripted: ScriptedClub, sleeps: Sleeps) -> Enter:
    """Opens a client of the scripted club."""

    def opened(
        *, token: str | None = "a-token", store: CredentialStore | None = None, silence_seconds: float = 30.0
    ) -> AbstractAsyncContextManager[Club]:
        return Club.connect(
            Addresses.behind(scripted.address, tls=False),
            language="en",
            token=token,
            store=store,
            backoff=Backoff(jitter=lambda: 1.0),
            sleep=sleeps,
            now=lambda: scripted.identity.clock,
            silence_seconds=silence_seconds,
        )

    return opened
