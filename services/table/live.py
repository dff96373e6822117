"""A table as one server has it in memory: reads its log, writes to it, and has those who watch told.

The log is the table; a `LiveTable` is a copy that can be thrown away at any time. Changes go one after another: decide,
append with the expected sequence, and only when the log has acknowledged it does anybody see it. When another server
was first, the copy catches up and the command is decided again.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import structlog

from services.table import commands as c
from services.table import errors
from services.table import facts as f
from services.table.alarm import Alarm
from services.table.answers import Answers
from services.table.audience import Audience
from services.table.clocks import next_deadline
from services.table.decide import Change, Circumstances, decide, due
from services.table.engine.game import IllegalAction
from services.table.log import TableLog
from services.table.metrics import TableMetrics
from services.table.schedule import Schedule
from services.table.state import TableState, fold, sealed
from services.table.timeline import REVISIONS_KEPT
from services.table.timers import Timers
from services.table.watchers import Ended, Watcher
from shared.bus import BusUnavailable, SequenceConflict

ATTEMPTS = 20
"""A command that loses so many races in a row is given up; the caller may repeat it."""

DOUBT_SECONDS = 5.0
"""So long a command goes on while nobody knows whether its change was stored; then the caller may repeat it."""

RETRY_SECONDS = 1.0
"""Pause before the log is asked again when it did not answer."""

_log = structlog.get_logger(__name__)


class ContendedError(Exception):
    """Other servers were first too many times in a row."""


@dataclass(frozen=True, slots=True)
class Means:
    """What a live table works with.

    Attributes:
        log: The log of tables.
        timers: Durable timers.
        circumstances: The present time and the like, for a decision.
        metrics: What operators count.
        react: Called after every change that this server made, with the state before and after.
        presence_changed: Called after every change of seats, whoever made it.
    """

    log: TableLog
    timers: Timers
    circumstances: Callable[[], Circumstances]
    metrics: TableMetrics
    react: Callable[["LiveTable", TableState, TableState], None]
    presence_changed: Callable[["LiveTable"], None]


class LiveTable:
    """One table on this server.

    Attributes:
        id: The table.
        state: The latest state that this server knows.
        audience: Those who watch it here.
        touched: When somebody last used it, in ms: an unused one is let go.
    """

    def __init__(self, table: str, means: Means) -> None:
        self.id = table
        self.state = TableState()
        self.audience = Audience(means.metrics, lambda: means.circumstances().now)
        self.touched = means.circumstances().now
        self._means = means
        self._answers = Answers()
        self._lock = asyncio.Lock()
        self._sequence = 0
        self._heard_of = 0
        self._behind = True
        self._catching_up = False
        self._schedule = Schedule(table, means.timers)
        self._asked = 0
        self._frozen: str | None = None
        self._written_off: int | None = None
        self._subscription: Any = None
        self._alarm = Alarm(lambda: means.circumstances().now, self._ring)
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed: Ended | None = None

    # Coming and going

    async def open(self) -> None:
        """Reads the log and follows it from now on; a damaged one freezes the table."""
        self._subscription = await self._means.log.follow(self.id, self._heard)
        await self.refresh()

    async def close(self, why: Ended = Ended.DRAINING) -> None:
        """Lets go of the table: watches end, nothing is written any more."""
        if self._frozen is not None and self._written_off is None and self._closed is None:
            self._means.metrics.alive_frozen.dec()
        self._closed = why
        self.audience.end(why)
        self._alarm.cancel()
        if self._subscription is not None:
            await self._subscription.unsubscribe()
            self._subscription = None

    @property
    def exists(self) -> bool:
        """Whether the log has anything."""
        return self.state.revision > 0

    @property
    def frozen(self) -> str | None:
        """What is wrong with the log; None when nothing is."""
        return self._frozen

    @property
    def written_off(self) -> int | None:
        """When an operator gave the table up, because its log is damaged, in ms; None when none did."""
        return self._written_off

    @property
    def idle(self) -> bool:
        """Nobody watches, and nothing is being written."""
        return not (self.audience or self._asked or self._lock.locked() or self._tasks)

    # Asking

    async def execute(self, command: c.Command, request: f.Request | None = None) -> int:
        """Does a command and returns the revision that it made, or the present one when there was nothing to change.

        Args:
            command: The command.
            request: The request behind it; a repeat gets the revision that the first one made.

        Raises:
            services.table.errors.TableError: The table refuses.
            IllegalAction: The rules of the game refuse.
            shared.bus.BusUnavailable: The log cannot be written; repeat with the same request.
            ContendedError: Too many races were lost; repeat with the same request.
        """
        self._asked += 1
        try:
            return await self._execute(command, request)
        finally:
            self._asked -= 1
            if self._behind or self._schedule.unsure:
                self.suspect()
            else:
                self._listen_again()

    async def _execute(self, command: c.Command, request: f.Request | None) -> int:
        async with self._lock:
            sure = False
            doubted: TableState | None = None
            give_up = time.monotonic() + DOUBT_SECONDS
            for _ in range(ATTEMPTS):
                if self._behind:
                    await self._resolve(doubted)
                    sure, doubted = True, None
                self._check()
                if not self.exists and not isinstance(command, c.CreateTable):
                    raise errors.TableNotFoundError
                if request is not None and (answer := self._answers.find(request)) is not None:
                    return answer
                if self.exists and isinstance(command, c.CreateTable):
                    raise errors.RequestIdReusedError
                before = self.state
                try:
                    change = decide(before, command, self._means.circumstances())
                except (errors.TableError, IllegalAction):
                    if sure:
                        raise
                    self._behind = True  # another server may have moved on unheard: nothing is refused on hearsay
                    continue
                if not change.facts:
                    if sure or request is None:
                        return before.revision
                    self._behind = True
                    continue
                try:
                    await self._commit(change, command, request)
                except SequenceConflict:
                    self._means.metrics.conflicts.inc()
                    self._behind = True
                    continue
                except BusUnavailable as error:
                    self._behind = True
                    if error.maybe_stored and time.monotonic() < give_up:
                        doubted = before
                        continue  # the log says whether it was stored; if not, it is decided again
                    if error.maybe_stored:
                        self._spawn(self._follow_up(before))
                    raise
                except asyncio.CancelledError:
                    # The caller has left; what is on its way to the log may be stored all the same.
                    self._behind = True
                    self._spawn(self._follow_up(before))
                    raise
                self._means.react(self, before, self.state)
                return self.state.revision
            raise ContendedError(self.id)

    async def _resolve(self, doubted: TableState | None) -> None:
        """Catches up; then does what a change brings with it of which it was not known whether it was stored.

        Args:
            doubted: The table before that change; None if there was none.
        """
        try:
            await self._catch_up()
        except BusUnavailable:
            if doubted is not None:
                self._spawn(self._follow_up(doubted))
            raise
        if doubted is not None and self.state.revision > doubted.revision:
            self._means.react(self, doubted, self.state)

    async def _follow_up(self, before: TableState) -> None:
        """Does what a change brings with it, as soon as it is known to be stored. Nobody waits for that any more."""
        while not self._closed and self._frozen is None:
            try:
                await self.refresh()
            except BusUnavailable:
                await asyncio.sleep(RETRY_SECONDS)
                continue
            if self.state.revision > before.revision:
                self._means.react(self, before, self.state)
            return

    async def refresh(self) -> None:
        """Makes sure that nothing stored before this call is missing here."""
        async with self._lock:
            await self._catch_up()
        self._listen_again()

    async def settled(self) -> None:
        """Catches up if this server knows that something is missing here. Raises when the table cannot be used."""
        if self._behind:
            await self.refresh()
        self._check()

    async def admit(self, player: str) -> None:
        """Raises `TableNotFoundError` unless the table is this person's to know; not on hearsay alone."""
        await self.settled()
        if not self.exists or not self.state.may_watch(player):
            await self.refresh()
            self._check()
            if not self.exists or not self.state.may_watch(player):
                raise errors.TableNotFoundError

    async def tick(self) -> None:
        """Does what is due."""
        await self.settled()
        if due(self.state, self._means.circumstances()):
            await self.execute(c.Tick())

    async def rearm(self) -> None:
        """After the durable timer fired: sees to it that one is pending while the table has something to do."""
        circumstances = self._means.circumstances()
        await self._schedule.renew(self.state, circumstances.now, circumstances.limits)

    # Watching

    async def watch(self, player: str, after: int | None) -> Watcher:
        """Opens a watch for a person.

        Args:
            player: Account of the viewer.
            after: The last revision that the viewer saw; None for a snapshot.

        Raises:
            TableNotFoundError: Not the viewer's to know.
        """
        await self.admit(player)
        if after is not None and after > self.state.revision:
            await self.refresh()  # the viewer comes from a server that knew more
            await self.admit(player)
        return self.audience.admit(self.state, player, after)

    def unwatch(self, watcher: Watcher) -> None:
        """Closes a watch."""
        self.audience.release(watcher)
        self.touched = self._means.circumstances().now

    def snapshot(self, player: str) -> bytes:
        """The table as this person may see it now: a serialised update."""
        return self.audience.snapshot(self.state, player)

    # Writing

    async def _commit(self, change: Change, command: c.Command, request: f.Request | None) -> None:
        """Appends a change to the log, and takes it in when it is stored."""
        before = self.state
        now, limits = change.circumstances.now, change.circumstances.limits
        wake = await self._schedule.prepare(before, change.state, now, limits)
        record = f.Record(
            n=before.revision + 1,
            prev=before.link,
            at=now,
            facts=tuple(fact for fact, _ in change.facts),
            request=request,
            wake=wake,
        )
        data = f.encode(record)
        self._sequence = await self._means.log.append(self.id, data, self._sequence)
        self._schedule.written()
        self._settle(sealed(change.state, record, f.link(data)), record, change.facts)
        self._means.metrics.committed(change, by_itself=isinstance(command, c.Tick))

    def _check(self) -> None:
        if self._written_off is not None:
            raise errors.TableNotFoundError
        if self._frozen is not None:
            raise errors.TableFrozenError
        if self._closed is Ended.CLOSED:
            raise errors.TableNotFoundError
        if self._closed is not None:
            raise errors.DrainingError

    # Reading

    async def _heard(self, sequence: int, data: bytes) -> None:
        """Another server's record, or an echo of our own. Only the log itself can show damage: what is heard may lack
        something on the way, and then the log is asked.
        """
        if self._frozen is not None:
            if f.writes_off(data):
                self._give_up(data)
            return
        if sequence <= self._sequence or self._closed:
            return
        if self._lock.locked():
            self._heard_of = max(self._heard_of, sequence)
            return
        try:
            record = f.decode(data)
        except msgspec.DecodeError:
            record = None
        if record is not None and record.n == self.state.revision + 1 and record.prev == self.state.link:
            self._take([(sequence, data)])
        else:
            self.suspect()

    def _listen_again(self) -> None:
        """Catches up with what was heard of while the lock was held."""
        if self._heard_of > self._sequence:
            self.suspect()

    def suspect(self) -> None:
        """Something may be missing here, or the timer may be wrong: sees to it as soon as the log answers."""
        self._behind = True
        if not self._catching_up and not self._closed and self._frozen is None:
            self._catching_up = True
            self._spawn(self._until_sure())

    async def _until_sure(self) -> None:
        try:
            while (self._behind or self._schedule.unsure) and not self._closed and self._frozen is None:
                try:
                    async with self._lock:
                        if self._behind:
                            await self._catch_up()
                        if self._schedule.unsure and self._frozen is None:
                            circumstances = self._means.circumstances()
                            await self._schedule.mend(self.state, circumstances.now, circumstances.limits)
                except BusUnavailable:
                    await asyncio.sleep(RETRY_SECONDS)
                self._behind = self._behind or self._heard_of > self._sequence
        finally:
            self._catching_up = False

    async def _catch_up(self) -> None:
        """Reads what the log has beyond what is known here. The lock must be held."""
        if self._frozen is not None:
            return
        self._behind = True
        self._heard_of = self._sequence  # what was heard of so far is stored, and read now
        self._take(await self._means.log.read(self.id, self._sequence))
        self._behind = False

    def _take(self, stored: list[tuple[int, bytes]]) -> None:
        """Takes in records of the log, in order. A damaged one freezes the table."""
        first_told = len(stored) - REVISIONS_KEPT
        for position, (sequence, data) in enumerate(stored):
            if sequence <= self._sequence:
                continue
            try:
                record = f.decode(data)
                state, told = fold(self.state, record, f.link(data))
            except Exception as error:
                if f.writes_off(stored[-1][1]):
                    self._give_up(stored[-1][1])
                else:
                    self._freeze(f"sequence {sequence}: {error!r}")
                return
            self._sequence = sequence
            self._settle(state, record, told, tell=position >= first_told)

    def _give_up(self, data: bytes) -> None:
        """The log is damaged, and its last message is this one, by which an operator gave the table up."""
        if self._written_off is not None:
            return
        if self._frozen is not None and self._closed is None:
            self._means.metrics.alive_frozen.dec()
        self._frozen, self._written_off = "given up by an operator", f.decode(data).at
        self.audience.end(Ended.CLOSED)

    def _freeze(self, why: str) -> None:
        self._frozen = why
        self._means.metrics.frozen.inc()
        if self._closed is None:
            self._means.metrics.alive_frozen.inc()
        _log.error("table frozen", table=self.id, revision=self.state.revision, why=why)
        self.audience.end(Ended.DAMAGED)

    # Telling

    def _settle(
        self,
        state: TableState,
        record: f.Record,
        told: list[tuple[f.AnyFact, tuple[Any, ...]]],
        tell: bool = True,
    ) -> None:
        """The state is this now: remembers the answer, tells the watchers, sets the alarm."""
        before = self.state
        self.state = state
        self._answers.remember(record)
        if tell:
            self.audience.tell(state, told)
        self._set_alarm()
        if state.seats is not before.seats and self.audience:
            self._means.presence_changed(self)

    # Time

    def _set_alarm(self) -> None:
        """Wakes this copy up in time; an alarm that rings too early finds nothing due and is set again."""
        deadline = next_deadline(self.state, self._means.circumstances().limits)
        if deadline is not None and not self._closed:
            self._alarm.set(deadline)

    def _ring(self) -> None:
        self._spawn(self._on_alarm())

    async def _on_alarm(self) -> None:
        if self._closed or self._frozen is not None:
            return
        try:
            await self.tick()
        except (BusUnavailable, ContendedError):
            pass  # the durable timer, or the alarm set below, tries again
        except errors.TableError:
            return
        deadline = next_deadline(self.state, self._means.circumstances().limits)
        if not self.state.over and not self._closed and deadline is not None:
            self._alarm.set_again(deadline)

    def _spawn(self, work: Awaitable[None]) -> None:
        """Runs something beside; kept until it is done."""
        task = asyncio.ensure_future(self._quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _quietly(self, work: Awaitable[None]) -> None:
        try:
            await work
        except BusUnavailable as error:
            self._behind = True
            _log.warning(
                "a table's task waits for its timer, or for whoever asks next", table=self.id, error=str(error)
            )
        except Exception:
            _log.exception("table task failed", table=self.id)
