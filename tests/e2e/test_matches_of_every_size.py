"""A person and bots play a whole match at every size, through all four services; nothing of it is made up."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import table_pb2
from tests.support.full_club import FullClub, full_club
from tests.support.guests import Guest
from tests.support.proofs import (
    Log,
    check_accepted,
    check_hall_of_fame,
    check_match,
    check_record,
    hall_of_fame,
    posted,
    read_log,
    record_of,
)

SIZES = range(3, 10)
MATCH_SECONDS = 240.0

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]


@dataclasses.dataclass
class Evening:
    """Matches that were played.

    Attributes:
        club: Where.
        ana: The person at all of them.
        tables: The finished tables, by size.
    """

    club: FullClub
    ana: Guest
    tables: dict[int, table_pb2.Table]

    async def log(self, seats: int) -> Log:
        return await read_log(self.club.bus, self.tables[seats].table_id)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def evening(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Evening]:
    async with full_club(tmp_path_factory.mktemp("club")) as club, club.guest("Ana") as ana:

        async def match(seats: int) -> table_pb2.Table:
            table = await ana.open_table(seats)
            await ana.start(table)
            return await ana.play(table)

        async with asyncio.timeout(MATCH_SECONDS):
            tables = await asyncio.gather(*(match(seats) for seats in SIZES))
        yield Evening(club, ana, dict(zip(SIZES, tables, strict=True)))


@pytest.mark.parametrize("seats", SIZES)
async def test_a_match_is_played_to_its_end_and_the_ledger_has_its_points(evening: Evening, seats: int) -> None:
    table = evening.tables[seats]
    assert table.status == table_pb2.TABLE_STATUS_FINISHED
    log = await evening.log(seats)
    assert len(log.points) == seats
    check_match(await posted(evening.ana, table.match_id), table, log)


@pytest.mark.parametrize("seats", SIZES)
async def test_its_record_in_the_ledger_replays_to_these_points_and_is_verified(
    evening: Evening, seats: int, tmp_path: Path
) -> None:
    table = evening.tables[seats]
    await posted(evening.ana, table.match_id)
    record = await record_of(evening.ana, table.match_id)
    check_record(record, await evening.log(seats), table.shuffle_commitment, tmp_path)


@pytest.mark.parametrize("seats", SIZES)
async def test_the_log_has_the_persons_actions_and_the_bots_once_each(evening: Evening, seats: int) -> None:
    log = await evening.log(seats)
    table = evening.tables[seats].table_id
    check_accepted(log, [evening.ana], table)
    assert evening.ana.accepted[table]
    assert {one.seat for one in log.actions("bot")} == set(range(1, seats))
    assert not log.actions("timeout")
    assert not log.actions("absent")


async def test_the_hall_of_fame_has_the_sum_of_the_persons_matches_and_no_bot(evening: Evening) -> None:
    matches: list[ledger_pb2.Match] = [await posted(evening.ana, one.match_id) for one in evening.tables.values()]
    entries = await hall_of_fame(evening.ana)
    assert set(entries) == {evening.ana.id}
    check_hall_of_fame(entries, matches, [evening.ana.id])
    assert entries[evening.ana.id].matches == len(SIZES)


async def test_bots_played_all_their_turns_and_no_table_had_to_do_without_them(evening: Evening) -> None:
    bots, table = evening.club.service("bot").metrics, evening.club.service("table").metrics
    played = sum([len((await evening.log(seats)).actions("bot")) for seats in SIZES])
    assert table.value("levata_table_actions_total", game="arzoi", by="bot") == played
    assert bots.value("levata_bot_turns_total", outcome="answered") == played
    assert table.value("levata_table_rule_of_thumb_total") == 0
    assert bots.value("levata_bot_fallbacks_total", level="club") == 0
