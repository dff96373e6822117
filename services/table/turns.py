"""Decisions offered to bots: published to the work queue with the seat's view, and nothing else.

A turn carries a token, without which nobody can answer it: a MAC over table, revision and seat under the table
service's own key. So a bot can decide what it was asked, and only that.
"""

import asyncio
import base64
import hashlib
import hmac
import time

import structlog

from services.table import views
from services.table.errors import TurnTokenInvalidError
from services.table.live import LiveTable
from services.table.log import ACK_SECONDS
from services.table.metrics import TableMetrics
from services.table.state import TableState
from shared.bus import Bus, BusRefused, BusUnavailable
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.traces import Trace

SUBJECT = "bot.turns"
"""Before the table's id, the subject of a turn."""

AGAIN_SECONDS = 0.1
"""Pause before a turn is offered again of which it is not certain that it was stored."""

_TABLE = 6
"""Number of the field `BotTurn.table`."""

_log = structlog.get_logger(__name__)


class TurnTokens:
    """Makes and checks the tokens of turns."""

    def __init__(self, key: bytes) -> None:
        if len(key) < 32:
            raise ValueError("the turn key needs at least 32 bytes")
        self._key = key

    def make(self, table: str, revision: int, seat: int) -> str:
        """The token of one decision."""
        mac = hmac.digest(self._key, f"turn:{table}:{revision}:{seat}".encode(), hashlib.sha256)
        return f"{revision}.{seat}.{base64.urlsafe_b64encode(mac[:24]).decode()}"

    def read(self, table: str, token: str) -> tuple[int, int]:
        """Revision and seat of the decision that a token is for. Raises `TurnTokenInvalidError`."""
        revision, _, rest = token.partition(".")
        seat = rest.partition(".")[0]
        if not (revision.isascii() and revision.isdigit() and seat.isascii() and seat.isdigit() and len(token) < 100):
            raise TurnTokenInvalidError
        if not hmac.compare_digest(self.make(table, int(revision), int(seat)), token):
            raise TurnTokenInvalidError
        return int(revision), int(seat)

    def table_id(self, player: str, request_id: str) -> str:
        """The id of the table that a player makes by a request: the same for a repeat, and for nobody to guess."""
        return hmac.digest(self._key, f"table:{player}:{request_id}".encode(), hashlib.sha256).hex()[:24]


def turn_message(live: LiveTable, tokens: TurnTokens, bot_milliseconds: int) -> bytes:
    """The serialised `BotTurn` for the decision that the table waits for."""
    state = live.state
    decision = state.decision
    assert decision is not None
    revision = state.game_revision
    head = bot_pb2.BotTurn(
        table_id=state.table,
        revision=revision,
        seat=decision.seat,
        turn_token=tokens.make(state.table, revision, decision.seat),
        deadline=views.timestamp(state.delegated + bot_milliseconds),
        private=views.private_message(state, decision.seat),
        history=[pb.Event(game=event) for event in views.wire_of(state).history(state.position())],
        decided_by=views.DECIDED_BY[state.decided_by],
        company=any(seat.kind == "human" for seat in state.seats),
    )
    return head.SerializeToString() + views.delimited(_TABLE, live.audience.table(state))


class Turns:
    """Publishes turns."""

    def __init__(self, bus: Bus, tokens: TurnTokens, metrics: TableMetrics, bot_milliseconds: int) -> None:
        self._bus = bus
        self._tokens = tokens
        self._metrics = metrics
        self._bot_milliseconds = bot_milliseconds

    @staticmethod
    def opened(before: TableState, after: TableState) -> bool:
        """Whether a change gave a decision to a bot."""
        if not _theirs(after):
            return False
        return before.game_revision != after.game_revision or before.decided_by == "player"

    @staticmethod
    def answered(before: TableState, after: TableState) -> bool:
        """Whether a change was the answer to a decision that a bot had."""
        return _theirs(before) and before.game_revision != after.game_revision

    @staticmethod
    def interrupted(state: TableState) -> bool:
        """Whether the decision is a bot's that may have been asked before the table stood still."""
        return _theirs(state) and state.resumed > state.game_revision

    async def publish(self, live: LiveTable, trace: Trace, again: int = 0) -> None:
        """Offers the table's decision to the bots, again and again while it is open and theirs until it is certain that
        they have it. If that fails, the table decides when their time is out.

        Args:
            live: The table.
            trace: The trace that goes on where the turn is handled.
            again: The revision for which it is offered once more; a repeat of that is stored once.
        """
        asked = live.state.game_revision
        give_up = time.monotonic() + self._bot_milliseconds / 1000
        msg_id = f"{live.id}-{again}" if again else None
        while _theirs(live.state) and live.state.game_revision == asked:
            data = turn_message(live, self._tokens, self._bot_milliseconds)
            try:
                await self._bus.publish(
                    f"{SUBJECT}.{live.id}", data, msg_id=msg_id, trace=trace, ack_seconds=ACK_SECONDS
                )
            except (BusUnavailable, BusRefused) as error:
                _log.warning("a turn was not published", table=live.id, error=str(error))
                if isinstance(error, BusRefused) or time.monotonic() + AGAIN_SECONDS > give_up:
                    return
                await asyncio.sleep(AGAIN_SECONDS)
            else:
                self._metrics.turns.inc()
                return


def _theirs(state: TableState) -> bool:
    """Whether a bot is to decide."""
    return state.decision is not None and state.decided_by != "player"
