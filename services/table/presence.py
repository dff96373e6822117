"""Who is there: open watches of people on this server, and servers that are gone.

A person's first watch on a server, and the end of the last one, are facts of the table. So that a server that dies
leaves nobody present, each server keeps a note in the bucket `PRESENCE` of every table at which it has people, and
says every second that it is alive; when one has been silent for too long, the others end its watches for it.
"""

import asyncio
import contextlib
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable

import structlog
from nats.aio.msg import Msg
from nats.js.kv import KeyValue

from services.table import commands as c
from services.table import errors
from services.table.live import ContendedError, LiveTable
from shared import streams
from shared.bus import Bus, BusRefused, BusUnavailable, SequenceConflict

ALIVE = "tables.alive"
"""Subject on which servers say that they are alive."""
BEAT_SECONDS = 1.0
SILENT_SECONDS = 5.0
"""A server that has been silent for so long is gone."""
READ_SECONDS = 30.0
"""How often the notes are read although no server fell silent."""
BURIED_AT_ONCE = 32
"""Tables that are told at once of a server that is gone."""
RETRY_SECONDS = 1.0
"""Pause before something is told again that could not be told."""
START_BYTES = 4
"""Length of the word that tells one start of a server from another."""
GRACE_SECONDS = 1.0
"""A person whose watch ends and begins again within this was never gone."""

_log = structlog.get_logger(__name__)


def presence_name(instance: str) -> str:
    """The name of a server in the facts of tables: its instance, and a word that no other start of it has.

    For a server that died is gone, with everybody there, however soon another of its name is back.
    """
    return f"{instance}-{secrets.token_hex(START_BYTES)}"


def instance_and_start(name: str) -> tuple[str, str]:
    """The instance that a name of `presence_name` is of, and the word of its start."""
    instance, _, start = name.rpartition("-")
    return instance, start


