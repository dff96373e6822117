"""Several services in one process, on one NATS and with one issuer of tokens."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import grpc

from deploy.nats.provision import provision
from shared.harness import Bind, Service
from shared.process import running
from shared.settings import ServiceSettings
from tests.support.nats import NatsServer
from tests.support.tokens import TokenIssuer, bearer

S = TypeVar("S", bound=ServiceSettings)


class Club:
    """What the services of a test share, and a way to start each.

    Attributes:
        nats: The server.
        issuer: Signs all tokens.
        services: Those that run, by name.
    """

    def __init__(self, nats: NatsServer, issuer: TokenIssuer, stack: contextlib.AsyncExitStack) -> None:
        self.nats = nats
        self.issuer = issuer
        self.services: dict[str, Service] = {}
        self._stack = stack

    def settings(self, kind: type[S], name: str, **more: Any) -> S:
        """Settings of a service for this club; `more` adds or replaces."""
        values: dict[str, Any] = {
            "nats_url": self.nats.url,
            "jwks_file": self.issuer.jwks_file,
            "service_token_file": self.issuer.service_token_file(name),
            "drain_seconds": 2.0,
            "instance": name,
            **more,
        }
        return kind(**values)

    async def start(self, name: str, kind: type[S], bind: Callable[[Any, S], Awaitable[None]], **more: Any) -> Service:
        """Starts a service; it runs until the end of the club, or until it is stopped or crashed."""
        service = await self._stack.enter_async_context(running(name, self.settings(kind, name, **more), bind))
        self.services[name] = service
        return service

    async def channel(self, service: Service | str) -> grpc.aio.Channel:
        """A bare channel to a service, closed with the club."""
        address = self.services[service].address if isinstance(service, str) else service.address
        channel = grpc.aio.insecure_channel(address)
        self._stack.push_async_callback(channel.close)
        return channel

    def as_player(self, player_id: str, name: str = "", language: str = "en") -> tuple[tuple[str, str], ...]:
        """Call metadata of a player."""
        return bearer(self.issuer.token(player_id, name), language)


@contextlib.asynccontextmanager
async def club(nats: NatsServer, folder: Path) -> AsyncIterator[Club]:
    """A club without services; start those that the test wants. They stop in reverse order."""
    await provision(ServiceSettings(nats_url=nats.url))
    async with contextlib.AsyncExitStack() as stack:
        yield Club(nats, TokenIssuer(folder), stack)


__all__ = ["Bind", "Club", "club"]
