"""Those who watch a table on this server: what each is sent, made for that viewer."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from services.table import facts as f
from services.table import views
from services.table.metrics import TableMetrics
from services.table.state import TableState
from services.table.timeline import Timeline
from services.table.watchers import Ended, Watcher


class Audience:
    """The open watches of one table.

    Args:
        metrics: What operators count.
        now: The present time in ms.
    """

    def __init__(self, metrics: TableMetrics, now: Callable[[], int]) -> None:
        self._metrics = metrics
        self._now = now
        self._timeline = Timeline()
        self._encoder = views.TableEncoder()
        self._watchers: set[Watcher] = set()

    def __len__(self) -> int:
        return len(self._watchers)

    # Coming and going

    def admit(self, state: TableState, player: str, after: int | None) -> Watcher:
        """Opens a watch for somebody who may see the table; `after` is the last revision that the viewer saw."""
        watcher = Watcher(player, self.opening(state, player, after))
        self._watchers.add(watcher)
        self._metrics.watchers.inc()
        return watcher

    def release(self, watcher: Watcher) -> None:
        """Closes a watch."""
        if watcher in self._watchers:
            self._watchers.remove(watcher)
            self._metrics.watchers.dec()
        watcher.end(Ended.DISCONNECTED)

    def end(self, why: Ended) -> None:
        """Ends all watches; whoever has one open closes it then."""
        for watcher in list(self._watchers):
            watcher.end(why)

    def players(self) -> Counter[str]:
        """How many watches each person has open."""
        return Counter(watcher.player for watcher in self._watchers)

    # What is sent

    def table(self, state: TableState) -> bytes:
        """What everybody sees of the table now, serialised."""
        return self._encoder.table(state)

    def snapshot(self, state: TableState, player: str) -> bytes:
        """The table as a person may see it now: a serialised update."""
        common = views.common_part(state.revision, state.at, b"", self._encoder.table(state))
        return common + views.private_part(state, state.seat_of(player)) + views.snapshot_part(state)

    def opening(self, state: TableState, player: str, after: int | None) -> list[bytes]:
        """The first messages of a watch: what the viewer missed, or a snapshot."""
        missed = self._timeline.after(after) if after is not None else None
        if missed is None:
            return [views.update_message(self.snapshot(state, player))]
        if not missed:
            return [views.heartbeat_message(state.revision, self._now())]
        *earlier, latest = missed
        messages = [views.update_message(views.common_part(one.revision, one.at, one.events, None)) for one in earlier]
        common = views.common_part(latest.revision, latest.at, latest.events, self._encoder.table(state))
        return [*messages, views.update_message(common + views.private_part(state, state.seat_of(player)))]

    def tell(self, state: TableState, told: Iterable[tuple[f.AnyFact, tuple[Any, ...]]]) -> None:
        """Remembers a revision, and sends it to everybody who watches, each what is theirs to see.

        Args:
            state: The table after the revision.
            told: The facts of the revision, each with the events of the game that it brought.
        """
        latest = self._timeline.add(state, told)
        if not self._watchers:
            return
        common = views.common_part(state.revision, state.at, latest.events, self._encoder.table(state))
        messages: dict[views.Viewer, bytes] = {}
        for watcher in self._watchers:
            viewer = state.seat_of(watcher.player)
            if viewer is None and state.options.visibility == "private":
                watcher.end(Ended.NOT_WATCHABLE)
                continue
            message = messages.get(viewer)
            if message is None:
                message = views.update_message(common + self._encoder.private(state, viewer))
                messages[viewer] = message
            watcher.put(message)
            if watcher.ended is Ended.SLOW:
                self._metrics.slow.inc()
