"""The matcher of one queue. Of all processes one leads the queue; the others stand by.

Every step is written down before the next is taken, so that a process that dies at any point leaves something that its
successor can finish: see `services.matchmaking.waves` for what is written, and the README for why it is safe.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from enum import Enum
from typing import Any, TypeVar

import structlog

from services.matchmaking.errors import DamagedEntryError, SupersededError
from services.matchmaking.lease import Lease, LeaseLostError
from services.matchmaking.making import TableRefusedError, Tables, TableUnknownError, request_for
from services.matchmaking.measures import Measures
from services.matchmaking.queues import Queue
from services.matchmaking.room import Room
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.store import Store, Stored
from services.matchmaking.tickets import Ticket, change
from services.matchmaking.waves import Group, Member, Waiting, Wave, choose, due_at, group_id
from shared.bus import BusUnavailable, SequenceConflict

AT_ONCE = 16
"""Groups worked on side by side."""
CHANGE_ATTEMPTS = 5
"""Attempts to change a ticket that others change as well."""
FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 10.0

T = TypeVar("T")

_log = structlog.get_logger(__name__)


class End(Enum):
    """What came of the attempt to make a group's table."""

    MADE = "made"
    REFUSED = "refused"
    GIVEN_UP = "given up"
    UNKNOWN = "unknown"


