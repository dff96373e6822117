"""The list of tables: a bucket that every server mirrors, so that any of them can answer.

What is listed is derived from the logs; a server puts an entry whenever it changes what is to be seen of a table from
outside. Private tables are in the bucket too, to be found by their code and by those who sit at them, but never in the
list that everybody gets.
"""

import asyncio
import base64
import bisect
import contextlib
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence

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
from shared.bus import Bus, BusUnavailable
from shared.following import Following
from shared.gen.levata.table.v1 import table_pb2 as pb

RETRY_SECONDS = 1.0
MIRROR_SECONDS = 3.0
"""A caller of a server that has just started waits so long at the most until the server has the whole list."""

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
    players: tuple[str, ...] = ()
    frozen: bool = False

    @property
    def key(self) -> "_Key":
        """Where the table stands in the order of lists."""
        return self.created, self.table


_Key = tuple[int, str]
"""When a table was made, and its id."""


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
        players=tuple(seat.player for seat in state.seats if seat.player),
        frozen=state.frozen is not None,
    )


def listed_differently(before: TableState, after: TableState) -> bool:
    """Whether a change shows in a list."""
    if before.status != after.status or before.options != after.options or before.host != after.host:
        return True
    if (before.frozen is None) is not (after.frozen is None):
        return True
    if before.seats is after.seats:
        return False
    return [(seat.kind, seat.player, seat.name) for seat in before.seats] != [
        (seat.kind, seat.player, seat.name) for seat in after.seats
    ]


async def listed(bus: Bus) -> list[Entry]:
    """All tables in the bucket, private ones too, in the order in which they were made: for who runs the club.

    Raises:
        shared.bus.BusUnavailable: The bucket cannot be read.
    """
    stored = await bus.read_subject("KV_LOBBY", "$KV.LOBBY.>")
    return sorted((_decode(data) for _, data in stored if data), key=lambda entry: entry.key)


class Lobby:
    """The bucket and this server's mirror of it."""

    def __init__(self, bus: Bus, bucket: KeyValue, metrics: TableMetrics) -> None:
        self._bus = bus
        self._bucket = bucket
        self._metrics = metrics
        self._entries: dict[str, Entry] = {}
        self._by_code: dict[str, str] = {}
        self._by_player: defaultdict[str, list[_Key]] = defaultdict(list)
        self._order: list[_Key] = []
        self._pending: dict[str, Entry] = {}
        self._wanted = asyncio.Event()
        self._written = asyncio.Event()
        self._written.set()
        self._following = Following(self._follow, RETRY_SECONDS)
        self._mirrored = asyncio.Event()

    # Writing

    def put(self, state: TableState) -> None:
        """Lists a table as it is now, soon."""
        entry = entry_of(state)
        self._pending[state.table] = entry
        self._take(entry)
        self._written.clear()
        self._wanted.set()

    def correct(self, state: TableState) -> None:
        """Lists a table again if it is listed otherwise than it is: whoever changed it may have died before telling."""
        entry = entry_of(state)
        known = self._entries.get(state.table)
        if known is None or (known.revision < entry.revision and replace(known, revision=entry.revision) != entry):
            self.put(state)

    def lists(self, table: str) -> bool:
        """Whether a table is listed, as far as is known here."""
        return table in self._entries

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
            self._written.set()

    async def written(self) -> None:
        """Returns when everything that is to be listed is stored."""
        await self._written.wait()

    # Mirroring

    async def mirror(self) -> None:
        """Follows the bucket for ever."""
        await self._following.run()

    async def follow_again(self) -> None:
        """Starts following anew: the server may have forgotten it while the connection was lost."""
        await self._following.again()

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
                    self._mirrored.set()
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
            bisect.insort(self._order, entry.key)
        else:
            self._count(known, -1)
            self._unseat(known)
        self._entries[entry.table] = entry
        self._by_code[entry.code] = entry.table
        for player in entry.players:
            bisect.insort(self._by_player[player], entry.key)
        self._count(entry, +1)

    def _drop(self, table: str) -> None:
        entry = self._entries.pop(table, None)
        if entry is not None:
            self._by_code.pop(entry.code, None)
            del self._order[bisect.bisect_left(self._order, entry.key)]
            self._unseat(entry)
            self._count(entry, -1)

    def _unseat(self, entry: Entry) -> None:
        """Forgets who sits at a table."""
        for player in entry.players:
            self._by_player[player].remove(entry.key)
            if not self._by_player[player]:
                del self._by_player[player]

    def _count(self, entry: Entry, sign: int) -> None:
        """Counts a table in (+1) or out (-1)."""
        self._metrics.listed.labels(entry.status).inc(sign)
        if entry.frozen:
            self._metrics.suspended.inc(sign)
        for kind in ("free", "human", "bot"):
            self._metrics.seats.labels(kind).inc(sign * entry.kinds.count(kind))

    # Reading

    async def mirrored(self) -> None:
        """Returns when all that is listed is known here, which at a server's start takes a moment.

        Raises:
            BusUnavailable: It takes too long.
        """
        if not self._mirrored.is_set():
            try:
                async with asyncio.timeout(MIRROR_SECONDS):
                    await self._mirrored.wait()
            except TimeoutError:
                raise BusUnavailable("the list of tables is not known yet") from None

    def page(self, size: int, token: str, status: Collection[Status], game: str) -> tuple[list[pb.TableSummary], str]:
        """Public tables, newest first, and the token of the next page.

        Raises:
            BadPageTokenError: The token is none of ours.
        """

        def wanted(entry: Entry) -> bool:
            return entry.public and entry.status in status and game in ("", entry.game)

        return self._page(self._order, size, token, wanted)

    def page_of(
        self, player: str, size: int, token: str, status: Collection[Status]
    ) -> tuple[list[pb.TableSummary], str]:
        """The tables at which a person has a seat, newest first, and the token of the next page.

        Raises:
            BadPageTokenError: The token is none of ours.
        """
        return self._page(self._by_player.get(player, ()), size, token, lambda entry: entry.status in status)

    def _page(
        self, order: Sequence[_Key], size: int, token: str, wanted: Callable[[Entry], bool]
    ) -> tuple[list[pb.TableSummary], str]:
        """Of tables in the order in which they were made, those that are wanted, the newest first."""
        end = bisect.bisect_left(order, _read_token(token)) if token else len(order)
        found: list[pb.TableSummary] = []
        for position in range(end - 1, -1, -1):
            entry = self._entries[order[position][1]]
            if wanted(entry):
                if len(found) == size:
                    return found, _make_token(order[position + 1])
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


def _make_token(key: _Key) -> str:
    return base64.urlsafe_b64encode(f"{key[0]}.{key[1]}".encode()).decode()


def _read_token(token: str) -> _Key:
    try:
        created, _, table = base64.urlsafe_b64decode(token.encode()).decode().partition(".")
        return int(created), table
    except (ValueError, UnicodeError) as error:
        raise BadPageTokenError from error
