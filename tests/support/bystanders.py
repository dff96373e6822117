"""People for whom something goes on while services are replaced: nothing that they see may show it."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from shared.client import ConnectionState, Phase, TableSession, new_request_id, new_state
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.ledger.v1 import identity_pb2, ledger_pb2
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.gen.levata.table.v1 import table_pb2
from tests.support.guests import Guest
from tests.support.waiting import until

PAUSE_SECONDS = 0.2
"""Between two calls of a visitor."""
ROUNDING_SECONDS = 0.005
"""Times of the club are in whole milliseconds."""


@dataclass
class Thinker:
    """Somebody who thinks about one decision while servers go, and watches the clock.

    Attributes:
        guest: Who.
        losses: How often the stream broke meanwhile.
    """

    guest: Guest
    losses: int = 0
    _lost: float | None = None
    _deadline: float = 0.0

    @contextmanager
    def thinking(self, session: TableSession) -> Iterator[None]:
        """Inside the block nothing is decided."""
        self._see(session.view.table, session.view.at)
        stop = session.state.follow(self._connection)
        try:
            yield
        finally:
            stop()

    def _connection(self, state: ConnectionState) -> None:
        if state.phase is Phase.RECONNECTING and self._lost is None:
            self.losses += 1
            self._lost = time.time()

    def see(self, update: table_pb2.Update) -> None:
        """An update of the table, at which nobody has decided anything."""
        if update.HasField("table"):
            self._see(update.table, update.at.ToNanoseconds() / 1e9)

    def _see(self, table: table_pb2.Table, at: float) -> None:
        """The time that is left after a loss is at least what was left when it was noticed."""
        if not table.decision.HasField("deadline"):
            return  # it stands still
        deadline = table.decision.deadline.ToNanoseconds() / 1e9
        if self._lost is not None:
            left = self._deadline - self._lost
            assert deadline - at >= left - ROUNDING_SECONDS, f"{left} s were left, and afterwards {deadline - at} s"
            self._lost = None
        self._deadline = max(self._deadline, deadline)

    @property
    def settled(self) -> bool:
        """After every loss the clock has been seen again."""
        return self._lost is None


@dataclass
class Waiting:
    """Somebody with a ticket.

    Attributes:
        guest: Who.
        ticket: The ticket as it was shown last.
        places: Every place that was shown, in order.
        losses: How often the watch broke.
    """

    guest: Guest
    ticket: matchmaking_pb2.Ticket = field(default_factory=matchmaking_pb2.Ticket)
    places: list[int] = field(default_factory=list)
    losses: int = 0

    async def take(self, queue: str) -> None:
        """Takes a ticket."""
        request = matchmaking_pb2.CreateTicketRequest(request_id=new_request_id(), queue_id=queue)
        self.ticket = (await self.guest.club.matchmaking.CreateTicket(request)).ticket

    async def wait(self) -> str:
        """Watches the ticket until there is a table; its id."""
        state = new_state()
        state.follow(self._connection)
        first = self.ticket.ticket_id
        async for ticket in self.guest.club.watch_ticket(first, state=state):
            assert ticket.ticket_id == first
            if ticket.place:
                self.places.append(ticket.place)
            self.ticket = ticket
        assert self.ticket.status == matchmaking_pb2.TICKET_STATUS_MATCHED, self.ticket
        return self.ticket.table_id

    def _connection(self, state: ConnectionState) -> None:
        self.losses += state.phase is Phase.RECONNECTING


@asynccontextmanager
async def visiting(guest: Guest) -> AsyncIterator[dict[str, int]]:
    """Somebody looks around in all services inside the block, and every call succeeds: how often each was made."""
    club, over = guest.club, asyncio.Event()
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "account": lambda: club.identity.GetAccount(identity_pb2.GetAccountRequest()),
        "fame": lambda: club.ledger.ListHallOfFame(ledger_pb2.ListHallOfFameRequest(game="arzoi")),
        "queues": lambda: club.matchmaking.ListQueues(matchmaking_pb2.ListQueuesRequest()),
        "personas": lambda: club.bots.ListPersonas(bot_pb2.ListPersonasRequest()),
        "tables": lambda: club.tables.ListTables(table_pb2.ListTablesRequest()),
    }
    made = dict.fromkeys(calls, 0)

    async def keep(name: str) -> None:
        while not over.is_set():
            await calls[name]()
            made[name] += 1
            await asyncio.sleep(PAUSE_SECONDS)

    async with asyncio.TaskGroup() as visits:
        for name in calls:
            visits.create_task(keep(name))
        await until(lambda: all(made.values()), 30, "every service was called")
        yield made
        over.set()
