"""What to do when a stream breaks: open it again, and when, or give up."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import grpc

from shared.client.backoff import Backoff
from shared.client.errors import ClubError
from shared.client.observable import ConnectionState, Observable, Phase
from shared.client.tokens import TokenSource

log = logging.getLogger(__name__)

UNEXPLAINED_ALLOWED = 5
"""Failures in a row that neither the club nor a lost connection explains, before a stream gives up."""

_UNEXPLAINED = frozenset(
    (
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.CANCELLED,
        # A server that has as many streams as it can take refuses more before the club hears of them.
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    )
)
"""What breaks off a stream on the way; the club itself always says why."""


class Reconnection:
    """Follows the fortunes of one stream through all its connections, and tells them to its state."""

    def __init__(
        self,
        tokens: TokenSource,
        state: Observable[ConnectionState],
        *,
        backoff: Backoff | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._tokens = tokens
        self._state = state
        self._backoff = backoff or Backoff()
        self._sleep = sleep
        self._failures = 0
        self._unexplained = 0
        self._renewed = False
        self._token: str | None = None

    async def token(self) -> str | None:
        """The token to open the stream with.

        Raises:
            ClubError: There is none to be had.
        """
        self._token = await self._tokens.token()
        return self._token

    def progressed(self) -> None:
        """A message came: what failed before is forgotten."""
        if self._failures or not self._state.value.connected:
            self._failures = self._unexplained = 0
            self._renewed = False
            self._state.set(ConnectionState(Phase.CONNECTED))

    def closed(self, error: ClubError | None = None) -> None:
        """The stream is over."""
        self._state.set(ConnectionState(Phase.CLOSED, error))

    async def after(self, error: ClubError) -> None:
        """Waits until the stream may be opened again.

        Raises:
            ClubError: `error` itself, when opening it again would not help.
        """
        self._failures += 1
        if error.code is grpc.StatusCode.UNAUTHENTICATED:
            await self._renew_token(error)
        elif not self._passes(error):
            self.closed(error)
            raise error
        delay = self._backoff.delay(self._failures, error.retry_after)
        self._state.set(ConnectionState(Phase.RECONNECTING, error, self._failures, delay))
        log.info("the stream broke (%s); another try in %.2f s", error, delay)
        await self._sleep(delay)

    async def _renew_token(self, error: ClubError) -> None:
        if not self._renewed and self._token is not None:
            self._renewed = True
            another = await self._tokens.replacement(self._token)
            if another is not None and another != self._token:
                return
        self.closed(error)
        raise error

    def _passes(self, error: ClubError) -> bool:
        if error.code is grpc.StatusCode.UNAVAILABLE:
            return True
        if error.reason == "SLOW_CONSUMER":
            return True
        if error.code in _UNEXPLAINED and not error.answered:
            self._unexplained += 1
            return self._unexplained <= UNEXPLAINED_ALLOWED
        return False
