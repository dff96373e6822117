"""A value that others can follow."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from shared.client.errors import ClubError

T = TypeVar("T")


class Observable(Generic[T]):
    """Holds a value and tells its followers whenever another takes its place."""

    def __init__(self, value: T) -> None:
        self._value = value
        self._followers: list[Callable[[T], None]] = []

    @property
    def value(self) -> T:
        """The value now."""
        return self._value

    def set(self, value: T) -> None:
        """Puts `value` in place of the present one; followers hear of it unless it is equal."""
        if value == self._value:
            return
        self._value = value
        self.touch()

    def touch(self) -> None:
        """Lets followers look again although the value is the same."""
        for follower in tuple(self._followers):
            follower(self._value)

    def follow(self, follower: Callable[[T], None]) -> Callable[[], None]:
        """Calls `follower` with every later value, until the function returned is called."""
        self._followers.append(follower)

        def stop() -> None:
            if follower in self._followers:
                self._followers.remove(follower)

        return stop

    async def until(self, wanted: Callable[[T], bool]) -> T:
        """Waits for a value that is `wanted`, the present one included, and returns it."""
        if wanted(self._value):
            return self._value
        found: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        def look(value: T) -> None:
            if not found.done() and wanted(value):
                found.set_result(value)

        stop = self.follow(look)
        try:
            return await found
        finally:
            stop()


class Phase(Enum):
    """Where a stream is in its life."""

    CONNECTING = "connecting"
    CONNECTED = "connected"
    RECONNECTING = "reconnecting"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class ConnectionState:
    """How a stream is doing, for a user interface to show.

    Attributes:
        phase: Where it is in its life. It is connected from the first message on.
        error: Why it broke or was closed; None when all is well or the table was closed in good order.
        failures: Failures in a row.
        retry_seconds: The wait before the next attempt, counted from this change.
    """

    phase: Phase
    error: ClubError | None = None
    failures: int = 0
    retry_seconds: float = 0.0

    @property
    def connected(self) -> bool:
        """Messages come."""
        return self.phase is Phase.CONNECTED
