"""The table service, put together."""

import secrets
import time

import structlog

from services.table import engine
from services.table.decide import Circumstances
from services.table.lobby import Lobby
from services.table.log import TableLog
from services.table.metrics import TableMetrics
from services.table.presence import Presence, presence_name
from services.table.requests import ERRORS
from services.table.results import Results
from services.table.servicer import TableServicer, register
from services.table.settings import TableSettings
from services.table.tables import Tables
from services.table.timers import Timers
from services.table.turns import Turns, TurnTokens
from shared import stream_setup, stream_watch, streams
from shared.harness import Harness
from shared.personas import PERSONA_NAMES

STREAMS = ["TABLES", "TIMERS", "BOT_TURNS", "RESULTS", "LOBBY", "PRESENCE"]
"""The streams and buckets that this service cannot be without."""
MADE_HERE = ["BOT_TURNS"]
"""In memory, and so gone when a lone server of NATS restarts: this service makes it again. What is on file is made by
who provisions, and never anew by who would not notice that it was lost."""

_log = structlog.get_logger(__name__)


def now() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


async def bind(harness: Harness, settings: TableSettings) -> None:
    """Wires the service to the harness."""
    _log.info("engine", build=engine.build())
    bus = harness.bus
    await stream_setup.wait_for(bus, [name for name in STREAMS if name not in MADE_HERE])
    await stream_setup.ensure(bus, MADE_HERE, settings.replicas, change=False)
    limits = settings.limits()

    def circumstances() -> Circumstances:
        return Circumstances(now(), secrets.token_bytes, limits, PERSONA_NAMES)

    metrics = TableMetrics(harness.metrics)
    tokens = TurnTokens(settings.turn_key_file.read_bytes())
    log = TableLog(bus)
    timers = Timers(bus)
    lobby = Lobby(bus, await bus.kv("LOBBY"), metrics)
    turns = Turns(bus, tokens, metrics, limits.bot)
    tables = Tables(log, timers, turns, Results(bus, log, metrics), lobby, metrics, circumstances)
    presence = Presence(bus, await bus.kv("PRESENCE"), presence_name(harness.instance), now, tables.get)
    tables.attend(presence)
    bus.on_reconnect(tables.after_reconnect)
    bus.on_reconnect(lobby.follow_again)

    harness.add_errors(ERRORS)
    harness.add_servicer(
        register,
        TableServicer(tables, log, presence, tokens, metrics, now, settings.tables_per_host),
        "levata.table.v1.TableService",
    )
    harness.background("timers", lambda: timers.consume(tables.on_timer, now))
    harness.background("lobby mirror", lobby.mirror)
    harness.background("lobby writer", lobby.write)
    harness.background("presence beat", presence.beat)
    harness.background("presence listener", presence.listen)
    harness.background("sweep", tables.sweep)
    harness.background("stream watch", lambda: stream_watch.watch(bus, streams.CLUB))
    harness.on_drain(tables.drain)
