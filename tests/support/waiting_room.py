"""A matchmaking servicer that does what a test tells it, to try out what surrounds every servicer."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc

from shared.gen.levata.matchmaking.v1 import matchmaking_pb2 as pb
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2_grpc as rpc
from shared.harness import Harness
from shared.settings import ServiceSettings

SERVICE = "levata.matchmaking.v1.MatchmakingService"
Behaviour = Callable[[Any], Awaitable[Any]]


async def _nothing(request: Any) -> Any:
    raise NotImplementedError


class WaitingRoom(rpc.MatchmakingServiceServicer):
    """A real generated servicer.

    Attributes:
        create: What CreateTicket does.
        get: What GetTicket does.
        queues: What ListQueues does.
        cancel: What CancelTicket does.
        watch: What WatchTicket sends; each ticket is told as it is put in.
        watching: Set while a watch is open.
        watch_ended: Set when the generator of a watch has been closed.
    """

    def __init__(self) -> None:
        self.create: Behaviour = _nothing
        self.get: Behaviour = _nothing
        self.queues: Behaviour = _nothing
        self.cancel: Behaviour = _nothing
        self.watch: asyncio.Queue[pb.Ticket | Exception | None] = asyncio.Queue()
        self.watching = asyncio.Event()
        self.watch_ended = asyncio.Event()

    async def ListQueues(self, request: pb.ListQueuesRequest, context: Any) -> pb.ListQueuesResponse:
        answer: pb.ListQueuesResponse = await self.queues(request)
        return answer

    async def CreateTicket(self, request: pb.CreateTicketRequest, context: Any) -> pb.CreateTicketResponse:
        answer: pb.CreateTicketResponse = await self.create(request)
        return answer

    async def GetTicket(self, request: pb.GetTicketRequest, context: Any) -> pb.GetTicketResponse:
        answer: pb.GetTicketResponse = await self.get(request)
        return answer

    async def CancelTicket(self, request: pb.CancelTicketRequest, context: Any) -> pb.CancelTicketResponse:
        answer: pb.CancelTicketResponse = await self.cancel(request)
        return answer

    async def WatchTicket(
        self, request: pb.WatchTicketRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[pb.WatchTicketResponse]:
        self.watching.set()
        try:
            while (told := await self.watch.get()) is not None:
                if isinstance(told, Exception):
                    raise told
                yield pb.WatchTicketResponse(ticket=told)
        finally:
            self.watch_ended.set()

    async def bind(self, harness: Harness, settings: ServiceSettings) -> None:
        """Binds this servicer alone; ListQueues wants no token."""
        harness.add_servicer(
            rpc.add_MatchmakingServiceServicer_to_server, self, SERVICE, public_methods=frozenset({"ListQueues"})
        )
