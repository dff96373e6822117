"""Matches are played while processes of the club are killed at random moments: nothing is lost, nothing is doubled."""

import random
from pathlib import Path

import pytest

from tests.support.chaos_club import chaos_club
from tests.support.rampage import rampage

EVERYTHING = ("nats", "ledger", "matchmaking", "table", "bot")
AND_THE_SUPERVISOR: tuple[str, ...] = ()

ROUNDS = 25
"""Of the long run."""


@pytest.mark.timeout(300)
async def test_matches_survive_the_death_of_each_process_and_of_all_at_once(tmp_path: Path) -> None:
    seed = 20261130
    whom: list[tuple[str, ...]] = [("table",), ("bot",), ("ledger",), ("nats",)]
    random.Random(seed).shuffle(whom)
    whom += [EVERYTHING, AND_THE_SUPERVISOR]
    async with chaos_club(tmp_path / "state") as club:
        await rampage(club, tmp_path, seed, whom, sizes=(4, 3), most_actions=40, game="whist")


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("copies", [1, 2])
async def test_matches_of_all_sizes_survive_a_long_night(tmp_path: Path, copies: int) -> None:
    seed = 1000 + copies
    chance = random.Random(seed)
    async with chaos_club(tmp_path / "state", copies, LEVATA_ACCESS_TOKEN_SECONDS="60") as club:
        whom = [tuple(chance.sample(club.processes, chance.randint(1, 3))) for _ in range(ROUNDS)]
        whom[ROUNDS // 2] = tuple(club.processes)
        whom.append(AND_THE_SUPERVISOR)
        night = await rampage(club, tmp_path, seed, whom, sizes=(4, 3, 5, 6, 7, 8, 9), most_actions=150)
    assert {len(table.seats) for table, _ in night.tables} == set(range(3, 10))
