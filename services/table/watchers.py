"""The buffers between a table and those who watch it: bounded, so that a slow watcher never slows a table."""

import asyncio
from collections import deque
from collections.abc import Sequence
from enum import Enum

MESSAGES_KEPT = 256
"""So many messages may wait for a watcher; one more, and it is cut off."""


class Ended(Enum):
    """Why a watch ended."""

    SLOW = "it fell behind"
    DRAINING = "the server drains"
    NOT_WATCHABLE = "the table is private now"
    CLOSED = "the table is closed"
    DAMAGED = "the table is frozen"
    DISCONNECTED = "the viewer went"


class Watcher:
    """One open watch.

    Attributes:
        player: Account of the viewer.
        ended: Why it ended; None while it is open.
    """

    __slots__ = ("_bound", "_messages", "_timer", "_waiter", "_waiting_since", "ended", "player")

    def __init__(self, player: str, opening: Sequence[bytes] = ()) -> None:
        """Begins with the messages of `opening`, which do not count against it."""
        self.player = player
        self.ended: Ended | None = None
        self._messages: deque[bytes] = deque(opening)
        self._bound = MESSAGES_KEPT + len(opening)
        self._waiter: asyncio.Future[None] | None = None
        self._waiting_since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def put(self, message: bytes) -> None:
        """Queues a message; a watcher that is too far behind ends instead, and what it had in the queue is dropped."""
        if self.ended is not None:
            return
        if len(self._messages) >= self._bound:
            self._messages.clear()
            self.end(Ended.SLOW)
            return
        self._messages.append(message)
        self._wake()

    def end(self, why: Ended) -> None:
        """Ends the watch, after what is queued has been taken."""
        if self.ended is None:
            self.ended = why
            self._wake()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    async def take(self, within: float) -> bytes | None:
        """The next message; None when there is none within so many seconds, or when the watch has ended."""
        if not self._messages and self.ended is None:
            loop = asyncio.get_running_loop()
            self._waiter = loop.create_future()
            self._waiting_since = loop.time()
            if self._timer is None:
                self._timer = loop.call_later(within, self._late, within)
            try:
                await self._waiter
            finally:
                self._waiter = None
        return self._messages.popleft() if self._messages else None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _late(self, within: float) -> None:
        """Ends a wait that is long enough. One timer is set for many messages, since setting one costs more than a
        message that comes at once.
        """
        self._timer = None
        if self._waiter is not None:
            loop = asyncio.get_running_loop()
            left = self._waiting_since + within - loop.time()
            if left <= 0.001:
                self._wake()
            else:
                self._timer = loop.call_later(left, self._late, within)
