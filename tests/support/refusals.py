"""What tables, accounts, tickets and hints refuse: a case for each reason that an RPC's comment names."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.ledger.v1 import identity_pb2, ledger_pb2
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2
from shared.gen.levata.table.v1 import table_pb2 as pb
from tests.support.arzoi_positions import bid, play, position
from tests.support.contract import named
from tests.support.good_requests import CHOICE, SECRET, Place, good
from tests.support.table_service import fresh, table_request
from tests.support.tokens import bearer
from tests.support.waiting import until
from tests.support.whole_club import TABLES_PER_HOST, Metadata, WholeClub

ANA = "Ana"
TRIO = ("Ana", "Bogdan", "Carmen")


@dataclass(frozen=True)
class Refused:
    """A request that has to be refused.

    Attributes:
        message: The request.
        metadata: Of the call.
        told: What the ErrorInfo's metadata has to say; None where any value will do.
        fields: Fields that the BadRequest names.
        retry: The caller is told when to come back.
    """

    message: Message
    metadata: Metadata
    told: dict[str, str | None] | None = None
    fields: Sequence[str] = ()
    retry: bool = False


Make = Callable[[WholeClub], Awaitable[Refused]]
CASES: dict[tuple[str, str], Make] = {}
"""By the names of the RPC and of the reason."""


def case(rpc: str, reason: str) -> Callable[[Make], Make]:
    """Lists a case; it brings the club to where the request is refused."""

    def listed(make: Make) -> Make:
        assert (rpc, reason) not in CASES
        CASES[rpc, reason] = make
        return make

    return listed


def asked(house: WholeClub, who: str, rpc: str, table: str, **values: Any) -> Refused:
    """A good request of this RPC by somebody, with other values."""
    message: Any = good(named(rpc), Place(table))
    for name, value in values.items():
        if isinstance(value, Message):
            getattr(message, name).CopyFrom(value)
        else:
            setattr(message, name, value)
    return Refused(message, house.me(who))


async def do(house: WholeClub, who: str, rpc: str, table: str, **values: Any) -> Any:
    """Sends such a request, which has to be served."""
    request = asked(house, who, rpc, table, **values)
    return await house.call(rpc, request.message, metadata=request.metadata)


async def stopped(house: WholeClub, *names: str) -> str:
    """A table that is over."""
    table = await house.table(*(names or TRIO))
    await do(house, ANA, "StopTable", table)
    await house.told(table)
    return table


# Tables: making and finding


@case("CreateTable", "TOO_MANY_TABLES")
async def _(house: WholeClub) -> Refused:
    host = fresh("Collector")
    for _ in range(TABLES_PER_HOST):
        await house.table(host, start=False)
    return Refused(table_request(3), house.me(host))


@case("CreateTable", "BAD_REQUEST")
async def _(house: WholeClub) -> Refused:
    message = table_request(2, "remi", clock=pb.Clock(turn_seconds=60, play_seconds=15, bank_seconds=60))
    return Refused(message, house.me(ANA), fields=["options.clock.play_seconds"])


@case("CreateTable", "SERVICE_ONLY")
async def _(house: WholeClub) -> Refused:
    message = table_request(3)
    message.players.add(player_id="p-ana", name="Ana")
    return Refused(message, house.me(ANA))


@case("ListTables", "BAD_PAGE_TOKEN")
async def _(house: WholeClub) -> Refused:
    return Refused(pb.ListTablesRequest(page_token="no token of ours"), house.me(ANA), fields=["page_token"])


@case("ListMyTables", "BAD_PAGE_TOKEN")
async def _(house: WholeClub) -> Refused:
    return Refused(pb.ListMyTablesRequest(page_token="no token of ours"), house.me(ANA), fields=["page_token"])


@case("FindTable", "TABLE_NOT_FOUND")
async def _(house: WholeClub) -> Refused:
    return Refused(pb.FindTableRequest(invitation_code="AAAAAAAA"), house.me(fresh("Seeker")))


async def _guess(house: WholeClub, rpc: str, guess: Message) -> Refused:
    guesser = fresh("Guesser")
    while True:
        told = await house.refused(rpc, guess, metadata=house.me(guesser))
        if told.reason == "TOO_FAST":
            return Refused(guess, house.me(guesser), retry=True)
        assert told.reason == "TABLE_NOT_FOUND"


@case("FindTable", "TOO_FAST")
async def _(house: WholeClub) -> Refused:
    return await _guess(house, "FindTable", pb.FindTableRequest(invitation_code="AAAAAAAA"))


@case("GetRecord", "MATCH_NOT_OVER")
async def _(house: WholeClub) -> Refused:
    return asked(house, "Bogdan", "GetRecord", await house.table(*TRIO))


# Tables: sitting down and getting up


@case("JoinTable", "ALREADY_STARTED")
async def _(house: WholeClub) -> Refused:
    return asked(house, "Dan", "JoinTable", await house.table(*TRIO))


@case("JoinTable", "TABLE_FULL")
async def _(house: WholeClub) -> Refused:
    return asked(house, "Dan", "JoinTable", await house.table(*TRIO, start=False))


@case("JoinTable", "SEAT_TAKEN")
async def _(house: WholeClub) -> Refused:
    return asked(house, "Dan", "JoinTable", await house.table(ANA, start=False), seat=0)


@case("JoinTable", "ALREADY_SEATED")
async def _(house: WholeClub) -> Refused:
    return asked(house, ANA, "JoinTable", await house.table(ANA, start=False), seat=1)


@case("JoinTable", "NOT_PLAYING")
async def _(house: WholeClub) -> Refused:
    return asked(house, "Dan", "JoinTable", await stopped(house))


@case("JoinTable", "REMOVED")
async def _(house: WholeClub) -> Refused:
    table = await house.table(ANA, "Bogdan", start=False)
    await do(house, ANA, "RemovePlayer", table, seat=1)
    return asked(house, "Bogdan", "JoinTable", table)


@case("JoinTable", "NOT_SEATED")
async def _(house: WholeClub) -> Refused:
    table = await house.table(ANA, start=False)
    joined = asked(house, "Bogdan", "JoinTable", table)
    await house.call("JoinTable", joined.message, metadata=joined.metadata)
    await do(house, "Bogdan", "LeaveTable", table)
    return joined


@case("JoinTable", "TOO_FAST")
async def _(house: WholeClub) -> Refused:
    table = await house.table(ANA, start=False, visibility=pb.VISIBILITY_PRIVATE)
    return await _guess(house, "JoinTable", asked(house, "Dan", "JoinTable", table, invitation_code="AAAA").message)


@case("LeaveTable", "TABLE_NOT_FOUND")
async def _(house: WholeClub) -> Refused:
    table = await house.table(ANA, "Bogdan", start=False, visibility=pb.VISIBILITY_PRIVATE)
    await do(house, "Bogdan", "LeaveTable", table)
    return asked(house, "Bogdan", "LeaveTable", table)


# Tables: the host


def _host_only(rpc: str) -> None:
    @case(rpc, "NOT_HOST")
    async def _(house: WholeClub) -> Refused:
        return asked(house, "Bogdan", rpc, await house.table(*TRIO))


for _rpc in ("StartTable", "StopTable", "UpdateTable", "MutePlayer", "AnswerSeatRequest", "RemovePlayer"):
    _host_only(_rpc)


@case("StartTable", "ALREADY_STARTED")
async def _(house: WholeClub) -> Refused:
    return asked(house, ANA, "StartTable", await house.table(*TRIO))


@case("StopTable", "NOT_PLAYING")
async def _(house: WholeClub) -> Refused:
    return asked(house, ANA, "StopTable", await stopped(house))


@case("UpdateTable", "ALREADY_STARTED")
async def _(house: WholeClub) -> Refused:
    rules = game_pb2.GameOptions(arzoi=arzoi_pb2.ArzoiOptions(no_whist_of_2=True))
    return asked(house, ANA, "UpdateTable", await house.table(*TRIO), game=rules)


@case("UpdateTable", "NOT_PLAYING")
async def _(house: WholeClub) -> Refused:
    return asked(house, ANA, "UpdateTable", await stopped(house))


@case("MutePlayer", "SEAT_NOT_HUMAN")
async def _(house: WholeClub) -> Refused:
    return asked(house, ANA, "MutePlayer", await house.table(ANA), seat=2)


@case("AnswerSeatRequest", "NOT_REQUESTED")
async def _(house: WholeClub) -> Refused:
    return asked(house, ANA, "AnswerSeatRequest", await house.table(ANA))


@case("AnswerSeatRequest", "NO_BOT_SEAT")
async def _(house: WholeClub) -> Refused:
    table = await house.table(ANA, "Bogdan")
    await do(house, "Dan", "RequestSeat", table)
    await do(house, "Emil", "RequestSeat", table)
    await do(house, ANA, "AnswerSeatRequest", table, player_id="p-dan")
    return asked(house, ANA, "AnswerSeatRequest", table, player_id="p-emil")


@case("AnswerSeatRequest", "SEAT_NOT_BOT")
async def _(house: WholeClub) -> Refused:
    table = await house.table(ANA, "Bogdan")
    await do(house, "Dan", "RequestSeat", table)
    return asked(house, ANA, "AnswerSeatRequest", table, seat=1)


@case("MutePlayer", "CANNOT_MUTE_SELF")
async def _(house: WholeClub) -> Refused:
    return asked(house, ANA, "MutePlayer", await house.table(*TRIO), seat=0, muted=True)


@case("RemovePlayer", "SEAT_NOT_HUMAN")
async def _(house: WholeClub) -> Refused:
    return asked(house, ANA, "RemovePlayer", await house.table(ANA), seat=2)


@case("RemovePlayer", "CANNOT_REMOVE_SELF")
async def _(house: WholeClub) -> Refused:
    return asked(house, ANA, "RemovePlayer", await house.table(*TRIO), seat=0)


@case("RemovePlayer", "NOT_PLAYING")
async def _(house: WholeClub) -> Refused:
    return asked(house, ANA, "RemovePlayer", await stopped(house))


@case("RequestSeat", "ALREADY_SEATED")
async def _(house: WholeClub) -> Refused:
    return asked(house, "Bogdan", "RequestSeat", await house.table(ANA, "Bogdan"))


@case("RequestSeat", "NOT_PLAYING")
async def _(house: WholeClub) -> Refused:
    return asked(house, "Dan", "RequestSeat", await house.table(ANA, start=False))


@case("RequestSeat", "NO_BOT_SEAT")
async def _(house: WholeClub) -> Refused:
    return asked(house, "Dan", "RequestSeat", await house.table(*TRIO))


@case("RequestSeat", "REMOVED")
async def _(house: WholeClub) -> Refused:
    table = await house.table(*TRIO)
    await do(house, ANA, "RemovePlayer", table, seat=1)
    return asked(house, "Bogdan", "RequestSeat", table)


# Tables: playing and talking


@case("SubmitAction", "NOT_SEATED")
async def _(house: WholeClub) -> Refused:
    return asked(house, "Dan", "SubmitAction", await house.table(*TRIO))


@case("SubmitAction", "NOT_PLAYING")
async def _(house: WholeClub) -> Refused:
    return asked(house, ANA, "SubmitAction", await house.table(*TRIO, start=False))


@case("SubmitAction", "NOT_YOUR_TURN")
async def _(house: WholeClub) -> Refused:
    return asked(house, "Bogdan", "SubmitAction", await house.table(*TRIO))


@case("SubmitAction", "BOT_DECIDES")
async def _(house: WholeClub) -> Refused:
    table = await house.table(ANA, clock=pb.Clock(choose_seconds=1))

    async def late() -> bool:
        return (await house.see(table, ANA)).table.decision.by_bot

    await until(late, what="the time is out")
    return asked(house, ANA, "SubmitAction", table)


@case("SubmitAction", "STALE_REVISION")
async def _(house: WholeClub) -> Refused:
    table = await house.table(*TRIO)
    before = await house.see(table, ANA)
    await do(house, ANA, "SubmitAction", table, action=CHOICE)
    now = await house.see(table, ANA)
    acting = TRIO[now.table.decision.seat]
    stale = asked(house, acting, "SubmitAction", table, action=bid(1), revision=before.revision)
    return Refused(stale.message, stale.metadata, told={"revision": str(now.revision)})


@case("SubmitAction", "BAD_REQUEST")
async def _(house: WholeClub) -> Refused:
    table = await house.table(*TRIO)
    now = await house.see(table, ANA)
    ahead = asked(house, ANA, "SubmitAction", table, action=CHOICE, revision=now.revision + 1)
    return Refused(ahead.message, ahead.metadata, fields=["revision"])


@case("SubmitAction", "MUST_FOLLOW_SUIT")
async def _(house: WholeClub) -> Refused:
    table = await house.table(*TRIO)
    await do(
        house,
        ANA,
        "SubmitAction",
        table,
        action=game_pb2.GameAction(arzoi=arzoi_pb2.ArzoiAction(choose=arzoi_pb2.ArzoiVariant(whist=8))),
    )
    while True:
        seen = [await house.see(table, name) for name in TRIO]
        game = seen[0].table.game.arzoi
        seat = seen[0].table.decision.seat
        mine = seen[seat].private
        legal = {action.arzoi.play for action in mine.legal_actions}
        held = [str(card) for card in mine.hand.arzoi.cards]
        led = game.trick[0].card[1] if game.trick else ""
        if led and any(card[1] == led for card in held) and len(legal) < len(held):
            wrong = next(card for card in held if card not in legal)
            refused = asked(house, TRIO[seat], "SubmitAction", table, action=play(wrong))
            return Refused(refused.message, refused.metadata, told={"rule": "AZ-18", "detail": None})
        await do(house, TRIO[seat], "SubmitAction", table, action=mine.legal_actions[0])


@case("SubmitAction", "SERVICE_ONLY")
async def _(house: WholeClub) -> Refused:
    return asked(house, ANA, "SubmitAction", await house.table(*TRIO), turn_token="1.0.stolen")


@case("SubmitAction", "TURN_TOKEN_INVALID")
async def _(house: WholeClub) -> Refused:
    forged = asked(house, ANA, "SubmitAction", await house.table(*TRIO), turn_token="4.0." + "A" * 32)
    return Refused(forged.message, house.service("bot"))


@case("SendChat", "NOT_SEATED")
async def _(house: WholeClub) -> Refused:
    return asked(house, "Dan", "SendChat", await house.table(*TRIO))


@case("SendChat", "MUTED")
async def _(house: WholeClub) -> Refused:
    table = await house.table(*TRIO)
    await do(house, ANA, "MutePlayer", table, seat=1)
    return asked(house, "Bogdan", "SendChat", table)


@case("SendChat", "TOO_FAST")
async def _(house: WholeClub) -> Refused:
    table = await house.table(*TRIO)
    for _ in range(5):
        await do(house, "Bogdan", "SendChat", table)
    much = asked(house, "Bogdan", "SendChat", table)
    return Refused(much.message, much.metadata, retry=True)


# Hints


@case("SuggestMove", "NOT_YOUR_TURN")
async def _(house: WholeClub) -> Refused:
    update = position(4, "bid", acting=2)
    return Refused(bot_pb2.SuggestMoveRequest(table=update.table, private=update.private), house.me(ANA))


# Tickets


async def _ticket(house: WholeClub, who: str) -> matchmaking_pb2.Ticket:
    request = matchmaking_pb2.CreateTicketRequest(request_id=fresh(), queue_id="arzoi-9")
    ticket: matchmaking_pb2.Ticket = (await house.call("CreateTicket", request, metadata=house.me(who))).ticket
    return ticket


@case("CreateTicket", "QUEUE_NOT_FOUND")
async def _(house: WholeClub) -> Refused:
    message = matchmaking_pb2.CreateTicketRequest(request_id=fresh(), queue_id="arzoi-2")
    return Refused(message, house.me(fresh("Waiter")))


@case("CreateTicket", "TICKET_OPEN")
async def _(house: WholeClub) -> Refused:
    who = fresh("Waiter")
    ticket = await _ticket(house, who)
    message = matchmaking_pb2.CreateTicketRequest(request_id=fresh(), queue_id="arzoi-8")
    return Refused(message, house.me(who), told={"ticket_id": ticket.ticket_id, "queue_id": "arzoi-9"})


@case("CreateTicket", "REQUEST_ID_REUSED")
async def _(house: WholeClub) -> Refused:
    who = fresh("Waiter")
    message = matchmaking_pb2.CreateTicketRequest(request_id=fresh(), queue_id="arzoi-9")
    await house.call("CreateTicket", message, metadata=house.me(who))
    message.queue_id = "arzoi-8"
    return Refused(message, house.me(who))


def _another_players_ticket(rpc: str, kind: type[Message]) -> None:
    @case(rpc, "TICKET_NOT_FOUND")
    async def _(house: WholeClub) -> Refused:
        ticket = await _ticket(house, fresh("Waiter"))
        return Refused(kind(ticket_id=ticket.ticket_id), house.me(fresh("Waiter")))


_another_players_ticket("GetTicket", matchmaking_pb2.GetTicketRequest)
_another_players_ticket("WatchTicket", matchmaking_pb2.WatchTicketRequest)
_another_players_ticket("CancelTicket", matchmaking_pb2.CancelTicketRequest)


# Accounts


async def guest(house: WholeClub, name: str = "") -> tuple[identity_pb2.CreateGuestResponse, Metadata]:
    """A new account, and the metadata of its calls."""
    request = identity_pb2.CreateGuestRequest(request_id=fresh(), name=name or fresh("Guest"), device_secret=SECRET)
    made: identity_pb2.CreateGuestResponse = await house.call("CreateGuest", request)
    return made, bearer(made.tokens.access_token)


ENGLISH: Metadata = (("accept-language", "en"),)


@case("CreateGuest", "NAME_TAKEN")
async def _(house: WholeClub) -> Refused:
    made, _ = await guest(house)
    name = made.account.name.upper()
    again = identity_pb2.CreateGuestRequest(request_id=fresh(), name=name, device_secret=SECRET)
    return Refused(again, ENGLISH, told={"name": name})


@case("CreateGuest", "REQUEST_ID_REUSED")
async def _(house: WholeClub) -> Refused:
    request = identity_pb2.CreateGuestRequest(request_id=fresh(), name=fresh("Guest"), device_secret=SECRET)
    await house.call("CreateGuest", request)
    request.name = fresh("Guest")
    return Refused(request, ENGLISH)


@case("CreateGuest", "BAD_NAME")
async def _(house: WholeClub) -> Refused:
    message = identity_pb2.CreateGuestRequest(request_id=fresh(), name="Ana\u202eanA", device_secret=SECRET)
    return Refused(message, ENGLISH, fields=["name"])


@case("SignIn", "BAD_CREDENTIALS")
async def _(house: WholeClub) -> Refused:
    made, _ = await guest(house)
    return Refused(identity_pb2.SignInRequest(name=made.account.name, device_secret=SECRET[::-1]), ENGLISH)


@case("SignIn", "TOO_FAST")
async def _(house: WholeClub) -> Refused:
    made, _ = await guest(house)
    wrong = identity_pb2.SignInRequest(name=made.account.name, password="a guess")
    while (await house.refused("SignIn", wrong)).reason == "BAD_CREDENTIALS":
        pass
    return Refused(wrong, ENGLISH, retry=True)


@case("RefreshTokens", "REFRESH_INVALID")
async def _(house: WholeClub) -> Refused:
    return Refused(identity_pb2.RefreshTokensRequest(request_id=fresh(), refresh_token="x" * 43), ENGLISH)


@case("RefreshTokens", "REFRESH_REUSED")
async def _(house: WholeClub) -> Refused:
    made, _ = await guest(house)
    used = identity_pb2.RefreshTokensRequest(request_id=fresh(), refresh_token=made.tokens.refresh_token)
    await house.call("RefreshTokens", used)
    used.request_id = fresh()
    await house.refused("RefreshTokens", used)  # closes the session, which is all that it changes
    return Refused(used, ENGLISH)


@case("SetPassword", "BAD_CREDENTIALS")
async def _(house: WholeClub) -> Refused:
    _, me = await guest(house)
    await house.call("SetPassword", identity_pb2.SetPasswordRequest(password="correct horse"), metadata=me)
    return Refused(identity_pb2.SetPasswordRequest(password="long enough", present_password="wrong"), me)


@case("SetPassword", "TOO_FAST")
async def _(house: WholeClub) -> Refused:
    _, me = await guest(house)
    await house.call("SetPassword", identity_pb2.SetPasswordRequest(password="correct horse"), metadata=me)
    wrong = identity_pb2.SetPasswordRequest(password="long enough", present_password="wrong")
    while (await house.refused("SetPassword", wrong, metadata=me)).reason == "BAD_CREDENTIALS":
        pass
    return Refused(wrong, me, retry=True)


@case("RenameAccount", "NAME_TAKEN")
async def _(house: WholeClub) -> Refused:
    other, _ = await guest(house)
    _, me = await guest(house)
    return Refused(identity_pb2.RenameAccountRequest(name=other.account.name), me, told={"name": other.account.name})


@case("RenameAccount", "BAD_NAME")
async def _(house: WholeClub) -> Refused:
    _, me = await guest(house)
    return Refused(identity_pb2.RenameAccountRequest(name="--"), me, fields=["name"])


def _no_account(rpc: str) -> None:
    @case(rpc, "PLAYER_NOT_FOUND")
    async def _(house: WholeClub) -> Refused:
        return Refused(good(named(rpc)), house.service("bot"), told={"player_id": "service:bot"})


for _rpc in ("SetPassword", "RenameAccount", "GetAccount", "GetProfile", "ListMatches"):
    _no_account(_rpc)


# Results


def _no_match(rpc: str) -> None:
    @case(rpc, "MATCH_NOT_FOUND")
    async def _(house: WholeClub) -> Refused:
        return Refused(good(named(rpc)), house.me(ANA), told={"match_id": "m-1"})


def _no_page(rpc: str, message: Message) -> None:
    @case(rpc, "BAD_PAGE_TOKEN")
    async def _(house: WholeClub) -> Refused:
        _, me = await guest(house)
        return Refused(message, me)


_no_match("GetMatch")
_no_match("GetMatchRecord")
_no_page("ListHallOfFame", ledger_pb2.ListHallOfFameRequest(game="arzoi", page_token="none"))
_no_page("ListLeaderboard", ledger_pb2.ListLeaderboardRequest(game="arzoi", page_token="none"))
_no_page("ListMatches", ledger_pb2.ListMatchesRequest(page_token="none"))
