"""What a viewer is sent: bytes made for exactly one kind of viewer.

An update has a part that everybody gets (revision, events, table) and a part for one viewer (`private`). The common
part is encoded once for all viewers; only `private` looks at a hand, and only at the viewer's own. Serialised protobuf
fields can be put one after another, so the parts are joined as bytes.
"""

from collections.abc import Iterable
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from services.table import facts as f
from services.table import shuffle
from services.table.clocks import turn_deadlines
from services.table.engine.games import GAMES
from services.table.state import Seat, TableState
from services.table.wire import GameWire, wires
from shared.gen.levata.table.v1 import table_pb2 as pb

WIRES = wires()

_STATUS = {
    "waiting": pb.TABLE_STATUS_WAITING,
    "playing": pb.TABLE_STATUS_PLAYING,
    "finished": pb.TABLE_STATUS_FINISHED,
    "stopped": pb.TABLE_STATUS_STOPPED,
}
_KIND = {"free": pb.SEAT_KIND_FREE, "human": pb.SEAT_KIND_HUMAN, "bot": pb.SEAT_KIND_BOT}
_TALK = {
    "silent": pb.BOT_TALK_SILENT,
    "polite": pb.BOT_TALK_POLITE,
    "uncensored": pb.BOT_TALK_UNCENSORED,
}
_LEVEL = {"novice": pb.BOT_LEVEL_NOVICE, "club": pb.BOT_LEVEL_CLUB}
VISIBILITY = {"public": pb.VISIBILITY_PUBLIC, "private": pb.VISIBILITY_PRIVATE}
_STOP = {
    "host": pb.STOP_REASON_HOST,
    "empty": pb.STOP_REASON_EMPTY,
    "operator": pb.STOP_REASON_OPERATOR,
}
DECIDED_BY = {
    "player": pb.DECIDED_BY_PLAYER,
    "bot": pb.DECIDED_BY_BOT,
    "absent": pb.DECIDED_BY_BOT_FOR_ABSENT,
    "timeout": pb.DECIDED_BY_BOT_FOR_TIMEOUT,
}

EVENTS = 2
"""Number of the field `Update.events`."""
_TABLE = 3
_MESSAGE = 1
"""Numbers of the field `Update.table`, and of `update` in a message of a watch."""

Viewer = int | None
"""A seat, or None for a spectator."""


