"""The buffers between a table and those who watch it: bounded, so that a slow watcher never slows a table."""

import asyncio
from collections import deque
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

    __slots__ = ("_filled", "_messages", "ended", "player", "revision")

    def __init__(self, player: str) -> None:
        self.player = player
        self.ended: Ended | None = None
        self.revision = 0
        self._messages: deque[bytes] = deque()
        self._filled = asyncio.Event()

    def put(self, message: bytes) -> None:
        """Queues a message; a watcher that is too far behind ends instead, and what it had in the queue is dropped."""
        if self.ended is not None:
            return
        if len(self._messages) >= MESSAGES_KEPT:
            self._messages.clear()
            self.end(Ended.SLOW)
            return
        self._messages.append(message)
        self._filled.set()

    def end(self, why: Ended) -> None:
        """Ends the watch, after what is queued has been taken."""
        if self.ended is None:
            self.ended = why
            self._filled.set()

    async def take(self, within: float) -> bytes | None:
        """The next message; None when there is none within so many seconds, or when the watch has ended."""
        if not self._messages and self.ended is None:
            try:
                async with asyncio.timeout(within):
                    await self._filled.wait()
            except TimeoutError:
                return None
        if not self._messages:
            return None
        message = self._messages.popleft()
        if not self._messages:
            self._filled.clear()
            if self.ended is not None:
                self._filled.set()
        return message
