"""The consumer of the stream RESULTS: every result that a table tells is posted, whoever is up and whatever dies."""

from typing import Final

import structlog

from services.ledger.errors import DatabaseDownError, MalformedResultError
from services.ledger.measures import Measures
from services.ledger.outbox import Relay
from services.ledger.posting import Ledger, Posting
from services.ledger.results import read_result
from shared.consumer import Message, Postpone, Reject

GIVE_UP_AFTER: Final = 12
"""Deliveries after which a result that fails for any other reason becomes a dead letter."""
LONGEST_PAUSE_SECONDS: Final = 30.0

_log = structlog.get_logger(__name__)


class ResultsConsumer:
    """Posts what it is given.

    Args:
        ledger: Posts.
        relay: To be woken when something was posted.
        measures: What operators see.
    """

    def __init__(self, ledger: Ledger, relay: Relay, measures: Measures) -> None:
        self._ledger = ledger
        self._relay = relay
        self._measures = measures

    async def handle(self, message: Message) -> None:
        """Posts one result; returning acknowledges it, and a repeat is posted no second time.

        Raises:
            Reject: It can never be posted: a dead letter.
            Postpone: The database is away.
        """
        try:
            match = read_result(message.data)
        except MalformedResultError as error:
            self._measures.result("unknown", "malformed")
            _log.error("a malformed result", problem=error.problem, subject=message.subject, sequence=message.sequence)
            raise Reject(f"malformed result: {error.problem}") from error
        try:
            outcome = await self._ledger.post(match)
        except DatabaseDownError as error:
            _log.warning("a result waits for the database", match_id=match.match_id, error=str(error))
            raise Postpone(min(2.0 ** min(message.delivered - 1, 10), LONGEST_PAUSE_SECONDS)) from error
        except Exception as error:
            if message.delivered < GIVE_UP_AFTER:
                raise
            _log.exception("a result cannot be posted", match_id=match.match_id)
            raise Reject(f"cannot be posted: {error!r}") from error
        self._measures.result(match.game, outcome.value)
        log = _log.bind(match_id=match.match_id, table_id=match.table_id, game=match.game)
        if outcome is Posting.POSTED:
            self._relay.wake()
            log.info("result posted", people=len(match.people), seats=len(match.seats), stopped=match.stopped)
        elif outcome is Posting.DUPLICATE:
            log.info("result posted before", delivered=message.delivered)
        elif outcome is Posting.STOPPED:
            log.info("a stopped match counts for nothing", finished=match.hands_finished, hands=match.hands)
        else:
            log.error("a result contradicts the one posted before, which stands")
