"""Looks after the streams of JetStream for operators: how full each is, and whether its copies are what they should be.

It runs in the table service for the streams of the club, and in matchmaking for its own. The servers of NATS know more,
but not from where the club stands: a stream that has lost its leader is here one that nobody answers for.
"""

import asyncio
from typing import Final

import nats.errors
import structlog
from nats.js.errors import APIError

from shared.bus import ASK_SECONDS, Bus
from shared.streams import STREAMS, of_account

PERIOD_SECONDS: Final = 10.0

_log = structlog.get_logger(__name__)


async def watch(bus: Bus, account: str, period_seconds: float = PERIOD_SECONDS) -> None:
    """Measures all streams of an account, the connection's own, for ever."""
    while True:
        await asyncio.gather(*(_look(bus, STREAMS[name].name) for name in of_account(account)))
        await asyncio.sleep(period_seconds)


async def _look(bus: Bus, name: str) -> None:
    metrics = bus.metrics
    try:
        if not bus.is_connected:
            raise TimeoutError
        info = await bus.nc.jetstream(timeout=ASK_SECONDS).stream_info(name)
    except (APIError, nats.errors.Error, TimeoutError) as error:
        metrics.stream_copies_in_sync.labels(name).set(0)
        _log.debug("a stream does not answer", stream=name, error=repr(error))
        return
    metrics.stream_messages.labels(name).set(info.state.messages)
    metrics.stream_bytes.labels(name).set(info.state.bytes)
    metrics.stream_copies.labels(name).set(info.config.num_replicas or 1)
    cluster = info.cluster
    if cluster is None:  # A lone server.
        in_sync = 1
    else:
        in_sync = int(bool(cluster.leader)) + sum(
            bool(one.current and not one.offline) for one in cluster.replicas or ()
        )
    metrics.stream_copies_in_sync.labels(name).set(in_sync)
