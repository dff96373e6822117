"""Matches are played while processes of the club are killed at random moments: nothing is lost, nothing is doubled."""

import random
from pathlib import Path

import pytest

from tests.support.chaos_club import chaos_club
from tests.support.rampage import rampage

EVERYTHING = ("nats", "ledger", "matchmaking", "table", "bot")


@pytest.mark.timeout(300)
async def test_matches_survive_the_death_of_each_process_and_of_all_at_once(tmp_path: Path) -> None:
    seed = 20261130
    whom: list[tuple[str, ...]] = [("table",), ("bot",), ("ledger",), ("nats",)]
    random.Random(seed).shuffle(whom)
    async with chaos_club(tmp_path / "state") as club:
        await rampage(club, tmp_path, seed, [*whom, EVERYTHING], sizes=(4, 3), most_actions=40)
