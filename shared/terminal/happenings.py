"""What happened at a table in plain words, whatever game is played."""

from collections.abc import Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.games.view import GameView
from shared.terminal.texts import Texts

CHAT = "#ffd75f"
QUIET = "dim"

TALK_KEYS = {
    table_pb2.BOT_TALK_SILENT: "talk.silent",
    table_pb2.BOT_TALK_POLITE: "talk.polite",
    table_pb2.BOT_TALK_UNCENSORED: "talk.uncensored",
}
STOP_KEYS = {
    table_pb2.STOP_REASON_HOST: "event.stopped.host",
    table_pb2.STOP_REASON_EMPTY: "event.stopped.empty",
    table_pb2.STOP_REASON_OPERATOR: "event.stopped.operator",
}


def talk_name(talk: table_pb2.BotTalk.ValueType, texts: Texts) -> str:
    """How bots talk, in words."""
    return texts(TALK_KEYS.get(talk, "talk.silent"))


def player_name(table: table_pb2.Table, player_id: str) -> str:
    """The name of a seated player; the account when the player has no seat."""
    return next((seat.name for seat in table.seats if seat.player_id == player_id), player_id)


def with_note(words: str, note: str, texts: Texts) -> str:
    """Words, and after them what an operator says, if anything."""
    return texts("table.noted", words=words, note=note) if note else words


def sentences(
    table: table_pb2.Table, event: table_pb2.Event, view: GameView | None, texts: Texts, *, gone: str = ""
) -> Sequence[Text]:
    """An event in plain words; `table` as it is after it, `gone` the name of the player that left."""

    def name(seat: int) -> str:
        return table.seats[seat].name if seat < len(table.seats) else f"#{seat + 1}"

    match event.WhichOneof("event"):
        case "seat_taken":
            seat = event.seat_taken.seat
            key = "event.bot_sat" if seat.kind == table_pb2.SEAT_KIND_BOT else "event.sat"
            return [Text(texts(key, name=seat.name), QUIET)]
        case "seat_left":
            key = "event.removed" if event.seat_left.removed else "event.left"
            return [Text(texts(key, name=gone or name(event.seat_left.index)), QUIET)]
        case "presence_changed":
            changed = event.presence_changed
            key = "event.present" if changed.present else "event.away" if changed.away else "event.absent"
            return [Text(texts(key, name=name(changed.seat)), QUIET)]
        case "host_changed":
            if not event.host_changed.player_id:
                return []
            return [Text(texts("event.host", name=player_name(table, event.host_changed.player_id)), QUIET)]
        case "options_changed":
            options = event.options_changed.options
            private = options.visibility == table_pb2.VISIBILITY_PRIVATE
            visibility = texts("event.private" if private else "event.public")
            return [Text(texts("event.options", talk=talk_name(options.bot_talk, texts), visibility=visibility), QUIET)]
        case "match_started":
            return [Text(texts("event.started"), "bold")]
        case "action_taken":
            return _action(name(event.action_taken.seat), event.action_taken, view, texts)
        case "game":
            return view.event_sentences(table, event.game, texts) if view is not None else []
        case "clock_expired":
            key = "event.timeout_away" if event.clock_expired.away else "event.timeout"
            return [Text(texts(key, name=name(event.clock_expired.seat)), "#ffc07f")]
        case "chat_said":
            said = event.chat_said
            return [Text.assemble((f"{said.name}: ", f"bold {CHAT}"), (said.text, CHAT))]
        case "seat_requested":
            return [Text(texts("event.requested", name=event.seat_requested.request.name), "bold")]
        case "seat_declined":
            return [Text(texts("event.declined"), QUIET)]
        case "player_muted":
            muted = event.player_muted
            key = "event.muted" if muted.muted else "event.unmuted"
            return [Text(texts(key, name=name(muted.seat)), QUIET)]
        case "match_finished":
            winners = [name(standing.seat) for standing in event.match_finished.standings if standing.place == 1]
            return [Text(texts("event.finished", names=", ".join(winners)), "bold")]
        case "table_stopped":
            stopped = event.table_stopped
            words = texts(STOP_KEYS.get(stopped.reason, "table.stopped"))
            return [Text(with_note(words, stopped.note, texts), "bold")]
        case "table_frozen":
            return [Text(with_note(texts("event.frozen"), event.table_frozen.freeze.note, texts), "bold #ffc07f")]
        case "table_resumed":
            return [Text(texts("event.resumed"), "bold")]
        case _:
            return []


def _action(name: str, taken: table_pb2.ActionTaken, view: GameView | None, texts: Texts) -> Sequence[Text]:
    if view is None:
        return []
    line = Text("").append_text(view.action_sentence(name, taken.action, texts))
    if not line:
        return []
    if taken.decided_by == table_pb2.DECIDED_BY_BOT_FOR_ABSENT:
        line.append(texts("event.for_absent"), QUIET)
    elif taken.decided_by == table_pb2.DECIDED_BY_BOT_FOR_TIMEOUT:
        line.append(texts("event.for_timeout"), QUIET)
    return [line]
