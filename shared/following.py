"""Following something for ever, such as a bucket that is mirrored: when it ends it is begun anew."""

import asyncio
from collections.abc import Awaitable, Callable


class Following:
    """A task that never ends, made of tasks that may.

    Args:
        follow: Follows until the connection ends; it tells nobody but the log why.
        pause_seconds: Between an end and the next beginning.
    """

    def __init__(self, follow: Callable[[], Awaitable[None]], pause_seconds: float) -> None:
        self._follow = follow
        self._pause_seconds = pause_seconds
        self._task: asyncio.Future[None] | None = None

    async def run(self) -> None:
        """Follows for ever."""
        while True:
            self._task = asyncio.ensure_future(self._follow())
            try:
                await asyncio.wait([self._task])
            finally:
                self._task.cancel()
            await asyncio.sleep(self._pause_seconds)

    async def again(self) -> None:
        """Begins anew: the server may have forgotten us while the connection was lost."""
        if self._task is not None:
            self._task.cancel()
