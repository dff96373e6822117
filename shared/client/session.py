"""Playing at a table: one stream for watching and acting, which mends itself."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import grpc
from google.protobuf.message import Message

from shared.client.errors import ClubError, connection_lost
from shared.client.fold import TableView
from shared.client.observable import ConnectionState, Observable
from shared.client.reconnection import Reconnection
from shared.client.sequence import GapError, RevisionSequence
from shared.client.tokens import new_request_id
from shared.client.watch import SILENCE_SECONDS
from shared.gen.levata.table.v1 import game_pb2, table_pb2, table_pb2_grpc

log = logging.getLogger(__name__)

UPDATES_KEPT = 1000
"""Updates that wait for a reader; one that falls further behind gets a snapshot in place of all of them."""

_PLAY_RETRY_SECONDS = 0.25
"""Before a request that the club could not take (UNAVAILABLE) is sent again, when it names no delay."""

Opened = grpc.aio.StreamStreamCall[table_pb2.PlayTableRequest, table_pb2.PlayTableResponse]
OpenPlay = Callable[[str | None], Opened]


@dataclass(eq=False, slots=True)
class _Request:
    """A request that has no answer yet."""

    message: table_pb2.PlayTableRequest
    answer: "asyncio.Future[int]"


@dataclass(eq=False, slots=True)
class _Reader:
    """Somebody who reads the updates of a session."""

    waiting: deque[table_pb2.Update] = field(default_factory=deque)
    more: asyncio.Event = field(default_factory=asyncio.Event)


class TableSession:
    """A player, or a spectator, at one table.

    The session holds all that the viewer knows of the table (`view`), follows it across broken connections, and repeats
    what was asked and not answered with the same request id, so that nothing is done twice or lost. Reading is
    `async for update in session`: first a snapshot, then every update once, until the table is closed. Any number may
    read.

    Use it as an async context manager; it is entered when the first snapshot is there.

    Attributes:
        table_id: The table.
        view: What the viewer knows now.
        state: How the connection is doing.
        clock_offset: Seconds that the server's clock is ahead of ours, as far as messages tell.
    """

    def __init__(
        self,
        table_id: str,
        open_play: OpenPlay,
        tables: "table_pb2_grpc.TableServiceAsyncStub",
        reconnection: Reconnection,
        state: Observable[ConnectionState],
        *,
        silence_seconds: float = SILENCE_SECONDS,
        request_id: Callable[[], str] = new_request_id,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.table_id = table_id
        self.view = TableView()
        self.state = state
        self.clock_offset = 0.0
        self._open_play = open_play
        self._tables = tables
        self._reconnection = reconnection
        self._silence_seconds = silence_seconds
        self._request_id = request_id
        self._now = now
        self._sequence = RevisionSequence()
        self._requests: dict[str, _Request] = {}
        self._outgoing: asyncio.Queue[table_pb2.PlayTableRequest] | None = None
        self._resends: set[asyncio.Task[None]] = set()
        self._readers: list[_Reader] = []
        self._revision = Observable(0)
        self._over = False
        self._error: ClubError | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run(), name=f"table {self.table_id}")
        try:
            await self._revision.until(lambda revision: revision != 0 or self._over)
        except BaseException:
            await self.close()
            raise
        if self._error is not None:
            await self.close()
            raise self._error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def table(self) -> table_pb2.Table:
        """The table as everybody sees it."""
        return self.view.table

    @property
    def private(self) -> table_pb2.Private:
        """What only the viewer sees."""
        return self.view.private

    @property
    def score_sheet(self) -> game_pb2.GameScoreSheet:
        """Every row so far."""
        return self.view.score_sheet

    @property
    def revision(self) -> int:
        """The last revision seen."""
        return self.view.revision

    @property
    def history(self) -> list[table_pb2.Event]:
        """Actions and what followed from them since the last deal, oldest first."""
        return self.view.history

    @property
    def closed(self) -> bool:
        """Nothing more will come."""
        return self._over

    def server_now(self) -> float:
        """The server's time, in seconds since 1970; for showing what is left on a clock."""
        return self._now() + self.clock_offset

    async def act(
        self,
        action: Message,
        *,
        against: int | None = None,
        timeout_seconds: float | None = 60.0,
    ) -> int:
        """Plays an action, and waits until its outcome is in `view`.

        Args:
            action: A `GameAction`, or an action of one game's own, such as an `ArzoiAction`, which is wrapped.
            against: The revision that it was decided on; None for the one that the view has now.
            timeout_seconds: How long to wait for the answer; None for ever.

        Returns:
            The revision that the action made.

        Raises:
            ClubError: It was refused, the table is closed, or no answer came in time (DEADLINE_EXCEEDED, NO_ANSWER: it
                may or may not have been played).
        """
        request = table_pb2.SubmitActionRequest(
            request_id=self._request_id(),
            table_id=self.table_id,
            action=wrapped(action),
            revision=self.revision if against is None else against,
        )
        return await self._ask(request.request_id, table_pb2.PlayTableRequest(submit_action=request), timeout_seconds)

    async def say(self, text: str, *, timeout_seconds: float | None = 60.0) -> int:
        """Says something to everybody at the table. Returns and raises as `act`."""
        request = table_pb2.SendChatRequest(request_id=self._request_id(), table_id=self.table_id, text=text)
        return await self._ask(request.request_id, table_pb2.PlayTableRequest(send_chat=request), timeout_seconds)

    async def leave(self) -> int:
        """Gets up for good; a bot has the seat afterwards. The session still watches, if the table may be watched.

        Raises:
            ClubError: It was refused, or no connection.
        """
        request = table_pb2.LeaveTableRequest(request_id=self._request_id(), table_id=self.table_id)
        return (await self._tables.LeaveTable(request)).revision

    async def reached(self, revision: int) -> None:
        """Waits until the view has `revision`, or the table is closed."""
        await self._revision.until(lambda seen: seen >= revision or self._over)

    async def __aiter__(self) -> AsyncIterator[table_pb2.Update]:
        reader = _Reader()
        if self.view.revision:
            reader.waiting.append(self.view.as_snapshot())
        self._readers.append(reader)
        try:
            while True:
                while reader.waiting:
                    yield reader.waiting.popleft()
                if self._over:
                    break
                reader.more.clear()
                await reader.more.wait()
        finally:
            self._readers.remove(reader)
        if self._error is not None:
            raise self._error

    async def close(self) -> None:
        """Stops watching. The seat stays the player's."""
        tasks = [task for task in (self._task, *self._resends) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._finish(self._error)

    async def _run(self) -> None:
        while True:
            try:
                await self._connect()
                self._finish(None)
                return
            except GapError as gap:
                problem = connection_lost(str(gap), "GAP")
            except ClubError as error:
                problem = error
            try:
                await self._reconnection.after(problem)
            except ClubError as error:
                self._finish(error)
                return

    async def _connect(self) -> None:
        """Serves one connection until it ends in good order; raises what ended it otherwise."""
        call = self._open_play(await self._reconnection.token())
        outgoing: asyncio.Queue[table_pb2.PlayTableRequest] = asyncio.Queue()
        watch = table_pb2.WatchTableRequest(table_id=self.table_id, after_revision=self._sequence.last)
        for request in self._requests.values():
            outgoing.put_nowait(request.message)
        self._outgoing = outgoing
        writer = asyncio.create_task(_write(call, table_pb2.PlayTableRequest(watch=watch), outgoing))
        try:
            while True:
                message = await self._read(call)
                if message is None:
                    return
                self._take(message)
        except ClubError as error:
            if writer.done() and error.code is grpc.StatusCode.INTERNAL and not error.answered:
                # Why the club ended it is lost: gRPC puts the failure of a write in its place, whichever came first.
                raise connection_lost("the stream ended while it was written to", "ENDED") from error
            raise
        finally:
            self._outgoing = None
            writer.cancel()
            call.cancel()
            await asyncio.gather(writer, return_exceptions=True)

    async def _read(self, call: Opened) -> table_pb2.PlayTableResponse | None:
        try:
            async with asyncio.timeout(self._silence_seconds):
                message = await call.read()
        except TimeoutError:
            raise connection_lost(f"nothing came for {self._silence_seconds} s", "SILENT") from None
        except grpc.aio.AioRpcError as error:
            raise ClubError.from_rpc(error) from error
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise connection_lost("the call was cancelled") from None
        return message if isinstance(message, table_pb2.PlayTableResponse) else None

    def _take(self, message: table_pb2.PlayTableResponse) -> None:
        kind = message.WhichOneof("message")
        if kind == "update":
            taken = self._sequence.take(message.update)
            self._reconnection.progressed()
            if taken:
                self._show(message.update)
        elif kind == "heartbeat":
            self._sequence.heard(message.heartbeat)
            self._reconnection.progressed()
            self.clock_offset = message.heartbeat.at.ToNanoseconds() / 1e9 - self._now()
        elif kind == "reply":
            self._reconnection.progressed()
            self._answer(message.reply)

    def _show(self, update: table_pb2.Update) -> None:
        self.view.apply(update)
        if not update.snapshot:
            self.clock_offset = self.view.at - self._now()
        for reader in self._readers:
            if len(reader.waiting) >= UPDATES_KEPT:
                log.warning("a reader of table %s fell behind and gets a snapshot", self.table_id)
                reader.waiting.clear()
                reader.waiting.append(self.view.as_snapshot())
            else:
                reader.waiting.append(update)
            reader.more.set()
        self._revision.set(self.view.revision)

    def _answer(self, reply: table_pb2.Reply) -> None:
        request = self._requests.get(reply.request_id)
        if request is None or request.answer.done():
            return
        if reply.WhichOneof("outcome") == "revision":
            request.answer.set_result(reply.revision)
            return
        error = ClubError.from_failure(reply.failure)
        if error.code is grpc.StatusCode.UNAVAILABLE:
            resend = asyncio.create_task(self._send_again(request, error.retry_after or _PLAY_RETRY_SECONDS))
            self._resends.add(resend)
            resend.add_done_callback(self._resends.discard)
            return
        request.answer.set_exception(error)

    async def _send_again(self, request: _Request, delay: float) -> None:
        before = self._outgoing
        await asyncio.sleep(delay)
        # A new connection has sent it already.
        if not request.answer.done() and self._outgoing is before and before is not None:
            before.put_nowait(request.message)

    async def _ask(self, request_id: str, message: table_pb2.PlayTableRequest, timeout_seconds: float | None) -> int:
        if self._over:
            raise self._error or _closed()
        request = _Request(message, asyncio.get_running_loop().create_future())
        self._requests[request_id] = request
        if self._outgoing is not None:
            self._outgoing.put_nowait(message)
        try:
            async with asyncio.timeout(timeout_seconds):
                revision = await request.answer
                await self.reached(revision)
                return revision
        except TimeoutError:
            raise ClubError(
                grpc.StatusCode.DEADLINE_EXCEEDED, "NO_ANSWER", f"no answer within {timeout_seconds} s", answered=False
            ) from None
        finally:
            del self._requests[request_id]

    def _finish(self, error: ClubError | None) -> None:
        if self._over:
            return
        self._over = True
        self._error = error
        self._reconnection.closed(error)
        for request in self._requests.values():
            if not request.answer.done():
                request.answer.set_exception(error or _closed())
        for reader in self._readers:
            reader.more.set()
        self._revision.touch()


def wrapped(action: Message) -> game_pb2.GameAction:
    """An action of one game as a `GameAction`, which is left as it is. Raises `TypeError` for what is neither."""
    if isinstance(action, game_pb2.GameAction):
        return action
    for game in game_pb2.GameAction.DESCRIPTOR.oneofs_by_name["game"].fields:
        if game.message_type is action.DESCRIPTOR:
            whole = game_pb2.GameAction()
            getattr(whole, game.name).CopyFrom(action)
            return whole
    raise TypeError(f"{action.DESCRIPTOR.full_name} is no action of a game")


async def _write(
    call: Opened, watch: table_pb2.PlayTableRequest, outgoing: "asyncio.Queue[table_pb2.PlayTableRequest]"
) -> None:
    """Writes what is to go out; when the call breaks it stops, and whoever reads the call learns why.

    Nothing is written after the first message until the club has let us in. A refusal would cross it, and be lost.
    """
    try:
        await call.write(watch)
        await call.initial_metadata()
        while True:
            await call.write(await outgoing.get())
    except (asyncio.InvalidStateError, grpc.aio.AioRpcError) as error:
        log.debug("the stream cannot be written any more: %s", error)


def _closed() -> ClubError:
    return ClubError(grpc.StatusCode.NOT_FOUND, "TABLE_NOT_FOUND", "the table is closed")
