"""Rated matches of Rentz through all services: one finished though somebody left, one stopped late, one early."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from services.ledger.database import Database
from services.ledger.totals import recompute
from shared.client import TableSession, new_request_id
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import table_pb2
from tests.support.full_club import FullClub, full_club
from tests.support.guests import Guest
from tests.support.proofs import check_record, hall_of_fame, posted, read_log, record_of
from tests.support.rentz_rating import by_hand
from tests.support.waiting import until

WITHIN_SECONDS = 150.0
HANDS = 32
LATE, EARLY = 19, 4
"""Two matches are stopped when it is the host's turn for the first time in, or after, these hands."""

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(240)]


def hand(session: TableSession) -> int:
    """The number of the hand that is played."""
    return session.table.game.rentz.number


@dataclass
class Evening:
    """What was played.

    Attributes:
        club: Where.
        four: Who began every match, by seat.
        dan: Who took a seat in one of them.
        finished: The match that was finished; Radu left it, and Dan played on.
        late: One that was stopped after more than four rounds.
        early: One that Maria left, and that was stopped before four rounds.
        stopped_in: The hands in which these two were stopped.
    """

    club: FullClub
    four: list[Guest]
    dan: Guest
    finished: ledger_pb2.Match
    late: ledger_pb2.Match
    early: ledger_pb2.Match
    stopped_in: tuple[int, int]

    def matches(self) -> list[ledger_pb2.Match]:
        return [self.finished, self.late, self.early]


async def sit_down(four: list[Guest]) -> str:
    """A table at which these people sit, its match started."""
    ana, *others = four
    table = await ana.open_table(4, game="rentz")
    for seat, guest in enumerate(others, 1):
        await guest.join(table, seat)
    await ana.start(table)
    return table


async def leave(guest: Guest, table: str, in_hand: int) -> None:
    """Plays until some hand, and leaves for good."""
    async with guest.club.play(table) as session:
        await guest.play_on(session, until=lambda session: hand(session) >= in_hand)
        await guest.club.tables.LeaveTable(table_pb2.LeaveTableRequest(request_id=new_request_id(), table_id=table))


async def stop(host: Guest, table: str, in_hand: int) -> int:
    """Plays until it is the host's turn in some hand, or after it, and stops the table; the interrupted hand."""
    async with host.club.play(table) as session:
        await host.play_on(session, until=lambda session: hand(session) >= in_hand and session.view.my_turn)
        interrupted = hand(session)
        await host.club.tables.StopTable(table_pb2.StopTableRequest(request_id=new_request_id(), table_id=table))
        return interrupted


async def one_leaves_for_another(four: list[Guest], dan: Guest, table: str) -> None:
    ana, ion, radu, maria = four

    async def dan_for_radu() -> None:
        await leave(radu, table, 3)
        await dan.club.tables.RequestSeat(table_pb2.RequestSeatRequest(request_id=new_request_id(), table_id=table))
        admission = table_pb2.AnswerSeatRequestRequest(
            request_id=new_request_id(), table_id=table, player_id=dan.id, admit=True
        )
        await ana.club.tables.AnswerSeatRequest(admission)
        await dan.play(table)

    await asyncio.gather(ana.play(table), ion.play(table), maria.play(table), dan_for_radu())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def evening(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Evening]:
    """Four people at three tables at once; where a seat is a bot's the table plays for it."""
    async with (
        full_club(tmp_path_factory.mktemp("club"), table={"bot_milliseconds": 1}, bots=False) as club,
        club.guest("Ana") as ana,
        club.guest("Ion") as ion,
        club.guest("Radu") as radu,
        club.guest("Maria") as maria,
        club.guest("Dan") as dan,
    ):
        four = [ana, ion, radu, maria]
        finished, late, early = [await sit_down(four) for _ in range(3)]
        async with asyncio.timeout(WITHIN_SECONDS), asyncio.TaskGroup() as group:
            group.create_task(one_leaves_for_another(four, dan, finished))
            for guest in (ion, radu, maria):
                group.create_task(guest.play(late))
            for guest in (ion, radu):
                group.create_task(guest.play(early))
            group.create_task(leave(maria, early, 2))
            late_hand = group.create_task(stop(ana, late, LATE))
            early_hand = group.create_task(stop(ana, early, EARLY))
        yield Evening(
            club,
            four,
            dan,
            finished=await posted(ana, finished),
            late=await posted(ana, late),
            early=await posted(ana, early),
            stopped_in=(late_hand.result(), early_hand.result()),
        )


def changes(match: ledger_pb2.Match) -> dict[str, int]:
    """What a match did to ratings, by person."""
    return {one.player_id: one.change for one in match.points_rating_changes}


def expected(evening: Evening, match: ledger_pb2.Match, left: list[int]) -> dict[str, int]:
    """What it has to do, worked out from its points."""
    found = by_hand([seat.points for seat in match.seats], left, match.hands_finished)
    return {guest.id: change for guest, change in zip(evening.four, found, strict=True) if change is not None}


