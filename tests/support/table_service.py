"""The real table service in tests: any number of servers on one NATS, and people who call them without a library."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import grpc

from services.table.service import bind
from services.table.settings import TableSettings
from shared.gen.levata.table.v1 import game_pb2, table_pb2_grpc
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.harness import Service
from tests.support.services import Club
from tests.support.tokens import bearer

TURN_KEY = b"turns of tests, 32 bytes or more!"
WITHIN = 20.0
"""Seconds within which anything that is waited for has to happen."""

_ids = itertools.count(1)


def fresh(prefix: str = "request") -> str:
    """A request id that no other test has."""
    return f"{prefix}-{next(_ids):06d}"


async def start_table(club: Club, folder: Path, name: str = "table", **more: Any) -> Service:
    """Starts a table server; turns that no bot answers are played by the table after 50 ms unless told otherwise."""
    key = folder / "turn.key"
    key.write_bytes(TURN_KEY)
    values: dict[str, Any] = {"turn_key_file": key, "bot_milliseconds": 50, **more}
    return await club.start(name, TableSettings, bind, **values)


class Person:
    """Somebody with a token at one server."""

    def __init__(self, club: Club, channel: grpc.aio.Channel, name: str, language: str = "en") -> None:
        self.id = f"p-{name.lower()}"
        self.name = name
        self.metadata = bearer(club.issuer.token(self.id, name), language)
        self.stub: table_pb2_grpc.TableServiceAsyncStub = table_pb2_grpc.TableServiceStub(channel)

    async def call(self, rpc: str, message: Any) -> Any:
        """One unary call."""
        return await getattr(self.stub, rpc)(message, metadata=self.metadata, timeout=WITHIN)

    async def create(self, seats: int = 4, game: str = "arzoi", **options: Any) -> str:
        """Makes a table; its id."""
        message = table_request(seats, game, **options)
        return str((await self.call("CreateTable", message)).table_id)

    async def start(self, table: str) -> int:
        """Starts the match."""
        answer = await self.call("StartTable", pb.StartTableRequest(request_id=fresh(), table_id=table))
        return int(answer.revision)

    async def table(self, table: str) -> pb.Update:
        """The table as this person sees it."""
        update: pb.Update = (await self.call("GetTable", pb.GetTableRequest(table_id=table))).update
        return update

    async def act(self, table: str, update: pb.Update, choice: int = 0) -> int:
        """Plays one of the legal actions of an update."""
        message = pb.SubmitActionRequest(
            request_id=fresh(), table_id=table, action=update.private.legal_actions[choice], revision=update.revision
        )
        return int((await self.call("SubmitAction", message)).revision)

    def play(self) -> Any:
        """Opens a PlayTable stream."""
        return self.stub.PlayTable(metadata=self.metadata)

    def watch(self, table: str, after: int | None = None) -> "Watch":
        """Opens a watch."""
        message = pb.WatchTableRequest(table_id=table, after_revision=after)
        return Watch(self.stub.WatchTable(message, metadata=self.metadata))


class Watch:
    """An open watch."""

    def __init__(self, call: Any) -> None:
        self.call = call
        self._messages: AsyncIterator[pb.WatchTableResponse] = aiter(call)

    async def next(self) -> pb.WatchTableResponse:
        """The next message. Raises `grpc.aio.AioRpcError` or `StopAsyncIteration` at the end."""
        async with asyncio.timeout(WITHIN):
            return await anext(self._messages)

    async def update(self) -> pb.Update:
        """The next update."""
        while True:
            message = await self.next()
            if message.HasField("update"):
                return message.update

    async def until(self, wanted: Callable[[pb.Update], object]) -> pb.Update:
        """The first update that is wanted."""
        while True:
            update = await self.update()
            if wanted(update):
                return update

    async def rest(self) -> list[pb.WatchTableResponse]:
        """All further messages to the regular end."""
        found = []
        async with asyncio.timeout(WITHIN):
            async for message in self._messages:
                found.append(message)
        return found

    async def to_its_end(self) -> tuple[list[pb.Update], grpc.aio.AioRpcError]:
        """All further updates, and the error that ended the watch."""
        updates: list[pb.Update] = []
        while True:
            try:
                updates.append(await self.update())
            except grpc.aio.AioRpcError as error:
                return updates, error

    def close(self) -> None:
        """Goes away without a word."""
        self.call.cancel()


def table_request(
    seats: int = 4, game: str = "arzoi", rules: game_pb2.GameOptions | None = None, **options: Any
) -> pb.CreateTableRequest:
    """A request for a table of a game, with its usual options if none are given as `rules`."""
    message = pb.CreateTableRequest(request_id=fresh("table"), options=pb.TableOptions(seats=seats, **options))
    if rules is not None:
        message.options.game.CopyFrom(rules)
    getattr(message.options.game, game).SetInParent()
    return message


def my_turn(update: pb.Update) -> bool:
    """The viewer is to decide."""
    decision = update.table.decision
    return bool(update.private.legal_actions) and not decision.by_bot


def reason_of(error: grpc.aio.AioRpcError) -> tuple[str, str]:
    """Code and reason of a refusal."""
    return error.code().name, str(error.details()).partition(":")[0]
