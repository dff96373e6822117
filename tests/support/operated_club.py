"""A club on a NATS with the real users and permissions, looked after by `levata admin`."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from deploy.admin import arguments
from deploy.admin.answer import Answer
from deploy.admin.commands import run
from deploy.club_settings import ClubSettings
from deploy.local.secrets import Secrets
from deploy.local.settings import LocalSettings
from deploy.nats.provision import provision
from services.table.service import bind
from services.table.settings import TableSettings
from shared.bus import Bus
from shared.harness import Service
from shared.metrics import Metrics
from shared.process import running
from shared.settings import ServiceSettings
from tests.support.local_club import local_settings, nats_settings, running_nats
from tests.support.nats import NatsServer
from tests.support.services import Club, S
from tests.support.table_service import TURN_KEY
from tests.support.tokens import TokenIssuer

WHO: Final = ("--reason", "a test", "--as", "mihai")
"""What a changing command wants to be told."""


class OperatedClub(Club):
    """Services that connect as the users that they are, and the operator.

    Attributes:
        database: The file of the ledger's database.
    """

    def __init__(
        self, local: LocalSettings, made: Secrets, issuer: TokenIssuer, stack: contextlib.AsyncExitStack
    ) -> None:
        super().__init__(NatsServer(local.state, port=local.nats_port), issuer, stack)
        self.database = local.state / "ledger.db"
        self._local = local
        self._made = made
        self._stack = stack

    def user(self, name: str) -> Mapping[str, Any]:
        """What whoever connects as a user is told."""
        told = nats_settings(self._local, self._made, name)
        return {"nats_url": told.nats_url, "nats_user": told.nats_user, "nats_password": told.nats_password}

    async def start(self, name: str, kind: type[S], bind: Callable[[Any, S], Awaitable[None]], **more: Any) -> Service:
        """Starts a service; it goes by the first word of its name at NATS, and by the whole as an instance."""
        home = name.partition("-")[0]
        settings = self.settings(kind, home, **{**self.user(home), "instance": name, **more})
        service = await self._stack.enter_async_context(running(home, settings, bind))
        self.services[name] = service
        return service

    async def table_server(self, name: str = "table", **more: Any) -> Service:
        """Starts a table server, at which the table plays for bots at once."""
        key = self._local.state / "turn.key"
        key.write_bytes(TURN_KEY)
        return await self.start(name, TableSettings, bind, **{"turn_key_file": key, "bot_milliseconds": 1, **more})

    async def bus(self, user: str) -> Bus:
        """A connection of a user, closed with the club."""
        bus = await Bus.connect(ServiceSettings(**self.user(user)), Metrics(user), user)
        self._stack.push_async_callback(bus.close)
        return bus

    @property
    def admin_settings(self) -> ClubSettings:
        """What `levata admin` is told."""
        return ClubSettings(**self.user("operator"), database_url=SecretStr(f"sqlite:///{self.database}"))

    async def admin(self, *words: str) -> Answer:
        """Does what an operator asks for on the command line."""
        return await run(arguments.parse(words), self.admin_settings)


@contextlib.asynccontextmanager
async def operated_club(folder: Path) -> AsyncIterator[OperatedClub]:
    """A club without services, on a NATS of its own with all streams."""
    local = local_settings(folder / "club")
    async with running_nats(local) as made, contextlib.AsyncExitStack() as stack:
        await provision(nats_settings(local, made, "provisioner"))
        yield OperatedClub(local, made, TokenIssuer(folder / "keys"), stack)
