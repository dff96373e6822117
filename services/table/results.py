"""What remains of a match: its record, and its result for the ledger. Both are read from the log."""

from datetime import UTC, datetime
from typing import Any

from services.table import facts as f
from services.table import shuffle, views
from services.table.engine.games import GAMES
from services.table.engine.record import MatchRecord, RecordAction, RecordSeat, ShuffleProof
from services.table.errors import MatchNotOverError
from services.table.log import Stored, TableLog
from services.table.metrics import TableMetrics
from services.table.state import TableState
from shared.bus import Bus
from shared.gen.levata.ledger.v1 import ledger_pb2

SUBJECT = "results"
"""Before the game's name, the subject of a result."""


def match_record(state: TableState, stored: list[Stored]) -> str:
    """The record of a match that is over, as text, its shuffles revealed.

    Args:
        state: The table.
        stored: The table's whole log.

    Raises:
        MatchNotOverError: The match is still on, or never started.
    """
    if not state.over or not state.match:
        raise MatchNotOverError
    game = GAMES[state.options.game]
    actions: list[RecordAction] = []
    for _, data in stored:
        for fact in f.decode(data).facts:
            if isinstance(fact, f.Dealt):
                actions.append(RecordAction(None, game.parse_action(fact.action), None))
            elif isinstance(fact, f.ActionTaken):
                actions.append(RecordAction(fact.seat, game.parse_action(fact.action), fact.by))
    finished = state.status == "finished"
    return MatchRecord(
        match_id=state.match,
        game=game.name,
        options=game.parse_options(state.options.rules),
        seats=tuple(RecordSeat(seat.name, "human" if seat.kind == "human" else "bot") for seat in state.seats),
        started=_moment(state.started),
        ended=_moment(state.ended) if finished else None,
        actions=tuple(actions),
        result=tuple(state.position().scores()) if finished else None,
        shuffle=ShuffleProof(
            derivation=shuffle.DERIVATION,
            seed=state.seed,
            commitment=shuffle.commitment(bytes.fromhex(state.seed), state.match),
        ),
    ).to_text()


def _moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def match_result(state: TableState, record: str) -> ledger_pb2.MatchResult:
    """The result of a match that is over, finished or stopped: who held its seats at the start and at the end.

    The person who holds a seat at the end gets its points (GAP-A24), if the match was finished; what else comes of it,
    and whether anything comes of a stopped one, is the ledger's business.
    """
    game = GAMES[state.options.game]
    wire: Any = views.wire_of(state)
    finished, hands = state.position().progress()
    result = ledger_pb2.MatchResult(
        match_id=state.match,
        table_id=state.table,
        game=game.name,
        options=wire.options_to_proto(game.parse_options(state.options.rules)),
        started_at=views.timestamp(state.started),
        ended_at=views.timestamp(state.ended),
        record=record,
        visibility=views.VISIBILITY[state.options.visibility],
        stopped=state.status == "stopped",
        hands_finished=finished,
        hands=hands,
    )
    places = {standing.seat: standing for standing in views.standings(state.position().scores())}
    for index, (seat, starter) in enumerate(zip(state.seats, state.starters, strict=True)):
        result.seats.add(
            seat=index,
            player_id=seat.player,
            name=seat.name,
            points=places[index].points,
            place=places[index].place,
            decisions_by_bot=seat.by_bot,
            starter_player_id=starter.player if starter else "",
            starter_name=starter.name if starter else "",
            starter_left=state.gone[index],
        )
    return result


class Results:
    """Hands results to the stream that the ledger reads."""

    def __init__(self, bus: Bus, log: TableLog, metrics: TableMetrics) -> None:
        self._bus = bus
        self._log = log
        self._metrics = metrics

    async def publish(self, state: TableState) -> None:
        """Publishes the result of a match that is over. Raises `BusUnavailable`.

        A repeat within the stream's window is stored once, and the ledger posts a match once in any case.
        """
        record = match_record(state, await self._log.read(state.table))
        result = match_result(state, record)
        await self._bus.publish(f"{SUBJECT}.{result.game}", result.SerializeToString(), msg_id=result.match_id)
        self._metrics.posted.labels(result.game).inc()
