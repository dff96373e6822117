"""The running service: every RPC, good and bad, restarts, two processes, and NATS going away."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import jwt
import pytest
from pydantic import ValidationError

from services.matchmaking.queues import QUEUES
from services.matchmaking.service import bind
from services.matchmaking.settings import MatchmakingSettings
from shared.client import Addresses, Club, ClubError
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2 as pb
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2_grpc
from shared.harness import Harness, Service
from tests.support import services
from tests.support.nats import NatsServer
from tests.support.recorded_tables import RecordedTables
from tests.support.statuses import told
from tests.support.waiting import until

QUEUE = "arzoi-3"


class House:
    """Matchmaking processes, and people who use them."""

    def __init__(self, club: services.Club, tables: RecordedTables, clock: Any) -> None:
        self.club = club
        self.tables = tables
        self.clock = clock

    async def start(self, name: str = "matchmaking", **more: Any) -> Service:
        async def bound(harness: Harness, settings: MatchmakingSettings) -> None:
            await bind(harness, settings, self.clock)

        values = {"table_address": self.tables.address, "wave_seconds": 0.05, "lease_seconds": 1.0, **more}
        service = await self.club.start(name, MatchmakingSettings, bound, **values)
        await until(service.check_readiness)
        return service

    def visit(self, service: Service, player: str, language: str = "en") -> Club:
        """A client of one process."""
        token = self.club.issuer.token(player, player.title())
        return Club.connect(Addresses(matchmaking=service.address), token=token, language=language)

    async def stub(self, service: Service) -> Any:
        """A bare stub of one process."""
        return matchmaking_pb2_grpc.MatchmakingServiceStub(await self.club.channel(service))


@pytest.fixture
async def house(nats: NatsServer, tables: RecordedTables, clock: Any, tmp_path: Path) -> AsyncIterator[House]:
    async with services.club(nats, tmp_path / "keys") as club:
        yield House(club, tables, clock)


async def take(club: Club, request_id: str = "request-1", queue_id: str = QUEUE) -> pb.Ticket:
    response = await club.matchmaking.CreateTicket(pb.CreateTicketRequest(request_id=request_id, queue_id=queue_id))
    return response.ticket


async def test_all_queues_are_listed_with_how_many_wait(house: House) -> None:
    service = await house.start()
    async with house.visit(service, "ana") as ana:
        before = (await ana.matchmaking.ListQueues(pb.ListQueuesRequest())).queues
        await take(ana)
        after = (await ana.matchmaking.ListQueues(pb.ListQueuesRequest())).queues
    assert [queue.queue_id for queue in before] == [queue.id for queue in QUEUES]
    assert [queue.seats for queue in before] == [queue.seats for queue in QUEUES]
    assert {queue.limit_seconds for queue in before} == {30}
    assert [queue.game for queue in before] == [queue.options.game for queue in QUEUES]
    assert [queue.waiting for queue in before] == [0] * len(QUEUES)
    assert [queue.waiting for queue in after] == [1 if queue.id == QUEUE else 0 for queue in QUEUES]


async def test_a_ticket_tells_its_place_and_when_there_will_be_a_table(house: House) -> None:
    service = await house.start()
    async with house.visit(service, "ana") as ana, house.visit(service, "ion") as ion:
        first = await take(ana)
        house.clock.advance(10)
        second = await take(ion)
    assert (first.status, first.place, second.place) == (pb.TICKET_STATUS_WAITING, 1, 2)
    assert first.created_at.seconds + 10 == second.created_at.seconds
    assert first.expected_at.seconds == second.expected_at.seconds == first.created_at.seconds + 30
    assert first.table_id == ""


async def test_the_one_who_waits_receives_the_table(house: House) -> None:
    service = await house.start()
    async with (
        house.visit(service, "ana") as ana,
        house.visit(service, "ion") as ion,
        house.visit(service, "eva") as eva,
    ):
        ticket = await take(ana)
        seen: list[pb.Ticket] = []

        async def watch() -> None:
            async for shown in ana.watch_ticket(ticket.ticket_id):
                seen.append(shown)

        watching = asyncio.create_task(watch())
        await until(lambda: bool(seen))
        for other in (ion, eva):
            house.clock.advance(1)
            await take(other)
        await asyncio.wait_for(watching, 20)
        found = (await ana.matchmaking.GetTicket(pb.GetTicketRequest(ticket_id=ticket.ticket_id))).ticket
    assert seen[0] == ticket
    assert seen[-1] == found
    assert seen[-1].status == pb.TICKET_STATUS_MATCHED
    assert seen[-1].place == 0
    assert list(house.tables.made) == [seen[-1].table_id]
    assert [(p.player_id, p.name) for p in house.tables.requests[0].players] == [
        ("ana", "Ana"),
        ("ion", "Ion"),
        ("eva", "Eva"),
    ]
    caller = jwt.decode(house.tables.tokens[0].removeprefix("Bearer "), options={"verify_signature": False})
    assert (caller["sub"], caller["roles"]) == ("service:matchmaking", ["service"])


async def test_a_watch_tells_when_others_ahead_leave(house: House) -> None:
    service = await house.start()
    async with house.visit(service, "ana") as ana, house.visit(service, "ion") as ion:
        ahead = await take(ana)
        house.clock.advance(5)
        mine = await take(ion)
        seen: list[tuple[int, int]] = []

        async def watch() -> None:
            async for shown in ion.watch_ticket(mine.ticket_id):
                seen.append((shown.place, shown.expected_at.seconds - mine.created_at.seconds))

        watching = asyncio.create_task(watch())
        await until(lambda: bool(seen))
        await ana.matchmaking.CancelTicket(pb.CancelTicketRequest(ticket_id=ahead.ticket_id))
        await until(lambda: len(seen) == 2)
        watching.cancel()
    assert seen == [(2, 25), (1, 30)]


async def test_bots_come_when_the_limit_is_reached_without_anybody_asking(house: House) -> None:
    service = await house.start()
    async with house.visit(service, "ana") as ana:
        ticket = await take(ana)
        house.clock.advance(30.1)
        shown = [shown async for shown in ana.watch_ticket(ticket.ticket_id)]
    assert shown[-1].status == pb.TICKET_STATUS_MATCHED
    assert house.tables.seated() == [["ana"]]
    # The ticket tells of the table before the wave that made it is counted.
    await until(lambda: service.metrics.value("levata_matchmaking_bots_seated_total", queue=QUEUE) == 2)


async def test_a_ticket_can_be_given_back_twice_and_another_taken(house: House) -> None:
    service = await house.start()
    async with house.visit(service, "ana") as ana:
        ticket = await take(ana)
        request = pb.CancelTicketRequest(ticket_id=ticket.ticket_id)
        for _ in range(2):
            answer = (await ana.matchmaking.CancelTicket(request)).ticket
            assert (answer.status, answer.place) == (pb.TICKET_STATUS_CANCELLED, 0)
        watched = [shown async for shown in ana.watch_ticket(ticket.ticket_id)]
        assert watched == [answer]
        second = await take(ana, "request-2", "arzoi-4")
        assert (await ana.matchmaking.GetTicket(pb.GetTicketRequest())).ticket == second
    assert service.metrics.value("levata_matchmaking_tickets_ended_total", queue=QUEUE, outcome="cancelled") == 1


async def test_a_matched_ticket_cannot_be_given_back(house: House) -> None:
    service = await house.start()
    async with house.visit(service, "ana") as ana:
        ticket = await take(ana)
        house.clock.advance(31)
        final = [shown async for shown in ana.watch_ticket(ticket.ticket_id)][-1]
        with pytest.raises(ClubError) as raised:
            await ana.matchmaking.CancelTicket(pb.CancelTicketRequest(ticket_id=ticket.ticket_id))
    assert (raised.value.code, raised.value.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TICKET_MATCHED")
    assert raised.value.metadata == {"table_id": final.table_id}


async def test_a_player_has_one_open_ticket_however_many_are_asked_for_at_once(house: House) -> None:
    one, other = await house.start("matchmaking"), await house.start("matchmaking-2")
    async with house.visit(one, "ana") as here, house.visit(other, "ana") as there:
        asked = [
            take((here, there)[number % 2], f"request-{number}", f"arzoi-{number % 7 + 3}") for number in range(10)
        ]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        open_ticket = (await here.matchmaking.GetTicket(pb.GetTicketRequest())).ticket
    taken = [answer for answer in answers if isinstance(answer, pb.Ticket)]
    refused = [answer for answer in answers if isinstance(answer, ClubError)]
    assert [ticket.ticket_id for ticket in taken] == [open_ticket.ticket_id]
    assert len(refused) == 9
    for error in refused:
        assert (error.code, error.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TICKET_OPEN")
        assert error.metadata == {"ticket_id": open_ticket.ticket_id, "queue_id": open_ticket.queue_id}


async def test_a_repeated_request_gives_the_same_ticket_also_after_it_is_over(house: House) -> None:
    service = await house.start()
    async with house.visit(service, "ana") as ana:
        first, second = await asyncio.gather(take(ana), take(ana))
        assert first == second
        with pytest.raises(ClubError) as raised:
            await take(ana, "request-1", "arzoi-4")
        assert (raised.value.code, raised.value.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED")
        await ana.matchmaking.CancelTicket(pb.CancelTicketRequest(ticket_id=first.ticket_id))
        again = await take(ana)
    assert (again.ticket_id, again.status) == (first.ticket_id, pb.TICKET_STATUS_CANCELLED)
    assert service.metrics.value("levata_matchmaking_tickets_taken_total", queue=QUEUE) == 1


CALLS: list[tuple[str, Any]] = [
    ("ListQueues", pb.ListQueuesRequest()),
    ("CreateTicket", pb.CreateTicketRequest(request_id="request-1", queue_id=QUEUE)),
    ("GetTicket", pb.GetTicketRequest(ticket_id="t")),
    ("WatchTicket", pb.WatchTicketRequest(ticket_id="t")),
    ("CancelTicket", pb.CancelTicketRequest(ticket_id="t")),
]


async def refused(stub: Any, rpc: str, request: Any, metadata: Any) -> Any:
    call = getattr(stub, rpc)(request, metadata=metadata, timeout=20)
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await (to_its_end(call) if rpc == "WatchTicket" else call)
    return told(raised.value)


async def to_its_end(call: Any) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass


async def test_nobody_is_served_without_a_good_token(house: House) -> None:
    stub = await house.stub(await house.start())
    issuer = house.club.issuer
    tokens = {
        "TOKEN_MISSING": (),
        "TOKEN_INVALID": (("authorization", "Bearer nonsense"),),
        "TOKEN_EXPIRED": (("authorization", f"Bearer {issuer.token('ana', seconds=-3600)}"),),
    }
    for rpc, request in CALLS:
        for reason, metadata in tokens.items():
            answer = await refused(stub, rpc, request, metadata)
            assert (answer.code, answer.reason) == (grpc.StatusCode.UNAUTHENTICATED, reason), rpc


@pytest.mark.parametrize(
    ("rpc", "request_message", "field"),
    [
        ("CreateTicket", pb.CreateTicketRequest(queue_id=QUEUE), "request_id"),
        ("CreateTicket", pb.CreateTicketRequest(request_id="short", queue_id=QUEUE), "request_id"),
        ("CreateTicket", pb.CreateTicketRequest(request_id="x" * 65, queue_id=QUEUE), "request_id"),
        ("CreateTicket", pb.CreateTicketRequest(request_id="with blanks", queue_id=QUEUE), "request_id"),
        ("CreateTicket", pb.CreateTicketRequest(request_id="request-1"), "queue_id"),
        ("CreateTicket", pb.CreateTicketRequest(request_id="request-1", queue_id="q.>"), "queue_id"),
        ("CreateTicket", pb.CreateTicketRequest(request_id="request-1", queue_id="x" * 100_000), "queue_id"),
        ("GetTicket", pb.GetTicketRequest(ticket_id="x" * 65), "ticket_id"),
        ("WatchTicket", pb.WatchTicketRequest(), "ticket_id"),
        ("WatchTicket", pb.WatchTicketRequest(ticket_id="x" * 65), "ticket_id"),
        ("CancelTicket", pb.CancelTicketRequest(), "ticket_id"),
        ("CancelTicket", pb.CancelTicketRequest(ticket_id="x" * 65), "ticket_id"),
    ],
)
async def test_malformed_requests_are_refused_and_change_nothing(
    house: House, rpc: str, request_message: Any, field: str
) -> None:
    service = await house.start()
    answer = await refused(await house.stub(service), rpc, request_message, house.club.as_player("ana"))
    assert (answer.code, answer.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST")
    assert list(answer.violations) == [field]
    async with house.visit(service, "ana") as ana:
        with pytest.raises(ClubError, match="TICKET_NOT_FOUND"):
            await ana.matchmaking.GetTicket(pb.GetTicketRequest())


async def test_unknown_queues_and_tickets_and_those_of_others_are_not_found(house: House) -> None:
    service = await house.start()
    stub = await house.stub(service)
    async with house.visit(service, "ana") as ana:
        foreign = (await take(ana)).ticket_id
    ion = house.club.as_player("ion", language="ro")
    for queue in ("arzoi-2", "arzoi-10", "poker-4"):
        answer = await refused(stub, "CreateTicket", pb.CreateTicketRequest(request_id="r" * 8, queue_id=queue), ion)
        assert (answer.code, answer.reason, answer.text) == (
            grpc.StatusCode.NOT_FOUND,
            "QUEUE_NOT_FOUND",
            "Coada nu există.",
        )
    for ticket in (foreign, "nothing", ">", "*.x", "ț"):
        for rpc, request in (
            ("GetTicket", pb.GetTicketRequest(ticket_id=ticket)),
            ("WatchTicket", pb.WatchTicketRequest(ticket_id=ticket)),
            ("CancelTicket", pb.CancelTicketRequest(ticket_id=ticket)),
        ):
            answer = await refused(stub, rpc, request, ion)
            assert (answer.code, answer.reason) == (grpc.StatusCode.NOT_FOUND, "TICKET_NOT_FOUND"), (rpc, ticket)
    async with house.visit(service, "ana") as ana:
        assert (await ana.matchmaking.GetTicket(pb.GetTicketRequest())).ticket.status == pb.TICKET_STATUS_WAITING


async def test_tickets_survive_a_service_that_is_killed_and_places_stay(house: House) -> None:
    first = await house.start("matchmaking")
    async with house.visit(first, "ana") as ana, house.visit(first, "ion") as ion:
        tickets = [await take(ana)]
        house.clock.advance(1)
        tickets.append(await take(ion))
    await first.crash()
    second = await house.start("matchmaking-2")
    async with (
        house.visit(second, "ana") as ana,
        house.visit(second, "ion") as ion,
        house.visit(second, "eva") as eva,
    ):
        for club, ticket in ((ana, tickets[0]), (ion, tickets[1])):
            assert (await club.matchmaking.GetTicket(pb.GetTicketRequest())).ticket == ticket
        assert (await take(ana)) == tickets[0]
        house.clock.advance(1)
        await take(eva)
        final = [shown async for shown in ana.watch_ticket(tickets[0].ticket_id)][-1]
    assert final.status == pb.TICKET_STATUS_MATCHED
    assert house.tables.seated() == [["ana", "ion", "eva"]]


async def test_whoever_watches_a_draining_process_is_sent_elsewhere_and_misses_nothing(house: House) -> None:
    one = await house.start("matchmaking")
    other = await house.start("matchmaking-2")
    async with house.visit(one, "ana") as ana:
        ticket = await take(ana)
        call = (await house.stub(one)).WatchTicket(
            pb.WatchTicketRequest(ticket_id=ticket.ticket_id), metadata=house.club.as_player("ana")
        )
        assert (await call.read()).ticket == ticket
        await one.stop()
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await to_its_end(call)
        answer = told(raised.value)
        assert (answer.code, answer.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
        assert answer.retry_seconds is not None
    house.clock.advance(31)
    async with house.visit(other, "ana") as ana:
        final = [shown async for shown in ana.watch_ticket(ticket.ticket_id)][-1]
    assert final.status == pb.TICKET_STATUS_MATCHED


async def test_a_process_that_drains_gives_its_queues_to_another_at_once(house: House) -> None:
    one = await house.start("matchmaking", lease_seconds=10.0)

    def leads(service: Service) -> float:
        return service.metrics.value("levata_matchmaking_leading", queue=QUEUE)

    await until(lambda: leads(one) == 1)
    other = await house.start("matchmaking-2", lease_seconds=4.0)
    assert leads(other) == 0
    await one.stop()
    await until(lambda: leads(other) == 1)


async def test_another_process_takes_over_from_one_that_is_killed(house: House) -> None:
    one = await house.start("matchmaking")
    other = await house.start("matchmaking-2")
    async with house.visit(other, "ana") as ana:
        await until(lambda: one.metrics.value("levata_matchmaking_leading", queue=QUEUE) == 1)
        house.tables.gate.clear()
        ticket = await take(ana)
        house.clock.advance(31)
        await until(lambda: len(house.tables.requests) == 1)
        await one.crash()
        house.tables.gate.set()
        final = [shown async for shown in ana.watch_ticket(ticket.ticket_id)][-1]
    assert final.status == pb.TICKET_STATUS_MATCHED
    assert len({request.request_id for request in house.tables.requests}) == 1
    assert house.tables.tables_of() == {"ana": 1}


async def test_matching_goes_on_after_nats_was_killed(house: House, nats: NatsServer) -> None:
    service = await house.start()
    async with house.visit(service, "ana") as ana, house.visit(service, "ion") as ion:
        ticket = await take(ana)
        watching = asyncio.create_task(_last(ana, ticket.ticket_id))
        await nats.restart()

        async def taken() -> bool:
            try:
                await take(ion)
            except ClubError:
                return False
            return True

        await until(taken, 40)
        house.clock.advance(31)
        final = await asyncio.wait_for(watching, 40)
    assert final.status == pb.TICKET_STATUS_MATCHED
    assert house.tables.tables_of() == {"ana": 1, "ion": 1}


async def _last(club: Club, ticket_id: str) -> pb.Ticket:
    return [shown async for shown in club.watch_ticket(ticket_id)][-1]


async def test_without_nats_callers_are_told_to_come_back(house: House, nats: NatsServer) -> None:
    service = await house.start(publish_seconds=0.5)
    stub = await house.stub(service)
    await nats.stop()
    for rpc, request in CALLS[1:]:
        answer = await refused(stub, rpc, request, house.club.as_player("ana"))
        assert (answer.code, answer.reason) == (grpc.StatusCode.UNAVAILABLE, "DEPENDENCY_DOWN"), rpc
    assert not await service.check_readiness()


async def test_waiting_tickets_are_counted(house: House) -> None:
    service = await house.start()
    async with house.visit(service, "ana") as ana:
        ticket = await take(ana)
        assert service.metrics.value("levata_matchmaking_waiting", queue=QUEUE) == 1
        await ana.matchmaking.CancelTicket(pb.CancelTicketRequest(ticket_id=ticket.ticket_id))
    assert service.metrics.value("levata_matchmaking_waiting", queue=QUEUE) == 0
    assert service.metrics.value("levata_matchmaking_tickets_taken_total", queue=QUEUE) == 1


async def test_many_players_over_two_processes_are_all_seated_once(house: House) -> None:
    processes = [await house.start("matchmaking"), await house.start("matchmaking-2")]
    players = [f"p{number:02}" for number in range(40)]

    async def play(number: int, player: str) -> pb.Ticket:
        async with house.visit(processes[number % 2], player) as club:
            ticket = await take(club, f"request-{player}")
            return await _last(club, ticket.ticket_id)

    playing = asyncio.gather(*(play(number, player) for number, player in enumerate(players)))
    await until(lambda: len(house.tables.made) == 13, 40)
    house.clock.advance(31)
    final = await asyncio.wait_for(playing, 40)
    assert {ticket.status for ticket in final} == {pb.TICKET_STATUS_MATCHED}
    assert house.tables.tables_of() == dict.fromkeys(players, 1)
    assert sorted(len(seats) for seats in house.tables.seated()) == [1] + [3] * 13
    for player, ticket in zip(players, final, strict=True):
        assert player in [one.player_id for one in house.tables.made[ticket.table_id].players]


def test_a_limit_beyond_the_life_of_a_ticket_is_refused() -> None:
    with pytest.raises(ValidationError, match="longer than limit_seconds"):
        MatchmakingSettings(limit_seconds=60, ticket_seconds=60)
