"""Makes the streams and consumers that `shared.streams` declares, and changes those there are, without loss.

What has changed in the declaration is changed in place: messages stay, and a consumer stays where it is. What the
server does not let anybody change in place is left as it is, and said.
"""

import asyncio
import functools
import time
from collections.abc import Awaitable, Callable
from dataclasses import fields
from typing import Any, Final

import nats.errors
import structlog
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, StreamConfig
from nats.js.errors import APIError, NotFoundError, ServiceUnavailableError

from shared import streams
from shared.bus import ASK_SECONDS, Bus, BusUnavailable
from shared.streams import Durable

START_SECONDS: Final = 20.0
"""A server that has just been started is given so long to answer about its streams."""
AGAIN_SECONDS: Final = 0.5
TELL_SECONDS: Final = 30.0
"""Whoever waits says so at once, and then so often."""
_NAME_IN_USE: Final = 10058
_log = structlog.get_logger(__name__)


class MismatchError(Exception):
    """Something exists and cannot be changed into what is declared. An operator decides."""


class StreamMismatchError(MismatchError):
    """A stream exists that would have to be made anew, such as for another storage; its messages would be lost."""


class ConsumerMismatchError(MismatchError):
    """A consumer exists that would have to be made anew; it would lose how far it has come."""


async def ensure(bus: Bus, names: list[str], replicas: int = 1, change: bool = True) -> None:
    """Creates the streams and buckets `names`, and the consumers declared on them. The others `wait_for` them.

    After every reconnection, however long it takes, it creates what is not there any more, for streams in memory do not
    outlive a lone server. Then it changes nothing: a newer version may have.

    Args:
        bus: The bus.
        names: As in `STREAMS`.
        replicas: Copies of each stream.
        change: Give those that exist the limits, options and filters that are declared; messages stay, and so does the
            place of every consumer.

    Raises:
        MismatchError: One exists that cannot be changed.
        BusUnavailable: No answer within `START_SECONDS`; so it is, too, for whoever may not make a stream.
        nats.js.errors.APIError: The server refuses it.
    """
    configs = [streams.STREAMS[name].config(replicas) for name in names]
    durables = [one for one in streams.CONSUMERS.values() if one.stream in names]

    async def ensure_all(change: bool = change) -> None:
        for config in configs:
            await _ensure_stream(bus, config, change)
        for durable in durables:
            await ensure_consumer(bus, durable, change)

    async def ensure_again() -> None:
        await _patiently(bus, "making the streams again", functools.partial(ensure_all, change=False))

    try:
        async with asyncio.timeout(START_SECONDS):
            await _patiently(bus, "making the streams", ensure_all)
    except TimeoutError as error:
        raise BusUnavailable(
            f"NATS did not answer about {', '.join(names)} within {START_SECONDS:g} s; may this user make streams?"
        ) from error
    bus.on_reconnect(ensure_again)


async def wait_for(bus: Bus, names: list[str]) -> None:
    """Returns when the streams and buckets `names` are there, however long it takes: for who may not make them."""

    async def look() -> None:
        for name in names:
            await _asking(bus, name).stream_info(streams.STREAMS[name].name)

    await _patiently(bus, f"waiting for {', '.join(names)}", look, (NotFoundError,))


def _asking(bus: Bus, name: str) -> JetStreamContext:
    return bus.nc.jetstream(timeout=ASK_SECONDS, prefix=bus.api(name))


async def _patiently(
    bus: Bus, what: str, work: Callable[[], Awaitable[None]], more: tuple[type[Exception], ...] = ()
) -> None:
    """Does the work, and again while the server is away, has just started, or (`more`) does not have it yet."""
    told = 0.0
    while True:
        try:
            await work()
        except (nats.errors.Error, TimeoutError) as error:
            lasting = isinstance(error, APIError) and not isinstance(error, (ServiceUnavailableError, *more))
            if lasting or bus.nc.is_closed:
                raise
            if not told or time.monotonic() - told > TELL_SECONDS:
                _log.warning("NATS is not ready for us yet; trying on", what=what, error=str(error) or repr(error))
                told = time.monotonic()
            await asyncio.sleep(AGAIN_SECONDS)
        else:
            if told:
                _log.info("NATS is ready for us", what=what)
            return


async def _ensure_stream(bus: Bus, config: StreamConfig, change: bool) -> None:
    assert config.name is not None
    asking = bus.nc.jetstream(timeout=ASK_SECONDS)
    try:
        present = (await asking.stream_info(config.name)).config
    except NotFoundError:
        try:
            await bus.js.add_stream(config)
        except APIError as error:
            if error.err_code != _NAME_IN_USE:
                raise
            present = (await bus.js.stream_info(config.name)).config  # Another process was faster.
        else:
            _log.info("stream created", stream=config.name)
            return
    changes = _changes(present, config)
    if not changes or not change:
        return
    try:
        await bus.js.update_stream(present.evolve(**changes))
    except APIError as error:
        raise StreamMismatchError(f"{config.name}: {sorted(changes)} cannot be changed: {error.description}") from error
    _log.info("stream updated", stream=config.name, changed=sorted(changes))


async def ensure_consumer(bus: Bus, durable: Durable, change: bool = True) -> None:
    """Creates a consumer of a stream of this account, or (`change`) changes it in place: it stays where it is.

    A filter that lets more in than before does so from where the consumer stands: what it has passed does not come.

    Raises:
        ConsumerMismatchError: It exists and cannot be changed.
        nats.js.errors.APIError: The server refuses it; `NotFoundError`: the stream is not there.
    """
    stream = streams.STREAMS[durable.stream].name
    wanted = durable.config()
    asking = bus.nc.jetstream(timeout=ASK_SECONDS)
    try:
        present = (await asking.consumer_info(stream, durable.name)).config
    except NotFoundError:
        # Several processes may do so at once: they all want the same.
        await asking.add_consumer(stream, wanted)
        _log.info("consumer created", stream=stream, consumer=durable.name)
        return
    changes = _changes(_by_list(present), wanted)
    if not changes or not change:
        return
    try:
        await asking.add_consumer(stream, _by_list(present).evolve(**changes))
    except APIError as error:
        raise ConsumerMismatchError(
            f"{stream}/{durable.name}: {sorted(changes)} cannot be changed in place ({error.description}). "
            "Declare it under another name; or remove this one and provision again: it then begins anew"
        ) from error
    _log.info("consumer updated", stream=stream, consumer=durable.name, changed=sorted(changes))


def _by_list(config: ConsumerConfig) -> ConsumerConfig:
    """The same configuration with its filters as a list, however many the server has."""
    one = [config.filter_subject] if config.filter_subject else []
    return config.evolve(filter_subject=None, filter_subjects=config.filter_subjects or one)


def _changes(present: StreamConfig | ConsumerConfig, wanted: StreamConfig | ConsumerConfig) -> dict[str, Any]:
    """What is wanted and is not so."""
    return {
        one.name: getattr(wanted, one.name)
        for one in fields(wanted)
        if getattr(wanted, one.name) is not None and getattr(wanted, one.name) != getattr(present, one.name)
    }
