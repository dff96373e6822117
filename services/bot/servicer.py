"""BotService: who the bots are, and what one would do."""

from typing import Any

import grpc

from services.bot.deciding import decide
from services.bot.errors import NotYourTurnError, UnreadableViewError
from services.bot.metrics import BotMetrics
from services.bot.personas import PERSONAS
from services.bot.players.levels import generator
from shared.errors import audience
from shared.gen.levata.bot.v1 import bot_pb2, bot_pb2_grpc

Context = grpc.aio.ServicerContext[Any, Any]


class BotServicer(bot_pb2_grpc.BotServiceServicer):
    """Proto in, domain call, proto out.

    Args:
        metrics: Where it is counted.
    """

    def __init__(self, metrics: BotMetrics) -> None:
        self._metrics = metrics

    async def ListPersonas(
        self, request: bot_pb2.ListPersonasRequest, context: Context
    ) -> bot_pb2.ListPersonasResponse:
        """All personas, each manner in the caller's language."""
        listener = audience.get()
        language = listener.language if listener is not None else "ro"
        return bot_pb2.ListPersonasResponse(
            personas=[
                bot_pb2.Persona(name=persona.name, manner=persona.manner[language]) for persona in PERSONAS.values()
            ]
        )

    async def SuggestMove(self, request: bot_pb2.SuggestMoveRequest, context: Context) -> bot_pb2.SuggestMoveResponse:
        """What a bot would do. The same request always gets the same answer.

        Raises:
            NotYourTurnError: The view has no legal actions.
            UnreadableViewError: The view contradicts itself.
        """
        private = request.private
        if not private.legal_actions:
            raise NotYourTurnError("no legal actions")
        if not private.HasField("seat"):
            raise UnreadableViewError("private.seat", "a seat is needed")
        rng = generator(request.table.table_id, len(request.history), private.seat, "hint")
        choice = decide(request.table, private, request.history, request.level, rng)
        self._metrics.suggestions.labels(choice.level).inc()
        if choice.failed:
            self._metrics.fallbacks.labels(choice.level).inc()
        return bot_pb2.SuggestMoveResponse(action=choice.action)
