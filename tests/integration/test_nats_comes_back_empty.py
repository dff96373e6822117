"""What a lone NATS forgets when it is killed, with real permissions: who makes it again, and who waits for it."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from nats.js.errors import NotFoundError
from structlog.testing import capture_logs

from deploy.local import processes
from deploy.local.runner import Runner
from deploy.local.secrets import Secrets
from deploy.local.settings import LocalSettings
from deploy.nats.provision import provision
from services.bot.service import bind as bind_bot
from services.bot.settings import BotSettings
from services.ledger.service import bind as bind_ledger
from services.ledger.settings import LedgerSettings
from services.matchmaking.service import bind as bind_matchmaking
from services.matchmaking.settings import MatchmakingSettings
from services.table.service import MADE_HERE
from shared.bus import Bus, BusUnavailable
from shared.harness import Service
from shared.metrics import Metrics
from shared.process import running
from shared.stream_setup import ensure
from tests.support.local_club import kept_nats, local_settings, nats_settings
from tests.support.tokens import TokenIssuer
from tests.support.waiting import until

WITHIN = 60.0


class Place:
    """A NATS with permissions, and the services that may make no stream."""

    def __init__(self, settings: LocalSettings, made: Secrets, runner: Runner, folder: Path) -> None:
        self.runner = runner
        self._settings = settings
        self._made = made
        self._folder = folder
        self._issuer = TokenIssuer(folder / "keys")

    async def provision(self) -> None:
        await provision(nats_settings(self._settings, self._made, "provisioner"))

    async def table(self) -> Bus:
        return await Bus.connect(nats_settings(self._settings, self._made, "table"), Metrics("table"), "table")

    async def kill(self) -> None:
        before = self.runner.process
        assert before is not None
        processes.send(before.pid, signal.SIGKILL)
        await until(lambda: self.runner.process not in (None, before))

    def given(self, user: str, **more: Any) -> dict[str, Any]:
        permitted = nats_settings(self._settings, self._made, user)
        return {
            "nats_url": permitted.nats_url,
            "nats_user": permitted.nats_user,
            "nats_password": permitted.nats_password,
            "jwks_file": self._issuer.jwks_file,
            "service_token_file": self._issuer.service_token_file(user),
            "listen": "127.0.0.1:0",
            "metrics_listen": "127.0.0.1:0",
            "drain_seconds": 1.0,
            **more,
        }

    @asynccontextmanager
    async def bot(self) -> AsyncIterator[Service]:
        async with running("bot", BotSettings(**self.given("bot")), bind_bot) as service:
            yield service

    @asynccontextmanager
    async def ledger(self) -> AsyncIterator[Service]:
        given = self.given(
            "ledger", database_url=f"sqlite:///{self._folder}/l.db", signing_key_file=self._issuer.key_file
        )
        async with running("ledger", LedgerSettings(**given), bind_ledger) as service:
            yield service

    @asynccontextmanager
    async def matchmaking(self) -> AsyncIterator[Service]:
        async with running("matchmaking", MatchmakingSettings(**self.given("matchmaking")), bind_matchmaking) as one:
            yield one


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    settings = local_settings(tmp_path / "state")
    async with kept_nats(settings) as (made, runner):
        yield Place(settings, made, runner, tmp_path)


def refusals(lines: list[Any]) -> list[Any]:
    """What was logged of something that was not permitted, or that failed for good after a reconnection."""
    return [
        line
        for line in lines
        if "permissions violation" in str(line).lower() or line["event"] == "a callback after reconnecting failed"
    ]


def buried(table: Bus, count: int) -> Callable[[], Any]:
    """Whether so many messages have become dead letters: their consumers have read them."""

    async def look() -> bool:
        return (await table.js.stream_info("DEAD")).state.messages == count

    return look


async def test_turns_flow_again_after_nats_was_killed_and_nobody_asks_for_more_than_is_permitted(place: Place) -> None:
    await place.provision()
    with capture_logs() as lines:
        async with place.bot(), place.ledger(), place.matchmaking() as matchmaking, asyncio.timeout(WITHIN):
            table = await place.table()
            await ensure(table, MADE_HERE, change=False)
            for count in (1, 2):
                await table.publish("bot.turns.a", b"\xff")  # no turn, which whoever reads it buries
                await until(buried(table, count), WITHIN)
                await place.kill()
                await until(lambda: table.is_connected)
            await _turn(table)
            await until(buried(table, 3), WITHIN)
            await until(matchmaking.check_readiness)
            await table.close()
    assert refusals(lines) == []


async def test_who_may_not_make_a_stream_waits_until_it_is_there(place: Place) -> None:
    with capture_logs() as lines:
        async with AsyncExitStack() as stack, asyncio.timeout(WITHIN):
            for service in (place.bot(), place.ledger(), place.matchmaking()):
                await stack.enter_async_context(service)
            await until(lambda: sum("not there yet" in line["event"] for line in lines) >= 2, WITHIN)
            table = await place.table()
            with pytest.raises(NotFoundError):
                await table.js.stream_info("BOT_TURNS")
            await place.provision()
            await table.publish("bot.turns.a", b"\xff")
            await table.publish("results.arzoi", b"\xff")
            await until(buried(table, 2), WITHIN)
            await table.close()
    assert refusals(lines) == []
    told = [line for line in lines if line["log_level"] != "debug" and "not there yet" in line["event"]]
    assert len(told) == len({(line["stream"], line["consumer"]) for line in told})  # once each, in so short a time


async def _turn(table: Bus) -> None:
    """Publishes what is no turn, as soon as there is a stream for it."""
    async with asyncio.timeout(WITHIN):
        while True:
            try:
                await table.publish("bot.turns.a", b"\xff")
            except BusUnavailable:
                continue
            return
