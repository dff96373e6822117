"""Matches of a game that has a points rating: posted, told, taken back and proved, on both databases."""

import asyncio

import pytest
from sqlalchemy import text

from services.ledger.corrections import reverse
from services.ledger.database import Database
from services.ledger.models import (
    Entry,
    MatchRow,
    OutboxMessage,
    PointsRatingChange,
    RatingRow,
    SeatRow,
    StarterRow,
)
from services.ledger.posting import Ledger, Posting
from services.ledger.results import EndedMatch, ended_match
from services.ledger.totals import recompute
from shared.gen.levata.ledger.v1 import ledger_pb2
from tests.support.ledger import World, points_ratings, rentz, result, rows, standings

NAMES = ("Ana", "Ion", "Radu", "Maria")


async def four(world: World) -> list[str]:
    return [await world.guest(name) for name in NAMES]


def played(match_id: str, ids: list[str], finished: int = 32, away: tuple[int, ...] = ()) -> EndedMatch:
    """200, -500, -1000, -1500: +20, +3, -7, -20 when all of it counts."""
    seats: list[tuple[str | None, int]] = list(zip(ids, (200, -500, -1000, -1500), strict=True))
    return rentz(match_id, seats, finished=finished, away=away)


async def told(world: World) -> list[ledger_pb2.RatingsChanged]:
    messages = sorted(await rows(world.database, OutboxMessage), key=lambda row: int(row.outbox_id))
    return [ledger_pb2.RatingsChanged.FromString(row.payload) for row in messages]


# Posting


@pytest.mark.rule("RZ-20", "EX-Z10", "GAP-Z17")
async def test_a_finished_match_gives_points_estimates_and_points_ratings(world: World) -> None:
    ana, ion, radu, maria = ids = await four(world)
    assert await world.ledger.post(played("m1", ids)) is Posting.POSTED
    assert await points_ratings(world.database) == {ana: (1020, 1), ion: (1003, 1), radu: (993, 1), maria: (980, 1)}
    assert await standings(world.database) == {
        ana: (200, 1, 1),
        ion: (-500, 1, 0),
        radu: (-1000, 1, 0),
        maria: (-1500, 1, 0),
    }
    assert len(await rows(world.database, RatingRow)) == 4


async def test_ratings_go_on_from_where_they_were_and_below_any_floor(world: World) -> None:
    ana, ion, radu, maria = ids = await four(world)
    matches = 60
    for n in range(matches):
        await world.ledger.post(played(f"m{n}", ids))
    assert await points_ratings(world.database) == {
        ana: (1000 + 20 * matches, matches),
        ion: (1000 + 3 * matches, matches),
        radu: (1000 - 7 * matches, matches),
        maria: (1000 - 20 * matches, matches),
    }
    assert (await recompute(world.database)).disagreements == ()


@pytest.mark.rule("RZ-19", "RZ-21")
async def test_a_stopped_match_changes_points_ratings_and_nothing_else(world: World) -> None:
    ana, ion, radu, maria = ids = await four(world)
    assert await world.ledger.post(played("m1", ids, finished=16)) is Posting.POSTED
    assert await points_ratings(world.database) == {ana: (1010, 1), ion: (1001, 1), radu: (997, 1), maria: (990, 1)}
    assert await standings(world.database) == {}
    assert await rows(world.database, Entry) == []
    assert await rows(world.database, RatingRow) == []
    [match] = await rows(world.database, MatchRow)
    assert (match.stopped, match.hands_finished, match.hands) == (True, 16, 32)
    [message] = await told(world)
    assert (message.number, len(message.ratings)) == (1, 0)
    assert {one.player_id: (one.rating, one.matches) for one in message.points_ratings} == await points_ratings(
        world.database
    )


@pytest.mark.rule("RZ-19", "RZ-21", "EX-Z15")
async def test_stopped_before_four_rounds_only_who_left_loses(world: World) -> None:
    ids = await four(world)
    assert await world.ledger.post(played("m1", ids, finished=15, away=(1,))) is Posting.POSTED
    assert await points_ratings(world.database) == {ids[1]: (980, 1)}
    assert await world.ledger.post(played("m2", ids, finished=15)) is Posting.POSTED
    assert await points_ratings(world.database) == {ids[1]: (980, 1)}
    assert len(await told(world)) == 1
    assert [match.match_id for match in await rows(world.database, MatchRow)] == ["m1", "m2"]


