"""A club whose table and identity services misbehave as a test tells them to; for testing clients over real gRPC."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import grpc
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2

from shared.gen.levata.ledger.v1 import identity_pb2, identity_pb2_grpc
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2, matchmaking_pb2_grpc
from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2, table_pb2_grpc
from tests.support.waiting import stopped

TABLE_ID = "t" * 20


@dataclass(frozen=True)
class Refused:
    """An answer with the details that the club gives; without a reason, what a broken connection leaves."""

    code: grpc.StatusCode
    reason: str = ""
    retry_seconds: float = 0.0
    metadata: dict[str, str] = field(default_factory=dict)
    message: str = "a message for people"

    async def abort(self, context: Any) -> None:
        status = status_pb2.Status(code=self.code.value[0], message=self.reason)
        if self.reason:
            info = error_details_pb2.ErrorInfo(reason=self.reason, domain="levata", metadata=self.metadata)
            status.details.add().Pack(info)
            status.details.add().Pack(error_details_pb2.LocalizedMessage(locale="en", message=self.message))
        if self.retry_seconds:
            delay = Duration()
            delay.FromMilliseconds(round(self.retry_seconds * 1000))
            status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=delay))
        await context.abort(self.code, self.reason, (("grpc-status-details-bin", status.SerializeToString()),))


DRAINING = Refused(grpc.StatusCode.UNAVAILABLE, "DRAINING", retry_seconds=2.0)
SLOW = Refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "SLOW_CONSUMER")
BROKEN = Refused(grpc.StatusCode.UNAVAILABLE)


@dataclass
class Connection:
    """What one connection to the table is to go through; the default is a quiet life.

    Attributes:
        ends_after: It ends after so many updates; None for never.
        ends_with: How; None for in good order.
        skips: Revisions that are left out.
        repeats: Revisions that are sent twice.
        snapshot: It starts with a snapshot although it could resume.
        loses_replies: Actions are done and not answered.
        silent: It sends nothing at all.
        heartbeat_of: The first heartbeat of a resumed watch tells of this revision; None for the right one.
    """

    ends_after: int | None = None
    ends_with: Refused | None = BROKEN
    skips: frozenset[int] = frozenset()
    repeats: frozenset[int] = frozenset()
    snapshot: bool = False
    loses_replies: bool = False
    silent: bool = False
    heartbeat_of: int | None = None


class ScriptedTables(table_pb2_grpc.TableServiceServicer):
    """One table that anybody may act at, whatever the rules; each change is one revision."""

    @classmethod
    def new(cls) -> Self:
        """One that answers what the tests ask, and UNIMPLEMENTED to the rest."""
        return cls()

    def __init__(self) -> None:
        self.updates: list[table_pb2.Update] = []
        self.script: deque[Connection] = deque()
        self.watches: list[table_pb2.WatchTableRequest] = []
        self.tokens: list[str] = []
        self.languages: list[str] = []
        self.bad_tokens: set[str] = set()
        self.asked: list[table_pb2.PlayTableRequest] = []
        self.answers: dict[str, int] = {}
        self.refusals: deque[Refused] = deque()
        self.get_refusals: deque[Refused] = deque()
        self.closed = False
        self.changed = asyncio.Event()

    @property
    def received(self) -> list[str]:
        """The ids of all actions and chat that came, repeats included."""
        return [(asked.submit_action.request_id or asked.send_chat.request_id) for asked in self.asked]

    async def happen(self, *events: table_pb2.Event) -> int:
        """The table goes one revision on."""
        revision = len(self.updates) + 1
        update = table_pb2.Update(revision=revision, events=events)
        update.table.CopyFrom(self.table(revision))
        update.private.seat = 1
        update.at.FromSeconds(1_800_000_000 + revision)
        self.updates.append(update)
        self._tell()
        return revision

    async def say(self, text: str) -> int:
        return await self.happen(table_pb2.Event(chat_said=table_pb2.ChatSaid(text=text)))

    async def close(self) -> None:
        self.closed = True
        self._tell()

    def _tell(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()

    def table(self, revision: int) -> table_pb2.Table:
        table = table_pb2.Table(table_id=TABLE_ID, status=table_pb2.TABLE_STATUS_PLAYING)
        table.game.arzoi.orbit = revision
        return table

    def snapshot(self) -> table_pb2.Update:
        revision = len(self.updates)
        update = table_pb2.Update(revision=revision, table=self.table(revision), snapshot=True)
        update.private.seat = 1
        update.score_sheet.arzoi.SetInParent()
        for past in self.updates:
            for event in past.events:
                if event.game.arzoi.HasField("scored"):
                    update.score_sheet.arzoi.rows.append(event.game.arzoi.scored)
        return update

    async def _admit(self, context: Any) -> None:
        metadata = dict(context.invocation_metadata())
        token = metadata.get("authorization", "").removeprefix("Bearer ")
        self.tokens.append(token)
        self.languages.append(metadata.get("accept-language", ""))
        if token in self.bad_tokens:
            await Refused(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED").abort(context)

    async def _stream(
        self, request: table_pb2.WatchTableRequest, connection: Connection
    ) -> AsyncIterator[table_pb2.Update | table_pb2.Heartbeat]:
        """What a connection is sent, until it ends as its script says."""
        self.watches.append(request)
        if connection.silent:
            await asyncio.Event().wait()
        sent = 0
        if connection.ends_after == 0:
            return
        if request.HasField("after_revision") and not connection.snapshot:
            seen = request.after_revision
            yield table_pb2.Heartbeat(revision=connection.heartbeat_of or seen)
        else:
            first = self.snapshot()
            seen = first.revision
            sent = 1
            yield first
        while connection.ends_after is None or sent < connection.ends_after:
            while len(self.updates) <= seen and not self.closed:
                await self.changed.wait()
            if len(self.updates) <= seen:
                return
            seen += 1
            if seen in connection.skips:
                continue
            update = table_pb2.Update()
            update.CopyFrom(self.updates[seen - 1])
            if seen < len(self.updates):
                update.ClearField("table")
                update.ClearField("private")
            yield update
            sent += 1
            if seen in connection.repeats:
                yield update

    def _end(self, connection: Connection) -> Refused | None:
        return None if self.closed else connection.ends_with

    async def WatchTable(self, request: Any, context: Any) -> Any:
        await self._admit(context)
        connection = self.script.popleft() if self.script else Connection()
        async for message in self._stream(request, connection):
            if isinstance(message, table_pb2.Update):
                yield table_pb2.WatchTableResponse(update=message)
            else:
                yield table_pb2.WatchTableResponse(heartbeat=message)
        if end := self._end(connection):
            await end.abort(context)

    async def PlayTable(self, request_iterator: Any, context: Any) -> Any:
        await self._admit(context)
        connection = self.script.popleft() if self.script else Connection()
        outgoing: asyncio.Queue[table_pb2.PlayTableResponse | None] = asyncio.Queue()
        first = await anext(request_iterator)
        assert first.HasField("watch")

        async def watch() -> None:
            async for message in self._stream(first.watch, connection):
                if isinstance(message, table_pb2.Update):
                    await outgoing.put(table_pb2.PlayTableResponse(update=message))
                else:
                    await outgoing.put(table_pb2.PlayTableResponse(heartbeat=message))
            await outgoing.put(None)

        async def serve() -> None:
            async for message in request_iterator:
                reply = await self._answer(message)
                if not connection.loses_replies:
                    await outgoing.put(table_pb2.PlayTableResponse(reply=reply))

        tasks = [asyncio.create_task(watch()), asyncio.create_task(serve())]
        try:
            while (message := await outgoing.get()) is not None:
                yield message
        finally:
            for task in tasks:
                task.cancel()
        if end := self._end(connection):
            await end.abort(context)

    async def _answer(self, message: table_pb2.PlayTableRequest) -> table_pb2.Reply:
        self.asked.append(message)
        request_id = message.submit_action.request_id or message.send_chat.request_id
        if self.refusals:
            refused = self.refusals.popleft()
            failure = table_pb2.Failure(
                code=refused.code.value[0],
                reason=refused.reason,
                message=refused.message,
                metadata=refused.metadata,
                retry_milliseconds=round(refused.retry_seconds * 1000),
            )
            return table_pb2.Reply(request_id=request_id, failure=failure)
        if request_id not in self.answers:
            if message.HasField("send_chat"):
                revision = await self.say(message.send_chat.text)
            else:
                taken = table_pb2.ActionTaken(seat=1, action=message.submit_action.action)
                revision = await self.happen(table_pb2.Event(action_taken=taken))
            self.answers[request_id] = revision
        return table_pb2.Reply(request_id=request_id, revision=self.answers[request_id])

    async def GetTable(self, request: Any, context: Any) -> Any:
        await self._admit(context)
        if self.get_refusals:
            await self.get_refusals.popleft().abort(context)
        return table_pb2.GetTableResponse(update=self.snapshot())

    async def LeaveTable(self, request: Any, context: Any) -> Any:
        await self._admit(context)
        return table_pb2.LeaveTableResponse(revision=await self.say("bye"))


class ScriptedIdentity(identity_pb2_grpc.IdentityServiceServicer):
    """Accounts in memory, with tokens that say whose they are and which in the order of their making."""

    @classmethod
    def new(cls) -> Self:
        """One that answers what the tests ask, and UNIMPLEMENTED to the rest."""
        return cls()

    def __init__(self) -> None:
        self.accounts: dict[str, tuple[str, bytes]] = {}
        self.refresh: dict[str, str] = {}
        self.refreshed: dict[str, identity_pb2.Tokens] = {}
        self.issued = 0
        self.clock = 1_000_000.0
        self.calls: list[str] = []
        self.lose_answers = 0

    def tokens(self, name: str) -> identity_pb2.Tokens:
        """New ones: access for 15 minutes, refresh for 30 days."""
        self.issued += 1
        tokens = identity_pb2.Tokens(
            access_token=f"{name}-{self.issued}", refresh_token=f"refresh-of-{name}-{self.issued}"
        )
        tokens.access_expires_at.FromSeconds(round(self.clock + 900))
        tokens.refresh_expires_at.FromSeconds(round(self.clock + 30 * 86400))
        self.refresh[tokens.refresh_token] = name
        return tokens

    async def CreateGuest(self, request: Any, context: Any) -> Any:
        self.calls.append("CreateGuest")
        known = self.accounts.get(request.name.casefold())
        if known is not None and known[1] != request.device_secret:
            await Refused(grpc.StatusCode.ALREADY_EXISTS, "NAME_TAKEN").abort(context)
        player_id = f"id-{request.name.casefold()}"
        self.accounts[request.name.casefold()] = (player_id, request.device_secret)
        account = identity_pb2.Account(player_id=player_id, name=request.name, guest=True)
        return identity_pb2.CreateGuestResponse(account=account, tokens=self.tokens(request.name))

    async def SignIn(self, request: Any, context: Any) -> Any:
        self.calls.append("SignIn")
        known = self.accounts.get(request.name.casefold())
        if known is None or known[1] != request.device_secret:
            await Refused(grpc.StatusCode.UNAUTHENTICATED, "BAD_CREDENTIALS").abort(context)
        assert known is not None
        account = identity_pb2.Account(player_id=known[0], name=request.name, guest=True)
        return identity_pb2.SignInResponse(account=account, tokens=self.tokens(request.name))

    async def RefreshTokens(self, request: Any, context: Any) -> Any:
        self.calls.append("RefreshTokens")
        if request.request_id not in self.refreshed:
            name = self.refresh.pop(request.refresh_token, None)
            if name is None:
                await Refused(grpc.StatusCode.UNAUTHENTICATED, "REFRESH_INVALID").abort(context)
            assert name is not None
            self.refreshed[request.request_id] = self.tokens(name)
        if self.lose_answers:
            self.lose_answers -= 1
            await BROKEN.abort(context)
        return identity_pb2.RefreshTokensResponse(tokens=self.refreshed[request.request_id])

    async def RenameAccount(self, request: Any, context: Any) -> Any:
        self.calls.append("RenameAccount")
        token = dict(context.invocation_metadata()).get("authorization", "").removeprefix("Bearer ")
        before = token.rpartition("-")[0].casefold()
        if request.name.casefold() in self.accounts:
            await Refused(grpc.StatusCode.ALREADY_EXISTS, "NAME_TAKEN").abort(context)
        self.accounts[request.name.casefold()] = self.accounts.pop(before)
        player_id = self.accounts[request.name.casefold()][0]
        return identity_pb2.RenameAccountResponse(account=identity_pb2.Account(player_id=player_id, name=request.name))

    async def SignOut(self, request: Any, context: Any) -> Any:
        self.calls.append("SignOut")
        self.refresh.pop(request.refresh_token, None)
        return identity_pb2.SignOutResponse()


class ScriptedMatchmaking(matchmaking_pb2_grpc.MatchmakingServiceServicer):
    """Shows each watcher of a ticket the next list of what it is to see, and ends as told."""

    @classmethod
    def new(cls) -> Self:
        """One that answers what the tests ask, and UNIMPLEMENTED to the rest."""
        return cls()

    def __init__(self) -> None:
        self.script: deque[tuple[list[matchmaking_pb2.Ticket], Refused | None]] = deque()

    async def WatchTicket(self, request: Any, context: Any) -> Any:
        tickets, end = self.script.popleft()
        for ticket in tickets:
            yield matchmaking_pb2.WatchTicketResponse(ticket=ticket)
        if end is not None:
            await end.abort(context)


@dataclass
class ScriptedClub:
    """All of it, on one port that stays the same when the server is started again."""

    tables: ScriptedTables
    identity: ScriptedIdentity
    matchmaking: ScriptedMatchmaking
    address: str = "127.0.0.1:0"
    server: grpc.aio.Server | None = None

    async def start(self) -> None:
        """Serves, on the same port as before."""
        self.server = grpc.aio.server()
        table_pb2_grpc.add_TableServiceServicer_to_server(self.tables, self.server)
        identity_pb2_grpc.add_IdentityServiceServicer_to_server(self.identity, self.server)
        matchmaking_pb2_grpc.add_MatchmakingServiceServicer_to_server(self.matchmaking, self.server)
        port = self.server.add_insecure_port(self.address)
        self.address = f"127.0.0.1:{port}"
        await self.server.start()

    async def stop(self) -> None:
        """Breaks every connection at once."""
        if self.server is not None:
            await stopped(self.server)


@asynccontextmanager
async def scripted_club() -> AsyncIterator[ScriptedClub]:
    """A club that runs until the end of the block."""
    club = ScriptedClub(ScriptedTables.new(), ScriptedIdentity.new(), ScriptedMatchmaking.new())
    await club.start()
    try:
        yield club
    finally:
        await club.stop()


def dealt() -> table_pb2.Event:
    return table_pb2.Event(game=game_pb2.GameEvent(arzoi=arzoi_pb2.ArzoiEvent(dealt=arzoi_pb2.ArzoiDealt(round=1))))


def scored(round_number: int) -> table_pb2.Event:
    row = arzoi_pb2.ArzoiScoreRow(round=round_number)
    return table_pb2.Event(game=game_pb2.GameEvent(arzoi=arzoi_pb2.ArzoiEvent(scored=row)))


def bid(tricks: int) -> game_pb2.GameAction:
    return game_pb2.GameAction(arzoi=arzoi_pb2.ArzoiAction(bid=tricks))
