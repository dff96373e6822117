"""Shows what comes at the speed of eyes: bots play faster than anybody can look."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rich.text import Text

from shared.gen.levata.table.v1 import table_pb2

HURRY_FROM = 24
"""With more steps waiting than this they are shown faster, the faster the more there are."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something to be seen: a table, the viewer's part of it, lines for the feed, and for how many beats it stays."""

    table: table_pb2.Table
    private: table_pb2.Private
    lines: Sequence[Text] = field(default_factory=tuple)
    beats: float = 0.0


class Timer(Protocol):
    """Something that was set to happen later."""

    def stop(self) -> None:
        """It shall not happen."""


class Pacer:
    """A queue of steps, each shown for its time. Nothing is ever left out: skipping shows all that waits at once."""

    def __init__(
        self,
        show: Callable[[Step], None],
        later: Callable[[float, Callable[[], None]], Timer],
        beat_seconds: float,
    ) -> None:
        """`show` puts a step on the screen, `later(seconds, call)` calls back after that time."""
        self._show = show
        self._later = later
        self._beat = beat_seconds
        self._waiting: deque[Step] = deque()
        self._timer: Timer | None = None

    @property
    def idle(self) -> bool:
        """The newest state is on the screen."""
        return self._timer is None and not self._waiting

    def add(self, steps: Sequence[Step]) -> None:
        """Shows steps after those that wait."""
        self._waiting.extend(steps)
        if self._timer is None:
            self._advance()

    def skip(self) -> None:
        """Shows all that waits, now."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        while self._waiting:
            self._show(self._waiting.popleft())

    def drop(self) -> None:
        """Forgets what waits."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._waiting.clear()

    def _advance(self) -> None:
        self._timer = None
        while self._waiting:
            step = self._waiting.popleft()
            self._show(step)
            seconds = step.beats * self._beat * min(1.0, HURRY_FROM / (len(self._waiting) + 1))
            if seconds > 0:
                self._timer = self._later(seconds, self._advance)
                return
