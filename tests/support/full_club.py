"""The four services in this process, as they are in the club: one table, bots without pace, a ledger, matchmaking."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.bot.service import bind as bind_bot
from services.bot.settings import BotSettings
from services.ledger.service import bind as bind_ledger
from services.ledger.settings import LedgerSettings
from services.matchmaking.service import bind as bind_matchmaking
from services.matchmaking.settings import MatchmakingSettings
from shared.bus import Bus
from shared.client import Addresses
from shared.gen.levata.table.v1 import table_pb2, table_pb2_grpc
from shared.harness import Service
from tests.support.guests import Guest, guest, options
from tests.support.nats import NatsServer, nats_server
from tests.support.services import Club, club
from tests.support.table_service import fresh, start_table
from tests.support.tokens import bearer

BOTS_ANSWER_MILLISECONDS = 30_000
"""So long that no table ever plays by its rule of thumb while the bots live."""


@dataclass
class FullClub:
    """A club with everything in it.

    Attributes:
        services: The services that run, by name.
        folder: Where its keys and its database are.
    """

    services: Club
    folder: Path

    @property
    def database_url(self) -> str:
        """The ledger's database."""
        return f"sqlite:///{self.folder / 'ledger.db'}"

    @property
    def addresses(self) -> Addresses:
        """Where the services answer."""
        table, matchmaking, bot, ledger = (
            self.services.services[name].address for name in ("table", "matchmaking", "bot", "ledger")
        )
        return Addresses(table, matchmaking, bot, ledger)

    @property
    def bus(self) -> Bus:
        """The table service's connection to NATS."""
        return self.services.services["table"].harness.bus

    def service(self, name: str) -> Service:
        """A service that runs."""
        return self.services.services[name]

    def guest(self, name: str, seed: int = 1) -> contextlib.AbstractAsyncContextManager[Guest]:
        """Somebody who signs in."""
        return guest(self.addresses, name, seed)

    async def exhibition(self, seats: int, **more: Any) -> str:
        """A match of bots alone, made by a service; the table's id."""
        stub = table_pb2_grpc.TableServiceStub(await self.services.channel("table"))
        request = table_pb2.CreateTableRequest(request_id=fresh("exhibition"), options=options(seats, **more))
        service = bearer(self.services.issuer.service_token("matchmaking"))
        made = await stub.CreateTable(request, metadata=service)
        return str(made.table_id)

    async def start_bots(self, name: str = "bot", **more: Any) -> Service:
        """Starts a bot service."""
        values: dict[str, Any] = {
            "table_address": self.service("table").address,
            "pace_milliseconds": 0,
            "pace_alone_milliseconds": 0,
            **more,
        }
        return await self.services.start(name, BotSettings, bind_bot, **values)


@contextlib.asynccontextmanager
async def full_club(
    folder: Path,
    table: dict[str, Any] | None = None,
    matchmaking: dict[str, Any] | None = None,
    bots: bool = True,
    nats_more: str = "",
) -> AsyncIterator[FullClub]:
    """All of it until the end of the block.

    Args:
        folder: An empty folder.
        table: More settings of the table service.
        matchmaking: More settings of the matchmaking service.
        bots: Whether there is a bot service from the start.
        nats_more: More lines of NATS's configuration.
    """
    async with (
        nats_server(folder / "nats", sync_interval="2m", more=nats_more) as nats,
        full_club_on(nats, folder, table, matchmaking, bots) as full,
    ):
        yield full


@contextlib.asynccontextmanager
async def full_club_on(
    nats: NatsServer,
    folder: Path,
    table: dict[str, Any] | None = None,
    matchmaking: dict[str, Any] | None = None,
    bots: bool = True,
) -> AsyncIterator[FullClub]:
    """The same on a server of NATS that runs, with keys of its own and the database in `folder`."""
    async with club(nats, folder / "keys") as services:
        full = FullClub(services, folder)
        await start_table(services, folder, **{"bot_milliseconds": BOTS_ANSWER_MILLISECONDS, **(table or {})})
        await services.start(
            "ledger",
            LedgerSettings,
            bind_ledger,
            listen="127.0.0.1:0",
            metrics_listen="127.0.0.1:0",
            database_url=full.database_url,
            signing_key_file=services.issuer.key_file,
        )
        address = full.service("table").address
        await services.start(
            "matchmaking", MatchmakingSettings, bind_matchmaking, table_address=address, **(matchmaking or {})
        )
        if bots:
            await full.start_bots()
        else:
            services.services["bot"] = full.service("table")  # nobody answers for bots
        yield full
