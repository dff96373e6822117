"""The club as a client sees it: sign in, call, watch, play."""

import asyncio
import secrets
import time
import unicodedata
from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Self

import grpc

from shared.client.addresses import Addresses
from shared.client.backoff import Backoff
from shared.client.calls import ClubCalls, call_metadata, open_channel
from shared.client.credentials import Credentials, CredentialStore, MemoryStore
from shared.client.errors import ClubError
from shared.client.observable import ConnectionState, Observable, Phase
from shared.client.reconnection import Reconnection
from shared.client.session import TableSession
from shared.client.tokens import FixedToken, TokenKeeper, TokenSource, new_request_id
from shared.client.watch import SILENCE_SECONDS, watch_table, watch_ticket
from shared.gen.levata.bot.v1 import bot_pb2_grpc
from shared.gen.levata.ledger.v1 import identity_pb2, identity_pb2_grpc, ledger_pb2_grpc
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2, matchmaking_pb2_grpc
from shared.gen.levata.table.v1 import table_pb2, table_pb2_grpc

DEVICE_SECRET_BYTES = 32


class Club:
    """A connection to all services of the club, for one player.

    `async with Club.connect(addresses, language="ro") as club:`. Unary calls are made on the typed stubs and raise
    `ClubError`; token, language, deadline and repeating are looked after. Streams are `watch`, `play` and
    `watch_ticket`.

    Attributes:
        tables: Tables.
        matchmaking: Queues and tickets.
        bots: Bots.
        identity: Accounts.
        ledger: Results.
    """

    tables: "table_pb2_grpc.TableServiceAsyncStub"
    matchmaking: "matchmaking_pb2_grpc.MatchmakingServiceAsyncStub"
    bots: "bot_pb2_grpc.BotServiceAsyncStub"
    identity: "identity_pb2_grpc.IdentityServiceAsyncStub"
    ledger: "ledger_pb2_grpc.LedgerServiceAsyncStub"

    def __init__(
        self,
        addresses: Addresses,
        language: str,
        store: CredentialStore,
        token: str | None,
        backoff: Backoff,
        sleep: Callable[[float], Awaitable[None]],
        now: Callable[[], float],
        silence_seconds: float,
    ) -> None:
        self._addresses = addresses
        self._language = language
        self._store = store
        self._fixed_token = token
        self._backoff = backoff
        self._sleep = sleep
        self._now = now
        self._silence_seconds = silence_seconds
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._keeper: TokenKeeper | None = None
        self._tokens: TokenSource = FixedToken(token)

    @classmethod
    def connect(
        cls,
        addresses: Addresses,
        *,
        language: str = "ro",
        store: CredentialStore | None = None,
        token: str | None = None,
        backoff: Backoff | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], float] = time.time,
        silence_seconds: float = SILENCE_SECONDS,
    ) -> Self:
        """A club to be entered with `async with`. Nothing is connected before the first call.

        Args:
            addresses: Where the services answer.
            language: `ro` or `en`, for messages.
            store: Where credentials are kept; None for memory only.
            token: A token that somebody else looks after; then nobody has to sign in.
            backoff: Waits between attempts, its jitter included.
            sleep: How to wait.
            now: Seconds since 1970.
            silence_seconds: After so long without a message a table's stream is taken for dead.
        """
        return cls(
            addresses, language, store or MemoryStore(), token, backoff or Backoff(), sleep, now, silence_seconds
        )

    async def __aenter__(self) -> Self:
        # Tokens come by calls that want none, so that the calls that want one can ask for it.
        public = ClubCalls(FixedToken(None), self._language, backoff=self._backoff, sleep=self._sleep)
        sign_in = open_channel(self._addresses.ledger, self._addresses, public)
        if self._fixed_token is None:
            keeper = TokenKeeper(identity_pb2_grpc.IdentityServiceStub(sign_in), self._store, now=self._now)
            self._keeper = self._tokens = keeper
        calls = ClubCalls(self._tokens, self._language, backoff=self._backoff, sleep=self._sleep)
        targets = (self._addresses.table, self._addresses.matchmaking, self._addresses.bot, self._addresses.ledger)
        self._channels = {target: open_channel(target, self._addresses, calls) for target in dict.fromkeys(targets)}
        table, matchmaking, bot, ledger = (self._channels[target] for target in targets)
        self._channels["sign in"] = sign_in
        self.tables = table_pb2_grpc.TableServiceStub(table)
        self.matchmaking = matchmaking_pb2_grpc.MatchmakingServiceStub(matchmaking)
        self.bots = bot_pb2_grpc.BotServiceStub(bot)
        self.identity = identity_pb2_grpc.IdentityServiceStub(ledger)
        self.ledger = ledger_pb2_grpc.LedgerServiceStub(ledger)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes all channels; calls and streams that are open are cancelled."""
        await asyncio.gather(*(channel.close() for channel in self._channels.values()))

    @property
    def credentials(self) -> Credentials | None:
        """Who this device's player is; None before anybody has signed in, or with a fixed token."""
        return None if self._keeper is None else self._keeper.credentials

    @property
    def player_id(self) -> str:
        """Account of the player; empty before anybody has signed in, or with a fixed token."""
        return "" if self.credentials is None else self.credentials.player_id

    async def sign_in_guest(self, name: str, device_secret: bytes | None = None) -> Credentials:
        """Signs in as a guest: as the one that this device keeps if it has this name, else as a new one.

        Args:
            name: The player's name.
            device_secret: A secret kept elsewhere: the account that it opens, or a new one with it. None for the one
                that this device keeps, or a new random one.

        Raises:
            AnotherPlayerKeptError: Another process has kept another player on this device since this one looked.
            ClubError: ALREADY_EXISTS (NAME_TAKEN by somebody else), INVALID_ARGUMENT (BAD_NAME), or no connection.
        """
        keeper = self._sign_in()
        kept = self._store.load()
        if device_secret is None and kept is not None and kept.device_secret and same_name(kept.name, name):
            device_secret = kept.device_secret
            if kept.player_id:
                return await self._resume_or_create(keeper, kept)
        if device_secret is None:
            return await keeper.create(name, secrets.token_bytes(DEVICE_SECRET_BYTES))
        try:
            return await keeper.sign_in(name, device_secret=device_secret)
        except ClubError as error:
            if error.reason != "BAD_CREDENTIALS":
                raise
        return await keeper.create(name, device_secret)

    async def sign_in_again(self) -> Credentials | None:
        """Signs in as the player that this device keeps; None when it keeps none.

        Raises:
            ClubError: UNAUTHENTICATED (BAD_CREDENTIALS) when the club does not know the player, or no connection.
        """
        return await self._sign_in().resume()

    async def sign_in_with_password(self, name: str, password: str) -> Credentials:
        """Signs in with a password.

        Raises:
            ClubError: UNAUTHENTICATED (BAD_CREDENTIALS), or no connection.
        """
        return await self._sign_in().sign_in(name, password=password)

    async def sign_out(self) -> None:
        """Revokes the tokens; the device can sign in again."""
        await self._sign_in().sign_out()

    async def rename(self, name: str) -> Credentials:
        """Changes the player's name, on this device too.

        Raises:
            ClubError: ALREADY_EXISTS (NAME_TAKEN), INVALID_ARGUMENT (BAD_NAME), or no connection.
        """
        keeper = self._sign_in()
        response = await self.identity.RenameAccount(identity_pb2.RenameAccountRequest(name=name))
        return keeper.renamed(response.account.name)

    async def metadata(self) -> tuple[tuple[str, str], ...]:
        """What a stream that is opened on a stub by hand has to be given: token and language."""
        return call_metadata(await self._tokens.token(), self._language)

    def watch(
        self,
        table_id: str,
        *,
        after_revision: int | None = None,
        state: Observable[ConnectionState] | None = None,
    ) -> AsyncIterator[table_pb2.Update]:
        """Watches a table, across broken connections: every update once and in order, until the table is closed.

        Args:
            table_id: The table.
            after_revision: The last revision seen; None to begin with a snapshot.
            state: Told how the connection is doing.

        Raises:
            ClubError: The club refuses, or breaks its contract.
        """

        def open_watch(
            request: table_pb2.WatchTableRequest, token: str | None
        ) -> grpc.aio.UnaryStreamCall[table_pb2.WatchTableRequest, table_pb2.WatchTableResponse]:
            return self.tables.WatchTable(request, metadata=call_metadata(token, self._language, table_id))

        return watch_table(
            table_id,
            open_watch,
            self._reconnection(state or new_state()),
            after_revision=after_revision,
            silence_seconds=self._silence_seconds,
        )

    def play(self, table_id: str) -> TableSession:
        """A session at a table, to be entered with `async with`."""

        def open_play(
            token: str | None,
        ) -> grpc.aio.StreamStreamCall[table_pb2.PlayTableRequest, table_pb2.PlayTableResponse]:
            return self.tables.PlayTable(metadata=call_metadata(token, self._language, table_id))

        state = new_state()
        return TableSession(
            table_id,
            open_play,
            self.tables,
            self._reconnection(state),
            state,
            silence_seconds=self._silence_seconds,
            now=self._now,
        )

    def watch_ticket(
        self, ticket_id: str, *, state: Observable[ConnectionState] | None = None
    ) -> AsyncIterator[matchmaking_pb2.Ticket]:
        """Watches a ticket, across broken connections, until it is matched, cancelled or expired.

        Raises:
            ClubError: The club refuses.
        """

        def open_watch(
            request: matchmaking_pb2.WatchTicketRequest, token: str | None
        ) -> grpc.aio.UnaryStreamCall[matchmaking_pb2.WatchTicketRequest, matchmaking_pb2.WatchTicketResponse]:
            return self.matchmaking.WatchTicket(request, metadata=call_metadata(token, self._language))

        return watch_ticket(ticket_id, open_watch, self._reconnection(state or new_state()))

    async def _resume_or_create(self, keeper: TokenKeeper, kept: Credentials) -> Credentials:
        try:
            resumed = await keeper.resume()
            assert resumed is not None
            return resumed
        except ClubError as error:
            if error.reason != "BAD_CREDENTIALS":
                raise
        # A club that was set up anew knows nobody.
        return await keeper.create(kept.name, kept.device_secret)

    def _sign_in(self) -> TokenKeeper:
        if self._keeper is None:
            raise RuntimeError("this club was given a token; nobody can sign in")
        return self._keeper

    def _reconnection(self, state: Observable[ConnectionState]) -> Reconnection:
        return Reconnection(self._tokens, state, backoff=self._backoff, sleep=self._sleep)


def new_state() -> Observable[ConnectionState]:
    """The state of a stream that is not connected yet."""
    return Observable(ConnectionState(Phase.CONNECTING))


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same to the club, which compares without case after NFKC."""
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold().strip()


__all__ = ["Club", "new_request_id", "new_state", "same_name"]
