"""From tickets to a match: the real matchmaking, the real table service, and the client library over both."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from deploy.nats.provision import provision
from services.matchmaking.service import bind
from services.matchmaking.settings import MatchmakingSettings
from shared.client import Addresses, Club, TableSession
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2 as mm
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.harness import Service
from shared.process import running
from tests.support import services
from tests.support.local_club import local_settings, nats_settings, running_nats
from tests.support.nats import free_port
from tests.support.recorded_tables import recorded_tables
from tests.support.table_service import start_table
from tests.support.tokens import TokenIssuer
from tests.support.waiting import until

PEOPLE = ("Ana", "Ion", "Eva")
WITHIN = 60.0


async def start_matchmaking(club: services.Club, table_address: str, name: str = "matchmaking") -> Service:
    return await club.start(
        name, MatchmakingSettings, bind, table_address=table_address, limit_seconds=1.0, ticket_seconds=60.0
    )


async def matched(club: Club, queue_id: str) -> str:
    """Takes a ticket and waits for its table."""
    request = mm.CreateTicketRequest(request_id="request-1", queue_id=queue_id)
    ticket = (await club.matchmaking.CreateTicket(request)).ticket
    async for shown in club.watch_ticket(ticket.ticket_id):
        ticket = shown
    assert ticket.status == mm.TICKET_STATUS_MATCHED
    return ticket.table_id


async def plays_until(session: TableSession, revision: int) -> int:
    """Plays the first legal action whenever it is this player's turn; how many were played."""
    played = 0
    async for update in session:
        if update.revision >= revision or session.view.over:
            break
        if update.revision == session.revision and session.view.my_turn:
            await session.act(session.private.legal_actions[0])
            played += 1
    return played


async def test_three_players_are_seated_and_play_on_over_a_restart_of_the_table_service(
    levata: services.Club, tmp_path: Path
) -> None:
    listen = f"127.0.0.1:{free_port()}"
    table_service = await start_table(levata, tmp_path, listen=listen)
    matchmaking = await start_matchmaking(levata, listen)
    addresses = Addresses(table=listen, matchmaking=matchmaking.address)
    async with AsyncExitStack() as stack, asyncio.timeout(WITHIN):
        clubs = [
            await stack.enter_async_context(
                Club.connect(addresses, language="en", token=levata.issuer.token(f"p-{name.lower()}", name))
            )
            for name in PEOPLE
        ]
        (table_id,) = set(await asyncio.gather(*(matched(club, "arzoi-3") for club in clubs)))
        sessions = [await stack.enter_async_context(club.play(table_id)) for club in clubs]
        assert {seat.name for seat in sessions[0].table.seats} == set(PEOPLE)
        assert {seat.kind for seat in sessions[0].table.seats} == {pb.SEAT_KIND_HUMAN}
        assert sorted(session.private.seat for session in sessions) == [0, 1, 2]
        assert sessions[0].table.options.clock.bid_seconds == 20

        playing = asyncio.gather(*(plays_until(session, 120) for session in sessions))
        await sessions[0].reached(60)
        await table_service.crash()
        restarted = await start_table(levata, tmp_path, "table-2", listen=listen)
        played = await playing
        assert sum(played) > 60
        last = max(session.revision for session in sessions)
        await asyncio.gather(*(session.reached(last) for session in sessions))
        for club, session in zip(clubs, sessions, strict=True):
            fresh = (await club.tables.GetTable(pb.GetTableRequest(table_id=table_id))).update
            await session.reached(fresh.revision)
            assert session.revision == fresh.revision
            assert session.table == fresh.table
            assert session.private == fresh.private
            assert session.score_sheet == fresh.score_sheet
        assert restarted.metrics.value("levata_rpc_in_flight", method="/levata.table.v1.TableService/PlayTable") == 3


async def test_matchmaking_needs_no_more_of_nats_than_it_is_permitted(tmp_path: Path) -> None:
    settings = local_settings(tmp_path / "club")
    issuer = TokenIssuer(tmp_path / "keys")
    async with running_nats(settings) as passwords, recorded_tables() as tables, asyncio.timeout(WITHIN):
        await provision(nats_settings(settings, passwords, "provisioner"))
        permitted = nats_settings(settings, passwords, "matchmaking")
        own = MatchmakingSettings(
            nats_url=permitted.nats_url,
            nats_user=permitted.nats_user,
            nats_password=permitted.nats_password,
            jwks_file=issuer.jwks_file,
            service_token_file=issuer.service_token_file("matchmaking"),
            table_address=tables.address,
            limit_seconds=1.0,
            lease_seconds=1.0,
        )
        async with running("matchmaking", own, bind) as service:
            await until(service.check_readiness)
            addresses = Addresses(matchmaking=service.address)
            async with Club.connect(addresses, token=issuer.token("p-ana", "Ana")) as club:
                assert await matched(club, "arzoi-3") in tables.made
                request = mm.CreateTicketRequest(request_id="request-2", queue_id="arzoi-4")
                ticket = (await club.matchmaking.CreateTicket(request)).ticket
                cancel = mm.CancelTicketRequest(ticket_id=ticket.ticket_id)
                cancelled = (await club.matchmaking.CancelTicket(cancel)).ticket
                assert cancelled.status == mm.TICKET_STATUS_CANCELLED
        # The leases were given back, so that another process leads at once.
        async with running("matchmaking", own, bind) as service:
            await until(lambda: service.metrics.value("levata_matchmaking_leading", queue="arzoi-3") == 1)


async def test_one_who_waits_alone_plays_against_bots(levata: services.Club, tmp_path: Path) -> None:
    table_service = await start_table(levata, tmp_path)
    matchmaking = await start_matchmaking(levata, table_service.address)
    addresses = Addresses(table=table_service.address, matchmaking=matchmaking.address)
    async with asyncio.timeout(WITHIN), Club.connect(addresses, token=levata.issuer.token("p-ana", "Ana")) as club:
        table_id = await matched(club, "arzoi-9")
        async with club.play(table_id) as session:
            kinds = [seat.kind for seat in session.table.seats]
            assert kinds == [pb.SEAT_KIND_HUMAN] + [pb.SEAT_KIND_BOT] * 8
            assert session.table.host_player_id == "p-ana"
            assert session.table.status == pb.TABLE_STATUS_PLAYING
