"""What follows from a restored log: tables go on, have their timers, and are listed.

The log is the table, and everything else that was kept of tables is made anew from it. Of those that are not over each
gets one record more (`Restored`): nobody is present at it, and no time has passed since the backup.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeVar

import msgspec

from services.table import facts as f
from services.table import restoration
from services.table.inspection import inspect
from services.table.lobby import entry_of
from services.table.log import TableLog
from services.table.state import TableState, fold
from services.table.timers import Timers
from shared.bus import Bus

AT_ONCE: Final = 32
"""Tables worked on side by side."""

_T = TypeVar("_T")
_R = TypeVar("_R")


@dataclass(slots=True)
class Resumed:
    """What became of the tables.

    Attributes:
        resumed: Tables that go on.
        over: Tables that were over.
        known: Tables stopped, because the ledger has the result of their match already.
        damaged: Tables whose log cannot be read, each with the reason; they are left as they are.
        running: Matches that go on.
    """

    resumed: int = 0
    over: int = 0
    known: int = 0
    damaged: dict[str, str] = field(default_factory=dict)
    running: set[str] = field(default_factory=set)


class Resumption:
    """Lets the tables of a restored log go on.

    Args:
        bus: A connection that may read the log and write what follows from it.
        since: When the log was taken, in ms since the epoch.
        now: The present time in ms.
        posted: Which of these matches the ledger has the result of.
    """

    def __init__(self, bus: Bus, since: int, now: int, posted: Callable[[list[str]], Awaitable[set[str]]]) -> None:
        self._bus = bus
        self._log = TableLog(bus)
        self._timers = Timers(bus)
        self._since = since
        self._now = now
        self._posted = posted
        self._done = Resumed()

    async def run(self) -> Resumed:
        """Does it; only for a club in which no service runs.

        Raises:
            shared.bus.BusUnavailable, shared.bus.BusRefused: NATS does not answer, or refuses.
        """
        read = await self._side_by_side(self._read, await self._log.tables())
        found = [one for one in read if one is not None]
        going_on = [state.match for state, _ in found if state.match and not state.over]
        known = await self._posted(going_on)
        self._done.running = set(going_on) - known
        await self._side_by_side(lambda one: self._go_on(*one, known=one[0].match in known), found)
        return self._done

    async def _side_by_side(self, work: Callable[[_T], Awaitable[_R]], of: Iterable[_T]) -> list[_R]:
        free = asyncio.Semaphore(AT_ONCE)

        async def one(item: _T) -> _R:
            async with free:
                return await work(item)

        return await asyncio.gather(*(one(item) for item in of))

    # Tables

    async def _read(self, table: str) -> tuple[TableState, int] | None:
        """A table, and the sequence of its last record; None when its log is damaged or was given up."""
        found = inspect(table, await self._log.read(table))
        if found.damaged is not None:
            if found.written_off is None:
                self._done.damaged[table] = f"sequence {found.damaged.sequence}: {found.damaged.damage}"
            return None
        return (found.state, found.last) if found.lines else None

    async def _go_on(self, state: TableState, last: int, *, known: bool) -> None:
        """Lets a table go on: its timer fires as soon as a server is there, which then does what is due."""
        await self._timers.arm(state.table, self._now)
        if state.over:
            self._done.over += 1
        else:
            record = restoration.record(state, self._since, self._now, self._now, known=known)
            data = f.encode(record)
            await self._log.append(state.table, data, last)
            state, _ = fold(state, record, f.link(data))
            if known:
                self._done.known += 1
            else:
                self._done.resumed += 1
        await self._bus.publish(f"$KV.LOBBY.{state.table}", msgspec.json.encode(entry_of(state)))
