from collections.abc import AsyncIterator

import pytest

from tests.support.terminal_club import TerminalClub, terminal_club


@pytest.fixture
async def club() -> AsyncIterator[TerminalClub]:
    async with terminal_club() as club:
        yield club