class Matcher:
    """One process's matcher of one queue."""

    def __init__(
        self,
        queue: Queue,
        store: Store,
        room: Room,
        tables: Tables,
        lease: Lease,
        measures: Measures,
        settings: MatchmakingSettings,
        now: Callable[[], float],
    ) -> None:
        self._queue = queue
        self._store = store
        self._room = room
        self._tables = tables
        self._lease = lease
        self._measures = measures
        self._settings = settings
        self._now = now
        self._wave = Stored(Wave(), 0)
        self._failures = 0
        self._not_before = 0.0
        self._slots = asyncio.Semaphore(AT_ONCE)

    # Leading

    async def run(self) -> None:
        """Leads the queue whenever nobody else does, for ever."""
        leading = self._measures.leading.labels(self._queue.id)
        while True:
            leading.set(0)
            fence = await self._lease.acquire()
            leading.set(1)
            _log.info("leading a queue", queue=self._queue.id, fence=fence)
            try:
                await self._lead(fence)
            except (SupersededError, LeaseLostError) as error:
                _log.info("another process leads the queue", queue=self._queue.id, error=repr(error))
            except (BusUnavailable, DamagedEntryError) as error:
                _log.warning("matching was interrupted", queue=self._queue.id, error=str(error))
                await self._lease.release()
            finally:
                leading.set(0)
            await asyncio.sleep(FIRST_PAUSE_SECONDS)

    async def stop(self) -> None:
        """Gives the lead away at once, so that nobody has to wait for the lease to run out."""
        await self._lease.release()

    async def _lead(self, fence: int) -> None:
        """Matches for as long as the lease is held."""
        keeping = asyncio.create_task(self._lease.keep())
        working = asyncio.create_task(self._work(fence))
        try:
            await asyncio.wait([keeping, working], return_when=asyncio.FIRST_COMPLETED)
            for task in (working, keeping):
                if task.done():
                    task.result()
        finally:
            keeping.cancel()
            working.cancel()
            await asyncio.gather(keeping, working, return_exceptions=True)

    async def _work(self, fence: int) -> None:
        await self._room.caught_up.wait()
        changed = self._room.changes(self._queue.id)
        await self._take_over(fence)
        while True:
            changed.clear()
            if not self._pausing:
                await self._carry()
            # Before planning, or a group that was given up would be planned anew.
            await self._expire()
            if not self._pausing:
                await self._plan()
            try:
                async with asyncio.timeout(self._until_next()):
                    await changed.wait()
            except TimeoutError:
                pass

    async def _take_over(self, fence: int) -> None:
        """Makes the wave ours: what was only planned is dropped, what was committed to is kept."""
        self._wave = await self._store.wave(self._queue.id)
        if self._wave.value.fence > fence:
            raise SupersededError
        await self._write([group for group in self._wave.value.groups if group.state == "committed"], fence)

    async def _write(self, groups: list[Group], fence: int | None = None) -> None:
        """Changes the wave. Raises `SupersededError` if somebody else has."""
        wave = Wave(
            fence=self._wave.value.fence if fence is None else fence,
            leader=self._settings.instance,
            groups=tuple(groups),
        )
        try:
            self._wave = await self._store.put_wave(self._queue.id, wave, self._wave.sequence)
        except SequenceConflict:
            raise SupersededError from None
        self._room.take_wave(self._queue.id, self._wave)

    # Time

    @property
    def _milliseconds(self) -> int:
        return round(self._now() * 1000)

    @property
    def _pausing(self) -> bool:
        return asyncio.get_running_loop().time() < self._not_before

    def _until_next(self) -> float:
        """Seconds until something is due although nothing happens."""
        seconds = self._settings.wave_seconds
        if self._pausing:
            return min(seconds, self._not_before - asyncio.get_running_loop().time())
        due = due_at(self._waiting(), round(self._settings.limit_seconds * 1000))
        return seconds if due is None else max(0.0, min(seconds, due / 1000 - self._now()))

    # Planning

    def _waiting(self) -> list[Waiting]:
        return self._room.waiting(self._queue.id, self._wave.value)

    async def _plan(self) -> None:
        """Plans the groups that are due, claims their tickets and commits to them; then makes their tables."""
        chosen = choose(
            self._waiting(),
            self._queue.seats,
            round(self._settings.limit_seconds * 1000),
            self._milliseconds,
            self._settings.groups_per_wave,
        )
        if not chosen:
            return
        carried = list(self._wave.value.groups)
        planned = [self._group(members) for members in chosen]
        await self._write([*carried, *planned])
        claimed = await side_by_side(
            self._claim(group, members) for group, members in zip(planned, chosen, strict=True)
        )
        committed = [
            Group(id=group.id, members=group.members, request=group.request, state="committed", planned=group.planned)
            for group, all_claimed in zip(planned, claimed, strict=True)
            if all_claimed
        ]
        await self._write([*carried, *committed])
        await self._carry()
        if len(committed) < len(planned) or len(chosen) == self._settings.groups_per_wave:
            self._room.changes(self._queue.id).set()

    def _group(self, chosen: tuple[Waiting, ...]) -> Group:
        members = tuple(one.member() for one in chosen)
        identity = group_id(self._queue.id, members, self._wave.sequence)
        request = request_for(self._queue, identity, members)
        return Group(id=identity, members=members, request=request, planned=self._milliseconds)

    async def _claim(self, group: Group, chosen: tuple[Waiting, ...]) -> bool:
        """Claims all tickets of a group; False as soon as one of them is not as it was when it was chosen."""
        async with self._slots:
            for one in chosen:
                # A claim that appeared since is that of another leader, and may be good.
                claimed = await self._change(
                    one.member(), one.ticket.group, lambda ticket: change(ticket, group=group.id)
                )
                if claimed is None:
                    _log.info("a ticket was gone before its group was made", queue=self._queue.id, group=group.id)
                    return False
            return True

    async def _change(self, member: Member, group: str, changed: Callable[[Ticket], Ticket]) -> Ticket | None:
        """Changes a ticket, if it waits and is claimed for `group` (empty: for none); None if not."""
        for attempt in range(CHANGE_ATTEMPTS):
            mirrored = self._room.known(member.player) if attempt == 0 else None
            stored = mirrored or await self._store.wallet(member.player)
            ticket = stored.value.open_ticket
            if ticket is None or ticket.id != member.ticket or ticket.group != group:
                if mirrored is not None:
                    continue  # It may be old.
                self._room.take_wallet(stored)
                return None
            after = changed(ticket)
            try:
                put = await self._store.put_wallet(stored.value.replace(after), stored.sequence)
            except SequenceConflict:
                continue
            self._room.take_wallet(put)
            return after
        return None

    # Tables

    async def _carry(self) -> None:
        """Makes the tables of all groups committed to, and strikes from the wave those that came to an end."""
        groups = list(self._wave.value.groups)
        if not groups:
            return
        ended = await side_by_side(self._finish(group) for group in groups)
        left = [group for group, end in zip(groups, ended, strict=True) if end is End.UNKNOWN]
        if len(left) < len(groups):
            await self._write(left)
        for group, end in zip(groups, ended, strict=True):
            if end is End.MADE:
                self._measures.tables.labels(self._queue.id).inc()
                self._measures.bots.labels(self._queue.id).inc(self._queue.seats - len(group.members))
        if End.UNKNOWN in ended or End.REFUSED in ended:
            self._pause()
        else:
            self._failures = 0

    async def _finish(self, group: Group) -> "End":
        """Makes a group's table and writes it on the tickets."""
        log = _log.bind(queue=self._queue.id, group=group.id)
        failures = self._measures.failures
        async with self._slots:
            if self._milliseconds - group.planned > self._settings.ticket_seconds * 1000:
                log.error("a table was given up: the table service did not answer for too long")
                failures.labels(self._queue.id, "given_up").inc()
                return End.GIVEN_UP
            if not self._lease.held:
                raise LeaseLostError
            try:
                table = await self._tables.make(group)
            except TableUnknownError as error:
                log.warning("the table service did not answer; trying again", error=str(error))
                failures.labels(self._queue.id, "unanswered").inc()
                return End.UNKNOWN
            except TableRefusedError as error:
                log.error("the table service refused a table; its players wait on", error=str(error))
                failures.labels(self._queue.id, "refused").inc()
                return End.REFUSED
            for member in group.members:
                await self._seat(member, group.id, table)
        log.info("a table was made", table_id=table, players=len(group.members))
        return End.MADE

    async def _seat(self, member: Member, group: str, table: str) -> None:
        """Writes the table on a ticket, unless that was done before."""
        now = self._milliseconds
        seated = await self._change(
            member, group, lambda ticket: change(ticket, status="matched", table=table, ended=now)
        )
        if seated is not None:
            self._measures.ended.labels(self._queue.id, "matched").inc()
            self._measures.wait_seconds.labels(self._queue.id).observe(max(0, now - member.created) / 1000)

    def _pause(self) -> None:
        """Leaves the table service alone for a while: longer with each failure in a row."""
        pause = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** min(self._failures, 10))
        self._failures += 1
        self._not_before = asyncio.get_running_loop().time() + pause

    # Expiry

    async def _expire(self) -> None:
        """Ends tickets that have waited for too long."""
        now = self._milliseconds
        oldest = now - round(self._settings.ticket_seconds * 1000)
        for waiting in self._waiting():
            if waiting.ticket.created > oldest:
                break
            expired = await self._change(
                waiting.member(),
                waiting.ticket.group,
                lambda ticket: change(ticket, status="expired", ended=now),
            )
            if expired is not None:
                self._measures.ended.labels(self._queue.id, "expired").inc()
                _log.warning("a ticket ran out", queue=self._queue.id, ticket=expired.id)


async def side_by_side(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of all, in order; when all have ended, the first error is raised."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]
