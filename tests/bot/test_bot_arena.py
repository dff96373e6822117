"""The arena, and the strength of the levels on fixed packs: the same figures on every machine."""

import math

import pytest

from services.bot.arena import Tally, compete, main, packs_of, play_game
from services.bot.players.arzoi.game import PLAYERS, ArzoiBots
from services.table.engine.arzoi.match import State
from services.table.engine.arzoi.options import Options

CASES = [(3, 6), (4, 6), (6, 3)]


@pytest.mark.parametrize(("seats", "games"), CASES)
def test_club_beats_novice_and_novice_beats_chance(seats: int, games: int) -> None:
    best, second = compete(["novice", "club"], seats, games, "fixed")
    assert (best.level, second.level) == ("club", "novice")
    assert best.mean - best.half_width > 0
    best, second = compete(["random", "novice"], seats, games, "fixed")
    assert (best.level, second.level) == ("novice", "random")
    assert best.mean - best.half_width > 0


def test_a_competition_has_the_same_outcome_every_time() -> None:
    one, two = (compete(["club", "novice"], 3, 2, "same") for _ in range(2))
    assert [(line.level, line.mean) for line in one] == [(line.level, line.mean) for line in two]


def test_a_level_is_worth_nothing_above_itself() -> None:
    (line,) = compete(["novice"], 4, 2, "self")
    assert line.mean == pytest.approx(0.0, abs=1e-9)


def test_all_line_ups_get_the_same_packs() -> None:
    pack = State(Options(), 5).pack()
    packs = packs_of("seed")
    assert packs(pack, "1:whist:2:1:1") == packs_of("seed")(pack, "1:whist:2:1:1")
    assert packs(pack, "1:whist:2:1:1") != packs(pack, "1:whist:2:2:1")
    assert tuple(sorted(packs(pack, "x"))) == pack


def test_a_game_is_played_to_the_end_and_counted_by_part() -> None:
    tallies = [Tally() for _ in range(4)]
    points = play_game(ArzoiBots(), [PLAYERS["club"]] * 4, packs_of("p"), "s", 10**9, tallies)
    assert [sum(tally.points.values()) for tally in tallies] == points
    assert all(tally.rounds["septica"] >= 4 for tally in tallies)
    assert all(tally.tried >= tally.made >= 0 for tally in tallies)
    assert all(tally.decisions > 100 for tally in tallies)


def test_one_game_gives_no_interval() -> None:
    (line,) = compete(["random"], 3, 1, "one")
    assert math.isinf(line.half_width)


def test_the_command_prints_a_line_for_each_level(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--games", "2", "--seats", "3", "--levels", "club", "random"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["club", "random"]
    assert all("±" in line for line in lines)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--games", "0"],
        ["--seats", "3", "--levels", *["club"] * 4],
        ["--levels", "grandmaster"],
        ["--game", "whist", "--seats", "7"],
    ],
)
def test_the_command_refuses_what_cannot_be_played(arguments: list[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
