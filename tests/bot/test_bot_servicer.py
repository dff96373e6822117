"""BotService over real gRPC: personas, suggestions, and what is refused."""

import random
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from services.bot.service import bind
from services.bot.settings import BotSettings
from shared.gen.levata.bot.v1 import bot_pb2, bot_pb2_grpc
from shared.gen.levata.table.v1 import game_pb2, table_pb2
from shared.personas import PERSONA_NAMES
from tests.support.arzoi_turns import decisions, turn_of
from tests.support.services import Club


class Caller:
    """A player who asks the bot service."""

    def __init__(self, club: Club, stub: "bot_pb2_grpc.BotServiceAsyncStub") -> None:
        self.club = club
        self.stub = stub

    async def suggest(self, request: bot_pb2.SuggestMoveRequest) -> game_pb2.GameAction:
        response = await self.stub.SuggestMove(request, metadata=self.club.as_player("ana"))
        return response.action

    async def refused(self, request: bot_pb2.SuggestMoveRequest) -> tuple[grpc.StatusCode, str, list[str]]:
        """Code, reason and malformed fields of a refusal."""
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await self.suggest(request)
        return details(caught.value)


def details(error: grpc.aio.AioRpcError) -> tuple[grpc.StatusCode, str, list[str]]:
    trailers: dict[str, Any] = dict(error.trailing_metadata() or ())
    status = status_pb2.Status.FromString(trailers["grpc-status-details-bin"])
    info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    for detail in status.details:
        detail.Unpack(info)
        detail.Unpack(bad)
    return error.code(), info.reason, [violation.field for violation in bad.field_violations]


@pytest.fixture
async def caller(levata: Club) -> Caller:
    service = await levata.start("bot", BotSettings, bind)
    return Caller(levata, bot_pb2_grpc.BotServiceStub(await levata.channel(service)))


def a_request(number: int = 40) -> bot_pb2.SuggestMoveRequest:
    """The request of a player in the middle of a round."""
    for index, (state, legal) in enumerate(decisions(4, random.Random(2))):
        if index >= number and len(legal) > 1 and state.tricks and state.trick:
            turn = turn_of(state)
            return bot_pb2.SuggestMoveRequest(
                table=turn.table, private=turn.private, level=table_pb2.BOT_LEVEL_CLUB, history=turn.history
            )
    raise AssertionError("no such position")


async def test_personas_are_listed_with_manners_in_the_callers_language(caller: Caller) -> None:
    lists = {}
    for language in ("ro", "en"):
        metadata = caller.club.as_player("ana", language=language)
        lists[language] = await caller.stub.ListPersonas(bot_pb2.ListPersonasRequest(), metadata=metadata)
        assert tuple(persona.name for persona in lists[language].personas) == PERSONA_NAMES
    for romanian, english in zip(lists["ro"].personas, lists["en"].personas, strict=True):
        assert romanian.manner
        assert english.manner
        assert romanian.manner != english.manner


def test_persona_names_are_distinct_short_and_enough_for_any_table() -> None:
    assert len(set(PERSONA_NAMES)) == len(PERSONA_NAMES) >= 9
    assert all(0 < len(name) <= 20 for name in PERSONA_NAMES)


@pytest.mark.parametrize(
    "level", [table_pb2.BOT_LEVEL_UNSPECIFIED, table_pb2.BOT_LEVEL_NOVICE, table_pb2.BOT_LEVEL_CLUB]
)
async def test_a_suggestion_is_legal_and_the_same_every_time(
    caller: Caller, level: table_pb2.BotLevel.ValueType
) -> None:
    request = a_request()
    request.level = level
    first = await caller.suggest(request)
    assert first in request.private.legal_actions
    assert await caller.suggest(request) == first


async def test_a_suggestion_can_be_had_without_history(caller: Caller) -> None:
    request = a_request()
    del request.history[:]
    assert await caller.suggest(request) in request.private.legal_actions


async def test_who_has_nothing_to_decide_gets_no_suggestion(caller: Caller) -> None:
    request = a_request()
    del request.private.legal_actions[:]
    assert await caller.refused(request) == (grpc.StatusCode.FAILED_PRECONDITION, "NOT_YOUR_TURN", [])


