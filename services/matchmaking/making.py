"""Makes tables: one call to the table service, and what its failures mean."""

from typing import TYPE_CHECKING

import grpc

from services.matchmaking.queues import Queue
from services.matchmaking.waves import Group, Member
from shared.gen.levata.table.v1 import table_pb2

if TYPE_CHECKING:
    from shared.gen.levata.table.v1 import table_pb2_grpc

REFUSALS = frozenset(
    (
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.ALREADY_EXISTS,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.NOT_FOUND,
    )
)
"""Codes by which the table service says that it has made nothing."""


class TableRefusedError(Exception):
    """No table was made, and none will be by this request."""


class TableUnknownError(Exception):
    """There was no answer that says whether the table was made: the same request has to be made again."""


def request_for(queue: Queue, group_id: str, members: tuple[Member, ...]) -> bytes:
    """The request that makes a group's table: those who waited longest sit first, and the first is host."""
    players = [table_pb2.PlayerRef(player_id=member.player, name=member.name) for member in members]
    request = table_pb2.CreateTableRequest(request_id=group_id, options=queue.options, players=players)
    return request.SerializeToString(deterministic=True)


class Tables:
    """The table service, as far as matchmaking needs it."""

    def __init__(self, stub: "table_pb2_grpc.TableServiceAsyncStub", seconds: float) -> None:
        self._stub = stub
        self._seconds = seconds

    async def make(self, group: Group) -> str:
        """Makes the table of a group, or finds it made, and returns its id.

        Raises:
            TableRefusedError: There is none and there will be none.
            TableUnknownError: It is not known.
        """
        try:
            response = await self._stub.CreateTable(
                table_pb2.CreateTableRequest.FromString(group.request), timeout=self._seconds
            )
        except grpc.aio.AioRpcError as error:
            failure = TableRefusedError if error.code() in REFUSALS else TableUnknownError
            raise failure(f"{error.code().name}: {error.details()}") from error
        return response.table_id
