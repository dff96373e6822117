"""The tables that this server has alive, and what follows from their changes.

Any server can have any table: it is read from the log when somebody asks for it, and let go when nobody does.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable

import structlog

from services.table import commands as c
from services.table import errors
from services.table import facts as f
from services.table.clocks import deadlines, unattended
from services.table.decide import Circumstances, due
from services.table.live import ContendedError, LiveTable, Means
from services.table.lobby import Lobby, listed_differently
from services.table.log import TableLog
from services.table.metrics import TableMetrics
from services.table.presence import Presence
from services.table.results import Results
from services.table.state import TableState
from services.table.timers import Timers
from services.table.turns import Turns
from services.table.watchers import Ended
from shared.bus import BusRefused, BusUnavailable, Postpone
from shared.traces import Trace

IDLE_SECONDS = 60.0
"""A table that nobody has used for so long is let go."""
SWEEP_SECONDS = 15.0
EVIDENCE_DAYS = 30
"""A damaged log that an operator has given up is kept for so long."""
LEAVE_SECONDS = 3.0
"""So long a drain waits for the logs, which may be out of reach, before it ends the watches."""
HANDED_OVER_AT_ONCE = 25
"""Tables whose watches a drain ends together. Another server reads that many in the pause, unless they are long."""
PAUSE_SECONDS = 0.25
"""Between them and the next ones."""
HAND_OVER_SECONDS = 10.0
"""All of it takes no longer than about this: of many tables more go together."""
ELSEWHERE_SECONDS = 0.2
"""A timer that fires while this server drains comes again after this, to another."""

_log = structlog.get_logger(__name__)


class Tables:
    """All tables, as one server serves them."""

    def __init__(
        self,
        log: TableLog,
        timers: Timers,
        turns: Turns,
        results: Results,
        lobby: Lobby,
        metrics: TableMetrics,
        circumstances: Callable[[], Circumstances],
    ) -> None:
        self.lobby = lobby
        self._log = log
        self._timers = timers
        self._turns = turns
        self._results = results
        self._metrics = metrics
        self._circumstances = circumstances
        self._presence: Presence | None = None
        self._live: dict[str, LiveTable] = {}
        self._opening: dict[str, asyncio.Task[LiveTable]] = {}
        self._posting: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._means = Means(
            log=log,
            timers=timers,
            circumstances=circumstances,
            metrics=metrics,
            react=self._react,
            presence_changed=lambda live: self._presence.changed(live) if self._presence else None,
        )

    def attend(self, presence: Presence) -> None:
        """Tells `presence` of changes of seats from now on."""
        self._presence = presence

    # Finding

    async def get(self, table: str) -> LiveTable:
        """A table, read from its log if this server does not have it.

        Raises:
            TableNotFoundError: Unknown or closed.
            TableFrozenError: Its log is damaged.
        """
        live = await self._get(table)
        if live.written_off is not None:
            self._release(live)
            raise errors.TableNotFoundError
        if live.frozen is not None:
            raise errors.TableFrozenError
        if not live.exists:
            self._release(live)
            raise errors.TableNotFoundError
        live.touched = self._circumstances().now
        return live

    async def _get(self, table: str) -> LiveTable:
        live = self._live.get(table)
        if live is not None:
            return live
        opening = self._opening.get(table)
        if opening is None:
            opening = asyncio.ensure_future(self._open(table))
            self._opening[table] = opening
            opening.add_done_callback(lambda _: self._opening.pop(table, None))
        return await asyncio.shield(opening)

    async def _open(self, table: str) -> LiveTable:
        began = time.perf_counter()
        live = LiveTable(table, self._means)
        try:
            await live.open()
            circumstances = self._circumstances()
            if live.exists and live.frozen is None and unattended(live.state, circumstances.limits, circumstances.now):
                await live.execute(c.Tick())
        except BaseException:
            await live.close()
            raise
        self._live[table] = live
        self._metrics.alive.set(len(self._live))
        if live.exists:
            self._metrics.recovery.observe(time.perf_counter() - began)
            self.lobby.correct(live.state)
        return live

    async def create(self, command: c.CreateTable, request: f.Request) -> tuple[LiveTable, int]:
        """Makes a table, or finds the one that an earlier request with the same id made."""
        live = await self._get(command.table)
        while self._live.get(command.table) is not live:
            live = await self._get(command.table)  # it was let go while this waited for it
        live.touched = self._circumstances().now
        try:
            return live, await live.execute(command, request)
        finally:
            if not live.exists:
                self._release(live)

    def alive(self) -> list[LiveTable]:
        """The tables that this server has."""
        return list(self._live.values())

    # Reacting

    def _react(self, live: LiveTable, before: TableState, after: TableState) -> None:
        """What follows from a change that this server made. Nothing of it has to succeed: a timer makes up for it."""
        if Turns.opened(before, after):
            # A match of bots alone would be one trace without end: what follows from a bot's answer begins a new one.
            self._spawn(self._turns.publish(live, Trace(new=Turns.answered(before, after))))
        if listed_differently(before, after):
            self.lobby.put(after)
        if after.result_due:
            self._spawn(self._post(live))

    async def _post(self, live: LiveTable) -> None:
        """Hands the result of a match that is over to the ledger, and notes that it is done."""
        if live.id in self._posting:
            return
        self._posting.add(live.id)
        try:
            await self._results.publish(live.state)
            await live.execute(c.ConfirmResult())
        finally:
            self._posting.discard(live.id)

    async def on_timer(self, table: str) -> None:
        """The durable timer of a table fired."""
        try:
            live = await self._get(table)
            if live.written_off is not None:
                await self._keep_evidence(live, live.written_off)
            live = await self.get(table)
            await live.refresh()  # what is armed next must not rest on hearsay
            await live.tick()
            await self._finish(live)
            await live.rearm()
            self.lobby.correct(live.state)
            if Turns.interrupted(live.state):
                await self._turns.publish(live, Trace(), again=live.state.resumed)
        except errors.TableNotFoundError:
            await self._timers.forget(table)
            if self.lobby.lists(table):  # its log was removed, or an operator has given it up
                await self.lobby.remove(table)
        except errors.DrainingError:
            raise Postpone(ELSEWHERE_SECONDS) from None
        except errors.TableFrozenError:
            _log.error("the timer of a frozen table fired", table=table)

    async def _keep_evidence(self, live: LiveTable, since: int) -> None:
        """Sees to it that the log of a table that an operator gave up goes when everybody has had the time to look."""
        until = since + EVIDENCE_DAYS * 86_400_000
        if self._circumstances().now >= until:
            await self._log.erase(live.id)
            await self._timers.disarm(live.id)
        else:
            await self._timers.arm_over(live.id, until, 0)

    async def _finish(self, live: LiveTable) -> None:
        """Posts and closes, when that is due."""
        if live.state.result_due:  # before its time, too: an operator who ends a table posts nothing
            await self._post(live)
        for deadline in due(live.state, self._circumstances()):
            if deadline.due == "close":
                await self.close(live)
                raise errors.TableNotFoundError

    async def close(self, live: LiveTable) -> None:
        """Closes a table that is over: its log goes, watches end. If it is interrupted, the timer comes again."""
        await self.lobby.remove(live.id)
        await self._log.erase(live.id)
        await self._timers.disarm(live.id)
        self._live.pop(live.id, None)
        self._metrics.alive.set(len(self._live))
        await live.close(Ended.CLOSED)

    # Letting go

    def _release(self, live: LiveTable) -> None:
        """Forgets a table that does not exist."""
        if self._live.get(live.id) is live and live.idle:
            del self._live[live.id]
            self._metrics.alive.set(len(self._live))
            self._spawn(live.close(Ended.CLOSED))

    async def sweep(self) -> None:
        """Lets go for ever of tables that nobody uses."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            for live in self.alive():
                try:
                    await self._let_go(live)
                except BusUnavailable:
                    break
                except Exception:
                    _log.exception("a table could not be let go", table=live.id)
            self._metrics.alive.set(len(self._live))

    async def _let_go(self, live: LiveTable) -> None:
        """Lets go of a table that nobody uses, or that another server has closed."""
        now = self._circumstances().now
        if self._to_be_closed(live) and not await self._log.holds(live.id):
            why = Ended.CLOSED
        elif live.idle and now - live.touched > IDLE_SECONDS * 1000 and not self._soon(live, now):
            why = Ended.DRAINING
        else:
            return
        if self._live.get(live.id) is live:
            del self._live[live.id]
        await live.close(why)

    def _to_be_closed(self, live: LiveTable) -> bool:
        """Whether it is time to close the table: then any server may have done it, and nothing is told of that."""
        return any(one.due == "close" for one in due(live.state, self._circumstances()))

    def _soon(self, live: LiveTable, now: int) -> bool:
        """Whether the table has something to do before long: then it is not worth reading it again."""
        if live.frozen is not None:
            return False
        return any(one.when - now < IDLE_SECONDS * 1000 for one in deadlines(live.state, self._circumstances().limits))

    async def after_reconnect(self) -> None:
        """Catches up with what was stored while nobody could be heard."""
        for live in self.alive():
            live.suspect()

    async def drain(self) -> None:
        """Hands all tables over: ends their watches, so that the viewers go to another server, some tables at a time.

        Whoever takes a table over reads its log, and has other tables to serve meanwhile, whose clocks run: so the next
        ones come when that is done. Those that are still here are played at until it is their turn.
        """
        if self._presence is not None:
            self._presence.close()
        try:
            in_reach = True
            waiting = self.alive()
            at_once = max(HANDED_OVER_AT_ONCE, math.ceil(len(waiting) * PAUSE_SECONDS / HAND_OVER_SECONDS))
            while waiting and in_reach:
                now, waiting = waiting[:at_once], waiting[at_once:]
                in_reach = await self._hand_over(now)
                if waiting:
                    await asyncio.sleep(PAUSE_SECONDS)
            async with asyncio.timeout(LEAVE_SECONDS):
                await self.lobby.written()
        except TimeoutError:
            _log.warning("the lobby was not told everything; other servers will")
        finally:
            for live in self.alive():
                await live.close(Ended.DRAINING)

    async def _hand_over(self, tables: list[LiveTable]) -> bool:
        """Ends the watches of these tables by the server's doing; False if the logs are out of reach."""
        try:
            if self._presence is not None:
                async with asyncio.timeout(LEAVE_SECONDS):
                    await self._presence.leave(tables)
        except TimeoutError:
            _log.warning("the logs were not told that this server goes; others will")
            return False
        finally:
            for live in tables:
                await live.close(Ended.DRAINING)
        return True

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(self._quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _quietly(self, work: Awaitable[None]) -> None:
        try:
            await work
        except (BusUnavailable, BusRefused, ContendedError, errors.TableError) as error:
            _log.warning("a table's follow-up waits for its timer", error=repr(error))
        except Exception:
            _log.exception("a table's follow-up failed")