async def test_a_call_without_a_token_is_refused(caller: Caller) -> None:
    for call in (
        caller.stub.ListPersonas(bot_pb2.ListPersonasRequest()),
        caller.stub.SuggestMove(a_request()),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        assert details(caught.value)[:2] == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_MISSING")


def _no_table(request: bot_pb2.SuggestMoveRequest) -> None:
    request.ClearField("table")


def _no_private(request: bot_pb2.SuggestMoveRequest) -> None:
    request.ClearField("private")


def _unknown_level(request: bot_pb2.SuggestMoveRequest) -> None:
    request.level = 77  # type: ignore[assignment]


def _long_history(request: bot_pb2.SuggestMoveRequest) -> None:
    del request.history[:]
    request.history.extend([table_pb2.Event()] * 1001)


def _no_seat(request: bot_pb2.SuggestMoveRequest) -> None:
    request.private.ClearField("seat")


def _seat_out_of_range(request: bot_pb2.SuggestMoveRequest) -> None:
    request.private.seat = 200


def _another_seat(request: bot_pb2.SuggestMoveRequest) -> None:
    request.private.seat = (request.private.seat + 1) % 4


def _no_seats(request: bot_pb2.SuggestMoveRequest) -> None:
    del request.table.game.arzoi.seats[:]


def _no_match(request: bot_pb2.SuggestMoveRequest) -> None:
    request.table.ClearField("game")


def _no_card(request: bot_pb2.SuggestMoveRequest) -> None:
    request.private.hand.arzoi.cards[0] = "joker"


def _card_twice(request: bot_pb2.SuggestMoveRequest) -> None:
    request.private.hand.arzoi.cards[0] = request.table.game.arzoi.trick[0].card


def _foreign_card(request: bot_pb2.SuggestMoveRequest) -> None:
    request.private.hand.arzoi.cards[0] = "2S"


def _too_few_cards(request: bot_pb2.SuggestMoveRequest) -> None:
    del request.private.hand.arzoi.cards[:]


def _bad_trick(request: bot_pb2.SuggestMoveRequest) -> None:
    request.table.game.arzoi.trick[0].seat = 1_000_000


def _bad_taker(request: bot_pb2.SuggestMoveRequest) -> None:
    for event in request.history:
        if event.game.arzoi.WhichOneof("event") == "trick_taken":
            event.game.arzoi.trick_taken.seat = 1_000_000


def _empty_action(request: bot_pb2.SuggestMoveRequest) -> None:
    request.private.legal_actions[0].arzoi.Clear()


def _no_game_of_action(request: bot_pb2.SuggestMoveRequest) -> None:
    request.private.legal_actions[0].Clear()


def _foreign_action(request: bot_pb2.SuggestMoveRequest) -> None:
    request.private.legal_actions[0].arzoi.play = request.table.game.arzoi.trick[0].card


def _huge_trump(request: bot_pb2.SuggestMoveRequest) -> None:
    request.table.game.arzoi.trump_card = "A" * 10_000


def _too_many_cards_out(request: bot_pb2.SuggestMoveRequest) -> None:
    request.table.game.arzoi.seats[(request.private.seat + 1) % 4].cards = 4_000_000_000


@pytest.mark.parametrize(
    "spoil",
    [
        _no_table,
        _no_private,
        _unknown_level,
        _long_history,
        _no_seat,
        _seat_out_of_range,
        _another_seat,
        _no_seats,
        _no_match,
        _no_card,
        _card_twice,
        _foreign_card,
        _too_few_cards,
        _bad_trick,
        _bad_taker,
        _empty_action,
        _no_game_of_action,
        _foreign_action,
        _huge_trump,
        _too_many_cards_out,
    ],
)
async def test_a_view_that_makes_no_sense_is_refused_with_the_field(caller: Caller, spoil: Any) -> None:
    request = a_request()
    spoil(request)
    code, reason, fields = await caller.refused(request)
    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST")
    assert fields


async def test_no_mixture_of_two_views_brings_the_service_down(caller: Caller) -> None:
    rng = random.Random(8)
    turns = [turn_of(state) for index, (state, _) in enumerate(decisions(4, rng)) if index % 9 == 0]
    turns += [turn_of(state) for index, (state, _) in enumerate(decisions(9, rng)) if index % 9 == 0]
    codes: set[grpc.StatusCode] = set()
    for _ in range(300):
        one, two, three = rng.sample(turns, 3)
        request = bot_pb2.SuggestMoveRequest(table=one.table, private=two.private, history=three.history)
        if rng.random() < 0.5:
            request.private.CopyFrom(one.private)
        else:
            request.private.seat = one.seat
        try:
            assert await caller.suggest(request) in request.private.legal_actions
        except grpc.aio.AioRpcError as error:
            codes.add(error.code())
    assert codes == {grpc.StatusCode.INVALID_ARGUMENT}
