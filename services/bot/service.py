"""Puts the bot service together."""

import structlog

from services.bot.chatter.chatter import Chatter
from services.bot.errors import ERRORS
from services.bot.metrics import BotMetrics
from services.bot.servicer import BotServicer
from services.bot.settings import BotSettings
from services.bot.worker import TurnWorker
from services.table import engine
from shared.gen.levata.bot.v1 import bot_pb2, bot_pb2_grpc
from shared.gen.levata.table.v1 import table_pb2_grpc
from shared.harness import Harness

_log = structlog.get_logger(__name__)


async def bind(harness: Harness, settings: BotSettings) -> None:
    """Makes the parts of the bot service and tells the harness of them."""
    _log.info("engine", build=engine.build())
    metrics = BotMetrics(harness.metrics)
    channel = await harness.channel(settings.table_address)
    worker = TurnWorker(
        harness.bus,
        table_pb2_grpc.TableServiceStub(channel),
        Chatter(settings.talk_language, settings.talk_table_gap_seconds, settings.talk_seat_gap_seconds),
        settings,
        metrics,
    )
    harness.add_errors(ERRORS)
    harness.add_servicer(
        bot_pb2_grpc.add_BotServiceServicer_to_server,
        BotServicer(metrics),
        bot_pb2.DESCRIPTOR.services_by_name["BotService"].full_name,
    )
    harness.background("turns", worker.run)