def timestamp(milliseconds: int) -> Timestamp:
    """The moment so many milliseconds after the epoch."""
    return Timestamp(seconds=milliseconds // 1000, nanos=milliseconds % 1000 * 1_000_000)


def delimited(number: int, payload: bytes) -> bytes:
    """A length-delimited protobuf field, number below 16."""
    header = bytearray((number << 3 | 2,))
    size = len(payload)
    while size > 0x7F:
        header.append(size & 0x7F | 0x80)
        size >>= 7
    header.append(size)
    return bytes(header) + payload


def wire_of(state: TableState) -> GameWire:
    """The wire form of the table's game."""
    return WIRES[state.options.game]


def options_message(options: f.Options) -> pb.TableOptions:
    """The options as everybody sees them."""
    wire = WIRES[options.game]
    message = pb.TableOptions(
        game=wire.options_to_proto(_rules(options)),
        seats=options.seats,
        absence_seconds=options.absence,
        bot_talk=_TALK[options.bot_talk],
        bot_level=_LEVEL[options.bot_level],
        visibility=VISIBILITY[options.visibility],
    )
    clock = options.clock
    if clock != f.Clock():
        message.clock.CopyFrom(
            pb.Clock(
                bid_seconds=clock.bid,
                bid_extra_seconds=clock.bid_extra,
                play_seconds=clock.play,
                choose_seconds=clock.choose,
                bank_seconds=clock.bank,
                turn_seconds=clock.turn,
            )
        )
    return message


def _rules(options: f.Options) -> Any:
    """The game's own options as the engine has them."""
    return GAMES[options.game].parse_options(options.rules)


def seat_message(seat: Seat) -> pb.Seat:
    """A seat as everybody sees it."""
    return pb.Seat(
        kind=_KIND[seat.kind],
        player_id=seat.player,
        name=seat.name,
        present=bool(seat.connections),
        away=seat.away,
        bank_milliseconds=seat.bank,
        muted=seat.muted,
    )


def summary_message(state: TableState) -> pb.TableSummary:
    """The table in a list."""
    return pb.TableSummary(
        table_id=state.table,
        status=_STATUS[state.status],
        options=options_message(state.options),
        seats=[seat_message(seat) for seat in state.seats],
        host_player_id=state.host,
        created_at=timestamp(state.created),
        frozen=state.frozen is not None,
    )


def standings(points: Iterable[int]) -> list[pb.Standing]:
    """Seats by final points, best first; equal points share a place (GAP-A23)."""
    scores = list(points)
    order = sorted(range(len(scores)), key=lambda seat: (-scores[seat], seat))
    return [
        pb.Standing(seat=seat, points=scores[seat], place=1 + sum(other > scores[seat] for other in scores))
        for seat in order
    ]


class TableEncoder:
    """Encodes what everybody sees of one table; what seldom changes is kept from one revision to the next."""

    def __init__(self) -> None:
        self._key: tuple[Any, ...] = ()
        self._steady = b""
        self._hands: dict[int, tuple[Any, bytes]] = {}

    def table(self, state: TableState) -> bytes:
        """The serialised `Table` of a state."""
        seldom = (state.options, state.seats, state.host, state.requests, state.status, state.match)
        key = (*seldom, state.frozen, state.restored)
        if key != self._key:
            self._steady = self._steady_part(state)
            self._key = key
        moving = pb.Table()
        if state.decision is not None:
            moving.decision.seat = state.decision.seat
            moving.decision.by_bot = state.decided_by != "player"
            turn = turn_deadlines(state)
            if turn is not None:
                moving.decision.deadline.CopyFrom(timestamp(turn[0]))
                moving.decision.bank_deadline.CopyFrom(timestamp(turn[1]))
        if state.game is not None:
            moving.game.CopyFrom(wire_of(state).table(state.game))
            if state.status == "finished":
                moving.standings.extend(standings(state.game.scores()))
        return self._steady + moving.SerializeToString()

    def private(self, state: TableState, viewer: Viewer) -> bytes:
        """The part of an update that is one viewer's; encoded again only when there is something else to tell.

        Most actions change nothing for most viewers: their hand is the same, and it was and is not their turn.
        """
        if viewer is None or state.game is None or state.over or state.options.visibility == "private":
            return private_part(state, viewer)
        if state.decision is not None and state.decision.seat == viewer:
            return private_part(state, viewer)
        hand = wire_of(state).hand(state.game, viewer)
        known, part = self._hands.get(viewer, (None, b""))
        if known is not hand:
            part = private_part(state, viewer)
            self._hands[viewer] = hand, part
        return part

    @staticmethod
    def _steady_part(state: TableState) -> bytes:
        return pb.Table(
            table_id=state.table,
            status=_STATUS[state.status],
            options=options_message(state.options),
            seats=[seat_message(seat) for seat in state.seats],
            host_player_id=state.host,
            seat_requests=[pb.SeatRequest(player_id=one.player, name=one.name) for one in state.requests],
            created_at=timestamp(state.created),
            match_id=state.match,
            shuffle_commitment=commitment_of(state),
            freeze=freeze_message(state),
            restored_to=timestamp(state.restored) if state.restored is not None else None,
        ).SerializeToString()


def freeze_message(state: TableState) -> pb.Freeze | None:
    """What everybody is told of a freeze; None when no operator has frozen the table."""
    return None if state.frozen is None else pb.Freeze(since=timestamp(state.frozen), note=state.freeze_note)


def commitment_of(state: TableState) -> str:
    """The commitment to the match's shuffles; empty before the start."""
    return shuffle.commitment(bytes.fromhex(state.seed), state.match) if state.match else ""


def private_message(state: TableState, viewer: Viewer) -> pb.Private:
    """What only this viewer may know."""
    message = pb.Private()
    if viewer is None:
        return message
    message.seat = viewer
    if state.options.visibility == "private":
        message.invitation_code = state.code
    if state.game is not None and not state.over:
        wire = wire_of(state)
        message.hand.CopyFrom(wire.hand(state.game, viewer))
        if state.decision is not None and state.decision.seat == viewer and state.frozen is None:
            message.legal_actions.extend(wire.action_to_proto(action) for action in state.game.legal_actions())
    return message


def event_messages(state: TableState, fact: f.AnyFact, events: tuple[Any, ...]) -> list[pb.Event]:
    """What everybody is told of a fact; nothing of what is the table's own business.

    Args:
        state: The table after the record.
        fact: The fact.
        events: The events of the game that it brought.
    """
    message = _event_message(state, fact)
    wire = wire_of(state)
    told = [message] if message is not None else []
    told.extend(pb.Event(game=wire.event(event)) for event in events)
    return told


def _event_message(state: TableState, fact: f.AnyFact) -> pb.Event | None:
    match fact:
        case f.ActionTaken(seat=seat, by=by):
            wire = wire_of(state)
            action = wire.action_to_proto(_parse(state, fact.action))
            return pb.Event(action_taken=pb.ActionTaken(seat=seat, action=action, decided_by=DECIDED_BY[by]))
        case f.SeatTaken(seat=seat, person=person):
            taken = pb.Seat(kind=pb.SEAT_KIND_HUMAN, player_id=person.player, name=person.name)
            return pb.Event(seat_taken=pb.SeatTaken(index=seat, seat=taken))
        case f.BotSeated(seat=seat, name=name):
            return pb.Event(seat_taken=pb.SeatTaken(index=seat, seat=pb.Seat(kind=pb.SEAT_KIND_BOT, name=name)))
        case f.SeatLeft(seat=seat, player=player, removed=removed):
            return pb.Event(seat_left=pb.SeatLeft(index=seat, player_id=player, removed=removed))
        case f.Connected(seat=seat):
            if len(state.seats[seat].connections) > 1:
                return None  # present already, on another server
            return pb.Event(presence_changed=pb.PresenceChanged(seat=seat, present=True))
        case f.Disconnected(seat=seat):
            if state.seats[seat].connections:
                return None
            return pb.Event(presence_changed=pb.PresenceChanged(seat=seat, present=False))
        case f.WentAway(seat=seat):
            return pb.Event(presence_changed=pb.PresenceChanged(seat=seat, present=False, away=True))
        case f.CameBack(seat=seat):
            return pb.Event(presence_changed=pb.PresenceChanged(seat=seat, present=True))
        case f.HostChanged(player=player):
            return pb.Event(host_changed=pb.HostChanged(player_id=player))
        case f.OptionsChanged(options=options):
            return pb.Event(options_changed=pb.OptionsChanged(options=options_message(options)))
        case f.MatchStarted(match=match_id):
            started = pb.MatchStarted(match_id=match_id, shuffle_commitment=commitment_of(state))
            return pb.Event(match_started=started)
        case f.ClockExpired(seat=seat, away=away):
            return pb.Event(clock_expired=pb.ClockExpired(seat=seat, away=away))
        case f.ChatSaid(seat=seat, name=name, text=text, bot=bot):
            return pb.Event(chat_said=pb.ChatSaid(seat=seat, name=name, text=text, bot=bot))
        case f.SeatRequested(person=person):
            asking = pb.SeatRequest(player_id=person.player, name=person.name)
            return pb.Event(seat_requested=pb.SeatRequested(request=asking))
        case f.SeatDeclined(player=player):
            return pb.Event(seat_declined=pb.SeatDeclined(player_id=player))
        case f.PlayerMuted(seat=seat, muted=muted):
            return pb.Event(player_muted=pb.PlayerMuted(seat=seat, muted=muted))
        case f.MatchFinished(points=points):
            return pb.Event(match_finished=pb.MatchFinished(standings=standings(points)))
        case f.TableStopped(reason=reason, note=note):
            return pb.Event(table_stopped=pb.TableStopped(reason=_STOP[reason], note=note))
        case f.TableFrozen():
            return pb.Event(table_frozen=pb.TableFrozen(freeze=freeze_message(state)))
        case f.TableResumed():
            return pb.Event(table_resumed=pb.TableResumed())
        case f.TableCreated() | f.Dealt() | f.ResultPosted() | f.TableWrittenOff() | f.Restored() | f.StoodStill():
            return None


def _parse(state: TableState, text: str) -> Any:
    return GAMES[state.options.game].parse_action(text)


def common_part(revision: int, at: int, events: bytes, table: bytes | None) -> bytes:
    """The part of an update that every viewer gets; without `table` it fills a gap."""
    head = pb.Update(revision=revision, at=timestamp(at)).SerializeToString()
    return head + events + (delimited(_TABLE, table) if table is not None else b"")


def private_part(state: TableState, viewer: Viewer) -> bytes:
    """The part of an update that is one viewer's."""
    return pb.Update(private=private_message(state, viewer)).SerializeToString()


def snapshot_part(state: TableState) -> bytes:
    """What makes an update a snapshot: the mark, and the score sheet."""
    update = pb.Update(snapshot=True)
    if state.game is not None:
        update.score_sheet.CopyFrom(wire_of(state).score_sheet(state.game))
    return update.SerializeToString()


def update_message(update: bytes) -> bytes:
    """A serialised update as a message of WatchTable, and of PlayTable: both have it as the same field."""
    return delimited(_MESSAGE, update)


def heartbeat_message(revision: int, at: int) -> bytes:
    """A serialised heartbeat as a message of WatchTable, and of PlayTable."""
    return pb.WatchTableResponse(heartbeat=pb.Heartbeat(revision=revision, at=timestamp(at))).SerializeToString()
