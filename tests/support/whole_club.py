"""All four services in one process, called by path and by bytes, and everything that they keep, to see what changed."""

import contextlib
import hashlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import Message
from sqlalchemy import select

from services.bot.errors import ERRORS as BOT_ERRORS
from services.bot.metrics import BotMetrics
from services.bot.servicer import BotServicer
from services.bot.settings import BotSettings
from services.ledger.database import Database
from services.ledger.models import LedgerTable, SignInAttempts
from services.ledger.service import bind as bind_ledger
from services.ledger.settings import LedgerSettings
from services.matchmaking.service import bind as bind_matchmaking
from services.matchmaking.settings import MatchmakingSettings
from services.table import facts as f
from services.table.log import TableLog
from shared.bus import Bus
from shared.gen.levata.bot.v1 import bot_pb2, bot_pb2_grpc
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.harness import Harness
from tests.support.contract import Method, named
from tests.support.nats import NatsServer
from tests.support.services import Club, club
from tests.support.statuses import Told, told
from tests.support.table_service import WITHIN, fresh, start_table, table_request
from tests.support.tokens import bearer
from tests.support.waiting import until

Metadata = Sequence[tuple[str, str | bytes]]
QUIET = 3_600_000
"""Milliseconds for which nothing happens by itself: no bot is replaced, nobody counts as gone."""
TABLES_PER_HOST = 250
"""So many open tables may a person be host of: more than any test makes but the one that wants too many."""
STREAMS = ("TABLES", "RESULTS", "LEDGER", "DEAD", "KV_TICKETS")
"""What services keep at NATS of what was done, and not of who is there just now."""


class WholeClub:
    """The club.

    Attributes:
        club: Its NATS and its issuer of tokens.
        services: Its services by name.
    """

    def __init__(self, opened: Club, database: Database) -> None:
        self.club = opened
        self.services = opened.services
        self._database = database
        self._channels: dict[str, grpc.aio.Channel] = {}

    @property
    def bus(self) -> Bus:
        """The table service's connection: it may read everything."""
        return self.services["table"].harness.bus

    def me(self, name: str, language: str = "en") -> Metadata:
        """Call metadata of a player of this name, without an account."""
        return bearer(self.club.issuer.token(f"p-{name.lower()}", name), language)

    def service(self, name: str = "matchmaking", language: str = "en") -> Metadata:
        """Call metadata of one of our services."""
        return bearer(self.club.issuer.service_token(name), language)

    async def channel(self, home: str) -> grpc.aio.Channel:
        """A bare channel to a service."""
        if home not in self._channels:
            self._channels[home] = await self.club.channel(home)
        return self._channels[home]

    async def call(
        self, method: Method | str, *messages: Message | bytes, metadata: Metadata = (), seconds: float | None = WITHIN
    ) -> Any:
        """Calls an RPC with messages, or bytes in their place; the answer, or the first of a stream of answers.

        Raises:
            grpc.aio.AioRpcError: The call was refused.
        """
        found = named(method) if isinstance(method, str) else method
        channel = await self.channel(found.home)
        read = found.response.FromString
        given: dict[str, Any] = {"metadata": tuple(metadata), "timeout": seconds}
        if found.streams_in:
            both: Any = channel.stream_stream(found.path, _serialised, read)(**given)
            try:
                for message in messages:
                    await both.write(message)
            except grpc.aio.AioRpcError:
                pass  # the reason comes with the next line
            return await _first(both)
        (message,) = messages
        if found.streams_out:
            return await _first(channel.unary_stream(found.path, _serialised, read)(message, **given))
        return await channel.unary_unary(found.path, _serialised, read)(message, **given)

    async def refused(
        self, method: Method | str, *messages: Message | bytes, metadata: Metadata = (), seconds: float | None = WITHIN
    ) -> Told:
        """Makes a call that has to be refused; what the caller is told."""
        try:
            answer = await self.call(method, *messages, metadata=metadata, seconds=seconds)
        except grpc.aio.AioRpcError as error:
            return told(error)
        name = method if isinstance(method, str) else method.name
        raise AssertionError(f"{name} was served: {answer!r}")

    async def everything(self) -> dict[str, Any]:
        """What the services keep: how far each stream has come, and a digest of every table of the database."""
        kept: dict[str, Any] = {}
        for stream in STREAMS:
            state = (await self.bus.js.stream_info(stream)).state
            kept[stream] = (state.messages, state.last_seq)
        async with self._database.reading() as session:
            for table in LedgerTable.metadata.sorted_tables:
                if table.name == SignInAttempts.__tablename__:
                    continue  # failures are counted: that is what is kept of them
                rows = sorted(map(repr, (await session.execute(select(table))).all()))
                kept[table.name] = (len(rows), hashlib.sha256("\n".join(rows).encode()).hexdigest())
        return kept

    # Tables at which nothing happens by itself

    async def table(self, *names: str, seats: int = 0, start: bool = True, **options: Any) -> str:
        """A table with these people, the first of them host, in a match that waits for the host; its id."""
        options = {"absence_seconds": 300, **options}
        request = table_request(seats or max(3, len(names)), **options)
        host, *others = names
        made = await self.call("CreateTable", request, metadata=self.me(host))
        table = str(made.table_id)
        for name in others:
            join = pb.JoinTableRequest(request_id=fresh(), table_id=table, invitation_code=made.invitation_code)
            await self.call("JoinTable", join, metadata=self.me(name))
        if start:
            await self.call(
                "StartTable", pb.StartTableRequest(request_id=fresh(), table_id=table), metadata=self.me(host)
            )
        return table

    async def told(self, table: str) -> None:
        """Waits until it is certain that the ledger hears of a table's match, which is over: that follows by itself."""

        async def certain() -> bool:
            log = [f.decode(data) for _, data in await TableLog(self.bus).read(table)]
            return any(isinstance(fact, f.ResultPosted) for record in log for fact in record.facts)

        await until(certain)

    async def see(self, table: str, name: str) -> pb.Update:
        """The table as a person sees it."""
        update: pb.Update = (
            await self.call("GetTable", pb.GetTableRequest(table_id=table), metadata=self.me(name))
        ).update
        return update


