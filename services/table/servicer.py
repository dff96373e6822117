"""`TableService`: messages in, commands to tables, messages out. No rules and no storage in here."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import structlog

from services.table import commands as c
from services.table import errors, requests, views
from services.table import facts as f
from services.table.engine.game import IllegalAction
from services.table.live import LiveTable
from services.table.lobby import Entry
from services.table.log import TableLog
from services.table.metrics import TableMetrics
from services.table.presence import Presence
from services.table.rates import Rates
from services.table.results import match_record
from services.table.state import Status
from services.table.tables import Tables
from services.table.turns import TurnTokens
from services.table.watchers import Ended, Watcher
from shared import logs
from shared.auth import caller
from shared.errors import LevataError, failure
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.rpc.validation import validate

HEARTBEAT_SECONDS = 15.0
PAGE_SIZE = 50

Context = grpc.aio.ServicerContext[Any, Any]

_log = structlog.get_logger(__name__)


class TableServicer:
    """The service: a method for each of the contract. Streams send bytes that are serialised already, which is why
    `register` takes the place of the generated base class and function.
    """

    def __init__(
        self,
        tables: Tables,
        log: TableLog,
        presence: Presence,
        tokens: TurnTokens,
        metrics: TableMetrics,
        now: Callable[[], int],
        tables_per_host: int,
    ) -> None:
        self._tables = tables
        self._log = log
        self._presence = presence
        self._tokens = tokens
        self._metrics = metrics
        self._now = now
        self._tables_per_host = tables_per_host
        self._guesses = Rates(burst=10, per_second=0.2)

    # Tables

    async def CreateTable(self, request: pb.CreateTableRequest, context: Context) -> pb.CreateTableResponse:
        who = caller()
        options = requests.options_of(request.options)
        table = self._tokens.table_id(who.player_id, request.request_id)
        if who.is_service:
            players = tuple(f.Person(one.player_id, one.name) for one in request.players)
            command = c.CreateTable(table, options, players=players, maker=who.player_id)
        elif request.players:
            raise errors.ServiceOnlyError
        else:
            await self._tables.lobby.mirrored()
            if self._tables.lobby.hosted_by(who.player_id) >= self._tables_per_host:
                await self._only_repeats(table)
            command = c.CreateTable(table, options, host=requests.person_of(who))
        live, revision = await self._tables.create(command, requests.request_of(who, request))
        code = live.state.code if options.visibility == "private" else ""
        return pb.CreateTableResponse(table_id=table, revision=revision, invitation_code=code)

    async def _only_repeats(self, table: str) -> None:
        """Raises `TooManyTablesError` unless this table was made already."""
        try:
            await self._tables.get(table)
        except errors.TableNotFoundError:
            raise errors.TooManyTablesError from None

    async def ListTables(self, request: pb.ListTablesRequest, context: Context) -> pb.ListTablesResponse:
        lobby = self._tables.lobby
        await lobby.mirrored()
        size = request.page_size or PAGE_SIZE
        tables, token = lobby.page(size, request.page_token, _STATUS[request.status], request.game)
        return pb.ListTablesResponse(tables=tables, next_page_token=token)

    async def ListMyTables(self, request: pb.ListMyTablesRequest, context: Context) -> pb.ListMyTablesResponse:
        lobby = self._tables.lobby
        await lobby.mirrored()
        size = request.page_size or PAGE_SIZE
        tables, token = lobby.page_of(caller().player_id, size, request.page_token, _STATUS[request.status])
        return pb.ListMyTablesResponse(tables=tables, next_page_token=token)

    async def GetTable(self, request: pb.GetTableRequest, context: Context) -> pb.GetTableResponse:
        live = await self._visible(request.table_id)
        return pb.GetTableResponse(update=pb.Update.FromString(live.snapshot(caller().player_id)))

    async def FindTable(self, request: pb.FindTableRequest, context: Context) -> pb.FindTableResponse:
        self._guesses.spend(caller().player_id, time.monotonic())
        await self._tables.lobby.mirrored()
        entry: Entry = self._tables.lobby.by_code(request.invitation_code)
        return pb.FindTableResponse(table=pb.TableSummary.FromString(entry.summary))

    async def GetRecord(self, request: pb.GetRecordRequest, context: Context) -> pb.GetRecordResponse:
        live = await self._visible(request.table_id)
        if not live.state.over or not live.state.match:
            raise errors.MatchNotOverError
        stored = await self._log.read(live.id)
        if len(stored) < live.state.revision:
            raise errors.TableNotFoundError  # another server has closed it
        record = match_record(live.state, stored)
        return pb.GetRecordResponse(match_id=live.state.match, record=record)

    async def _visible(self, table: str) -> LiveTable:
        """A table that the caller may see."""
        live = await self._tables.get(table)
        await live.admit(caller().player_id)
        return live

    # Changes

    async def _change(self, message: Any, command: c.Command) -> int:
        """Does a command of the caller at a table; the revision that it made."""
        live = await self._tables.get(message.table_id)
        return await live.execute(command, requests.request_of(caller(), message))

    async def JoinTable(self, request: pb.JoinTableRequest, context: Context) -> pb.JoinTableResponse:
        who = caller()
        live = await self._tables.get(request.table_id)
        seat = request.seat if request.HasField("seat") else None
        if live.state.options.visibility == "private" and request.invitation_code.upper() != live.state.code:
            self._guesses.spend(who.player_id, time.monotonic())
        command = c.TakeSeat(requests.person_of(who), seat, request.invitation_code)
        revision = await live.execute(command, requests.request_of(who, request))
        taken = live.state.seat_of(who.player_id)
        if taken is None:
            raise errors.NotSeatedError  # a repeat, after the caller got up again
        return pb.JoinTableResponse(revision=revision, seat=taken)

    async def LeaveTable(self, request: pb.LeaveTableRequest, context: Context) -> pb.LeaveTableResponse:
        revision = await self._change(request, c.LeaveTable(caller().player_id))
        return pb.LeaveTableResponse(revision=revision)

    async def StartTable(self, request: pb.StartTableRequest, context: Context) -> pb.StartTableResponse:
        revision = await self._change(request, c.StartMatch(caller().player_id))
        return pb.StartTableResponse(revision=revision)

    async def StopTable(self, request: pb.StopTableRequest, context: Context) -> pb.StopTableResponse:
        revision = await self._change(request, c.StopTable(caller().player_id))
        return pb.StopTableResponse(revision=revision)

    async def UpdateTable(self, request: pb.UpdateTableRequest, context: Context) -> pb.UpdateTableResponse:
        game, rules = requests.rules_of(request.game) if request.HasField("game") else (None, None)
        command = c.UpdateTable(
            caller().player_id,
            bot_talk=requests.TALK[request.bot_talk] if request.HasField("bot_talk") else None,
            visibility=requests.VISIBILITY[request.visibility] if request.HasField("visibility") else None,
            game=game,
            rules=rules,
        )
        return pb.UpdateTableResponse(revision=await self._change(request, command))

    async def SubmitAction(self, request: pb.SubmitActionRequest, context: Context) -> pb.SubmitActionResponse:
        return pb.SubmitActionResponse(revision=await self._submit(request))

    async def _submit(self, request: pb.SubmitActionRequest) -> int:
        try:
            return await self._play(request)
        except (errors.TableError, IllegalAction) as error:
            self._metrics.refused.labels(failure(error).reason).inc()
            raise

    async def _play(self, request: pb.SubmitActionRequest) -> int:
        who = caller()
        live = await self._tables.get(request.table_id)
        if who.is_service:
            await live.settled()
        else:
            await live.admit(who.player_id)
        revision = request.revision if request.HasField("revision") else None
        if request.turn_token:
            if not who.is_service:
                raise errors.ServiceOnlyError
            made_for, seat = self._tokens.read(request.table_id, request.turn_token)
            action = requests.action_of(request.action, live.state.options.game)
            delegated = live.state.delegated
            made = await live.execute(
                c.AnswerTurn(seat, made_for, action, request.chat), requests.request_of(who, request)
            )
            self._metrics.bot_seconds.observe(max(0, self._now() - delegated) / 1000)
            return made
        if request.chat:
            raise errors.ServiceOnlyError
        seat_index = live.state.seat_of(who.player_id)
        if seat_index is not None and live.state.seats[seat_index].away:
            await live.execute(c.Return(who.player_id))
        action = requests.action_of(request.action, live.state.options.game)
        return await live.execute(c.SubmitAction(who.player_id, action, revision), requests.request_of(who, request))

    async def SendChat(self, request: pb.SendChatRequest, context: Context) -> pb.SendChatResponse:
        return pb.SendChatResponse(revision=await self._say(request))

    async def _say(self, request: pb.SendChatRequest) -> int:
        return await self._change(request, c.Say(caller().player_id, request.text))

    async def MutePlayer(self, request: pb.MutePlayerRequest, context: Context) -> pb.MutePlayerResponse:
        command = c.MutePlayer(caller().player_id, request.seat, request.muted)
        return pb.MutePlayerResponse(revision=await self._change(request, command))

    async def RequestSeat(self, request: pb.RequestSeatRequest, context: Context) -> pb.RequestSeatResponse:
        revision = await self._change(request, c.RequestSeat(requests.person_of(caller())))
        return pb.RequestSeatResponse(revision=revision)

    async def AnswerSeatRequest(
        self, request: pb.AnswerSeatRequestRequest, context: Context
    ) -> pb.AnswerSeatRequestResponse:
        seat = request.seat if request.HasField("seat") else None
        command = c.AnswerSeatRequest(caller().player_id, request.player_id, request.admit, seat)
        return pb.AnswerSeatRequestResponse(revision=await self._change(request, command))

    async def RemovePlayer(self, request: pb.RemovePlayerRequest, context: Context) -> pb.RemovePlayerResponse:
        command = c.RemovePlayer(caller().player_id, request.seat)
        return pb.RemovePlayerResponse(revision=await self._change(request, command))

    # Streams

    async def WatchTable(self, request: pb.WatchTableRequest, context: Context) -> AsyncIterator[bytes]:
        live, watcher = await self._open(request)
        try:
            await _let_in(context)
            async for message in self._messages(live, watcher):
                yield message
        finally:
            self._close(live, watcher)

    async def PlayTable(
        self, requests_in: AsyncIterator[pb.PlayTableRequest], context: Context
    ) -> AsyncIterator[bytes]:
        first = await anext(aiter(requests_in), None)
        if first is not None:
            validate(first)
        if first is None or first.WhichOneof("message") != "watch":
            raise errors.BadOptionsError(field="watch", problem="must be the first message of the stream")
        logs.bind(table_id=first.watch.table_id)
        live, watcher = await self._open(first.watch)
        reading = asyncio.ensure_future(self._read(requests_in, watcher))
        try:
            await _let_in(context)
            async for message in self._messages(live, watcher):
                yield message
        finally:
            reading.cancel()
            self._close(live, watcher)

    async def _open(self, request: pb.WatchTableRequest) -> tuple[LiveTable, Watcher]:
        live = await self._tables.get(request.table_id)
        after = request.after_revision if request.HasField("after_revision") else None
        watcher = await live.watch(caller().player_id, after)
        try:
            await self._presence.opened(live, caller().player_id)
        except BaseException:
            self._close(live, watcher)
            raise
        return live, watcher

    def _close(self, live: LiveTable, watcher: Watcher) -> None:
        live.unwatch(watcher)
        self._presence.ended(live, watcher.player)

    async def _messages(self, live: LiveTable, watcher: Watcher) -> AsyncIterator[bytes]:
        """What a watcher is sent, until its watch ends."""
        # The first wait is of any length, so that thousands of watches opened together do not beat together ever after.
        within = HEARTBEAT_SECONDS * random.random()
        while True:
            message = await watcher.take(within)
            within = HEARTBEAT_SECONDS
            if message is not None:
                yield message
            elif watcher.ended is None:
                yield views.heartbeat_message(live.state.revision, self._now())
            elif watcher.ended is Ended.SLOW:
                raise errors.SlowConsumerError
            elif watcher.ended is Ended.DRAINING:
                raise errors.DrainingError
            elif watcher.ended is Ended.NOT_WATCHABLE:
                raise errors.NotWatchableError
            elif watcher.ended is Ended.DAMAGED:
                raise errors.TableFrozenError
            else:
                return

    async def _read(self, requests_in: AsyncIterator[pb.PlayTableRequest], watcher: Watcher) -> None:
        """Takes the actions and chat of a PlayTable stream, one after another as they were sent; each gets a reply, a
        message that cannot be read one without a request id. A client that says no more goes on watching.
        """
        try:
            while True:
                try:
                    request = await anext(requests_in)
                except LevataError as error:
                    watcher.put(_reply(pb.Reply(failure=_failure(error))))
                    continue
                await self._answer(request, watcher)
        except StopAsyncIteration:
            return
        except asyncio.CancelledError:
            raise
        except Exception:
            watcher.end(Ended.DISCONNECTED)

    async def _answer(self, request: pb.PlayTableRequest, watcher: Watcher) -> None:
        kind = request.WhichOneof("message")
        work: Callable[[], Awaitable[int]]
        if kind == "submit_action":
            request_id = request.submit_action.request_id
            work = lambda: self._submit(request.submit_action)  # noqa: E731
        else:
            request_id = request.send_chat.request_id
            work = lambda: self._say(request.send_chat)  # noqa: E731
        logs.bind(request_id=request_id)
        reply = pb.Reply(request_id=request_id)
        try:
            validate(request)
            if kind == "watch":
                raise errors.BadOptionsError(field="watch", problem="comes first, and once")
            reply.revision = await work()
        except asyncio.CancelledError:
            raise
        except Exception as error:
            reply.failure.CopyFrom(_failure(error))
            _log.debug("refused", kind=kind, reason=reply.failure.reason)
        watcher.put(_reply(reply))


async def _let_in(context: Context) -> None:
    """Tells the caller at once that the stream is open; the first message may be long in coming."""
    await context.send_initial_metadata(())


def _reply(reply: pb.Reply) -> bytes:
    """A reply as a message of PlayTable."""
    return pb.PlayTableResponse(reply=reply).SerializeToString()


def _failure(error: Exception) -> pb.Failure:
    """Why a message was refused, as the unary call would say it."""
    refusal = failure(error)
    return pb.Failure(
        code=refusal.number,
        reason=refusal.reason,
        message=refusal.message,
        metadata=refusal.metadata,
        retry_milliseconds=refusal.retry_milliseconds,
        violations=[pb.FieldViolation(field=path, description=text) for path, text in refusal.violations],
    )


_STATUS: dict[int, tuple[Status, ...]] = {
    pb.TABLE_STATUS_UNSPECIFIED: ("waiting", "playing"),
    pb.TABLE_STATUS_WAITING: ("waiting",),
    pb.TABLE_STATUS_PLAYING: ("playing",),
    pb.TABLE_STATUS_FINISHED: ("finished",),
    pb.TABLE_STATUS_STOPPED: ("stopped",),
}
"""Which tables are listed when a status is asked for."""


def _serialised(message: Any) -> bytes:
    """A response as bytes, which it may be already."""
    data: bytes = message if isinstance(message, bytes) else message.SerializeToString()
    return data


def register(servicer: TableServicer, server: grpc.aio.Server) -> None:
    """Adds the service to a server, like the generated function, but lets streams send bytes."""
    service = pb.DESCRIPTOR.services_by_name["TableService"]
    handlers: dict[str, Any] = {}
    for method in service.methods:
        make = {
            (False, False): grpc.unary_unary_rpc_method_handler,
            (False, True): grpc.unary_stream_rpc_method_handler,
            (True, True): grpc.stream_stream_rpc_method_handler,
        }[method.client_streaming, method.server_streaming]
        request_class: Any = getattr(pb, method.input_type.name)
        handlers[method.name] = make(
            getattr(servicer, method.name),
            request_deserializer=request_class.FromString,
            response_serializer=_serialised,
        )
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service.full_name, handlers),))
