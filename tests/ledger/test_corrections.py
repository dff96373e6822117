"""Taking matches back, and the proof that totals agree with the entries."""

import asyncio

import pytest
from sqlalchemy import text

from services.ledger.corrections import reverse
from services.ledger.errors import AlreadyReversedError, MatchNotFoundError
from services.ledger.models import Entry, OutboxMessage, RatingRow, Reversal
from services.ledger.totals import recompute
from shared.gen.levata.ledger.v1 import ledger_pb2
from tests.support.ledger import World, finished, rows, standings


async def play_three(world: World) -> tuple[str, str, str]:
    ana, ion, radu = [await world.guest(name) for name in ("Ana", "Ion", "Radu")]
    await world.ledger.post(finished("m1", [(ana, 10), (ion, -3), (None, 4)]))
    await world.ledger.post(finished("m2", [(ana, 1), (ion, 7), (radu, 7)]))
    await world.ledger.post(finished("m3", [(radu, -20), (ion, 0), (None, 4)]))
    return ana, ion, radu


async def test_a_match_taken_back_counts_for_nothing(world: World) -> None:
    ana, ion, radu = await play_three(world)
    taken = await reverse(world.database, "m2", "the cards were marked", world.clock)
    assert (taken.game, taken.people) == ("arzoi", 3)
    assert await standings(world.database) == {ana: (10, 1, 1), ion: (-3, 2, 0), radu: (-20, 1, 0)}
    [kept] = await rows(world.database, Reversal)
    assert (kept.match_id, kept.reason, kept.reversed_at) == ("m2", "the cards were marked", world.clock())


async def test_what_was_posted_stays_and_is_answered_by_opposite_entries(world: World) -> None:
    await play_three(world)
    before = {entry.entry_id for entry in await rows(world.database, Entry)}
    await reverse(world.database, "m2", "test", world.clock)
    entries = await rows(world.database, Entry)
    assert before < {entry.entry_id for entry in entries}
    of_match = [entry for entry in entries if entry.match_id == "m2"]
    assert sum(entry.points for entry in of_match) == sum(entry.matches for entry in of_match) == 0
    assert sorted(entry.kind for entry in of_match) == ["result"] * 3 + ["reversal"] * 3


async def test_estimates_are_as_if_the_match_had_not_been_played(world: World) -> None:
    ana, ion, radu = await play_three(world)
    await reverse(world.database, "m1", "test", world.clock)
    after = {row.player_id: (row.mean, row.deviation, row.matches) for row in await rows(world.database, RatingRow)}

    async with world.database.connection() as connection:  # the same two matches on a clean sheet
        await connection.execute(text("DELETE FROM ratings"))
    for match_id, seats in (("n2", [(ana, 1), (ion, 7), (radu, 7)]), ("n3", [(radu, -20), (ion, 0), (None, 4)])):
        await world.ledger.post(finished(match_id, seats))
    afresh = {row.player_id: (row.mean, row.deviation, row.matches) for row in await rows(world.database, RatingRow)}
    assert after == afresh


async def test_changed_estimates_are_told_in_messages_with_higher_numbers(world: World) -> None:
    ana, ion, radu = await play_three(world)
    await reverse(world.database, "m1", "test", world.clock)
    told = sorted(await rows(world.database, OutboxMessage), key=lambda row: int(row.outbox_id))
    messages = [ledger_pb2.RatingsChanged.FromString(row.payload) for row in told]
    assert [message.match_id for message in messages] == ["m1", "m2", "m3", "m1"]
    assert {rating.player_id for rating in messages[-1].ratings} == {ana, ion, radu}
    numbers = [message.number for message in messages]
    assert numbers == sorted(set(numbers))


async def test_a_match_is_taken_back_once(world: World) -> None:
    await play_three(world)
    outcomes = await asyncio.gather(
        *(reverse(world.database, "m2", "test", world.clock) for _ in range(3)), return_exceptions=True
    )
    assert sum(isinstance(one, AlreadyReversedError) for one in outcomes) == 2
    with pytest.raises(AlreadyReversedError):
        await reverse(world.database, "m2", "test", world.clock)
    assert (await recompute(world.database)).disagreements == ()


async def test_an_unknown_match_cannot_be_taken_back(world: World) -> None:
    with pytest.raises(MatchNotFoundError):
        await reverse(world.database, "m9", "test", world.clock)


async def test_the_only_match_taken_back_leaves_nobody_rated(world: World) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    await world.ledger.post(finished("m1", [(ana, 10), (ion, -3)]))
    await reverse(world.database, "m1", "test", world.clock)
    assert {row.matches for row in await rows(world.database, RatingRow)} == {0}
    assert await standings(world.database) == {ana: (0, 0, 0), ion: (0, 0, 0)}
    assert (await recompute(world.database)).disagreements == ()


# The proof


async def means(world: World) -> dict[str, float]:
    return {row.player_id: row.mean for row in await rows(world.database, RatingRow)}


async def test_totals_agree_with_the_entries_after_postings_and_corrections(world: World) -> None:
    await play_three(world)
    await reverse(world.database, "m2", "test", world.clock)
    await world.ledger.post(finished("m4", [("elsewhere-1", 5), (None, 8), ("elsewhere-2", 2)]))
    audit = await recompute(world.database)
    assert (audit.games, audit.entries, audit.disagreements) == (("arzoi",), 7 + 3 + 2, ())


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE standings SET points = points + 1",
        "UPDATE standings SET wins = 0 WHERE wins > 0",
        "DELETE FROM standings",
        "UPDATE ratings SET mean = mean + 0.5",
        "UPDATE ratings SET matches = 0",
        "DELETE FROM ratings",
    ],
)
async def test_a_damaged_total_is_found_and_put_right(world: World, damage: str) -> None:
    await play_three(world)
    before = (await standings(world.database), await means(world))
    async with world.database.connection() as connection:
        await connection.execute(text(damage))
    audit = await recompute(world.database)
    assert audit.disagreements
    assert all(one.fixable for one in audit.disagreements)
    assert len((await recompute(world.database)).disagreements) == len(audit.disagreements)  # looking changes nothing
    await recompute(world.database, fix=True)
    assert (await recompute(world.database)).disagreements == ()
    assert (await standings(world.database), await means(world)) == before


async def test_an_entry_that_no_seat_explains_is_reported_and_left_to_people(world: World) -> None:
    ana, _ion, _radu = await play_three(world)
    async with world.database.connection() as connection:
        await connection.execute(
            text(
                "INSERT INTO entries (match_id, player_id, kind, game, points, matches, wins, posted_at)"
                f" VALUES ('m3', '{ana}', 'result', 'arzoi', 1000, 1, 1, '2026-01-01 00:00:00+00:00')"
            )
        )
    audit = await recompute(world.database, fix=True)
    assert [one.fixable for one in audit.disagreements if "entry" in one.what] == [False]
    assert [str(one) for one in (await recompute(world.database)).disagreements] == [
        f"arzoi: the entry in match m3 of {ana} is 1000, and should be None"
    ]
