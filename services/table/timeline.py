"""What a table has told lately, for viewers who come back."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from services.table import facts as f
from services.table import views
from services.table.state import TableState

REVISIONS_KEPT = 256
"""A viewer who missed no more than so many revisions gets them; beyond that, a snapshot."""


@dataclass(frozen=True, slots=True)
class Told:
    """The events of one revision, encoded as the field of an update."""

    revision: int
    at: int
    events: bytes


class Timeline:
    """The latest revisions of one table."""

    def __init__(self) -> None:
        self._kept: deque[Told] = deque(maxlen=REVISIONS_KEPT)

    def add(self, state: TableState, told: Iterable[tuple[f.AnyFact, tuple[Any, ...]]]) -> Told:
        """Takes in a revision; `state` is the one after it."""
        events = bytearray()
        before = b""
        for fact, game_events in told:
            if isinstance(fact, f.Restored):
                self._kept.clear()  # whoever saw what was before may have seen a future that is lost
            for message in views.event_messages(state, fact, game_events):
                payload = message.SerializeToString()
                if payload == before:
                    continue  # a return told by two facts, the connection and the end of absence, is one event
                before = payload
                events += views.delimited(views.EVENTS, payload)
        entry = Told(state.revision, state.at, bytes(events))
        self._kept.append(entry)
        return entry

    def after(self, revision: int) -> list[Told] | None:
        """The revisions after this one, in order; None when they are not all here."""
        if not self._kept or revision < self._kept[0].revision - 1 or revision > self._kept[-1].revision:
            return None
        return [entry for entry in self._kept if entry.revision > revision]
