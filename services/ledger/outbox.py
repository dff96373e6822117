"""The outbox: facts are written in the transaction that makes them true, and told afterwards.

The relay reads what has not been told, oldest first, publishes one after another, and marks each once the stream has
acknowledged it. If it dies in between, the next one tells it again with the same message id, and the stream drops the
repeat. Several relays may run: each tells in order, so the first telling of every fact is in order too; and whoever
is told late all the same can see by the fact's own number that it is old.

A relay works when it is woken by the process that wrote something. It also looks by itself from time to time, for facts
whose writer died before it could tell them.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog
from sqlalchemy import delete, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, func, select

from services.ledger.database import Database
from services.ledger.errors import DatabaseDownError
from services.ledger.measures import Measures
from services.ledger.models import OutboxMessage
from shared import traces
from shared.bus import Bus, BusUnavailable
from shared.traces import Trace

_log = structlog.get_logger(__name__)

BATCH = 100


def tell(session: AsyncSession, subject: str, message_id: str, payload: bytes, now: datetime) -> None:
    """Writes a fact to be told, in the transaction that makes it true."""
    session.add(
        OutboxMessage(subject=subject, message_id=message_id, payload=payload, trace=traces.current(), created_at=now)
    )


class Relay:
    """Tells what is in the outbox.

    Args:
        database: Where the outbox is.
        bus: Where to.
        measures: What operators see.
        now: Wall clock.
        look_seconds: How often it looks by itself.
        keep: How long told facts stay for operators to read.
    """

    def __init__(
        self,
        database: Database,
        bus: Bus,
        measures: Measures,
        now: Callable[[], datetime],
        look_seconds: float = 15.0,
        keep: timedelta = timedelta(days=7),
    ) -> None:
        self._database = database
        self._bus = bus
        self._measures = measures
        self._now = now
        self._look_seconds = look_seconds
        self._keep = keep
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Something was written."""
        self._woken.set()

    async def run(self) -> None:
        """Tells for ever; a database or a broker that is away is waited for."""
        self._woken.set()
        while True:
            try:
                async with asyncio.timeout(self._look_seconds):
                    await self._woken.wait()
            except TimeoutError:
                pass  # look by itself
            self._woken.clear()
            try:
                while await self.send_some() == BATCH:
                    pass
            except (DatabaseDownError, BusUnavailable) as error:
                _log.warning("the outbox waits", error=str(error))
            await self._measure()

    async def send_some(self) -> int:
        """Tells the oldest facts, a batch at most, and returns how many."""
        async with self._database.reading() as session:
            waiting = (
                await session.scalars(
                    select(OutboxMessage)
                    .where(col(OutboxMessage.sent_at).is_(None))
                    .order_by(col(OutboxMessage.outbox_id))
                    .limit(BATCH)
                )
            ).all()
        sent: list[int | None] = []
        try:
            for message in waiting:
                trace = Trace(parent=message.trace)
                await self._bus.publish(message.subject, message.payload, msg_id=message.message_id, trace=trace)
                sent.append(message.outbox_id)
                self._measures.relayed()
        finally:
            if sent:
                await self._mark(sent)
        return len(sent)

    async def _mark(self, sent: list[int | None]) -> None:
        async with self._database.writing() as session:
            await session.execute(
                update(OutboxMessage)
                .where(col(OutboxMessage.outbox_id).in_(sent), col(OutboxMessage.sent_at).is_(None))
                .values(sent_at=self._now())
            )

    async def _measure(self) -> None:
        try:
            async with self._database.reading() as session:
                unsent, oldest = (
                    await session.execute(
                        select(func.count(), func.min(OutboxMessage.created_at)).where(
                            col(OutboxMessage.sent_at).is_(None)
                        )
                    )
                ).one()
        except DatabaseDownError:
            return
        lag = (self._now() - oldest).total_seconds() if oldest is not None else 0.0
        self._measures.outbox(unsent, max(0.0, lag))

    async def forget(self, session: AsyncSession) -> None:
        """Deletes facts that were told long ago."""
        await session.execute(delete(OutboxMessage).where(col(OutboxMessage.sent_at) < self._now() - self._keep))
