"""Two table processes and two bot processes serve the same tables, and one after another is killed in the middle."""

import random
from pathlib import Path

import pytest

from services.table import facts as f
from tests.support.chaos_club import chaos_club
from tests.support.proofs import read_log
from tests.support.rampage import rampage


@pytest.mark.timeout(300)
async def test_matches_survive_the_death_of_either_table_process_with_players_at_both(tmp_path: Path) -> None:
    seed = 30112026
    whom: list[tuple[str, ...]] = [("table",), ("table-2",), ("bot",), ("table", "bot-2")]
    random.Random(seed).shuffle(whom)
    async with chaos_club(tmp_path / "state", copies=2) as club:
        night = await rampage(club, tmp_path, seed, whom, sizes=(4, 3), most_actions=40, game="whist")
        async with club.bus() as bus:
            shared = [table for table, players in night.tables if len(players) == 2]
            servers = set()
            for table in shared:
                for fact in (await read_log(bus, table.table_id)).facts(f.Connected):
                    assert isinstance(fact, f.Connected)
                    servers.add((fact.seat, fact.at.rpartition("-")[0]))
    assert servers == {(0, "table"), (0, "table-2"), (1, "table-2")}
