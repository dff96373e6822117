"""A person and bots play a whole match of every game at every size, through all four services; nothing is made up.

The smallest and the largest size of each game are played always, those between them by `make soak`.
"""

import asyncio
import dataclasses
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from services.table.engine.games import GAMES
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import table_pb2
from tests.support.any_game import EVERY_GAME, EVERY_SIZE
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

Size = tuple[str, int]
"""A game, and how many play it."""

ENDS = {(name, size) for name, game in GAMES.items() for size in (game.sizes[0], game.sizes[-1])}
"""Played always."""
every_size = pytest.mark.parametrize(
    ("game", "seats"), [pytest.param(*size, marks=() if size in ENDS else pytest.mark.soak) for size in EVERY_SIZE]
)

MATCH_SECONDS = 240.0

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]


@dataclasses.dataclass
class Evening:
    """Matches that were played.

    Attributes:
        club: Where.
        ana: The person at all of them.
        tables: The finished tables, by game and size.
    """

    club: FullClub
    ana: Guest
    tables: dict[Size, table_pb2.Table]

    async def log(self, size: Size) -> Log:
        return await read_log(self.club.bus, self.tables[size].table_id)

    def of(self, game: str) -> list[table_pb2.Table]:
        """The tables of one game."""
        return [table for (name, _), table in self.tables.items() if name == game]


def size_of(item: pytest.Item) -> Size | None:
    """The game and the size that a test is of, if it is of one."""
    asked = getattr(item, "callspec", None)
    return (asked.params["game"], asked.params["seats"]) if asked and "seats" in asked.params else None


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def evening(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> AsyncIterator[Evening]:
    asked = {size for item in request.session.items if item.path == request.path and (size := size_of(item))}
    sizes = sorted(asked | ENDS)
    table = {"tables_per_host": len(sizes)}
    async with full_club(tmp_path_factory.mktemp("club"), table) as club, club.guest("Ana") as ana:

        async def match(size: Size) -> table_pb2.Table:
            game, seats = size
            table = await ana.open_table(seats, game=game)
            await ana.start(table)
            return await ana.play(table)

        async with asyncio.timeout(MATCH_SECONDS):
            tables = await asyncio.gather(*map(match, sizes))
        yield Evening(club, ana, dict(zip(sizes, tables, strict=True)))


@every_size
async def test_a_match_is_played_to_its_end_and_the_ledger_has_its_points(
    evening: Evening, game: str, seats: int
) -> None:
    table = evening.tables[game, seats]
    assert table.status == table_pb2.TABLE_STATUS_FINISHED
    log = await evening.log((game, seats))
    assert len(log.points) == seats
    check_match(await posted(evening.ana, table.match_id), table, log)


@every_size
async def test_its_record_in_the_ledger_replays_to_these_points_and_is_verified(
    evening: Evening, game: str, seats: int, tmp_path: Path
) -> None:
    table = evening.tables[game, seats]
    await posted(evening.ana, table.match_id)
    record = await record_of(evening.ana, table.match_id)
    check_record(record, await evening.log((game, seats)), table.shuffle_commitment, tmp_path)


@every_size
async def test_the_log_has_the_persons_actions_and_the_bots_once_each(evening: Evening, game: str, seats: int) -> None:
    log = await evening.log((game, seats))
    table = evening.tables[game, seats].table_id
    check_accepted(log, [evening.ana], table)
    assert evening.ana.accepted[table]
    assert {one.seat for one in log.actions("bot")} == set(range(1, seats))
    assert not log.actions("timeout")
    assert not log.actions("absent")


@pytest.mark.parametrize("game", EVERY_GAME)
async def test_the_hall_of_fame_has_the_sum_of_the_persons_matches_and_no_bot(evening: Evening, game: str) -> None:
    tables = evening.of(game)
    matches: list[ledger_pb2.Match] = [await posted(evening.ana, one.match_id) for one in tables]
    assert {match.game for match in matches} == {game}
    entries = await hall_of_fame(evening.ana, game)
    assert set(entries) == {evening.ana.id}
    check_hall_of_fame(entries, matches, [evening.ana.id])
    assert entries[evening.ana.id].matches == len(tables)


async def test_bots_played_all_their_turns_and_no_table_had_to_do_without_them(evening: Evening) -> None:
    bots, table = evening.club.service("bot").metrics, evening.club.service("table").metrics
    played = Counter[str]()
    for game, seats in evening.tables:
        played[game] += len((await evening.log((game, seats))).actions("bot"))
    # An action whose caller had given up waiting is played, but counted by nobody.
    method = "/levata.table.v1.TableService/SubmitAction"
    given_up = sum(
        table.value("levata_rpc_handled_total", method=method, code=code) for code in ("CANCELLED", "DEADLINE_EXCEEDED")
    )
    for game in EVERY_GAME:
        counted = table.value("levata_table_actions_total", game=game, by="bot")
        assert played[game] - given_up <= counted <= played[game]
    assert bots.value("levata_bot_turns_total", outcome="answered") == played.total()
    assert table.value("levata_table_rule_of_thumb_total") == 0
    assert bots.value("levata_bot_fallbacks_total", level="club") == 0
