"""What can go wrong in matchmaking, and what it is to a caller."""

import grpc

from shared.errors import ErrorSpec

RETRY_SECONDS = 1.0


class MatchmakingError(Exception):
    """The root of this service's errors."""


class QueueNotFoundError(MatchmakingError):
    """There is no such queue."""


class TicketNotFoundError(MatchmakingError):
    """The caller has no such ticket."""


class TicketOpenError(MatchmakingError):
    """The caller has an open ticket already.

    Attributes:
        ticket_id: Its id.
        queue_id: Its queue.
    """

    def __init__(self, ticket_id: str, queue_id: str) -> None:
        super().__init__(f"ticket {ticket_id} is open")
        self.ticket_id = ticket_id
        self.queue_id = queue_id


class RequestIdReusedError(MatchmakingError):
    """The request id was used for a ticket in another queue."""


class TicketMatchedError(MatchmakingError):
    """The table is there.

    Attributes:
        table_id: Which.
    """

    def __init__(self, table_id: str) -> None:
        super().__init__(f"table {table_id} is there")
        self.table_id = table_id


class TableBeingMadeError(MatchmakingError):
    """The table is being made, and it is not known yet what comes of it: ask again."""


class ContendedError(MatchmakingError):
    """Others changed the same ticket over and over again: ask again."""


class SupersededError(MatchmakingError):
    """Another process matches this queue now. Never seen by callers."""


class DamagedEntryError(MatchmakingError):
    """An entry in the bucket is not one of ours, or of a newer build. Never seen by callers."""


ERRORS: dict[type[Exception], ErrorSpec] = {
    QueueNotFoundError: ErrorSpec(grpc.StatusCode.NOT_FOUND, "QUEUE_NOT_FOUND"),
    TicketNotFoundError: ErrorSpec(grpc.StatusCode.NOT_FOUND, "TICKET_NOT_FOUND"),
    TicketOpenError: ErrorSpec(
        grpc.StatusCode.FAILED_PRECONDITION,
        "TICKET_OPEN",
        metadata=lambda error: {"ticket_id": error.ticket_id, "queue_id": error.queue_id},
    ),
    RequestIdReusedError: ErrorSpec(grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED"),
    TicketMatchedError: ErrorSpec(
        grpc.StatusCode.FAILED_PRECONDITION, "TICKET_MATCHED", metadata=lambda error: {"table_id": error.table_id}
    ),
    TableBeingMadeError: ErrorSpec(grpc.StatusCode.UNAVAILABLE, "TABLE_BEING_MADE", retry_after=RETRY_SECONDS),
    ContendedError: ErrorSpec(grpc.StatusCode.UNAVAILABLE, "DEPENDENCY_DOWN", retry_after=RETRY_SECONDS),
}
"""The canonical code and the reason of each."""
