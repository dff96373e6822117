"""Tickets on the wire: requests in, the desk's answers out."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from services.matchmaking.desk import Desk
from services.matchmaking.queues import Queue
from services.matchmaking.room import Room
from services.matchmaking.tickets import Status, Ticket
from shared.auth import caller
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2 as pb
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2_grpc

STATUSES: "dict[Status, pb.TicketStatus.ValueType]" = {
    "waiting": pb.TICKET_STATUS_WAITING,
    "matched": pb.TICKET_STATUS_MATCHED,
    "cancelled": pb.TICKET_STATUS_CANCELLED,
    "expired": pb.TICKET_STATUS_EXPIRED,
}


class MatchmakingServicer(matchmaking_pb2_grpc.MatchmakingServiceServicer):
    """See the contract."""

    def __init__(self, desk: Desk, room: Room, queues: Sequence[Queue], limit_seconds: float) -> None:
        self._desk = desk
        self._room = room
        self._queues = queues
        self._limit_seconds = limit_seconds

    async def ListQueues(self, request: pb.ListQueuesRequest, context: Any) -> pb.ListQueuesResponse:
        """See the contract."""
        return pb.ListQueuesResponse(queues=[self._queue_message(queue) for queue in self._queues])

    async def CreateTicket(self, request: pb.CreateTicketRequest, context: Any) -> pb.CreateTicketResponse:
        """See the contract."""
        who = caller()
        ticket = await self._desk.take(who.player_id, who.name, request.request_id, request.queue_id)
        return pb.CreateTicketResponse(ticket=self._message(ticket, who.player_id))

    async def GetTicket(self, request: pb.GetTicketRequest, context: Any) -> pb.GetTicketResponse:
        """See the contract."""
        player = caller().player_id
        return pb.GetTicketResponse(ticket=self._message(await self._desk.find(player, request.ticket_id), player))

    async def WatchTicket(self, request: pb.WatchTicketRequest, context: Any) -> AsyncIterator[pb.WatchTicketResponse]:
        """See the contract."""
        player = caller().player_id
        shown: pb.Ticket | None = None
        async for ticket in self._desk.watch(player, request.ticket_id):
            message = self._message(ticket, player)
            if message != shown:
                shown = message
                yield pb.WatchTicketResponse(ticket=message)

    async def CancelTicket(self, request: pb.CancelTicketRequest, context: Any) -> pb.CancelTicketResponse:
        """See the contract."""
        player = caller().player_id
        return pb.CancelTicketResponse(ticket=self._message(await self._desk.cancel(player, request.ticket_id), player))

    def _queue_message(self, queue: Queue) -> pb.Queue:
        return pb.Queue(
            queue_id=queue.id,
            game=queue.options.game,
            seats=queue.seats,
            waiting=self._room.count(queue.id),
            limit_seconds=round(self._limit_seconds),
        )

    def _message(self, ticket: Ticket, player: str) -> pb.Ticket:
        message = pb.Ticket(
            ticket_id=ticket.id, queue_id=ticket.queue_id, status=STATUSES[ticket.status], table_id=ticket.table
        )
        message.created_at.FromMilliseconds(ticket.created)
        if ticket.open:
            message.place = self._room.place(ticket, player)
            message.expected_at.FromMilliseconds(self._room.expected(ticket))
        return message
