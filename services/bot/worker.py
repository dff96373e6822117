"""Answers turns: pulls them from the work queue, decides, keeps pace, and submits the action to the table service.

It keeps nothing that matters. A turn is acknowledged when the table has answered, or when there is no use in answering
any more; if the process dies before, the queue gives the turn to another one, which decides alike and submits under the
same request id, so that the table acts once. Where the rules refuse what a player made up, a rule of thumb answers.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable
from typing import Final

import grpc
import structlog
from google.protobuf.message import DecodeError

from services.bot.chatter.chatter import Chatter
from services.bot.deciding import Choice, decide, place_of, rule_of_thumb
from services.bot.errors import UnreadableViewError
from services.bot.metrics import BotMetrics
from services.bot.players.levels import generator
from services.bot.settings import BotSettings
from shared import logs
from shared.bus import Bus
from shared.client.errors import ClubError
from shared.consumer import Message, Reject
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import game_pb2, table_pb2, table_pb2_grpc
from shared.streams import CONSUMERS

_MOVED_ON: Final = frozenset(
    {
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.NOT_FOUND,
        # The same turn was answered before, with other words beside the same action.
        grpc.StatusCode.ALREADY_EXISTS,
    }
)
_TRY_AGAIN: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.UNAUTHENTICATED,  # The token file is about to be renewed.
    }
)
_RULE: Final = "rule"
"""What the refusal of an action by the rules of its game has in its metadata, and no other."""
_FIRST_PAUSE_SECONDS: Final = 0.05
_LONGEST_PAUSE_SECONDS: Final = 1.0
_NO_DEADLINE_SECONDS: Final = 10.0

_log = structlog.get_logger(__name__)


def request_id(turn: bot_pb2.BotTurn, by_thumb: bool = False) -> str:
    """The request id under which a turn is answered: the same whoever answers it.

    Args:
        turn: The turn.
        by_thumb: By a rule of thumb, after what the player said was refused by the rules.
    """
    name = f"{turn.table_id}:{turn.revision}:{turn.seat}" + (":thumb" if by_thumb else "")
    return "bot-" + hashlib.sha256(name.encode()).hexdigest()[:40]


class TurnWorker:
    """One process's share of the work on turns.

    Args:
        bus: Where turns come from.
        table: The table service.
        chatter: What bots say.
        settings: The settings.
        metrics: Where it is counted.
        now: Wall clock in seconds since 1970, to compare deadlines with.
        clock: Steady clock in seconds.
    """

    def __init__(
        self,
        bus: Bus,
        table: "table_pb2_grpc.TableServiceAsyncStub",
        chatter: Chatter,
        settings: BotSettings,
        metrics: BotMetrics,
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._bus = bus
        self._table = table
        self._chatter = chatter
        self._settings = settings
        self._metrics = metrics
        self._now = now
        self._clock = clock

    async def run(self) -> None:
        """Answers turns until the bus drains or this task is cancelled."""
        await self._bus.consume(CONSUMERS["bots"], self.handle, self._settings.concurrency)

    async def handle(self, message: Message) -> None:
        """Answers one turn; returns when nothing more is to be done about it. Raises `Reject` for what is no turn."""
        began = self._clock()
        try:
            turn = bot_pb2.BotTurn.FromString(message.data)
        except DecodeError as error:
            self._count("unreadable")
            raise Reject("not a BotTurn") from error
        logs.bind(table_id=turn.table_id, revision=turn.revision, seat=turn.seat)
        self._metrics.lag.observe(max(0.0, self._now() - message.stored_at.timestamp()))
        deadline = (
            turn.deadline.ToMicroseconds() / 1e6 if turn.HasField("deadline") else self._now() + _NO_DEADLINE_SECONDS
        )
        if self._now() >= deadline:
            self._count("too_late")
            return
        if not turn.private.legal_actions:
            self._count("unreadable")
            raise Reject("a turn without legal actions")
        choice = self._decide(turn)
        line = self._talk(turn, choice)
        await self._keep_pace(turn, deadline, self._clock() - began)
        outcome = await self._submit(turn, request_id(turn), choice.action, line, deadline)
        if outcome == "illegal":
            outcome = await self._fall_back(turn, choice, deadline)
        self._count(outcome)
        if outcome == "answered":
            self._metrics.answer.observe(self._clock() - began)
            if line:
                self._metrics.chat.inc()

    def _decide(self, turn: bot_pb2.BotTurn) -> Choice:
        private = turn.private
        if not private.HasField("seat"):
            private.seat = turn.seat
        level = turn.table.options.bot_level
        began = self._clock()
        try:
            choice = decide(
                turn.table,
                private,
                turn.history,
                level,
                generator(turn.table_id, turn.revision, turn.seat),
                out_of_time=turn.decided_by == table_pb2.DECIDED_BY_BOT_FOR_TIMEOUT,
            )
        except UnreadableViewError as error:
            legal = list(private.legal_actions)
            choice = Choice(
                rule_of_thumb(turn.table, legal), "unknown", "none", f"UnreadableViewError at {error.field}"
            )
        self._metrics.think.labels(choice.level, choice.kind).observe(self._clock() - began)
        if choice.failed:
            self._metrics.fallbacks.labels(choice.level).inc()
            _log.error("a rule of thumb decided", level=choice.level, failed=choice.failed)
        return choice

    def _talk(self, turn: bot_pb2.BotTurn, choice: Choice) -> str:
        """What is said with the action; whatever goes wrong with words, the action is played."""
        rng = generator(turn.table_id, turn.revision, turn.seat, "talk")
        try:
            return self._chatter.line(turn, choice.action, rng, self._clock())
        except Exception as error:
            _log.error("words failed", failed=place_of(error))
            return ""

    async def _keep_pace(self, turn: bot_pb2.BotTurn, deadline: float, spent: float) -> None:
        """Waits as long as somebody at the table would take; not when a person's time is out or a person is away."""
        if turn.decided_by != table_pb2.DECIDED_BY_BOT:
            return
        settings = self._settings
        pace = (settings.pace_milliseconds if turn.company else settings.pace_alone_milliseconds) / 1000
        pace *= generator(turn.table_id, turn.revision, turn.seat, "pace").uniform(0.75, 1.25)
        pause = min(pace, settings.pace_share * (deadline - self._now())) - spent
        if pause > 0:
            await asyncio.sleep(pause)

    async def _fall_back(self, turn: bot_pb2.BotTurn, choice: Choice, deadline: float) -> str:
        """Answers by a rule of thumb where the rules refused an action of a player's own making."""
        self._metrics.fallbacks.labels(choice.level).inc()
        _log.error("a rule of thumb decided", level=choice.level, failed=f"an illegal {choice.kind}")
        action = rule_of_thumb(turn.table, list(turn.private.legal_actions))
        outcome = await self._submit(turn, request_id(turn, by_thumb=True), action, "", deadline)
        return "refused" if outcome == "illegal" else outcome

    async def _submit(
        self, turn: bot_pb2.BotTurn, request: str, action: game_pb2.GameAction, line: str, deadline: float
    ) -> str:
        """Submits until there is an answer or the deadline is past; returns the outcome."""
        message = table_pb2.SubmitActionRequest(
            request_id=request,
            table_id=turn.table_id,
            action=action,
            revision=turn.revision,
            turn_token=turn.turn_token,
            chat=line,
        )
        pause = _FIRST_PAUSE_SECONDS
        while (left := deadline - self._now()) > 0:
            try:
                await self._table.SubmitAction(message, timeout=min(left, self._settings.answer_seconds))
            except grpc.aio.AioRpcError as error:
                code = error.code()
                if _RULE in ClubError.from_rpc(error).metadata:
                    return "illegal"
                if code in _MOVED_ON:
                    _log.debug("the table moved on", code=code.name)
                    return "moved_on"
                if code not in _TRY_AGAIN:
                    _log.error("the table refused an answer", code=code.name, details=error.details())
                    return "refused"
                self._metrics.retries.inc()
            else:
                return "answered"
            await asyncio.sleep(min(pause, max(0.0, deadline - self._now())))
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
        _log.warning("no answer from the table until the deadline")
        return "gave_up"

    def _count(self, outcome: str) -> None:
        self._metrics.turns.labels(outcome).inc()
