"""What an operator does at a table: one more writer of its log, beside the table servers and by the same rule.

A change is decided on the log as it is and appended with the expected sequence; whoever was beaten by a server looks
again. No table server has to run for it. Those that have the table alive hear of the record as they hear of each
other's; and the table's durable timer is made to fire at once, so that some server lists the table anew, asks its bots
again and sees to what is due.
"""

import secrets
from collections.abc import Callable
from typing import Final

from services.table import commands as c
from services.table import errors
from services.table import facts as f
from services.table.clocks import Limits
from services.table.decide import Circumstances, decide
from services.table.inspection import Inspection, inspect
from services.table.live import ATTEMPTS, ContendedError
from services.table.log import TableLog
from services.table.schedule import SKEW
from services.table.timers import Timers
from shared.bus import BusUnavailable, SequenceConflict
from shared.personas import PERSONA_NAMES

AWAKE_MILLISECONDS: Final = 10_000
"""A table is awake so soon at the latest, should the operator's own process die over what it does."""


class DamagedLogError(Exception):
    """The log of the table does not chain: nothing can follow from it.

    Attributes:
        inspection: What the log says.
    """

    def __init__(self, inspection: Inspection) -> None:
        line = inspection.damaged
        assert line is not None
        super().__init__(f"the log is damaged at sequence {line.sequence}: {line.damage}")
        self.inspection = inspection


class Operator:
    """Somebody who runs the club, at the log of its tables.

    Args:
        log: The log.
        timers: The tables' timers.
        now: The present time in ms.
    """

    def __init__(self, log: TableLog, timers: Timers, now: Callable[[], int]) -> None:
        self._log = log
        self._timers = timers
        self._now = now

    async def inspect(self, table: str) -> Inspection:
        """What the log of a table says.

        Raises:
            TableNotFoundError: There is none.
            shared.bus.BusUnavailable: It cannot be read.
        """
        inspection = inspect(table, await self._log.read(table))
        if not inspection.lines:
            raise errors.TableNotFoundError
        return inspection

    async def intervene(self, table: str, command: c.FreezeTable | c.ResumeTable | c.EndTable) -> int:
        """Freezes a table, lets it go on, or ends it; the revision that this made.

        Raises:
            services.table.errors.TableError: There is no such table, it is over, frozen already, or not frozen.
            DamagedLogError: Nothing can be appended to its log; see `write_off`.
            ContendedError: Table servers were first too many times in a row.
            shared.bus.BusUnavailable: Nobody can say whether it was done; look before doing it again.
        """
        armed = False
        doubted: f.Record | None = None
        try:
            for _ in range(ATTEMPTS):
                seen = await self.inspect(table)
                if doubted is not None and any(line.record == doubted for line in seen.lines):
                    return doubted.n
                if seen.damaged is not None:
                    raise DamagedLogError(seen)
                before, now = seen.state, self._now()
                change = decide(before, command, Circumstances(now, secrets.token_bytes, Limits(), PERSONA_NAMES))
                if not now + SKEW < before.wake <= now + AWAKE_MILLISECONDS:
                    await self._timers.arm(table, now + AWAKE_MILLISECONDS)
                armed = True
                # It fires as soon as this is written, so the record promises no later timer.
                facts = tuple(fact for fact, _ in change.facts)
                record = f.Record(before.revision + 1, before.link, now, facts, wake=now)
                try:
                    await self._log.append(table, f.encode(record), seen.last)
                except SequenceConflict:
                    continue
                except BusUnavailable as error:
                    if not error.maybe_stored:
                        raise
                    doubted = record  # the log says whether it was stored; if not, it is decided again
                    continue
                return record.n
            raise ContendedError(table)
        finally:
            if armed:
                await self._timers.arm(table, self._now())

    async def write_off(self, table: str, by: str, why: str) -> Inspection:
        """Gives up a table whose log is damaged: it is closed everywhere and leaves the lobby, no result comes of it,
        and its log stays as it is for thirty days. Doing it again makes sure that a server sees to the lobby.

        Raises:
            TableNotFoundError: There is no such table.
            ValueError: Its log is in order.
            ContendedError: Something else is written to its log all the time.
            shared.bus.BusUnavailable: Nobody can say whether it was done; do it again.
        """
        for _ in range(ATTEMPTS):
            seen = await self.inspect(table)
            if seen.damaged is None:
                raise ValueError(f"the log of {table} is in order")
            if seen.written_off is None:
                record = f.Record(0, "", self._now(), (f.TableWrittenOff(by, why),))
                try:
                    await self._log.append(table, f.encode(record), seen.last)
                except SequenceConflict:
                    continue
            await self._timers.arm(table, self._now())
            return await self.inspect(table)
        raise ContendedError(table)