@pytest.mark.rule("GAP-Z17", "GAP-Z19")
async def test_a_leaver_loses_whoever_finished_the_match_and_the_newcomer_gets_the_points(world: World) -> None:
    ana, ion, radu, maria = ids = await four(world)
    dan = await world.guest("Dan")
    seats: list[tuple[str | None, int]] = [(dan, 200), (ion, -500), (None, -1000), (maria, -1500)]
    await world.ledger.post(rentz("m1", seats, starters=ids))
    # Dan is not rated; 200 is still the highest score: -500 is the best of those who stayed, -1500 the formula.
    assert await points_ratings(world.database) == {ana: (980, 1), ion: (1020, 1), radu: (980, 1), maria: (984, 1)}
    assert await standings(world.database) == {dan: (200, 1, 1), ion: (-500, 1, 0), maria: (-1500, 1, 0)}
    assert {row.player_id for row in await rows(world.database, RatingRow)} == {dan, ion, maria}
    starters = sorted(await rows(world.database, StarterRow), key=lambda row: int(row.seat))
    assert [(row.player_id, row.gone) for row in starters] == [(ana, True), (ion, False), (radu, True), (maria, False)]


@pytest.mark.rule("GAP-Z17")
async def test_who_left_one_seat_and_took_another_has_left_and_owns_the_other_seats_points(world: World) -> None:
    ana, ion, _, maria = ids = await four(world)
    seats: list[tuple[str | None, int]] = [(None, 200), (ion, -500), (ana, -1000), (maria, -1500)]
    await world.ledger.post(rentz("m1", seats, starters=ids))
    assert (await points_ratings(world.database))[ana] == (980, 1)
    assert (await standings(world.database))[ana] == (-1000, 1, 0)


@pytest.mark.rule("GAP-Z17")
async def test_a_match_that_a_bot_began_changes_no_points_rating(world: World) -> None:
    ana, ion, radu, maria = await four(world)
    seats: list[tuple[str | None, int]] = [(ana, 200), (ion, -500), (radu, -1000), (maria, -1500)]
    await world.ledger.post(rentz("m1", seats, starters=[ana, ion, radu, None]))
    assert await points_ratings(world.database) == {}
    assert len(await standings(world.database)) == 4


@pytest.mark.rule("AZ-53")
async def test_a_stopped_match_that_is_not_rated_by_points_leaves_nothing(world: World) -> None:
    ids = await four(world)
    seats: list[tuple[str | None, int]] = [(player, -points) for points, player in enumerate(ids)]
    for stopped in (
        ended_match(result("m1", seats, finished=20)),  # of Arzoi
        rentz("m2", [*seats[:3], (None, -3)], finished=20),
        rentz("m3", seats, starters=[*ids[:3], None], finished=20),
    ):
        assert await world.ledger.post(stopped) is Posting.STOPPED
    for model in (MatchRow, SeatRow, StarterRow, Entry, PointsRatingChange, OutboxMessage):
        assert await rows(world.database, model) == []


async def test_an_unknown_starter_gets_an_account_on_sight(world: World) -> None:
    _, ion, radu, maria = await four(world)
    seats: list[tuple[str | None, int]] = [(None, 200), (ion, -500), (radu, -1000), (maria, -1500)]
    await world.ledger.post(rentz("m1", seats, starters=["elsewhere-1", ion, radu, maria]))
    assert (await points_ratings(world.database))["elsewhere-1"] == (980, 1)


async def test_a_result_with_other_leavers_or_another_length_contradicts_the_first(world: World) -> None:
    ids = await four(world)
    await world.ledger.post(played("m1", ids, finished=20, away=(1,)))
    before = await points_ratings(world.database)
    assert await world.ledger.post(played("m1", ids, finished=20, away=(1,))) is Posting.DUPLICATE
    assert await world.ledger.post(played("m1", ids, finished=20)) is Posting.CONTRADICTION
    assert await world.ledger.post(played("m1", ids, finished=21, away=(1,))) is Posting.CONTRADICTION
    assert await world.ledger.post(played("m1", ids, finished=32, away=(1,))) is Posting.CONTRADICTION
    assert await points_ratings(world.database) == before
    assert len(await told(world)) == 1


