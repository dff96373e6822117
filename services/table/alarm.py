"""The alarm of a table in this server's memory: it rings in time for what the table has to do by itself.

It costs nothing to have and is forgotten with the server; that another server acts then is the durable timer's part.
"""

import asyncio
import contextvars
from collections.abc import Callable

AGAIN_MILLISECONDS = 250
"""What was due and could not be done is tried again after this."""


class Alarm:
    """Rings once, at a time in ms since the epoch, until it is set again.

    Args:
        now: The present time in ms.
        ring: Called when it rings, in a context of its own: it is nobody's request.
    """

    def __init__(self, now: Callable[[], int], ring: Callable[[], None]) -> None:
        self._now = now
        self._ring = ring
        self._handle: asyncio.TimerHandle | None = None
        self._at = 0

    def set(self, when: int) -> None:
        """Rings at `when`, or earlier if it is set for earlier already: whoever wakes too early finds nothing due."""
        if self._handle is not None:
            if self._at <= when:
                return
            self._handle.cancel()
        self._wait(when)

    def set_again(self, when: int) -> None:
        """After it rang: as `set` if nobody has set it meanwhile, but not at once, for that has just been tried."""
        if self._handle is None:
            now = self._now()
            self._wait(when if when > now else now + AGAIN_MILLISECONDS)

    def cancel(self) -> None:
        """Does not ring any more."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _wait(self, when: int) -> None:
        self._at = when
        delay = max(0.0, (when - self._now()) / 1000)
        self._handle = asyncio.get_running_loop().call_later(delay, self._rings, context=contextvars.Context())

    def _rings(self) -> None:
        self._handle = None
        self._ring()
