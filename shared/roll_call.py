"""How somebody who runs the club hears which servers there are, and lets one of them go.

An operator hails all servers over NATS, and each says that it is there. Told to go, a server ends as it does at
SIGTERM, and whatever keeps it running starts it anew. Only the user `operator` may publish what servers listen to here.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
import nats.errors
import structlog
from nats.aio.msg import Msg

from shared.bus import Bus, BusUnavailable

HAIL: Final = "operator.hail"
HERE: Final = "operator.here"
DRAIN: Final = "operator.drain"
"""What all servers hear; before the kind of a server, on which it answers, and on which it is told to go."""
ANSWER_SECONDS: Final = 1.0
"""A server that has not answered a hail within this is busy, or not there."""

_log = structlog.get_logger(__name__)


class Here(msgspec.Struct, frozen=True):
    """What a server says of itself.

    Attributes:
        kind: What it is a server of: `table`, `bot`.
        instance: Its name among its likes; in a cluster that of its pod.
        address: Where it listens for gRPC, host:port.
        started: Since when it serves, in ms since the epoch.
        ready: It takes calls.
        draining: It is going.
    """

    kind: str
    instance: str
    address: str
    started: int
    ready: bool
    draining: bool


class Farewell(msgspec.Struct, frozen=True):
    """What a server is told that is to go.

    Attributes:
        instance: Its name.
        by: Who tells it.
        why: The reason.
    """

    instance: str
    by: str
    why: str


_encode = msgspec.json.Encoder().encode
_here = msgspec.json.Decoder(Here)
_farewell = msgspec.json.Decoder(Farewell)


async def answer(bus: Bus, kind: str, describe: Callable[[], Here], go: Callable[[], None]) -> None:
    """Lets a server answer roll calls from now on.

    Args:
        bus: Its connection.
        kind: What it is a server of.
        describe: What it says of itself now.
        go: Called when it is told to go.
    """

    async def hailed(_: Msg) -> None:
        await bus.nc.publish(f"{HERE}.{kind}", _encode(describe()))

    async def told(message: Msg) -> None:
        try:
            farewell = _farewell.decode(message.data)
        except msgspec.DecodeError as error:
            _log.warning("an operator said something that cannot be read", error=str(error))
            return
        if farewell.instance == describe().instance:
            _log.warning("an operator lets this server go", by=farewell.by, why=farewell.why)
            go()
            await hailed(message)

    await bus.nc.subscribe(HAIL, cb=_quietly(hailed))
    await bus.nc.subscribe(f"{DRAIN}.{kind}", cb=_quietly(told))


def _quietly(handle: Callable[[Msg], Awaitable[None]]) -> Callable[[Msg], Awaitable[None]]:
    """A handler that does without an answer when there is no connection to give it over."""

    async def handled(message: Msg) -> None:
        try:
            await handle(message)
        except nats.errors.Error as error:
            _log.warning("an operator could not be answered", error=repr(error))

    return handled


class RollCall:
    """The operator's side, on one connection."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def servers(self, seconds: float = ANSWER_SECONDS) -> list[Here]:
        """All servers that answer within so many seconds, by kind and name. Raises `shared.bus.BusUnavailable`."""
        found: dict[tuple[str, str, int], Here] = {}

        async def heard(message: Msg) -> None:
            here = _here.decode(message.data)
            found[here.kind, here.instance, here.started] = here

        try:
            subscription = await self._bus.nc.subscribe(f"{HERE}.*", cb=heard)
            try:
                await self._bus.nc.publish(HAIL, b"")
                await self._bus.nc.flush()
                await asyncio.sleep(seconds)
            finally:
                await subscription.unsubscribe()
        except (nats.errors.Error, TimeoutError) as error:
            raise BusUnavailable(f"the servers cannot be hailed: {error!r}") from error
        return [found[key] for key in sorted(found)]

    async def drain(self, server: Here, by: str, why: str) -> None:
        """Tells a server to go. Raises `shared.bus.BusUnavailable`."""
        try:
            await self._bus.nc.publish(f"{DRAIN}.{server.kind}", _encode(Farewell(server.instance, by, why)))
            await self._bus.nc.flush()
        except (nats.errors.Error, TimeoutError) as error:
            raise BusUnavailable(f"{server.instance} cannot be told: {error!r}") from error
