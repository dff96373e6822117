"""Looks after the streams of JetStream for operators: how full each is, and whether its copies are what they should be.

It runs in the table service for the streams of the club, and in matchmaking for its own. The servers of NATS know more,
but not from where the club stands: a stream that has lost its leader is here one that nobody answers for.
"""

import asyncio
import json
from datetime import UTC, datetime
from typing import Final

import nats.errors
import structlog
from nats.js.api import StreamInfo

from shared.bus import ASK_SECONDS, Bus
from shared.streams import STREAMS, of_account

PERIOD_SECONDS: Final = 10.0
NEVER: Final = "0001-01-01T00:00:00"
"""What NATS says of an empty stream."""

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
        answer = await bus.nc.request(f"$JS.API.STREAM.INFO.{name}", timeout=ASK_SECONDS)
        told = json.loads(answer.data)
        newest = _seconds(told["state"]["last_ts"])  # which the client's own question leaves out
        info = StreamInfo.from_response(told)
    except (nats.errors.Error, TimeoutError, KeyError, ValueError) as error:
        metrics.stream_copies_in_sync.labels(name).set(0)
        _log.debug("a stream does not answer", stream=name, error=repr(error))
        return
    metrics.stream_newest.labels(name).set(newest)
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


def _seconds(moment: str) -> float:
    """A moment as NATS writes it, in seconds since the epoch; 0 for its own beginning of time, which is no moment."""
    whole, _, fraction = moment.removesuffix("Z").partition(".")
    if whole == NEVER:
        return 0.0
    return datetime.fromisoformat(whole).replace(tzinfo=UTC).timestamp() + float(f"0.{fraction or 0}")
