"""The waiting room: this process's mirror of the bucket, and who wants to hear of changes in it.

The mirror lags behind the bucket by a moment. It is good for showing and for planning; whatever changes an entry goes
by the entry itself.
"""

import asyncio
import bisect
import contextlib
from collections import defaultdict
from collections.abc import Iterator, Sequence

import structlog
from nats.js.kv import KV_DEL, KV_PURGE, KeyValue

from services.matchmaking.errors import DamagedEntryError
from services.matchmaking.measures import Measures
from services.matchmaking.queues import Queue
from services.matchmaking.store import WALLET, WAVE, Stored, read_wallet, read_wave
from services.matchmaking.tickets import Ticket, Wallet, player_key
from services.matchmaking.waves import Waiting, Wave
from shared.following import Following

RETRY_SECONDS = 0.5
LAG_SECONDS = 10.0
GATHER_SECONDS = 0.02
"""Changes of a queue are told to those who wait in it at most so often: each of them looks at its place."""

_log = structlog.get_logger(__name__)

_Place = tuple[int, str, str]


class Room:
    """Who waits.

    Attributes:
        caught_up: Set once everything that was in the bucket at the start is known here.
    """

    def __init__(self, bucket: KeyValue, queues: Sequence[Queue], limit_seconds: float, measures: Measures) -> None:
        self.caught_up = asyncio.Event()
        self._bucket = bucket
        self._limit = round(limit_seconds * 1000)
        self._measures = measures
        self._wallets: dict[str, Stored[Wallet]] = {}
        self._waves: dict[str, Stored[Wave]] = {}
        self._places: dict[str, list[_Place]] = {queue.id: [] for queue in queues}
        self._matchers: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._watchers: dict[str, set[asyncio.Event]] = defaultdict(set)
        self._telling: set[str] = set()
        self._following = Following(self._follow, RETRY_SECONDS)
        self._seen = 0
        for queue in queues:
            measures.waiting.labels(queue.id).set(0)

    # Reading

    def known(self, player: str) -> Stored[Wallet] | None:
        """A wallet with an open ticket, as it was a moment ago."""
        return self._wallets.get(player_key(player))

    def waiting(self, queue_id: str, wave: Wave) -> list[Waiting]:
        """The open tickets of a queue that no group of `wave` has claimed, in order."""
        found = []
        for _, _, key in self._places.get(queue_id, ()):
            wallet = self._wallets[key].value
            ticket = wallet.open_ticket
            assert ticket is not None
            if not (ticket.group and wave.has(ticket.group)):
                found.append(Waiting(wallet.player, wallet.name, ticket))
        return found

    def count(self, queue_id: str) -> int:
        """How many wait in a queue."""
        return len(self._places.get(queue_id, ()))

    def place(self, ticket: Ticket, player: str) -> int:
        """The place of an open ticket in its queue, from 1."""
        places = self._places.get(ticket.queue_id, [])
        return bisect.bisect_left(places, (ticket.created, ticket.id, player_key(player))) + 1

    def expected(self, ticket: Ticket) -> int:
        """When there will be a table at the latest, in milliseconds since 1970.

        Whoever is not seated at once is in the last group of the queue, which is due when its longest wait is over.
        """
        places = self._places.get(ticket.queue_id)
        return min(places[0][0] if places else ticket.created, ticket.created) + self._limit

    # Hearing of changes

    def changes(self, queue_id: str) -> asyncio.Event:
        """Set at every change of a queue or its wave; for the one matcher of the queue, who clears it."""
        return self._matchers[queue_id]

    @contextlib.contextmanager
    def watching(self, player: str, queue_id: str) -> Iterator[asyncio.Event]:
        """An event that is set when the player's tickets have changed, or the queue has."""
        changed = asyncio.Event()
        topics = (WALLET + player_key(player), WAVE + queue_id)
        for topic in topics:
            self._watchers[topic].add(changed)
        self._measures.watches.inc()
        try:
            yield changed
        finally:
            self._measures.watches.dec()
            for topic in topics:
                self._watchers[topic].discard(changed)
                if not self._watchers[topic]:
                    del self._watchers[topic]

    def wake(self) -> None:
        """Lets all watchers look again."""
        for topic in tuple(self._watchers):
            self._tell(topic)

    # Mirroring

    async def mirror(self) -> None:
        """Follows the bucket for ever."""
        await self._following.run()

    async def follow_again(self) -> None:
        """Starts following anew: the server may have forgotten it while the connection was lost."""
        await self._following.again()

    async def _follow(self) -> None:
        before = {key: stored.sequence for key, stored in self._wallets.items()}
        try:
            last = await self._last_sequence()
            watcher = await self._bucket.watchall()
            try:
                async for entry in watcher:
                    if entry is None:
                        self._forget(before)
                        self._seen = max(self._seen, last)
                        self.caught_up.set()
                        continue
                    self._seen = max(self._seen, entry.revision or 0)
                    before.pop(entry.key.removeprefix(WALLET), None)
                    deleted = entry.operation in (KV_DEL, KV_PURGE)
                    self._take(entry.key, b"" if deleted else entry.value or b"", entry.revision or 0)
            finally:
                with contextlib.suppress(Exception):
                    await watcher.stop()  # type: ignore[no-untyped-call]
        except Exception as error:
            _log.warning("the bucket of tickets could not be followed", error=repr(error))

    async def _last_sequence(self) -> int:
        return (await self._bucket.status()).stream_info.state.last_seq

    async def watch_lag(self, period_seconds: float = LAG_SECONDS) -> None:
        """Follows anew whenever nothing came for a whole period although there is something: a stalled subscription."""
        while True:
            before = self._seen
            await asyncio.sleep(period_seconds)
            try:
                stalled = self._seen == before and await self._last_sequence() > before
                await asyncio.sleep(min(1.0, period_seconds))
                if stalled and self._seen == before:
                    _log.warning("the mirror of the bucket of tickets stood still; following anew")
                    await self.follow_again()
            except Exception as error:
                _log.info("the bucket of tickets does not answer", error=repr(error))

    def _forget(self, gone: dict[str, int]) -> None:
        """Drops wallets that are not in the bucket any more, unless they were changed since."""
        for key, sequence in gone.items():
            stored = self._wallets.get(key)
            if stored is not None and stored.sequence == sequence:
                self._put_wallet(key, Stored(Wallet(player=stored.value.player), sequence + 1))

    def _take(self, key: str, data: bytes, sequence: int) -> None:
        try:
            if key.startswith(WALLET):
                wallet = read_wallet(data) if data else Wallet(player="")
                self._put_wallet(key.removeprefix(WALLET), Stored(wallet, sequence))
            elif key.startswith(WAVE):
                wave = read_wave(data) if data else Wave()
                self.take_wave(key.removeprefix(WAVE), Stored(wave, sequence))
        except DamagedEntryError as error:
            _log.error("an entry in the bucket of tickets was passed over", key=key, error=str(error))

    def take_wallet(self, stored: Stored[Wallet]) -> None:
        """Mirrors a wallet at once that this process has changed."""
        self._put_wallet(player_key(stored.value.player), stored)

    def take_wave(self, queue_id: str, stored: Stored[Wave]) -> None:
        """Mirrors a wave."""
        known = self._waves.get(queue_id)
        if known is None or known.sequence < stored.sequence:
            self._waves[queue_id] = stored
            self._queue_changed(queue_id)

    def _put_wallet(self, key: str, stored: Stored[Wallet]) -> None:
        known = self._wallets.get(key)
        if known is not None and known.sequence >= stored.sequence:
            return
        before = known.value.open_ticket if known is not None else None
        after = stored.value.open_ticket
        if before is not None:
            places = self._places.get(before.queue_id, [])
            place = (before.created, before.id, key)
            index = bisect.bisect_left(places, place)
            if places[index : index + 1] == [place]:
                del places[index]
        if after is not None and after.queue_id in self._places:
            self._wallets[key] = stored
            bisect.insort(self._places[after.queue_id], (after.created, after.id, key))
        else:
            self._wallets.pop(key, None)
        self._tell(WALLET + key)
        for ticket in {ticket.queue_id: ticket for ticket in (before, after) if ticket is not None}.values():
            self._measures.waiting.labels(ticket.queue_id).set(self.count(ticket.queue_id))
            self._queue_changed(ticket.queue_id)

    def _queue_changed(self, queue_id: str) -> None:
        self._matchers[queue_id].set()
        if queue_id not in self._telling:
            self._telling.add(queue_id)
            asyncio.get_running_loop().call_later(GATHER_SECONDS, self._tell_queue, queue_id)

    def _tell_queue(self, queue_id: str) -> None:
        self._telling.discard(queue_id)
        self._tell(WAVE + queue_id)

    def _tell(self, topic: str) -> None:
        for event in self._watchers.get(topic, ()):
            event.set()
