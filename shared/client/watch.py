"""Watching a table, or a ticket, across broken connections."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import TypeVar

import grpc

from shared.client.errors import ClubError, connection_lost
from shared.client.reconnection import Reconnection
from shared.client.sequence import GapError, RevisionSequence
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.gen.levata.table.v1 import table_pb2

SILENCE_SECONDS = 40.0
"""A table's stream that says nothing for so long is taken for dead: a heartbeat comes every 15 s."""

Q = TypeVar("Q")
R = TypeVar("R")

OpenWatch = Callable[
    [table_pb2.WatchTableRequest, str | None],
    "grpc.aio.UnaryStreamCall[table_pb2.WatchTableRequest, table_pb2.WatchTableResponse]",
]
OpenTicketWatch = Callable[
    [matchmaking_pb2.WatchTicketRequest, str | None],
    "grpc.aio.UnaryStreamCall[matchmaking_pb2.WatchTicketRequest, matchmaking_pb2.WatchTicketResponse]",
]


async def messages(call: "grpc.aio.UnaryStreamCall[Q, R]", silence_seconds: float | None) -> AsyncGenerator[R, None]:
    """The messages of one server stream, until it ends in good order. The call is cancelled when nobody reads on.

    Raises:
        ClubError: It ended otherwise, or nothing came for `silence_seconds` (None: that is no failure).
    """
    try:
        while True:
            try:
                async with asyncio.timeout(silence_seconds):
                    message = await call.read()
            except TimeoutError:
                raise connection_lost(f"nothing came for {silence_seconds} s", "SILENT") from None
            except grpc.aio.AioRpcError as error:
                raise ClubError.from_rpc(error) from error
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                raise connection_lost("the call was cancelled") from None
            if message is grpc.aio.EOF:
                return
            yield message  # type: ignore[misc]
    finally:
        call.cancel()


async def watch_table(
    table_id: str,
    open_watch: OpenWatch,
    reconnection: Reconnection,
    *,
    after_revision: int | None = None,
    silence_seconds: float = SILENCE_SECONDS,
) -> AsyncIterator[table_pb2.Update]:
    """The updates of a table: each once, in order, without a gap but for snapshots, whatever happens to the connection.

    It ends when the table is closed.

    Raises:
        ClubError: The club refuses, or breaks its contract.
    """
    sequence = RevisionSequence(after_revision)
    while True:
        try:
            request = table_pb2.WatchTableRequest(table_id=table_id, after_revision=sequence.last)
            call = open_watch(request, await reconnection.token())
            async with aclosing(messages(call, silence_seconds)) as stream:
                async for message in stream:
                    if message.HasField("update"):
                        taken = sequence.take(message.update)
                        reconnection.progressed()
                        if taken:
                            yield message.update
                    elif message.HasField("heartbeat"):
                        sequence.heard(message.heartbeat)
                        reconnection.progressed()
            reconnection.closed()
            return
        except GapError as gap:
            await reconnection.after(connection_lost(str(gap), "GAP"))
        except ClubError as error:
            await reconnection.after(error)


async def watch_ticket(
    ticket_id: str, open_watch: OpenTicketWatch, reconnection: Reconnection
) -> AsyncIterator[matchmaking_pb2.Ticket]:
    """A ticket as it is and at every change, whatever happens to the connection. It ends after the last status.

    Raises:
        ClubError: The club refuses.
    """
    shown: matchmaking_pb2.Ticket | None = None
    request = matchmaking_pb2.WatchTicketRequest(ticket_id=ticket_id)
    while True:
        try:
            call = open_watch(request, await reconnection.token())
            async with aclosing(messages(call, None)) as stream:
                async for message in stream:
                    reconnection.progressed()
                    if shown is None or message.ticket != shown:
                        shown = message.ticket
                        yield shown
            reconnection.closed()
            return
        except ClubError as error:
            await reconnection.after(error)
