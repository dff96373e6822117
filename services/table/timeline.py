"""What a table has told lately: for viewers who come back, and for bots that count cards."""

from collections import deque
from collections.abc import Iterable, Sequence
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
    """The latest revisions of one table, and what has happened since the last deal."""

    def __init__(self) -> None:
        self._kept: deque[Told] = deque(maxlen=REVISIONS_KEPT)
        self._since_deal: list[bytes] = []

    def add(self, state: TableState, told: Iterable[tuple[f.AnyFact, tuple[Any, ...]]]) -> Told:
        """Takes in a revision; `state` is the one after it."""
        events = bytearray()
        before = b""
        for fact, game_events in told:
            if isinstance(fact, f.Dealt):
                self._since_deal.clear()
            for message in views.event_messages(state, fact, game_events):
                payload = message.SerializeToString()
                if payload == before:
                    continue  # a return told by two facts, the connection and the end of absence, is one event
                before = payload
                events += views.delimited(views.EVENTS, payload)
                if isinstance(fact, f.ActionTaken | f.Dealt):
                    self._since_deal.append(payload)
        entry = Told(state.revision, state.at, bytes(events))
        self._kept.append(entry)
        return entry

    def after(self, revision: int) -> list[Told] | None:
        """The revisions after this one, in order; None when they are not all here."""
        if not self._kept or revision < self._kept[0].revision - 1 or revision > self._kept[-1].revision:
            return None
        return [entry for entry in self._kept if entry.revision > revision]

    @property
    def since_deal(self) -> Sequence[bytes]:
        """What has happened in the match since the last deal, as serialised events, oldest first."""
        return self._since_deal
