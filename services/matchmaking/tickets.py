"""Tickets and what a player may do with them. Pure: no clock, no I/O."""

import hashlib
from typing import Literal

import msgspec

from services.matchmaking.errors import RequestIdReusedError, TicketNotFoundError, TicketOpenError

Status = Literal["waiting", "matched", "cancelled", "expired"]

TICKETS_KEPT = 8
"""Of each player, the latest included."""


NEWCOMER_MEAN = 25.0
"""Where the skill estimate of somebody begins who has not played."""


class Rating(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the ledger believes of a player's skill in a game.

    Attributes:
        mean: Mean of the estimate.
        number: Number of the message that told it; a higher one of the same game is newer. 0: none has.
    """

    mean: float = NEWCOMER_MEAN
    number: int = 0


NEWCOMER = Rating()
"""Of somebody of whom nothing was told."""


class Ticket(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One player's wish to play.

    Attributes:
        id: Made from the player and the request, so that a repeated request makes the same.
        request_id: The request that took it.
        queue_id: The queue.
        created: When it was taken, in milliseconds since 1970.
        rating: The player's rating in the queue's game, the latest that is known while the ticket waits.
        status: Where it is in its life.
        group: The group that a matcher has claimed it for; the claim holds while the queue's wave has the group.
        table: The table; once matched.
        ended: When it stopped waiting, in milliseconds since 1970.
    """

    id: str
    request_id: str
    queue_id: str
    created: int
    rating: Rating = NEWCOMER
    status: Status = "waiting"
    group: str = ""
    table: str = ""
    ended: int = 0

    @property
    def open(self) -> bool:
        """It waits."""
        return self.status == "waiting"


class Wallet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A player's tickets: at most one of them, the last, is open. One entry in the bucket, changed as a whole.

    Attributes:
        player: Account.
        name: Name when the last ticket was taken.
        tickets: Oldest first.
    """

    player: str
    name: str = ""
    tickets: tuple[Ticket, ...] = ()

    @property
    def open_ticket(self) -> Ticket | None:
        """The one that waits."""
        return self.tickets[-1] if self.tickets and self.tickets[-1].open else None

    def find(self, ticket_id: str) -> Ticket:
        """The ticket of this id; with an empty id, the open one. Raises `TicketNotFoundError`."""
        if not ticket_id:
            if self.open_ticket is None:
                raise TicketNotFoundError
            return self.open_ticket
        for ticket in self.tickets:
            if ticket.id == ticket_id:
                return ticket
        raise TicketNotFoundError

    def take(
        self, request_id: str, queue_id: str, name: str, now: int, rating: Rating = NEWCOMER
    ) -> "tuple[Wallet, Ticket]":
        """Takes a ticket, or finds the one that this request took before: then the wallet is the same.

        Raises:
            RequestIdReusedError: The request took a ticket in another queue.
            TicketOpenError: Another ticket is open.
        """
        for ticket in self.tickets:
            if ticket.request_id == request_id:
                if ticket.queue_id != queue_id:
                    raise RequestIdReusedError
                return self, ticket
        if self.open_ticket is not None:
            raise TicketOpenError(self.open_ticket.id, self.open_ticket.queue_id)
        identity = ticket_id(self.player, request_id)
        taken = Ticket(id=identity, request_id=request_id, queue_id=queue_id, created=now, rating=rating)
        return Wallet(player=self.player, name=name, tickets=(*self.tickets[1 - TICKETS_KEPT :], taken)), taken

    def replace(self, changed: Ticket) -> "Wallet":
        """The wallet with `changed` in the place of the ticket of the same id."""
        tickets = tuple(changed if ticket.id == changed.id else ticket for ticket in self.tickets)
        return Wallet(player=self.player, name=self.name, tickets=tickets)


def change(ticket: Ticket, **changes: str | int | Rating) -> Ticket:
    """`ticket` with some fields changed."""
    return msgspec.structs.replace(ticket, **changes)


def ticket_id(player: str, request_id: str) -> str:
    """The id of the ticket that a player's request takes."""
    return hashlib.blake2s(f"{player}\n{request_id}".encode(), digest_size=15).hexdigest()


def player_key(player: str) -> str:
    """A player's key in the bucket: account ids may hold what keys may not."""
    return hashlib.blake2s(player.encode(), digest_size=15).hexdigest()
