"""From a wish to play to the Hall of Fame: a ticket, a table, the seat, the match, the ledger."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from shared.client import new_request_id
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.gen.levata.table.v1 import table_pb2
from tests.support.any_game import SMALLEST
from tests.support.full_club import FullClub, full_club
from tests.support.guests import Guest
from tests.support.proofs import (
    check_accepted,
    check_hall_of_fame,
    check_match,
    check_record,
    hall_of_fame,
    posted,
    read_log,
    record_of,
)

pytestmark = pytest.mark.timeout(240)

LIMIT_SECONDS = 1.5
MATCH_SECONDS = 150.0


async def wait_for_a_table(guest: Guest, queue: str) -> str:
    """Takes a ticket and watches it until there is a table; the table's id."""
    request = matchmaking_pb2.CreateTicketRequest(request_id=new_request_id(), queue_id=queue)
    ticket = (await guest.club.matchmaking.CreateTicket(request)).ticket
    seen = [ticket async for ticket in guest.club.watch_ticket(ticket.ticket_id)]
    assert seen[-1].status == matchmaking_pb2.TICKET_STATUS_MATCHED
    return seen[-1].table_id


async def check_all(club: FullClub, guests: list[Guest], table: table_pb2.Table, folder: Path) -> None:
    """Log, record, ledger and Hall of Fame agree about a match that these people played."""
    log = await read_log(club.bus, table.table_id)
    check_accepted(log, guests, table.table_id)
    match = await posted(guests[0], table.match_id)
    check_match(match, table, log)
    check_record(await record_of(guests[0], table.match_id), log, table.shuffle_commitment, folder)
    assert match.game == table.options.game.WhichOneof("game")
    check_hall_of_fame(await hall_of_fame(guests[0], match.game), [match], [guest.id for guest in guests])


async def test_a_person_who_waits_alone_plays_with_bots_after_the_limit_whatever_the_game(tmp_path: Path) -> None:
    async with (
        asyncio.timeout(MATCH_SECONDS),
        full_club(tmp_path / "club", matchmaking={"limit_seconds": LIMIT_SECONDS}) as club,
        contextlib.AsyncExitStack() as stack,
    ):

        async def alone(game: str, seats: int) -> None:
            queue = f"{game}-{seats}"
            guest = await stack.enter_async_context(club.guest(game.capitalize()))
            table = await guest.play(await wait_for_a_table(guest, queue))
            assert [seat.kind for seat in table.seats].count(table_pb2.SEAT_KIND_BOT) == seats - 1
            assert [seat.player_id for seat in table.seats].count(guest.id) == 1
            assert any(value for _, value in table.options.clock.ListFields())
            folder = tmp_path / game
            folder.mkdir()
            await check_all(club, [guest], table, folder)
            metrics = club.service("matchmaking").metrics
            assert metrics.value("levata_matchmaking_tickets_ended_total", queue=queue, outcome="matched") == 1
            assert metrics.value("levata_matchmaking_bots_seated_total", queue=queue) == seats - 1

        await asyncio.gather(*(alone(game, seats) for game, seats in SMALLEST))


async def test_two_people_in_one_queue_meet_at_one_table_and_a_third_in_another_queue_does_not(tmp_path: Path) -> None:
    async with (
        asyncio.timeout(MATCH_SECONDS),
        full_club(tmp_path / "club", matchmaking={"limit_seconds": LIMIT_SECONDS}) as club,
        club.guest("Ana") as ana,
        club.guest("Bogdan") as bogdan,
        club.guest("Carmen") as carmen,
    ):
        there = await asyncio.gather(
            wait_for_a_table(ana, "arzoi-4"),
            wait_for_a_table(bogdan, "arzoi-4"),
            wait_for_a_table(carmen, "arzoi-5"),
        )
        assert there[0] == there[1] != there[2]
        one, two = await asyncio.gather(ana.play(there[0]), bogdan.play(there[1]))
        assert one.standings == two.standings
        people = {seat.player_id for seat in one.seats if seat.kind == table_pb2.SEAT_KIND_HUMAN}
        assert people == {ana.id, bogdan.id}
        await check_all(club, [ana, bogdan], one, tmp_path)
