"""A table service that only makes tables: it notes every call, keeps its promise about repeats, and fails when told."""

import asyncio
import contextlib
import hashlib
from collections import Counter, deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Self

import grpc

from shared.gen.levata.table.v1 import table_pb2, table_pb2_grpc
from tests.support.waiting import stopped


@dataclass
class RecordedTables(table_pb2_grpc.TableServiceServicer):
    """The servicer.

    Attributes:
        requests: Every request that came, repeats included.
        tokens: The `authorization` of each.
        made: Requests by the id of the table that they made.
        refuse: Codes that the next calls are answered with; nothing is made.
        lose: How many of the next calls make their table and then break.
        gate: Calls wait for it.
        address: Where it answers.
    """

    requests: list[table_pb2.CreateTableRequest] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    made: dict[str, table_pb2.CreateTableRequest] = field(default_factory=dict)
    refuse: deque[grpc.StatusCode] = field(default_factory=deque)
    lose: int = 0
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    address: str = ""

    def __post_init__(self) -> None:
        self.gate.set()

    @classmethod
    def new(cls) -> Self:
        """One that answers UNIMPLEMENTED to everything else."""
        return cls()

    def __hash__(self) -> int:
        return id(self)

    async def CreateTable(self, request: Any, context: Any) -> Any:
        self.requests.append(request)
        self.tokens.append(dict(context.invocation_metadata()).get("authorization", ""))
        await self.gate.wait()
        if self.refuse:
            await context.abort(self.refuse.popleft(), "as the test says")
        table = hashlib.blake2s(request.request_id.encode(), digest_size=12).hexdigest()
        before = self.made.setdefault(table, request)
        if before != request:
            await context.abort(grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED")
        if self.lose:
            self.lose -= 1
            await context.abort(grpc.StatusCode.UNAVAILABLE, "broken off")
        return table_pb2.CreateTableResponse(table_id=table, revision=1)

    def tables_of(self) -> Counter[str]:
        """At how many tables each person was seated."""
        return Counter(player.player_id for request in self.made.values() for player in request.players)

    def seated(self) -> list[list[str]]:
        """Who sits at each table, in the order in which tables were made."""
        return [[player.player_id for player in request.players] for request in self.made.values()]


@contextlib.asynccontextmanager
async def recorded_tables() -> AsyncIterator[RecordedTables]:
    """Serves it until the end of the block."""
    tables = RecordedTables.new()
    server = grpc.aio.server()
    table_pb2_grpc.add_TableServiceServicer_to_server(tables, server)
    tables.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield tables
    finally:
        await stopped(server)
