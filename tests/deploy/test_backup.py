"""A backup taken in the middle of matches, restored into an empty directory: the same club, which plays on."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from services.table import facts as f
from services.table.log import Stored
from services.table.restoration import REVISIONS_SKIPPED
from shared.client import Club, ClubError, new_request_id
from shared.client.credentials import MemoryStore
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.gen.levata.table.v1 import table_pb2
from tests.support.backups import logs, restore, take
from tests.support.full_club import FullClub, full_club_on
from tests.support.guests import Guest
from tests.support.nats import nats_server
from tests.support.proofs import hall_of_fame, posted, read_log
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(120)

SECONDS = 90.0
GAME = "whist"
LONG = {"limit_seconds": 500.0, "ticket_seconds": 900.0}


async def my_tables(guest: Guest) -> list[str]:
    """The tables at which somebody sits."""
    answer = await guest.club.tables.ListMyTables(table_pb2.ListMyTablesRequest())
    return sorted(one.table_id for one in answer.tables)


async def known_of(guest: Guest) -> dict[str, Any]:
    """Everything that the ledger tells of a person and of the game, as text."""
    ledger = guest.club.ledger
    return {
        "hall": {player: str(entry) for player, entry in (await hall_of_fame(guest, GAME)).items()},
        "profile": str(await ledger.GetProfile(ledger_pb2.GetProfileRequest(player_id=guest.id))),
        "matches": str(await ledger.ListMatches(ledger_pb2.ListMatchesRequest(player_id=guest.id))),
        "leaders": str(await ledger.ListLeaderboard(ledger_pb2.ListLeaderboardRequest(game=GAME))),
    }


@contextlib.asynccontextmanager
async def returned(club: FullClub, guest: Guest) -> AsyncIterator[Guest]:
    """The same person, whose device knows only what it knew, at another club."""
    store = MemoryStore(guest.club.credentials)
    async with Club.connect(club.addresses, language="en", store=store) as again:
        await again.sign_in_again()
        yield Guest(again, guest.name, guest.chance)


async def open_match(guest: Guest) -> str:
    """Starts a match with two bots, as short as they are; the table's id."""
    table = await guest.open_table(3, GAME)
    guest.accepted[table] = []
    await guest.start(table)
    return table


async def take_ticket(guest: Guest, queue: str) -> str:
    """Takes a ticket; its id."""
    request = matchmaking_pb2.CreateTicketRequest(request_id=new_request_id(), queue_id=queue)
    return (await guest.club.matchmaking.CreateTicket(request)).ticket.ticket_id


def check_log(restored: list[Stored], before: list[Stored], *, over: bool) -> None:
    """A restored log is a log as it was, record by record and in its place, and one record more if it is to go on."""
    same = restored if over else restored[:-1]
    assert same == before[: len(same)]
    assert same
    if not over:
        last, record = f.decode(same[-1][1]), f.decode(restored[-1][1])
        assert isinstance(record.facts[0], f.Restored)
        assert record.prev == f.link(same[-1][1])
        assert record.n > last.n + REVISIONS_SKIPPED


def is_over(log: list[Stored]) -> bool:
    """Whether the match of a log is over."""
    facts = [fact for _, data in log for fact in f.decode(data).facts]
    return any(isinstance(fact, f.MatchFinished | f.TableStopped) for fact in facts)


async def test_a_backup_taken_in_the_middle_of_matches_is_the_same_club_again_and_plays_on(tmp_path: Path) -> None:
    async with asyncio.timeout(SECONDS):
        async with (
            nats_server(tmp_path / "nats") as nats,
            full_club_on(nats, tmp_path, matchmaking=LONG) as club,
            club.guest("Ana") as ana,
            club.guest("Bogdan") as bogdan,
        ):
            ended = await ana.play(await open_match(ana))
            await posted(ana, ended.match_id)
            waiting = await ana.open_table(4, visibility=table_pb2.VISIBILITY_PRIVATE)
            ticket = await take_ticket(ana, "rentz-4")
            running = await open_match(bogdan)
            async with bogdan.club.play(running) as session:
                await bogdan.play_on(session, until=lambda one: one.view.my_turn and len(bogdan.accepted[running]) >= 5)
                exhibition = await club.exhibition(3)
                figures = club.service("table").metrics
                await until(lambda: (figures.value("levata_table_actions_total", game="arzoi", by="bot") or 0) > 20)

                await take(nats, club.database_url, tmp_path / "backup")

                hall = await known_of(ana)
                points = (await hall_of_fame(ana, GAME))[ana.id].points
                tables = [await my_tables(one) for one in (ana, bogdan)]
                revision, accepted = session.revision, list(bogdan.accepted[running])
                await club.service("bot").stop()
                before = await logs(nats)

        async with nats_server(tmp_path / "nats again", sync_interval="2m") as nats:
            folder = tmp_path / "again"
            done = await restore(nats, f"sqlite:///{folder / 'ledger.db'}", tmp_path / "backup")
            after = await logs(nats)
            assert set(after) == {ended.table_id, waiting, running, exhibition}
            for table, log in after.items():
                check_log(log, before[table], over=table == ended.table_id)
            assert len(after[running]) == len(before[running]) + 1  # nobody moved there meanwhile
            assert not is_over(after[exhibition])
            assert (done.resumed.resumed, done.resumed.over, done.resumed.damaged) == (3, 1, {})

            async with (
                full_club_on(nats, folder, matchmaking=LONG) as club,
                returned(club, ana) as ana,
                returned(club, bogdan) as bogdan,
            ):
                assert await known_of(ana) == hall
                assert [await my_tables(one) for one in (ana, bogdan)] == tables
                with pytest.raises(ClubError, match="TICKET_NOT_FOUND"):  # a wish of that evening, and no more
                    await ana.club.matchmaking.GetTicket(matchmaking_pb2.GetTicketRequest(ticket_id=ticket))
                assert await take_ticket(ana, "rentz-4") != ticket
                async with bogdan.club.play(running) as again:
                    assert again.table.HasField("restored_to")
                    finished = await bogdan.play_on(again)
                    assert again.revision > revision + REVISIONS_SKIPPED
                assert finished.status == table_pb2.TABLE_STATUS_FINISHED
                told = await read_log(club.bus, running)
                played = sorted(accepted + bogdan.accepted[running], key=lambda one: one.revision)
                assert told.actions("player") == played
                (fact,) = told.facts(f.Restored)
                assert fact.skipped >= REVISIONS_SKIPPED
                assert len(told.facts(f.StoodStill)) == 1
                match = await posted(bogdan, running)
                assert tuple(seat.points for seat in match.seats) == told.points

                async def exhibited() -> bool:
                    return bool((await read_log(club.bus, exhibition)).points)

                await until(exhibited, 60.0)
                entries = await hall_of_fame(ana, GAME)
                assert {player: entry.matches for player, entry in entries.items()} == {ana.id: 1, bogdan.id: 1}
                assert entries[ana.id].points == points
