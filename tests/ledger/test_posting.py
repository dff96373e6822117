"""Posting results: once, in one transaction, on both databases."""

import asyncio

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from sqlalchemy import text

from services.ledger import rating_changes
from services.ledger.database import Database
from services.ledger.errors import MalformedResultError
from services.ledger.models import (
    Account,
    Entry,
    MatchRow,
    OutboxMessage,
    RatingRow,
    RatingsTold,
    SeatRow,
    Standing,
    StarterRow,
)
from services.ledger.posting import Ledger, Posting
from services.ledger.results import MOST_POINTS, options_message, read_result
from services.ledger.skill import UNKNOWN, Estimate, rate_match, rated
from services.ledger.totals import recompute
from shared.gen.levata.ledger.v1 import ledger_pb2
from tests.support.ledger import World, finished, result, rows, standings


async def test_a_result_is_kept_whole(world: World) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    message = result("m1", [(ana, 57), (None, -12), (ion, 57)], private=True, no_whist_of_2=True, record="carte\n")
    assert await world.ledger.post(read_result(message.SerializeToString())) is Posting.POSTED
    [match] = await rows(world.database, MatchRow)
    assert (match.match_id, match.table_id, match.game, match.record) == ("m1", "table-of-m1", "arzoi", "carte\n")
    assert options_message(match.options) == message.options
    assert match.started_at == message.started_at.ToDatetime(tzinfo=match.started_at.tzinfo)
    assert match.ended_at == message.ended_at.ToDatetime(tzinfo=match.ended_at.tzinfo)
    assert match.private
    assert (match.stopped, match.hands_finished, match.hands) == (False, 32, 32)
    seats = sorted(await rows(world.database, SeatRow), key=lambda seat: int(seat.seat))
    assert [(seat.player_id, seat.points, seat.place, seat.decisions_by_bot) for seat in seats] == [
        (ana, 57, 1, 0),
        (None, -12, 3, 1),
        (ion, 57, 1, 2),
    ]


@pytest.mark.rule("AZ-48", "GAP-A24")
async def test_people_get_their_points_and_bots_get_nothing(world: World) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    await world.ledger.post(finished("m1", [(ana, 57), (None, 80), (ion, -12)]))
    assert await standings(world.database) == {ana: (57, 1, 0), ion: (-12, 1, 0)}
    entries = await rows(world.database, Entry)
    assert sorted((entry.player_id, entry.points, entry.kind) for entry in entries) == sorted(
        [(ana, 57, "result"), (ion, -12, "result")]
    )


async def test_a_result_is_posted_once_however_often_it_is_told(world: World) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    match = finished("m1", [(ana, 57), (ion, -12)])
    assert await world.ledger.post(match) is Posting.POSTED
    for _ in range(3):
        assert await world.ledger.post(match) is Posting.DUPLICATE
    assert await standings(world.database) == {ana: (57, 1, 1), ion: (-12, 1, 0)}
    assert len(await rows(world.database, OutboxMessage)) == 1


async def test_another_result_under_the_same_id_changes_nothing_and_is_noticed(world: World) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    await world.ledger.post(finished("m1", [(ana, 57), (ion, -12)]))
    assert await world.ledger.post(finished("m1", [(ana, -12), (ion, 57)])) is Posting.CONTRADICTION
    assert await standings(world.database) == {ana: (57, 1, 1), ion: (-12, 1, 0)}


async def test_many_processes_that_post_the_same_at_once_post_it_once(world: World, address: str) -> None:
    players = [await world.guest(f"Player {n}") for n in range(4)]
    matches = [finished(f"m{n}", [(player, n * place) for place, player in enumerate(players)]) for n in range(6)]
    others = [Database(address) for _ in range(3)]
    ledgers = [Ledger(database, world.foreign, world.clock) for database in [world.database, *others]]
    try:
        outcomes = await asyncio.gather(*(ledger.post(match) for match in matches for ledger in ledgers))
    finally:
        for database in others:
            await database.close()
    assert outcomes.count(Posting.POSTED) == len(matches)
    assert outcomes.count(Posting.DUPLICATE) == len(matches) * (len(ledgers) - 1)
    total = sum(range(6))
    assert {player: own[:2] for player, own in (await standings(world.database)).items()} == {
        player: (total * place, 6) for place, player in enumerate(players)
    }
    assert (await recompute(world.database)).disagreements == ()
    assert {row.matches for row in await rows(world.database, RatingRow)} == {6}


