"""The list of tables: a bucket that every server mirrors, so that any of them can answer.

What is listed is derived from the logs; a server puts an entry whenever it changes what is to be seen of a table from
outside. Private tables are in the bucket too, to be found by their code, but never in a list.
"""

import asyncio
import base64
import bisect
import contextlib

import msgspec
import nats.errors
import structlog
from msgspec.structs import replace
from nats.js.kv import KV_DEL, KV_PURGE, KeyValue

from services.table import views
from services.table.errors import BadPageTokenError, TableNotFoundError
from services.table.metrics import TableMetrics
from services.table.state import Status, TableState
from shared import streams
from shared.bus import Bus
from shared.gen.levata.table.v1 import table_pb2 as pb

RETRY_SECONDS = 1.0

_log = structlog.get_logger(__name__)


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A table in the bucket; `revision` tells a newer entry from an older one."""

    table: str
    revision: int
    created: int
    status: Status
    game: str
    public: bool
    code: str
    host: str
    kinds: tuple[str, ...]
    summary: bytes


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Entry).decode


def entry_of(state: TableState) -> Entry:
    """The entry of a table."""
    return Entry(
        table=state.table,
        revision=state.revision,
        created=state.created,
        status=state.status,
        game=state.options.game,
        public=state.options.visibility == "public",
        code=state.code,
        host=state.host,
        kinds=() if state.over else tuple(seat.kind for seat in state.seats),
        summary=views.summary_message(state).SerializeToString(),
    )


def listed_differently(before: TableState, after: TableState) -> bool:
    """Whether a change shows in a list."""
    if before.status != after.status or before.options != after.options or before.host != after.host:
        return True
    if before.seats is after.seats:
        return False
    return [(seat.kind, seat.player, seat.name) for seat in before.seats] != [
        (seat.kind, seat.player, seat.name) for seat in after.seats
    ]


class Lobby:
    """The bucket and this server's mirror of it."""

    def __init__(self, bus: Bus, bucket: KeyValue, metrics: TableMetrics) -> None:
        self._bus = bus
        self._bucket = bucket
        self._metrics = metrics
        self._entries: dict[str, Entry] = {}
        self._by_code: dict[str, str] = {}
        self._order: list[tuple[int, str]] = []
        self._pending: dict[str, Entry] = {}
        self._wanted = asyncio.Event()
        self._following: asyncio.Task[None] | None = None

    # Writing

    def put(self, state: TableState) -> None:
        """Lists a table as it is now, soon."""
        entry = entry_of(state)
        self._pending[state.table] = entry
        self._take(entry)
        self._wanted.set()

    def correct(self, state: TableState) -> None:
        """Lists a table again if it is listed otherwise than it is: whoever changed it may have died before telling."""
        entry = entry_of(state)
        known = self._entries.get(state.table)
        if known is None or (known.revision < entry.revision and replace(known, revision=entry.revision) != entry):
            self.put(state)

    async def remove(self, table: str) -> None:
        """Takes a table off the list. Raises `shared.bus.BusUnavailable`."""
        self._pending.pop(table, None)
        self._drop(table)
        await self._bus.publish(f"$KV.LOBBY.{table}", b"", headers=streams.REMOVED)

    async def write(self) -> None:
        """Writes for ever what is to be listed; the latest of each table, until it is stored."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            while self._pending:
                table, entry = next(iter(self._pending.items()))
                listed = self._entries.get(table)
                try:
                    if listed is None or listed.revision <= entry.revision:
                        await self._bucket.put(table, _encode(entry))
                except Exception as error:
                    _log.warning("the lobby could not be written", error=repr(error))
                    await asyncio.sleep(RETRY_SECONDS)
                    continue
                if self._pending.get(table) is entry:
                    del self._pending[table]

    # Mirroring

    async def mirror(self) -> None:
        """Follows the bucket for ever."""
        while True:
            self._following = asyncio.ensure_future(self._follow())
            try:
                await asyncio.wait([self._following])
            finally:
                self._following.cancel()
            await asyncio.sleep(RETRY_SECONDS)

    async def follow_again(self) -> None:
        """Starts following anew: the server may have forgotten it while the connection was lost."""
        if self._following is not None:
            self._following.cancel()

    async def _follow(self) -> None:
        try:
            watcher = await self._bucket.watchall()
        except Exception as error:
            _log.warning("the lobby could not be followed", error=repr(error))
            return
        there: set[str] | None = set()
        try:
            async for update in watcher:
                if update is None:
                    # All that is in the bucket was told: what is not in it was removed while nobody followed.
                    for table in self._entries.keys() - (there or set()) - self._pending.keys():
                        self._drop(table)
                    there = None
                elif update.operation in (KV_DEL, KV_PURGE):
                    self._drop(update.key)
                elif update.value:
                    self._take(_decode(update.value))
                    if there is not None:
                        there.add(update.key)
        except Exception as error:
            _log.warning("the lobby could not be followed", error=repr(error))
        finally:
            with contextlib.suppress(nats.errors.Error):
                await watcher.stop()  # type: ignore[no-untyped-call]

    def _take(self, entry: Entry) -> None:
        known = self._entries.get(entry.table)
        if known is not None and known.revision > entry.revision:
            return
        if known is None:
            bisect.insort(self._order, (entry.created, entry.table))
        else:
            self._count(known, -1)
        self._entries[entry.table] = entry
        self._by_code[entry.code] = entry.table
        self._count(entry, +1)

    def _drop(self, table: str) -> None:
        entry = self._entries.pop(table, None)
        if entry is not None:
            self._by_code.pop(entry.code, None)
            del self._order[bisect.bisect_left(self._order, (entry.created, table))]
            self._count(entry, -1)

    def _count(self, entry: Entry, sign: int) -> None:
        """Counts a table in (+1) or out (-1)."""
        self._metrics.listed.labels(entry.status).inc(sign)
        for kind in ("free", "human", "bot"):
            self._metrics.seats.labels(kind).inc(sign * entry.kinds.count(kind))

    # Reading

    def page(self, size: int, token: str, status: set[Status], game: str) -> tuple[list[pb.TableSummary], str]:
        """Public tables, newest first, and the token of the next page.

        Raises:
            BadPageTokenError: The token is none of ours.
        """
        end = len(self._order)
        if token:
            end = bisect.bisect_left(self._order, _read_token(token))
        found: list[pb.TableSummary] = []
        for position in range(end - 1, -1, -1):
            key = self._order[position]
            entry = self._entries[key[1]]
            if entry.public and entry.status in status and game in ("", entry.game):
                if len(found) == size:
                    return found, _make_token(self._order[position + 1])
                found.append(pb.TableSummary.FromString(entry.summary))
        return found, ""

    def by_code(self, code: str) -> Entry:
        """The table with this invitation code. Raises `TableNotFoundError`."""
        table = self._by_code.get(code.upper())
        if table is None:
            raise TableNotFoundError
        return self._entries[table]

    def hosted_by(self, player: str) -> int:
        """How many open tables this person is host of."""
        return sum(entry.host == player and entry.status in ("waiting", "playing") for entry in self._entries.values())


def _make_token(key: tuple[int, str]) -> str:
    return base64.urlsafe_b64encode(f"{key[0]}.{key[1]}".encode()).decode()


def _read_token(token: str) -> tuple[int, str]:
    try:
        created, _, table = base64.urlsafe_b64decode(token.encode()).decode().partition(".")
        return int(created), table
    except (ValueError, UnicodeError) as error:
        raise BadPageTokenError from error