class Presence:
    """The people on this server, and the other servers."""

    def __init__(
        self,
        bus: Bus,
        bucket: KeyValue,
        server: str,
        now: Callable[[], int],
        table: Callable[[str], Awaitable[LiveTable]],
    ) -> None:
        self._bus = bus
        self._bucket = bucket
        self._server = server
        self._now = now
        self._table = table
        self._heard: dict[str, float] = {}
        self._noted: set[str] = set()
        self._arriving: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._draining = False

    @property
    def server(self) -> str:
        """Name of this server in the facts of tables."""
        return self._server

    # People

    async def opened(self, live: LiveTable, player: str) -> None:
        """A watch of `player` was opened at a table.

        Raises:
            DrainingError: This server takes nobody any more.
            shared.bus.BusUnavailable: Nobody can be told of it now.
        """
        seat = live.state.seat_of(player)
        if seat is None or live.state.over:
            return
        if self._server in live.state.seats[seat].connections and not live.state.seats[seat].away:
            return
        if self._draining:
            raise errors.DrainingError
        self._arriving[live.id] += 1
        try:
            await self._note(live.id)
            await live.execute(c.Connect(player, self._server))
        finally:
            self._arriving -= Counter((live.id,))

    def ended(self, live: LiveTable, player: str) -> None:
        """A watch of `player` has ended; if it was the last here, and none is opened soon, the person is gone."""
        if not live.audience.players()[player] and not self._draining:
            self._spawn(self._ended(live, player, self._now()))

    async def _ended(self, live: LiveTable, player: str, lost: int) -> None:
        await asyncio.sleep(GRACE_SECONDS)
        while not self._draining and not live.audience.players()[player]:
            try:
                await live.execute(c.Disconnect(player, self._server, lost))
            except errors.TableNotFoundError:
                await self._forget(live.id)
                return
            except (errors.DrainingError, BusUnavailable, BusRefused, ContendedError):
                # Until it is told the person is present, and the table may wait for ever.
                await asyncio.sleep(RETRY_SECONDS)
                with contextlib.suppress(BusUnavailable):
                    live = await self._table(live.id)
                continue
            here = any(self._server in seat.connections for seat in live.state.seats)
            if live.id in self._noted and not here and not self._arriving[live.id]:
                await self._forget(live.id)
            return

    def changed(self, live: LiveTable) -> None:
        """The seats of a table changed: whoever watches here and now has a seat is present."""
        if self._draining:
            return
        for player in live.audience.players():
            seat = live.state.seat_of(player)
            if seat is not None and self._server not in live.state.seats[seat].connections:
                self._spawn(self._arrived(live, player))

    async def _arrived(self, live: LiveTable, player: str) -> None:
        while live.audience.players()[player]:
            try:
                await self.opened(live, player)
                return
            except (BusUnavailable, BusRefused, ContendedError):
                await asyncio.sleep(RETRY_SECONDS)

    def close(self) -> None:
        """Nobody is let in any more, and whoever is here stays until `leave`."""
        self._draining = True

    async def leave(self, tables: list[LiveTable]) -> None:
        """Ends the presence of everybody at these tables by the server's doing, before their watches are ended."""
        await asyncio.gather(*(self._quietly(self._leave(live)) for live in tables))

    async def _leave(self, live: LiveTable) -> None:
        here = any(self._server in seat.connections for seat in live.state.seats)
        if here and not live.state.over:
            await live.execute(c.LoseServer(self._server, self._now()))
            if not self._arriving[live.id]:
                await self._forget(live.id)

    # Notes

    def _subject(self, key: str) -> str:
        return f"$KV.PRESENCE.{key}"

    async def _note(self, table: str) -> None:
        # Always, though it may be there: another server may have taken this one for dead, and removed it.
        self._noted.add(table)
        await self._bus.publish(self._subject(f"{self._server}.{table}"), b"")

    async def _forget(self, table: str) -> None:
        self._noted.discard(table)
        await self._bus.publish(self._subject(f"{self._server}.{table}"), b"", headers=streams.REMOVED)

    async def _notes(self) -> dict[str, int]:
        """All notes of all servers, each with its revision."""
        found = {}
        watcher = await self._bucket.watchall(ignore_deletes=True, meta_only=True)
        try:
            async for entry in watcher:
                if entry is None:
                    break
                found[entry.key] = entry.revision
        finally:
            await watcher.stop()  # type: ignore[no-untyped-call]
        return found

    # Servers

    async def beat(self) -> None:
        """Says for ever that this server is alive."""
        while True:
            with contextlib.suppress(Exception):
                if self._bus.is_connected:
                    await self._bus.nc.publish(ALIVE, self._server.encode())
            await asyncio.sleep(BEAT_SECONDS)

    async def listen(self) -> None:
        """Listens for ever to the others, and ends the watches of those that are gone."""

        async def heard(message: Msg) -> None:
            self._heard[message.data.decode()] = time.monotonic()

        await self._bus.nc.subscribe(ALIVE, cb=heard)
        began = time.monotonic()
        read = 0.0
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            now = time.monotonic()
            if not self._bus.is_connected:
                began = now  # while nobody can be heard, silence means nothing
                continue
            # Reading the notes costs as much as there are tables: only when somebody fell silent, and now and then for
            # servers that died unheard.
            silent = [one for one, heard_at in self._heard.items() if now - max(began, heard_at) >= SILENT_SECONDS]
            if not silent and now - read < READ_SECONDS and now - began > 2 * SILENT_SECONDS:
                continue
            read = now
            try:
                async with asyncio.timeout(READ_SECONDS):
                    notes = await self._notes()
            except Exception as error:
                _log.warning("presence cannot be read", error=repr(error))
                continue
            await self._bury(notes, began)
            for one in silent:
                if not any(key.startswith(f"{one}.") for key in notes):
                    self._heard.pop(one, None)

    async def _bury(self, notes: dict[str, int], began: float) -> None:
        """Ends the watches of servers that have been silent for too long, a few tables at a time."""
        free = asyncio.Semaphore(BURIED_AT_ONCE)

        async def one(key: str, revision: int) -> None:
            async with free:
                await self._bury_one(key, revision, began)

        await asyncio.gather(*(self._quietly(one(key, revision)) for key, revision in notes.items()))

    async def _bury_one(self, key: str, revision: int, began: float) -> None:
        server, _, table = key.rpartition(".")
        silence = time.monotonic() - max(began, self._heard.get(server, 0.0))
        if server == self._server or silence < SILENT_SECONDS:
            return
        _log.info("a server is gone", server=server, table=table)
        try:
            live = await self._table(table)
            # Lost when it was last heard: players are not to pay for the time in which it could be alive.
            await live.execute(c.LoseServer(server, self._now() - round(silence * 1000)))
        except (errors.TableNotFoundError, errors.TableFrozenError):
            pass  # nobody is present at it
        # A server that is alive after all has put its note again.
        with contextlib.suppress(SequenceConflict):
            await self._bus.append(self._subject(key), b"", revision, headers=streams.REMOVED)

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(self._quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _quietly(self, work: Awaitable[None]) -> None:
        try:
            await work
        except errors.TableError:
            pass
        except Exception as error:
            _log.warning("presence could not be told", error=repr(error))
