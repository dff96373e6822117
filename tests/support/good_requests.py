"""For every RPC of the contract a request that is in order, from somebody who may send it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.ledger.v1 import identity_pb2, ledger_pb2
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2
from shared.gen.levata.table.v1 import table_pb2 as pb
from tests.support.arzoi_positions import position
from tests.support.contract import METHODS, Method
from tests.support.table_service import fresh, table_request

SECRET = b"sixteen bytes or"
UNKNOWN_TABLE = "0" * 24
CHOICE = game_pb2.GameAction(arzoi=arzoi_pb2.ArzoiAction(choose=arzoi_pb2.ArzoiVariant(whist=3)))


@dataclass(frozen=True)
class Place:
    """Where good requests are meant for.

    Attributes:
        table: A table whose host calls.
    """

    table: str = UNKNOWN_TABLE


def good(method: Method, place: Place | None = None) -> Message:
    """A request that is in order, with a fresh request id where there is one."""
    message = GOOD[method.name](place or Place())
    assert isinstance(message, method.request)
    return message


def _change(kind: type[Any], **values: Any) -> Callable[[Place], Message]:
    return lambda place: kind(request_id=fresh(), table_id=place.table, **values)


def _hint(place: Place) -> Message:
    update = position(4, "bid")
    return bot_pb2.SuggestMoveRequest(table=update.table, private=update.private, level=pb.BOT_LEVEL_NOVICE)


def _first_message(place: Place) -> Message:
    return pb.PlayTableRequest(watch=pb.WatchTableRequest(table_id=place.table))


GOOD: dict[str, Callable[[Place], Message]] = {
    "CreateTable": lambda place: table_request(4, absence_seconds=300),
    "ListTables": lambda place: pb.ListTablesRequest(page_size=5),
    "ListMyTables": lambda place: pb.ListMyTablesRequest(page_size=5),
    "GetTable": lambda place: pb.GetTableRequest(table_id=place.table),
    "FindTable": lambda place: pb.FindTableRequest(invitation_code="ABCDEFGH"),
    "JoinTable": _change(pb.JoinTableRequest),
    "LeaveTable": _change(pb.LeaveTableRequest),
    "StartTable": _change(pb.StartTableRequest),
    "StopTable": _change(pb.StopTableRequest),
    "UpdateTable": _change(pb.UpdateTableRequest, bot_talk=pb.BOT_TALK_POLITE),
    "SubmitAction": _change(pb.SubmitActionRequest, action=CHOICE),
    "SendChat": _change(pb.SendChatRequest, text="bună seara"),
    "MutePlayer": _change(pb.MutePlayerRequest, seat=1, muted=True),
    "RequestSeat": _change(pb.RequestSeatRequest),
    "AnswerSeatRequest": _change(pb.AnswerSeatRequestRequest, player_id="p-dan", admit=True),
    "RemovePlayer": _change(pb.RemovePlayerRequest, seat=1),
    "WatchTable": lambda place: pb.WatchTableRequest(table_id=place.table),
    "PlayTable": _first_message,
    "GetRecord": lambda place: pb.GetRecordRequest(table_id=place.table),
    "ListPersonas": lambda place: bot_pb2.ListPersonasRequest(),
    "SuggestMove": _hint,
    "ListQueues": lambda place: matchmaking_pb2.ListQueuesRequest(),
    "CreateTicket": lambda place: matchmaking_pb2.CreateTicketRequest(request_id=fresh(), queue_id="arzoi-4"),
    "GetTicket": lambda place: matchmaking_pb2.GetTicketRequest(),
    "WatchTicket": lambda place: matchmaking_pb2.WatchTicketRequest(ticket_id="t-1"),
    "CancelTicket": lambda place: matchmaking_pb2.CancelTicketRequest(ticket_id="t-1"),
    "CreateGuest": lambda place: identity_pb2.CreateGuestRequest(
        request_id=fresh(), name=fresh("Guest"), device_secret=SECRET
    ),
    "SignIn": lambda place: identity_pb2.SignInRequest(name=fresh("Nobody"), device_secret=SECRET),
    "RefreshTokens": lambda place: identity_pb2.RefreshTokensRequest(request_id=fresh(), refresh_token="x" * 43),
    "SignOut": lambda place: identity_pb2.SignOutRequest(refresh_token="x" * 43),
    "SetPassword": lambda place: identity_pb2.SetPasswordRequest(password="long enough"),
    "RenameAccount": lambda place: identity_pb2.RenameAccountRequest(name="Another Name"),
    "GetAccount": lambda place: identity_pb2.GetAccountRequest(),
    "GetJwks": lambda place: identity_pb2.GetJwksRequest(),
    "GetProfile": lambda place: ledger_pb2.GetProfileRequest(),
    "ListHallOfFame": lambda place: ledger_pb2.ListHallOfFameRequest(game="arzoi"),
    "ListLeaderboard": lambda place: ledger_pb2.ListLeaderboardRequest(game="arzoi"),
    "ListMatches": lambda place: ledger_pb2.ListMatchesRequest(),
    "GetMatch": lambda place: ledger_pb2.GetMatchRequest(match_id="m-1"),
    "GetMatchRecord": lambda place: ledger_pb2.GetMatchRecordRequest(match_id="m-1"),
}
"""By the RPC's name; a test checks that none of the contract is missing."""

assert len(METHODS) == len({method.name for method in METHODS.values()})
