"""The desk: what players do with tickets."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

import grpc

from services.matchmaking.errors import (
    RETRY_SECONDS,
    ContendedError,
    QueueNotFoundError,
    TableBeingMadeError,
    TicketMatchedError,
)
from services.matchmaking.measures import Measures
from services.matchmaking.queues import Queue
from services.matchmaking.ratings import Ratings
from services.matchmaking.room import Room
from services.matchmaking.store import Store
from services.matchmaking.tickets import Ticket, change
from shared.bus import SequenceConflict
from shared.errors import LevataError

ATTEMPTS = 8
"""Attempts to change a wallet that others change as well."""
PATIENCE_SECONDS = 2.0
"""How long a player who cancels waits for what comes of a table that is being made."""


class Desk:
    """Takes, shows and cancels tickets. Every method raises `BusUnavailable` when NATS does not answer."""

    def __init__(
        self,
        queues: Mapping[str, Queue],
        store: Store,
        room: Room,
        ratings: Ratings,
        measures: Measures,
        now: Callable[[], float],
    ) -> None:
        self._queues = queues
        self._store = store
        self._room = room
        self._ratings = ratings
        self._measures = measures
        self._now = now
        self._draining = False

    async def take(self, player: str, name: str, request_id: str, queue_id: str) -> Ticket:
        """Takes a ticket, or finds the one that the same request took.

        Raises:
            QueueNotFoundError: There is no such queue.
            TicketOpenError: The player has an open ticket.
            RequestIdReusedError: The request took a ticket in another queue.
        """
        if queue_id not in self._queues:
            raise QueueNotFoundError
        rating = await self._ratings.of(player, queue_id)
        for _ in range(ATTEMPTS):
            stored = await self._store.wallet(player)
            wallet, ticket = stored.value.take(request_id, queue_id, name, self._milliseconds, rating)
            if wallet is stored.value:
                return ticket
            try:
                self._room.take_wallet(await self._store.put_wallet(wallet, stored.sequence))
            except SequenceConflict:
                continue
            self._measures.taken.labels(queue_id).inc()
            return await self._ratings.bring_up_to_date(player) or ticket
        raise ContendedError

    async def find(self, player: str, ticket_id: str) -> Ticket:
        """A player's ticket; with an empty id, the open one. Raises `TicketNotFoundError`."""
        return (await self._store.wallet(player)).value.find(ticket_id)

    async def cancel(self, player: str, ticket_id: str) -> Ticket:
        """Gives a ticket back. One that is cancelled or has run out stays as it is.

        Raises:
            TicketNotFoundError: The player has no such ticket.
            TicketMatchedError: The table is there.
            TableBeingMadeError: The table is being made, and that takes long.
        """
        first = await self.find(player, ticket_id)
        deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        conflicts = 0
        with self._room.watching(player, first.queue_id) as changed:
            while conflicts < ATTEMPTS:
                changed.clear()
                stored = await self._store.wallet(player)
                ticket = stored.value.find(ticket_id)
                if ticket.status == "matched":
                    raise TicketMatchedError(ticket.table)
                if not ticket.open:
                    return ticket
                if ticket.group and (await self._store.wave(ticket.queue_id)).value.has(ticket.group):
                    await self._wait(changed, deadline)
                    continue
                cancelled = change(ticket, status="cancelled", ended=self._milliseconds)
                try:
                    put = await self._store.put_wallet(stored.value.replace(cancelled), stored.sequence)
                except SequenceConflict:
                    conflicts += 1
                    continue
                self._room.take_wallet(put)
                self._measures.ended.labels(ticket.queue_id, "cancelled").inc()
                return cancelled
        raise ContendedError

    async def watch(self, player: str, ticket_id: str) -> AsyncIterator[Ticket]:
        """A ticket as it is, and again whenever it or its queue may have changed; it ends with the last status.

        Raises:
            TicketNotFoundError: The player has no such ticket.
            LevataError: UNAVAILABLE (DRAINING): the service stops.
        """
        first = await self.find(player, ticket_id)
        with self._room.watching(player, first.queue_id) as changed:
            while True:
                changed.clear()
                if self._draining:
                    raise LevataError(grpc.StatusCode.UNAVAILABLE, "DRAINING", retry_after=RETRY_SECONDS)
                ticket = await self._latest(player, ticket_id)
                yield ticket
                if not ticket.open:
                    return
                await changed.wait()

    async def drain(self) -> None:
        """Ends all watches: whoever watches comes back elsewhere."""
        self._draining = True
        self._room.wake()

    @property
    def _milliseconds(self) -> int:
        return round(self._now() * 1000)

    async def _latest(self, player: str, ticket_id: str) -> Ticket:
        known = self._room.known(player)
        if known is not None and known.value.open_ticket is not None and known.value.open_ticket.id == ticket_id:
            return known.value.open_ticket
        return await self.find(player, ticket_id)

    async def _wait(self, changed: asyncio.Event, deadline: float) -> None:
        try:
            async with asyncio.timeout_at(deadline):
                await changed.wait()
        except TimeoutError:
            raise TableBeingMadeError from None
