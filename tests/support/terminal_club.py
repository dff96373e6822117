"""A club whose services answer as a test tells them: real gRPC servers of the contract, with a script for a table."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from shared.client import Addresses
from shared.gen.levata.bot.v1 import bot_pb2, bot_pb2_grpc
from shared.gen.levata.ledger.v1 import identity_pb2, identity_pb2_grpc, ledger_pb2, ledger_pb2_grpc
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2, matchmaking_pb2_grpc
from shared.gen.levata.table.v1 import game_pb2, table_pb2, table_pb2_grpc
from tests.support.arzoi_positions import MATCH_ID, OWN, TABLE_ID
from tests.support.waiting import stopped

Refusal = tuple[grpc.StatusCode, str, str]


def refusal_status(code: grpc.StatusCode, reason: str, message: str) -> Any:
    """The status that services refuse with."""
    info, localized = any_pb2.Any(), any_pb2.Any()
    info.Pack(error_details_pb2.ErrorInfo(reason=reason, domain="levata"))
    localized.Pack(error_details_pb2.LocalizedMessage(locale="ro", message=message))
    return rpc_status.to_status(status_pb2.Status(code=code.value[0], message=reason, details=[info, localized]))


class TerminalClub:
    """All five services for one player, and one table that shows what the test says.

    Attributes:
        shown: The snapshot that a new watch gets; None while there is no table.
        calls: Requests received, by the name of the method, in order.
        tokens: The `authorization` of every call noted, in order; empty where there was none.
        refusals: Methods that refuse, with code, reason and message; each once for every entry.
        on_action: What follows an action: updates without revision. None refuses nothing and changes nothing.
        suggestion: What the bot suggests.
        tables: Public tables.
        seated: The player has a seat at the table that is shown, if it shows one.
        elsewhere: Other tables at which the player has a seat.
        fame: The Hall of Fame.
        rankings: The ranking of each game.
        matches: Matches of the player.
        queues: Queues.
        tickets: Statuses that a ticket goes through after it was taken, put in by the test.
    """

    def __init__(self) -> None:
        self.shown: table_pb2.Update | None = None
        self.calls: list[tuple[str, Any]] = []
        self.tokens: list[str] = []
        self.refusals: dict[str, list[Refusal]] = {}
        self.on_action: Callable[[game_pb2.GameAction], list[table_pb2.Update]] = lambda action: []
        self.suggestion = game_pb2.GameAction()
        self.tables: list[table_pb2.TableSummary] = []
        self.seated = False
        self.elsewhere: list[table_pb2.TableSummary] = []
        self.fame: list[ledger_pb2.HallOfFameEntry] = []
        self.rankings: dict[str, ledger_pb2.ListLeaderboardResponse] = {}
        self.matches: list[ledger_pb2.Match] = []
        self.queues: list[matchmaking_pb2.Queue] = []
        self.tickets: asyncio.Queue[matchmaking_pb2.Ticket] = asyncio.Queue()
        self.accounts: dict[str, bytes] = {}
        self.streams: list[asyncio.Queue[table_pb2.PlayTableResponse | None]] = []
        self.port = 0
        self._server: grpc.aio.Server | None = None

    async def start(self) -> None:
        """Opens the club; a second time on the same port."""
        server = grpc.aio.server()
        table_pb2_grpc.add_TableServiceServicer_to_server(_Tables(self), server)
        identity_pb2_grpc.add_IdentityServiceServicer_to_server(_Identity(self), server)
        ledger_pb2_grpc.add_LedgerServiceServicer_to_server(_Ledger(self), server)
        matchmaking_pb2_grpc.add_MatchmakingServiceServicer_to_server(_Matchmaking(self), server)
        bot_pb2_grpc.add_BotServiceServicer_to_server(_Bots(self), server)
        self.port = server.add_insecure_port(f"127.0.0.1:{self.port}")
        await server.start()
        self._server = server

    async def stop(self) -> None:
        """Closes the club as if it had died."""
        if self._server is not None:
            await stopped(self._server)
            self._server = None

    @property
    def addresses(self) -> Addresses:
        """One door for everything."""
        return Addresses.behind(f"127.0.0.1:{self.port}", tls=False)

    def requests(self, method: str) -> list[Any]:
        """What was asked of a method."""
        return [request for name, request in self.calls if name == method]

    def own_tables(self) -> list[table_pb2.TableSummary]:
        """The tables at which the player has a seat and which are not over."""
        shown = self.shown
        if shown is None or not self.seated or not shown.private.HasField("seat") or shown.table.standings:
            return list(self.elsewhere)
        return [summary(shown.table), *self.elsewhere]

    def leave(self) -> table_pb2.LeaveTableResponse:
        """The player gets up."""
        self.seated = False
        return table_pb2.LeaveTableResponse(revision=2)

    def push(self, update: table_pb2.Update) -> int:
        """Sends an update to every watch, as the next revision; a newcomer sees its table too."""
        assert self.shown is not None
        revision = self.shown.revision + 1
        sent = table_pb2.Update()
        sent.CopyFrom(update)
        sent.revision = revision
        self.shown.revision = revision
        if update.HasField("table"):
            self.shown.table.CopyFrom(update.table)
            self.shown.private.CopyFrom(update.private)
        else:
            sent.table.CopyFrom(self.shown.table)
            sent.private.CopyFrom(self.shown.private)
        for stream in self.streams:
            stream.put_nowait(table_pb2.PlayTableResponse(update=sent))
        return revision

    def close_table(self) -> None:
        """Ends every watch in good order."""
        for stream in self.streams:
            stream.put_nowait(None)

    async def note(self, method: str, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """Notes a call, and refuses it if the test says so."""
        self.calls.append((method, request))
        self.tokens.append(str(dict(context.invocation_metadata() or ()).get("authorization", "")))
        refusals = self.refusals.get(method)
        if refusals:
            await context.abort_with_status(refusal_status(*refusals.pop(0)))


def summary(table: table_pb2.Table) -> table_pb2.TableSummary:
    """A table in a list."""
    return table_pb2.TableSummary(
        table_id=table.table_id,
        status=table.status,
        options=table.options,
        seats=table.seats,
        host_player_id=table.host_player_id,
    )


def _noted(method: str, answer: Callable[[TerminalClub, Any], Any]) -> Callable[..., Awaitable[Any]]:
    async def call(self: Any, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        await self.club.note(method, request, context)
        return answer(self.club, request)

    return call


async def _not_played(self: Any, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
    """A method that the terminal has no use for."""
    await context.abort(grpc.StatusCode.UNIMPLEMENTED, "not in this script")


class _Tables(table_pb2_grpc.TableServiceServicer):
    def __init__(self, club: TerminalClub) -> None:
        self.club = club

    CreateTable = _noted("CreateTable", lambda club, _: table_pb2.CreateTableResponse(table_id=TABLE_ID, revision=1))
    ListTables = _noted("ListTables", lambda club, _: table_pb2.ListTablesResponse(tables=club.tables))
    ListMyTables = _noted("ListMyTables", lambda club, _: table_pb2.ListMyTablesResponse(tables=club.own_tables()))
    FindTable = _noted("FindTable", lambda club, _: table_pb2.FindTableResponse(table=club.tables[0]))
    JoinTable = _noted("JoinTable", lambda club, _: table_pb2.JoinTableResponse(revision=2, seat=0))
    LeaveTable = _noted("LeaveTable", lambda club, _: club.leave())
    StartTable = _noted("StartTable", lambda club, _: table_pb2.StartTableResponse(revision=2))
    StopTable = _noted("StopTable", lambda club, _: table_pb2.StopTableResponse(revision=2))
    UpdateTable = _noted("UpdateTable", lambda club, _: table_pb2.UpdateTableResponse(revision=2))
    MutePlayer = _noted("MutePlayer", lambda club, _: table_pb2.MutePlayerResponse(revision=2))
    RemovePlayer = _noted("RemovePlayer", lambda club, _: table_pb2.RemovePlayerResponse(revision=2))
    RequestSeat = _noted("RequestSeat", lambda club, _: table_pb2.RequestSeatResponse(revision=2))
    AnswerSeatRequest = _noted("AnswerSeatRequest", lambda club, _: table_pb2.AnswerSeatRequestResponse(revision=2))

    GetRecord = _noted("GetRecord", lambda club, _: table_pb2.GetRecordResponse(match_id=MATCH_ID, record="record\n"))
    SendChat = SubmitAction = _not_played

    async def WatchTable(self, request: Any, context: Any) -> AsyncIterator[Any]:
        await self.club.note("WatchTable", request, context)
        yield table_pb2.WatchTableResponse(update=self.club.shown)

    async def GetTable(self, request: Any, context: Any) -> Any:
        await self.club.note("GetTable", request, context)
        if self.club.shown is None:
            await context.abort_with_status(
                refusal_status(grpc.StatusCode.NOT_FOUND, "TABLE_NOT_FOUND", "Masa nu există.")
            )
        return table_pb2.GetTableResponse(update=self.club.shown)

    async def PlayTable(self, requests: Any, context: Any) -> AsyncIterator[Any]:
        club = self.club
        outgoing: asyncio.Queue[table_pb2.PlayTableResponse | None] = asyncio.Queue()

        async def read() -> None:
            async for request in requests:
                kind = request.WhichOneof("message")
                club.calls.append((kind, getattr(request, kind)))
                if kind == "submit_action":
                    outgoing.put_nowait(table_pb2.PlayTableResponse(reply=self._act(request.submit_action)))
                elif kind == "send_chat":
                    said = table_pb2.ChatSaid(seat=0, name="Ana", text=request.send_chat.text)
                    revision = club.push(table_pb2.Update(events=[table_pb2.Event(chat_said=said)]))
                    reply = table_pb2.Reply(request_id=request.send_chat.request_id, revision=revision)
                    outgoing.put_nowait(table_pb2.PlayTableResponse(reply=reply))

        if club.shown is None:
            await context.abort_with_status(
                refusal_status(grpc.StatusCode.NOT_FOUND, "TABLE_NOT_FOUND", "Masa nu există.")
            )
        club.seated = True
        club.streams.append(outgoing)
        reader = asyncio.create_task(read())
        try:
            yield table_pb2.PlayTableResponse(update=club.shown)
            while True:
                message = await outgoing.get()
                if message is None:
                    return
                yield message
        finally:
            reader.cancel()
            club.streams.remove(outgoing)

    def _act(self, request: table_pb2.SubmitActionRequest) -> table_pb2.Reply:
        refusals = self.club.refusals.get("submit_action")
        if refusals:
            code, reason, message = refusals.pop(0)
            failure = table_pb2.Failure(code=code.value[0], reason=reason, message=message)
            return table_pb2.Reply(request_id=request.request_id, failure=failure)
        assert self.club.shown is not None
        revision = self.club.shown.revision
        for update in self.club.on_action(request.action):
            revision = self.club.push(update)
        return table_pb2.Reply(request_id=request.request_id, revision=revision)


class _Identity(identity_pb2_grpc.IdentityServiceServicer):
    def __init__(self, club: TerminalClub) -> None:
        self.club = club

    def _tokens(self) -> identity_pb2.Tokens:
        tokens = identity_pb2.Tokens(access_token="token", refresh_token="refresh-token-0001")
        tokens.access_expires_at.FromSeconds(4_000_000_000)
        tokens.refresh_expires_at.FromSeconds(4_000_000_000)
        return tokens

    async def CreateGuest(self, request: Any, context: Any) -> Any:
        await self.club.note("CreateGuest", request, context)
        self.club.accounts[request.name] = request.device_secret
        account = identity_pb2.Account(player_id=OWN, name=request.name, guest=True)
        return identity_pb2.CreateGuestResponse(account=account, tokens=self._tokens())

    async def SignIn(self, request: Any, context: Any) -> Any:
        await self.club.note("SignIn", request, context)
        if self.club.accounts.get(request.name) != request.device_secret:
            await context.abort_with_status(
                refusal_status(grpc.StatusCode.UNAUTHENTICATED, "BAD_CREDENTIALS", "Nume sau cheie greșită.")
            )
        account = identity_pb2.Account(player_id=OWN, name=request.name, guest=True)
        return identity_pb2.SignInResponse(account=account, tokens=self._tokens())

    async def RefreshTokens(self, request: Any, context: Any) -> Any:
        await self.club.note("RefreshTokens", request, context)
        return identity_pb2.RefreshTokensResponse(tokens=self._tokens())

    GetJwks = RenameAccount = SetPassword = _not_played
    SignOut = _noted("SignOut", lambda club, _: identity_pb2.SignOutResponse())
    GetAccount = _noted(
        "GetAccount", lambda club, _: identity_pb2.GetAccountResponse(account=identity_pb2.Account(player_id=OWN))
    )


class _Ledger(ledger_pb2_grpc.LedgerServiceServicer):
    def __init__(self, club: TerminalClub) -> None:
        self.club = club

    ListHallOfFame = _noted("ListHallOfFame", lambda club, _: ledger_pb2.ListHallOfFameResponse(entries=club.fame))
    ListMatches = _noted("ListMatches", lambda club, _: ledger_pb2.ListMatchesResponse(matches=club.matches))
    GetMatch = _noted("GetMatch", lambda club, _: ledger_pb2.GetMatchResponse())
    ListLeaderboard = _noted("ListLeaderboard", lambda club, request: club.rankings[request.game])
    GetProfile = _not_played
    GetMatchRecord = _noted(
        "GetMatchRecord", lambda club, _: ledger_pb2.GetMatchRecordResponse(record="levata record 1\ndeal …")
    )


class _Matchmaking(matchmaking_pb2_grpc.MatchmakingServiceServicer):
    def __init__(self, club: TerminalClub) -> None:
        self.club = club

    ListQueues = _noted("ListQueues", lambda club, _: matchmaking_pb2.ListQueuesResponse(queues=club.queues))
    CreateTicket = _noted(
        "CreateTicket",
        lambda club, request: matchmaking_pb2.CreateTicketResponse(ticket=ticket(request.queue_id, place=2)),
    )

    async def GetTicket(self, request: Any, context: Any) -> Any:
        await self.club.note("GetTicket", request, context)
        await context.abort_with_status(refusal_status(grpc.StatusCode.NOT_FOUND, "TICKET_NOT_FOUND", "Niciun bilet."))

    async def CancelTicket(self, request: Any, context: Any) -> Any:
        await self.club.note("CancelTicket", request, context)
        cancelled = ticket("arzoi-4", status=matchmaking_pb2.TICKET_STATUS_CANCELLED)
        self.club.tickets.put_nowait(cancelled)
        return matchmaking_pb2.CancelTicketResponse(ticket=cancelled)

    async def WatchTicket(self, request: Any, context: Any) -> AsyncIterator[Any]:
        await self.club.note("WatchTicket", request, context)
        yield matchmaking_pb2.WatchTicketResponse(ticket=ticket("arzoi-4", place=2))
        while True:
            news = await self.club.tickets.get()
            yield matchmaking_pb2.WatchTicketResponse(ticket=news)
            if news.status != matchmaking_pb2.TICKET_STATUS_WAITING:
                return


class _Bots(bot_pb2_grpc.BotServiceServicer):
    def __init__(self, club: TerminalClub) -> None:
        self.club = club

    ListPersonas = _not_played
    SuggestMove = _noted("SuggestMove", lambda club, _: bot_pb2.SuggestMoveResponse(action=club.suggestion))


def ticket(
    queue_id: str,
    *,
    place: int = 0,
    status: "matchmaking_pb2.TicketStatus.ValueType" = matchmaking_pb2.TICKET_STATUS_WAITING,
    table_id: str = "",
) -> matchmaking_pb2.Ticket:
    """A ticket."""
    result = matchmaking_pb2.Ticket(
        ticket_id="ticket-1", queue_id=queue_id, status=status, place=place, table_id=table_id
    )
    result.created_at.GetCurrentTime()
    result.expected_at.FromSeconds(result.created_at.seconds + 15)
    return result


@asynccontextmanager
async def terminal_club() -> AsyncIterator[TerminalClub]:
    """A club that is open; closed at the end."""
    club = TerminalClub()
    await club.start()
    try:
        yield club
    finally:
        await club.stop()
