"""What callers are told when a call is not served: codes, reasons, details, both languages."""

import asyncio
from typing import Any

import grpc
import pytest

from shared import auth, errors
from shared.bus import BusUnavailable
from shared.errors import ErrorSpec, LevataError
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2 as pb
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2_grpc as rpc
from shared.gen.levata.table.v1 import table_pb2
from shared.harness import Harness, Service
from shared.metrics import Metrics
from shared.rpc.interceptor import ServerInterceptor
from shared.rpc.validation import validate
from shared.settings import ServiceSettings
from tests.support.services import Club
from tests.support.statuses import Told, refused
from tests.support.tokens import TokenIssuer, bearer
from tests.support.waiting import until
from tests.support.waiting_room import SERVICE, WaitingRoom

REQUEST_ID = "request-1"


class CardMissingError(Exception):
    """An exception of some domain."""

    def __init__(self, reason: str, rule: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.rule = rule


class SpecialCardMissingError(CardMissingError):
    """A more special one, for which nothing is said."""


class Room:
    """A waiting room in a running service, and a stub for it."""

    def __init__(self, levata: Club, servicer: WaitingRoom, service: Service, stub: Any) -> None:
        self.levata = levata
        self.servicer = servicer
        self.service = service
        self.stub = stub
        self.player = levata.as_player("p-ana", "Ana")

    async def told_for(self, error: BaseException, language: str = "en") -> Told:
        """What a caller is told when the servicer raises `error`."""

        async def fail(request: Any) -> Any:
            raise error

        self.servicer.get = fail
        metadata = self.levata.as_player("p-ana", "Ana", language)
        return await refused(self.stub.GetTicket(pb.GetTicketRequest(), metadata=metadata))


@pytest.fixture
async def room(levata: Club) -> Room:
    servicer = WaitingRoom()

    async def bind(harness: Harness, settings: ServiceSettings) -> None:
        await servicer.bind(harness, settings)
        harness.add_errors(
            {
                CardMissingError: ErrorSpec(
                    grpc.StatusCode.FAILED_PRECONDITION,
                    reason=lambda error: error.reason,
                    metadata=lambda error: {"rule": error.rule},
                ),
                KeyError: ErrorSpec(
                    grpc.StatusCode.INVALID_ARGUMENT,
                    "BAD_REQUEST",
                    violations=lambda error: [("queue_id", f"unknown: {error.args[0]}")],
                    retry_after=1.5,
                ),
            }
        )

    service = await levata.start("matchmaking", ServiceSettings, bind)
    return Room(levata, servicer, service, rpc.MatchmakingServiceStub(await levata.channel(service)))


async def test_an_error_carries_all_its_details(room: Room) -> None:
    told = await room.told_for(
        LevataError(
            grpc.StatusCode.ABORTED,
            "STALE_REVISION",
            metadata={"revision": "41"},
            violations=[("revision", "is 40")],
            retry_after=0.25,
        )
    )
    assert told.code is grpc.StatusCode.ABORTED
    assert (told.reason, told.domain, told.metadata) == ("STALE_REVISION", "levata", {"revision": "41"})
    assert told.violations == {"revision": "is 40"}
    assert told.retry_seconds == 0.25
    assert (told.locale, told.text) == ("en", "The table has changed meanwhile (revision 41).")
    assert told.message.startswith("STALE_REVISION: ")
    assert len(told.request_id) == 16


@pytest.mark.parametrize(
    ("accepted", "locale"),
    [
        ("ro", "ro"),
        ("en", "en"),
        ("en-GB,en;q=0.9", "en"),
        ("de, ro;q=0.4, en;q=0.8", "en"),
        ("ro-RO, en;q=0.5", "ro"),
        ("de", "ro"),
        ("en;q=zero", "ro"),
    ],
)
async def test_people_are_told_in_their_language_and_developers_in_english(
    room: Room, accepted: str, locale: str
) -> None:
    told = await room.told_for(LevataError(grpc.StatusCode.PERMISSION_DENIED, "NOT_HOST"), accepted)
    assert told.locale == locale
    assert (
        told.text
        == {
            "ro": "Doar gazda mesei poate face asta.",
            "en": "Only the host of the table may do this.",
        }[locale]
    )
    assert told.message == "NOT_HOST: Only the host of the table may do this."


async def test_exceptions_of_the_domain_are_told_as_the_service_says(room: Room) -> None:
    told = await room.told_for(CardMissingError("MUST_FOLLOW_SUIT", "AZ-18"))
    assert told.code is grpc.StatusCode.FAILED_PRECONDITION
    assert (told.reason, told.metadata) == ("MUST_FOLLOW_SUIT", {"rule": "AZ-18"})
    special = await room.told_for(SpecialCardMissingError("MUST_TRUMP", "AZ-19"))
    assert (special.reason, special.metadata) == ("MUST_TRUMP", {"rule": "AZ-19"})
    unknown = await room.told_for(KeyError("arzoi-12"))
    assert unknown.violations == {"queue_id": "unknown: arzoi-12"}
    assert unknown.retry_seconds == 1.5


async def test_the_known_one_of_several_errors_of_a_task_group_is_told(room: Room) -> None:
    group = ExceptionGroup("tasks", [ValueError("a hand"), ExceptionGroup("more", [CardMissingError("MUTED", "-")])])
    told = await room.told_for(group)
    assert told.reason == "MUTED"


async def test_an_unexpected_error_says_nothing_about_itself(room: Room) -> None:
    told = await room.told_for(RuntimeError("the hand is 1c 9h"))
    assert (told.code, told.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert "1c" not in told.message + told.text


async def test_a_dependency_that_is_down_is_unavailable_with_a_delay_that_clients_obey(room: Room) -> None:
    told = await room.told_for(BusUnavailable("no acknowledgement", maybe_stored=True))
    assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "DEPENDENCY_DOWN")
    assert told.retry_seconds == 1.0
    assert told.pushback_milliseconds == 1000


async def test_another_service_that_does_not_answer_is_a_dependency_that_is_down(room: Room) -> None:
    empty = grpc.aio.Metadata()
    down = await room.told_for(grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, empty, empty))
    assert (down.code, down.reason) == (grpc.StatusCode.UNAVAILABLE, "DEPENDENCY_DOWN")
    ours = await room.told_for(grpc.aio.AioRpcError(grpc.StatusCode.INVALID_ARGUMENT, empty, empty))
    assert (ours.code, ours.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")


async def test_malformed_fields_are_named_with_their_paths(room: Room) -> None:
    told = await refused(
        room.stub.CreateTicket(pb.CreateTicketRequest(request_id="x", queue_id="NO"), metadata=room.player)
    )
    assert (told.code, told.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST")
    assert set(told.violations) == {"request_id", "queue_id"}
    assert "pattern" in told.violations["queue_id"]


def test_paths_go_through_messages_and_lists() -> None:
    message = table_pb2.CreateTableRequest(
        request_id=REQUEST_ID,
        options=table_pb2.TableOptions(seats=11, clock=table_pb2.Clock(bid_seconds=601)),
        players=[table_pb2.PlayerRef(player_id="p", name="Ana"), table_pb2.PlayerRef(player_id="q")],
    )
    with pytest.raises(LevataError) as caught:
        validate(message)
    paths = {path for path, _ in caught.value.violations}
    assert {"options.seats", "options.clock.bid_seconds", "options.game", "players[1].name"} <= paths


async def test_a_request_of_a_stream_is_validated_too(room: Room) -> None:
    told = await refused(room.stub.WatchTicket(pb.WatchTicketRequest(), metadata=room.player).read())
    assert (told.code, set(told.violations)) == (grpc.StatusCode.INVALID_ARGUMENT, {"ticket_id"})
    assert not room.servicer.watching.is_set()


async def test_bytes_that_are_no_message_are_the_callers_mistake(room: Room) -> None:
    channel = await room.levata.channel(room.service)
    raw: Any = channel.unary_unary(f"/{SERVICE}/GetTicket")
    told = await refused(raw(b"\xff\xff\xff", metadata=room.player))
    assert (told.code, told.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST")


async def test_a_huge_request_is_refused(room: Room) -> None:
    request = pb.GetTicketRequest(ticket_id="x" * (1024 * 1024 + 1))
    told = await refused(room.stub.GetTicket(request, metadata=room.player))
    assert told.code is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_an_unknown_method_is_unimplemented(room: Room) -> None:
    channel = await room.levata.channel(room.service)
    guess: Any = channel.unary_unary(f"/{SERVICE}/Guess")
    told = await refused(guess(b"", metadata=room.player))
    assert told.code is grpc.StatusCode.UNIMPLEMENTED


async def test_a_stream_ends_with_the_error_after_what_was_sent(room: Room) -> None:
    call = room.stub.WatchTicket(pb.WatchTicketRequest(ticket_id="t-1"), metadata=room.player)
    room.servicer.watch.put_nowait(pb.Ticket(ticket_id="t-1"))
    assert (await call.read()).ticket.ticket_id == "t-1"
    room.servicer.watch.put_nowait(LevataError(grpc.StatusCode.RESOURCE_EXHAUSTED, "SLOW_CONSUMER"))
    told = await refused(call.read())
    assert (told.code, told.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "SLOW_CONSUMER")
    assert room.service.metrics.value("levata_rpc_messages_sent_total", method=f"/{SERVICE}/WatchTicket") == 1


async def test_a_watch_is_closed_at_once_when_its_client_leaves(room: Room) -> None:
    call = room.stub.WatchTicket(pb.WatchTicketRequest(ticket_id="t-1"), metadata=room.player)
    room.servicer.watch.put_nowait(pb.Ticket(ticket_id="t-1"))
    await call.read()
    call.cancel()
    async with asyncio.timeout(5):
        await room.servicer.watch_ended.wait()
    method = f"/{SERVICE}/WatchTicket"
    value = room.service.metrics.value
    await until(lambda: value("levata_rpc_handled_total", method=method, code="CANCELLED") == 1)
    assert room.service.metrics.value("levata_rpc_in_flight", method=method) == 0


async def test_a_message_that_finds_no_caller_any_more_is_no_error_of_the_service(
    room: Room, capsys: pytest.CaptureFixture[str]
) -> None:
    method = f"/{SERVICE}/WatchTicket"
    value = room.service.metrics.value
    call = room.stub.WatchTicket(pb.WatchTicketRequest(ticket_id="t-1"), metadata=room.player)
    # What `write` raises when the caller leaves meanwhile; most often, but not always, the call is cancelled before.
    room.servicer.watch.put_nowait(grpc.aio.InternalError('Failed "execute_batch"'))
    await until(lambda: value("levata_rpc_handled_total", method=method, code="CANCELLED") == 1)
    call.cancel()
    assert value("levata_rpc_handled_total", method=method, code="INTERNAL") == 0
    assert "unexpected error" not in capsys.readouterr().out


async def test_the_callers_request_id_comes_back_and_a_bad_one_is_replaced(room: Room) -> None:
    async def fail(request: Any) -> Any:
        raise LevataError(grpc.StatusCode.NOT_FOUND, "TICKET_NOT_FOUND")

    room.servicer.get = fail
    named = (*room.player, ("x-request-id", "move-17"))
    assert (await refused(room.stub.GetTicket(pb.GetTicketRequest(), metadata=named))).request_id == "move-17"
    bad = (*room.player, ("x-request-id", "two words"))
    replaced = (await refused(room.stub.GetTicket(pb.GetTicketRequest(), metadata=bad))).request_id
    assert replaced
    assert replaced != "two words"


async def test_a_failure_for_a_reply_inside_a_stream_is_what_the_unary_call_tells(room: Room) -> None:
    refusals: list[errors.Refusal] = []

    async def answer(request: Any) -> Any:
        try:
            raise CardMissingError("NOT_YOUR_TURN", "AZ-16")
        except CardMissingError as error:
            # In a task of its own, as a stream would.
            async def tell(caught: Exception) -> None:
                refusals.append(errors.failure(caught))

            await asyncio.create_task(tell(error))
        return pb.GetTicketResponse()

    room.servicer.get = answer
    await room.stub.GetTicket(pb.GetTicketRequest(), metadata=room.levata.as_player("p-ana", language="ro"))
    (refusal,) = refusals
    assert refusal.code is grpc.StatusCode.FAILED_PRECONDITION
    assert refusal.number == 9
    assert (refusal.reason, refusal.message) == ("NOT_YOUR_TURN", "Nu este rândul dumneavoastră.")
    assert refusal.metadata == {"rule": "AZ-16"}
    assert refusal.retry_milliseconds == 0


async def test_handlers_know_the_caller_also_in_tasks_they_start(room: Room) -> None:
    async def answer(request: Any) -> pb.GetTicketResponse:
        async def who() -> str:
            return auth.caller().name

        return pb.GetTicketResponse(ticket=pb.Ticket(ticket_id=await asyncio.create_task(who())))

    room.servicer.get = answer
    response = await room.stub.GetTicket(pb.GetTicketRequest(), metadata=room.player)
    assert response.ticket.ticket_id == "Ana"


async def test_one_calls_caller_is_never_anothers(room: Room) -> None:
    """Not even in a method that wants no token, on the same connection, while and after others are served."""

    async def who(request: Any) -> pb.GetTicketResponse:
        await asyncio.sleep(0.001)
        return pb.GetTicketResponse(ticket=pb.Ticket(ticket_id=auth.caller().player_id))

    async def nobody(request: Any) -> pb.ListQueuesResponse:
        auth.caller()
        return pb.ListQueuesResponse()

    room.servicer.get, room.servicer.queues = who, nobody
    names = [f"p-{number}" for number in range(50)]
    calls = [room.stub.GetTicket(pb.GetTicketRequest(), metadata=room.levata.as_player(name)) for name in names]
    refusals = [refused(room.stub.ListQueues(pb.ListQueuesRequest(), metadata=room.player)) for _ in range(10)]
    answers, told = await asyncio.gather(asyncio.gather(*calls), asyncio.gather(*refusals))
    assert [answer.ticket.ticket_id for answer in answers] == names
    assert {one.reason for one in told} == {"TOKEN_MISSING"}


async def test_a_call_that_comes_after_its_deadline_is_not_begun(issuer: TokenIssuer) -> None:
    class Late:
        """A context of which the time is over before the handler is reached."""

        def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
            return bearer(issuer.token("p-ana"))

        def time_remaining(self) -> float:
            return -0.001

        def cancelled(self) -> bool:
            return False

        def done(self) -> bool:
            return False

        async def abort(self, code: grpc.StatusCode, details: str, trailing_metadata: Any) -> None:
            aborted.append(code)
            raise grpc.aio.AbortError

    aborted: list[grpc.StatusCode] = []
    begun: list[Any] = []

    async def handler(request: Any, context: Any) -> None:
        begun.append(request)

    async def find(details: Any) -> Any:
        return grpc.unary_unary_rpc_method_handler(handler)

    class Details:
        method = f"/{SERVICE}/GetTicket"
        invocation_metadata: tuple[tuple[str, str | bytes], ...] = ()

    verifier = auth.Verifier([auth.Issuer("levata", "levata", issuer.jwks_file)])
    interceptor = ServerInterceptor(Metrics("test"), verifier, errors.ErrorTable(), frozenset())
    wrapped: Any = await interceptor.intercept_service(find, Details())
    with pytest.raises(grpc.aio.AbortError):
        await wrapped.unary_unary(pb.GetTicketRequest(), Late())
    assert aborted == [grpc.StatusCode.DEADLINE_EXCEEDED]
    assert begun == []


async def test_too_many_calls_wait_their_turn_instead_of_being_dropped(room: Room) -> None:
    async def answer(request: Any) -> pb.GetTicketResponse:
        return pb.GetTicketResponse()

    room.servicer.get = answer
    calls = [room.stub.GetTicket(pb.GetTicketRequest(), metadata=room.player) for _ in range(1500)]
    assert len(await asyncio.gather(*calls)) == 1500
