"""What the table screen says besides the game: who is waited for, what can be done, how the match ended."""

from collections.abc import Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.games import game_name
from shared.terminal.games.view import GameView
from shared.terminal.happenings import with_note
from shared.terminal.texts import Texts
from shared.terminal.widgets.chips import Chip


def notes(table: table_pb2.Table, private: table_pb2.Private, view: GameView | None, texts: Texts) -> Sequence[Text]:
    """Lines for the middle of the table when no match is on: waiting, the code, the final standing."""
    if view is None:
        return [Text(texts("table.unknown_game", game=game_name(table.options.game)))]
    match table.status:
        case table_pb2.TABLE_STATUS_WAITING:
            lines = [Text(texts("table.waiting"), "bold")]
            if private.invitation_code:
                lines += [Text(""), Text(texts("table.code", code=private.invitation_code), "bold #ffd75f")]
            return lines
        case table_pb2.TABLE_STATUS_FINISHED:
            return [
                Text(
                    texts(
                        "table.standing",
                        place=standing.place,
                        name=table.seats[standing.seat].name,
                        points=standing.points,
                    ),
                    "bold #ffd75f" if standing.place == 1 else "",
                )
                for standing in table.standings
            ]
        case table_pb2.TABLE_STATUS_STOPPED:
            return [Text(texts("table.stopped"), "bold")]
        case _:
            return []


def prompt(table: table_pb2.Table, private: table_pb2.Private, view: GameView | None, texts: Texts) -> str:
    """The line above the hand: what the viewer is asked for, or who is waited for."""
    if table.HasField("freeze"):
        return with_note(
            texts("table.frozen.seat" if private.HasField("seat") else "table.frozen"), table.freeze.note, texts
        )
    match table.status:
        case table_pb2.TABLE_STATUS_WAITING:
            if not private.HasField("seat"):
                return texts("table.spectator")
            host = table.host_player_id == table.seats[private.seat].player_id
            return texts("table.start.host" if host else "table.start.guest")
        case table_pb2.TABLE_STATUS_FINISHED:
            return texts("table.finished")
        case table_pb2.TABLE_STATUS_STOPPED:
            return texts("table.stopped")
        case _:
            words = ""
            if view is not None and table.HasField("game") and table.HasField("decision"):
                words = view.prompt(table, private, texts)
            if not private.HasField("seat"):
                return f"{texts('table.spectator')} {words}".strip()
            return words


def bar_chips(
    table: table_pb2.Table,
    private: table_pb2.Private,
    player_id: str,
    ended: bool,
    texts: Texts,
    *,
    removed: bool = False,
) -> Sequence[Chip]:
    """The buttons under the hand besides those of the game: what a player, a spectator and the host can do now.

    With `removed` the host has removed the player, who may not have a seat here again (AZ-53).
    """
    chips: list[Chip] = []
    seated = private.HasField("seat")
    host = table.host_player_id == player_id != ""
    over = table.status in (table_pb2.TABLE_STATUS_FINISHED, table_pb2.TABLE_STATUS_STOPPED)
    if ended or over:
        return [Chip("bar_lobby", "b", texts("bar.lobby"), loud=True)]
    if table.HasField("freeze"):
        return chips
    if host and table.seat_requests:
        chips.append(Chip("bar_admit", "a", texts("bar.admit", name=table.seat_requests[0].name), loud=True))
        chips.append(Chip("bar_decline", "d", texts("bar.decline")))
    if table.status == table_pb2.TABLE_STATUS_WAITING:
        free = any(seat.kind == table_pb2.SEAT_KIND_FREE for seat in table.seats)
        if host:
            chips.append(Chip("bar_start", "p", texts("bar.start"), loud=True))
        elif not seated and free and not removed:
            chips.append(Chip("bar_join", "j", texts("bar.join"), loud=True))
    elif table.status == table_pb2.TABLE_STATUS_PLAYING and not seated:
        bots = any(seat.kind == table_pb2.SEAT_KIND_BOT for seat in table.seats)
        asked = any(request.player_id == player_id for request in table.seat_requests)
        if bots and not asked and not removed and table.options.visibility != table_pb2.VISIBILITY_PRIVATE:
            chips.append(Chip("bar_request", "r", texts("bar.request"), loud=True))
    return chips


def key_chips(
    table: table_pb2.Table, private: table_pb2.Private, player_id: str, ended: bool, texts: Texts
) -> Sequence[Chip]:
    """The line of keys: what the viewer can do at any time. A spectator neither talks nor decides, and nobody does at a
    table that an operator has frozen.
    """
    frozen = table.HasField("freeze")
    seated = private.HasField("seat") and not frozen
    over = ended or table.status in (table_pb2.TABLE_STATUS_FINISHED, table_pb2.TABLE_STATUS_STOPPED)
    chips = [Chip("help", "?", "")]
    if seated and not over:
        chips.append(Chip("hint", "h", texts("keys.hint")))
    chips.append(Chip("sheet", "f", texts("keys.sheet")))
    if seated and not ended:
        chips.append(Chip("chat", "c", texts("keys.chat")))
    if table.host_player_id == player_id != "" and not over and not frozen:
        chips.append(Chip("host", "g", texts("keys.host")))
    chips.append(Chip("skip", "␣", texts("keys.skip")))
    if seated and not over:
        chips.append(Chip("leave", "x", texts("keys.leave")))
    chips.append(Chip("back", "q", texts("keys.lobby")))
    return chips