async def test_a_posting_that_fails_half_way_leaves_nothing_behind(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    match = finished("m1", [(ana, 57), (ion, -12), ("elsewhere-1", 3)])

    def power_cut(*_arguments: object, **_more: object) -> None:
        raise RuntimeError("the power went out")

    with monkeypatch.context() as patch:
        patch.setattr(rating_changes, "tell", power_cut)  # the last step of all
        with pytest.raises(RuntimeError):
            await world.ledger.post(match)
    for model in (MatchRow, SeatRow, StarterRow, Entry, Standing, RatingRow, RatingsTold, OutboxMessage):
        assert await rows(world.database, model) == []
    assert len(await rows(world.database, Account)) == 2
    assert await world.ledger.post(match) is Posting.POSTED


async def test_an_unknown_account_is_made_on_sight_so_that_its_result_is_not_lost(world: World) -> None:
    ana = await world.guest("Ana")
    match = finished("m1", [(ana, 57), ("elsewhere-42", 12), ("lostbyarestore", 3)])
    assert await world.ledger.post(match) is Posting.POSTED
    assert (await standings(world.database))["elsewhere-42"] == (12, 1, 0)
    accounts = {account.player_id: account for account in await rows(world.database, Account)}
    assert accounts["elsewhere-42"].external
    assert accounts["elsewhere-42"].name.startswith("name of elsewhere")
    assert accounts["lostbyarestore"].external


async def test_unknown_accounts_of_one_name_posted_at_once_all_come_in(world: World) -> None:
    matches = []
    for n in range(5):
        message = result(f"m{n}", [(f"elsewhere-{n}", 5), (f"elsewhere-{n + 1}", 3)])
        for seat in message.seats:
            seat.name = "Radu"
        matches.append(read_result(message.SerializeToString()))
    await asyncio.gather(*(world.ledger.post(match) for match in matches))
    accounts = await rows(world.database, Account)
    assert len(accounts) == len({account.name_key for account in accounts}) == 6


# Estimates


async def test_winning_raises_the_estimate_and_losing_lowers_it(world: World) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    await world.ledger.post(finished("m1", [(ana, 57), (None, 99), (ion, -12)]))
    ratings = {row.player_id: row for row in await rows(world.database, RatingRow)}
    assert ratings[ana].mean > UNKNOWN.mean > ratings[ion].mean
    for row in ratings.values():
        assert row.deviation < UNKNOWN.deviation
        assert row.ordinal == row.mean - 3 * row.deviation
        assert row.matches == 1


async def test_a_person_alone_among_bots_is_not_rated(world: World) -> None:
    ana = await world.guest("Ana")
    await world.ledger.post(finished("m1", [(ana, 57), (None, 99), (None, -12)]))
    assert await rows(world.database, RatingRow) == []
    assert await rows(world.database, OutboxMessage) == []
    assert await standings(world.database) == {ana: (57, 1, 0)}


async def test_every_posting_with_two_people_is_told(world: World) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    for n in range(3):
        await world.ledger.post(finished(f"m{n}", [(ana, 57), (ion, -12), (None, 0)]))
    told = sorted(await rows(world.database, OutboxMessage), key=lambda row: int(row.outbox_id))
    messages = [ledger_pb2.RatingsChanged.FromString(row.payload) for row in told]
    assert [message.match_id for message in messages] == ["m0", "m1", "m2"]
    assert [message.number for message in messages] == sorted({message.number for message in messages})
    assert {row.subject for row in told} == {"ledger.ratings.arzoi"}
    ratings = {row.player_id: row for row in await rows(world.database, RatingRow)}
    assert {(one.player_id, one.mean, one.ordinal, one.matches) for one in messages[-1].ratings} == {
        (row.player_id, row.mean, row.ordinal, row.matches) for row in ratings.values()
    }


def test_estimates_depend_on_places_only_and_equal_places_are_a_tie() -> None:
    known = {"a": Estimate(30.0, 4.0, 9), "b": Estimate(20.0, 8.0, 1), "c": UNKNOWN}
    one = rate_match(known, {"a": 1, "b": 2, "c": 2})
    assert one == rate_match(known, {"c": 5, "b": 5, "a": 3})
    swapped = rate_match({**known, "c": known["b"]}, {"a": 1, "b": 2, "c": 2})
    assert swapped["b"].mean == pytest.approx(swapped["c"].mean)
    with pytest.raises(ValueError, match="two people"):
        rated([UNKNOWN], [1])


# What cannot be a result


def broken(**changes: object) -> bytes:
    message = result("m1", [("a", 5), ("b", 3)])
    for name, value in changes.items():
        if value is None:
            message.ClearField(name)  # type: ignore[arg-type]
        elif isinstance(value, Timestamp):
            getattr(message, name).CopyFrom(value)
        else:
            setattr(message, name, value)
    return message.SerializeToString()


def broken_seat(number: int, **changes: object) -> bytes:
    message = result("m1", [("a", 5), ("b", 3)])
    for name, value in changes.items():
        setattr(message.seats[number], name, value)
    return message.SerializeToString()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"\xff\xff\xff", "not a MatchResult"),
        (b"", "match_id"),
        (broken(match_id=""), "match_id"),
        (broken(match_id="x" * 65), "match_id"),
        (broken(match_id="m\0"), "match_id"),
        (broken(table_id=""), "table_id"),
        (broken(game=""), "game"),
        (broken(game="Arzoi!"), "game"),
        (broken(game="remi"), "options"),
        (broken(options=None), "options"),
        (broken(started_at=None), "started_at"),
        (broken(ended_at=None), "ended_at"),
        (broken(ended_at=Timestamp(seconds=1)), "before it started"),
        (broken(ended_at=Timestamp(seconds=10**14)), "no moment"),
        (broken(record="a\0b"), "record"),
        (broken(seats=None), "seats"),
        (broken(hands=None), "hands"),
        (broken(hands=10_001), "hands"),
        (broken(hands_finished=33), "hands"),
        (broken(hands_finished=31), "finished with 31 of 32"),
        (broken(stopped=True), "stopped with 32 of 32"),
        (broken_seat(1, seat=0), "seats"),
        (broken_seat(1, seat=2), "seats"),
        (broken_seat(1, player_id="a"), "two seats"),
        (broken_seat(1, player_id="x" * 65), "player_id"),
        (broken_seat(1, player_id="b\0"), "player_id"),
        (broken_seat(1, name="x" * 65), "name"),
        (broken_seat(1, place=0), "place"),
        (broken_seat(0, place=2), "first place"),
        (broken_seat(1, points=MOST_POINTS + 1), "points"),
        (broken_seat(1, points=-(2**63)), "points"),
        (broken_seat(1, starter_player_id="a", starter_left=True), "two seats"),
        (broken_seat(1, starter_player_id="x" * 65, starter_left=True), "starter_player_id"),
        (broken_seat(1, starter_name="x" * 65), "name"),
        (broken_seat(1, starter_name="a\0b"), "name"),
        (broken_seat(1, starter_player_id="c"), "changed hands"),
        (broken_seat(1, player_id=""), "changed hands"),
        (broken_seat(1, starter_player_id="", starter_left=True), "nobody began"),
    ],
)
def test_a_result_that_contradicts_itself_is_malformed(data: bytes, problem: str) -> None:
    with pytest.raises(MalformedResultError, match=problem):
        read_result(data)


async def test_the_greatest_points_that_are_taken_can_be_added_up(world: World) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    for n in range(3):
        await world.ledger.post(finished(f"m{n}", [(ana, MOST_POINTS), (ion, -MOST_POINTS)]))
    assert (await standings(world.database))[ion][0] == -3 * MOST_POINTS
    assert (await recompute(world.database)).disagreements == ()


async def test_sums_are_kept_as_integers(world: World) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    await world.ledger.post(finished("m1", [(ana, MOST_POINTS), (ion, 1)]))
    async with world.database.reading() as session:
        kept = (await session.execute(text("SELECT points FROM standings ORDER BY points DESC"))).scalars().all()
    assert kept == [MOST_POINTS, 1]
    assert all(isinstance(points, int) for points in kept)