async def test_processes_that_post_the_same_at_once_change_a_rating_once(world: World, address: str) -> None:
    ids = await four(world)
    matches = [played(f"m{n}", ids, finished=32 if n % 2 else 24) for n in range(6)]
    other = Database(address)
    ledgers = [world.ledger, Ledger(other, world.foreign, world.clock)]
    try:
        outcomes = await asyncio.gather(*(ledger.post(match) for match in matches for ledger in ledgers))
    finally:
        await other.close()
    assert outcomes.count(Posting.POSTED) == outcomes.count(Posting.DUPLICATE) == len(matches)
    assert list((await points_ratings(world.database)).values()).count((1000 + 3 * 20 + 3 * 15, 6)) == 1
    assert [message.number for message in await told(world)] == list(range(1, 7))
    assert (await recompute(world.database)).disagreements == ()


async def test_messages_of_both_kinds_of_changes_are_numbered_together(world: World) -> None:
    ids = await four(world)
    await world.ledger.post(played("m1", ids))
    await world.ledger.post(played("m2", ids, finished=20))
    await world.ledger.post(played("m3", ids))
    await reverse(world.database, "m1", "test", world.clock)
    messages = await told(world)
    assert [(one.match_id, one.number) for one in messages] == [("m1", 1), ("m2", 2), ("m3", 3), ("m1", 4)]
    assert [len(one.ratings) for one in messages] == [4, 0, 4, 4]
    assert [len(one.points_ratings) for one in messages] == [4, 4, 4, 4]


# Taking back


async def test_a_match_taken_back_takes_its_change_back_and_no_other(world: World) -> None:
    ana, ion, radu, maria = ids = await four(world)
    await world.ledger.post(played("m1", ids))
    await world.ledger.post(played("m2", ids, finished=16, away=(0,)))
    await world.ledger.post(played("m3", ids))
    taken = await reverse(world.database, "m2", "the cards were marked", world.clock)
    assert (taken.people, taken.estimates, taken.points_ratings) == (0, 0, 4)
    assert await points_ratings(world.database) == {ana: (1040, 2), ion: (1006, 2), radu: (986, 2), maria: (960, 2)}
    of_match = [row for row in await rows(world.database, PointsRatingChange) if row.match_id == "m2"]
    assert {(row.player_id, row.change) for row in of_match if row.kind == "reversal"} == {
        (row.player_id, -row.change) for row in of_match if row.kind == "result"
    }
    assert len(of_match) == 8
    assert (await recompute(world.database)).disagreements == ()
    await reverse(world.database, "m1", "test", world.clock)
    assert (await points_ratings(world.database))[ana] == (1020, 1)


async def test_the_only_match_taken_back_leaves_everybody_where_they_began(world: World) -> None:
    ids = await four(world)
    await world.ledger.post(played("m1", ids, finished=3, away=(3,)))
    await reverse(world.database, "m1", "test", world.clock)
    assert await points_ratings(world.database) == {ids[3]: (1000, 0)}
    [_, message] = await told(world)
    assert [(one.rating, one.matches) for one in message.points_ratings] == [(1000, 0)]


# The proof


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE points_ratings SET rating = rating + 1",
        "UPDATE points_ratings SET matches = 0",
        "DELETE FROM points_ratings",
    ],
)
async def test_a_damaged_points_rating_is_found_and_put_right(world: World, damage: str) -> None:
    ids = await four(world)
    await world.ledger.post(played("m1", ids))
    await world.ledger.post(played("m2", ids, finished=20, away=(2,)))
    before = await points_ratings(world.database)
    async with world.database.connection() as connection:
        await connection.execute(text(damage))
    found = (await recompute(world.database)).disagreements
    assert [(one.what, one.fixable) for one in found] == [("points rating", True)] * 4
    await recompute(world.database, fix=True)
    assert (await recompute(world.database)).disagreements == ()
    assert await points_ratings(world.database) == before


async def test_a_change_that_the_match_does_not_explain_is_reported_and_left_to_people(world: World) -> None:
    ids = await four(world)
    await world.ledger.post(played("m1", ids, finished=10, away=(0,)))
    async with world.database.connection() as connection:
        await connection.execute(
            text(
                "INSERT INTO points_rating_changes (match_id, posting, kind, game, player_id, seat, change, rating,"
                f" changed_at) VALUES ('m1', 1, 'result', 'rentz', '{ids[1]}', 1, 500, 1500,"
                " '2026-01-01 00:00:00+00:00')"
            )
        )
    found = (await recompute(world.database, fix=True)).disagreements
    assert [one.fixable for one in found if "change" in one.what] == [False]
    assert [str(one) for one in (await recompute(world.database)).disagreements] == [
        f"rentz: the change of the points rating in match m1 of {ids[1]} is 500, and should be None"
    ]