@pytest.mark.rule("RZ-20", "GAP-Z17", "GAP-Z19")
async def test_who_left_a_match_that_others_finished_loses_and_the_others_are_rated_by_the_formula(
    evening: Evening,
) -> None:
    match, (ana, ion, radu, maria) = evening.finished, evening.four
    assert (match.stopped, match.hands_finished, match.hands) == (False, HANDS, HANDS)
    assert sum(seat.points for seat in match.seats) == -2800
    assert [seat.player_id for seat in match.seats] == [ana.id, ion.id, evening.dan.id, maria.id]
    assert [seat.starter_player_id for seat in match.seats] == [guest.id for guest in evening.four]
    assert [seat.starter_left for seat in match.seats] == [False, False, True, False]
    assert changes(match) == expected(evening, match, [2])
    assert changes(match)[radu.id] == -20
    assert max(changes(match)[guest.id] for guest in (ana, ion, maria)) == 20
    assert evening.dan.id not in changes(match)


@pytest.mark.rule("RZ-19", "RZ-21", "GAP-Z16")
async def test_a_match_stopped_after_more_than_four_rounds_is_rated_in_proportion(evening: Evening) -> None:
    match = evening.late
    assert (match.stopped, match.hands_finished, match.hands) == (True, evening.stopped_in[0] - 1, HANDS)
    assert not any(seat.starter_left for seat in match.seats)
    assert changes(match) == expected(evening, match, [])
    assert len(changes(match)) == 4
    assert 11 <= max(changes(match).values()) < 20  # after 18 hands 20 * 18/32 = 11.25


@pytest.mark.rule("RZ-19", "RZ-21", "EX-Z15")
async def test_a_match_stopped_early_is_rated_for_nobody_but_who_left(evening: Evening) -> None:
    match = evening.early
    assert (match.stopped, match.hands_finished, match.hands) == (True, evening.stopped_in[1] - 1, HANDS)
    assert changes(match) == {evening.four[3].id: -20}


@pytest.mark.rule("GAP-Z17")
async def test_ratings_are_a_thousand_and_what_the_matches_did_and_everybody_is_told(evening: Evening) -> None:
    totals = {
        guest.id: 1000 + sum(changes(match).get(guest.id, 0) for match in evening.matches()) for guest in evening.four
    }
    for guest in evening.four:
        profile = await guest.club.ledger.GetProfile(ledger_pb2.GetProfileRequest())
        [standing] = profile.standings
        assert (standing.game, standing.points_rating.rating) == ("rentz", totals[guest.id])
        listed = await guest.club.ledger.ListMatches(ledger_pb2.ListMatchesRequest())
        assert {match.match_id for match in listed.matches} == {match.match_id for match in evening.matches()}
    board = await evening.dan.club.ledger.ListLeaderboard(ledger_pb2.ListLeaderboardRequest(game="rentz"))
    assert {entry.player_id: entry.points_rating.rating for entry in board.entries} == totals
    assert [entry.points_rating.rating for entry in board.entries] == sorted(totals.values(), reverse=True)

    bus = evening.club.bus

    async def all_told() -> bool:
        return (await bus.js.stream_info("LEDGER")).state.messages == 3

    await until(all_told)
    told = [ledger_pb2.RatingsChanged.FromString((await bus.js.get_msg("LEDGER", n)).data or b"") for n in (1, 2, 3)]
    assert [message.number for message in told] == [1, 2, 3]
    last = {one.player_id: one.rating for message in told for one in message.points_ratings}
    assert last == totals
    [estimated] = [message for message in told if message.ratings]
    assert estimated.match_id == evening.finished.match_id


@pytest.mark.rule("AZ-48", "AZ-53")
async def test_the_hall_of_fame_has_the_finished_match_alone_and_its_points_for_who_had_the_seats(
    evening: Evening,
) -> None:
    entries = await hall_of_fame(evening.dan, "rentz")
    points = {seat.player_id: seat.points for seat in evening.finished.seats}
    assert {player: entry.points for player, entry in entries.items()} == points
    assert {entry.matches for entry in entries.values()} == {1}
    assert entries[evening.dan.id].points_rating == 1000


async def test_the_record_of_the_finished_match_is_verified_and_the_ledgers_totals_are_proved(
    evening: Evening, tmp_path: Path
) -> None:
    match, ana = evening.finished, evening.four[0]
    answer = await ana.club.tables.GetTable(table_pb2.GetTableRequest(table_id=match.match_id))
    record = await record_of(ana, match.match_id)
    check_record(
        record, await read_log(evening.club.bus, match.match_id), answer.update.table.shuffle_commitment, tmp_path
    )
    database = Database(f"sqlite:///{evening.club.folder / 'ledger.db'}")
    try:
        audit = await recompute(database)
    finally:
        await database.close()
    assert (audit.games, audit.disagreements) == (("rentz",), ())
