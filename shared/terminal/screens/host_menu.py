"""The host's menu: what it offers, and the requests that its lines make."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shared.client import Club, new_request_id
from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.happenings import TALK_KEYS
from shared.terminal.texts import Texts


@dataclass(frozen=True, slots=True)
class HostChoice:
    """A line of the menu: name, words, the question to be answered before it is done (or none), the call."""

    name: str
    label: str
    ask: str
    call: Callable[[], Awaitable[Any]]


def host_choices(club: Club, table: table_pb2.Table, seat: int | None, texts: Texts) -> Sequence[HostChoice]:
    """What the host may decide now; with `seat` only what concerns the player there."""
    playing = table.status == table_pb2.TABLE_STATUS_PLAYING
    waiting = table.status == table_pb2.TABLE_STATUS_WAITING
    if not playing and not waiting:
        return []
    choices: list[HostChoice] = []
    if seat is None:
        if waiting:
            choices.append(HostChoice("start", texts("host.start"), "", start_call(club, table)))
        for request in table.seat_requests:
            for admit in (True, False):
                name = "admit" if admit else "decline"
                label = texts(f"host.{name}", name=request.name)
                call = answer_call(club, table, request.player_id, admit)
                choices.append(HostChoice(f"{name}-{request.player_id}", label, "", call))
    for index, each in enumerate(table.seats):
        other = each.kind == table_pb2.SEAT_KIND_HUMAN and each.player_id != table.host_player_id
        if other and seat in (None, index):
            choices += _about_player(club, table, index, texts)
    if seat is None:
        choices += _about_table(club, table, texts)
    return choices


def start_call(club: Club, table: table_pb2.Table) -> Callable[[], Awaitable[Any]]:
    """Starts the match."""
    request = table_pb2.StartTableRequest(request_id=new_request_id(), table_id=table.table_id)
    return lambda: club.tables.StartTable(request)


def answer_call(club: Club, table: table_pb2.Table, player_id: str, admit: bool) -> Callable[[], Awaitable[Any]]:
    """Admits somebody who asked for a seat, or declines."""
    request = table_pb2.AnswerSeatRequestRequest(
        request_id=new_request_id(), table_id=table.table_id, player_id=player_id, admit=admit
    )
    return lambda: club.tables.AnswerSeatRequest(request)


def _about_player(club: Club, table: table_pb2.Table, index: int, texts: Texts) -> Sequence[HostChoice]:
    each = table.seats[index]
    mute = table_pb2.MutePlayerRequest(
        request_id=new_request_id(), table_id=table.table_id, seat=index, muted=not each.muted
    )
    remove = table_pb2.RemovePlayerRequest(request_id=new_request_id(), table_id=table.table_id, seat=index)
    mute_label = texts("host.unmute" if each.muted else "host.mute", name=each.name)
    return [
        HostChoice(f"mute-{index}", mute_label, "", lambda: club.tables.MutePlayer(mute)),
        HostChoice(
            f"remove-{index}",
            texts("host.remove", name=each.name),
            texts("host.remove.ask", name=each.name),
            lambda: club.tables.RemovePlayer(remove),
        ),
    ]


def _about_table(club: Club, table: table_pb2.Table, texts: Texts) -> Sequence[HostChoice]:
    def update(request: table_pb2.UpdateTableRequest) -> Callable[[], Awaitable[Any]]:
        return lambda: club.tables.UpdateTable(request)

    choices = []
    for talk, key in TALK_KEYS.items():
        if talk != table.options.bot_talk:
            request = table_pb2.UpdateTableRequest(request_id=new_request_id(), table_id=table.table_id, bot_talk=talk)
            choices.append(HostChoice(key, texts("host.talk", talk=texts(key)), "", update(request)))
    private = table.options.visibility == table_pb2.VISIBILITY_PRIVATE
    visibility = table_pb2.VISIBILITY_PUBLIC if private else table_pb2.VISIBILITY_PRIVATE
    request = table_pb2.UpdateTableRequest(request_id=new_request_id(), table_id=table.table_id, visibility=visibility)
    label = texts("host.public" if private else "host.private")
    choices.append(HostChoice("visibility", label, "", update(request)))
    stop = table_pb2.StopTableRequest(request_id=new_request_id(), table_id=table.table_id)
    choices.append(HostChoice("stop", texts("host.stop"), texts("host.stop.ask"), lambda: club.tables.StopTable(stop)))
    return choices