async def _first(stream: Any) -> Any:
    """The first message of a stream, which is then left; its error, if it ends with one."""
    try:
        message = await stream.read()
        if message is grpc.aio.EOF:
            code = await stream.code()
            if code is not grpc.StatusCode.OK:
                raise grpc.aio.AioRpcError(
                    code,
                    await stream.initial_metadata(),
                    await stream.trailing_metadata(),
                    await stream.details(),
                )
            return None
        return message
    finally:
        stream.cancel()


def _serialised(message: Message | bytes) -> bytes:
    return message if isinstance(message, bytes) else message.SerializeToString()


async def bind_hints(harness: Harness, settings: BotSettings) -> None:
    """The bot service as adviser only: nobody takes the turns that tables offer, and tables stay as tests left them."""
    harness.add_errors(BOT_ERRORS)
    harness.add_servicer(
        bot_pb2_grpc.add_BotServiceServicer_to_server,
        BotServicer(BotMetrics(harness.metrics)),
        bot_pb2.DESCRIPTOR.services_by_name["BotService"].full_name,
    )


@contextlib.asynccontextmanager
async def whole_club(nats: NatsServer, folder: Path, database_url: str, **more: Any) -> AsyncIterator[WholeClub]:
    """Starts all services; `more` adds settings of those that keep something."""
    async with club(nats, folder / "keys") as opened:
        settings = {
            "bot_milliseconds": QUIET,
            "waiting_absence_seconds": QUIET,
            "abandoned_seconds": QUIET,
            "tables_per_host": TABLES_PER_HOST,
            **more,
        }
        server = await start_table(opened, folder, **settings)
        address = server.address
        await opened.start(
            "matchmaking",
            MatchmakingSettings,
            bind_matchmaking,
            listen="127.0.0.1:0",
            metrics_listen="127.0.0.1:0",
            table_address=address,
            limit_seconds=QUIET,
            ticket_seconds=2 * QUIET,
            **more,
        )
        await opened.start("bot", BotSettings, bind_hints, table_address=address)
        await opened.start(
            "ledger",
            LedgerSettings,
            bind_ledger,
            listen="127.0.0.1:0",
            metrics_listen="127.0.0.1:0",
            database_url=database_url,
            migrate_at_start=True,
            signing_key_file=opened.issuer.key_file,
            sign_in_attempts=3,
            **more,
        )
        database = Database(database_url)
        try:
            yield WholeClub(opened, database)
        finally:
            await database.close()
