"""Tables of any game as the table service would send them, made of the engine's own positions."""

from collections.abc import Iterable
from typing import Any

from services.table.wire import GameWire
from shared.gen.levata.table.v1 import table_pb2
from tests.support.arzoi_positions import MATCH_ID, OWN, TABLE_ID, seat_list


def told(wire: GameWire, events: Iterable[Any]) -> list[table_pb2.Event]:
    return [table_pb2.Event(game=wire.event(event)) for event in events]


def update_of(
    wire: GameWire, state: Any, own: int | None = 0, revision: int = 1, events: Iterable[Any] = ()
) -> table_pb2.Update:
    """What `own` is sent of a position; a snapshot unless there are events."""
    happened = told(wire, events)
    table = table_pb2.Table(
        table_id=TABLE_ID,
        status=table_pb2.TABLE_STATUS_FINISHED if state.is_over() else table_pb2.TABLE_STATUS_PLAYING,
        options=table_pb2.TableOptions(
            game=wire.options_to_proto(state.options),
            seats=state.seats,
            bot_talk=table_pb2.BOT_TALK_POLITE,
            bot_level=table_pb2.BOT_LEVEL_CLUB,
            visibility=table_pb2.VISIBILITY_PUBLIC,
        ),
        seats=seat_list(state.seats, names=["Ana"], own=own),
        host_player_id=OWN,
        match_id=MATCH_ID,
        game=wire.table(state),
    )
    decision = state.decision()
    private = table_pb2.Private(seat=own)
    if decision is not None:
        table.decision.seat = decision.seat
        table.decision.by_bot = decision.seat != own
    if state.is_over():
        scores = state.scores()
        for seat in sorted(range(state.seats), key=lambda seat: -scores[seat]):
            place = 1 + sum(other > scores[seat] for other in scores)
            table.standings.add(seat=seat, points=scores[seat], place=place)
    elif own is not None:
        private.hand.CopyFrom(wire.hand(state, own))
        if decision is not None and decision.seat == own:
            private.legal_actions.extend([wire.action_to_proto(action) for action in state.legal_actions()])
    update = table_pb2.Update(revision=revision, table=table, private=private, events=happened, snapshot=not happened)
    if update.snapshot:
        update.score_sheet.CopyFrom(wire.score_sheet(state))
    return update


def waiting(wire: GameWire, seats: int, options: Any) -> table_pb2.Update:
    """A table that has not started, one person on it."""
    people = [table_pb2.Seat(kind=table_pb2.SEAT_KIND_FREE) for _ in range(seats)]
    people[0] = table_pb2.Seat(kind=table_pb2.SEAT_KIND_HUMAN, player_id=OWN, name="Ana", present=True)
    table = table_pb2.Table(
        table_id=TABLE_ID,
        status=table_pb2.TABLE_STATUS_WAITING,
        options=table_pb2.TableOptions(game=wire.options_to_proto(options), seats=seats),
        seats=people,
        host_player_id=OWN,
    )
    return table_pb2.Update(revision=1, table=table, private=table_pb2.Private(seat=0), snapshot=True)
