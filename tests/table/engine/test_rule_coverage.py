"""Every statement, decision and example of RULES.md is named by a test."""

import ast
import re
from pathlib import Path

import pytest

from services.table.engine.games import GAMES
from services.table.engine_build import SOURCE

TESTS = Path(__file__).parents[2]
EXAMPLES = {
    "arzoi": (1, 2, 3, 4, 5, 7, 9, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 25, 27, 28, 31),
    "remi": (1, 2, 3, 4, 5, 7, 8, 11, 13, 15, 17, 18),
    "whist": (1, 2, 3, 4, 5, 8, 9),
    "rentz": (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15),
}
EVERY_ID = {
    "arzoi": [
        *[f"AZ-{number}" for number in range(1, 54)],
        *[f"GAP-A{number}" for number in range(1, 35)],
        *[f"EX-A{number}" for number in EXAMPLES["arzoi"]],
    ],
    "remi": [
        *[f"RM-{number}" for number in range(1, 33)],
        *[f"GAP-R{number}" for number in range(1, 39)],
        *[f"EX-R{number}" for number in EXAMPLES["remi"]],
    ],
    "whist": [
        *[f"RW-{number}" for number in range(1, 11)],
        *[f"GAP-W{number}" for number in range(1, 11)],
        *[f"EX-W{number}" for number in EXAMPLES["whist"]],
    ],
    "rentz": [
        *[f"RZ-{number}" for number in range(1, 23)],
        *[f"GAP-Z{number}" for number in range(1, 20)],
        *[f"EX-Z{number}" for number in EXAMPLES["rentz"]],
    ],
}
"""The ids of every game."""


def named_by(source: str) -> set[str]:
    """The ids that a test file names in `pytest.mark.rule(...)`."""
    return {
        argument.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "rule"
        for argument in node.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


@pytest.fixture(scope="module")
def named() -> set[str]:
    found: set[str] = set()
    for file in sorted(TESTS.rglob("test_*.py")):
        found |= named_by(file.read_text(encoding="utf-8"))
    return found


def test_every_game_has_its_ids() -> None:
    assert set(GAMES) <= set(EVERY_ID)


@pytest.mark.parametrize("game", GAMES)
def test_rules_state_every_id_exactly_once(game: str) -> None:
    rules = SOURCE / game / "RULES.md"
    stated = re.findall(r"^- \*\*((?:[A-Z]+-[A-Z]?)\d+)\*\*", rules.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(stated) == sorted(EVERY_ID[game])


@pytest.mark.parametrize("game", GAMES)
def test_every_id_is_named_by_a_test(named: set[str], game: str) -> None:
    missing = [identifier for identifier in EVERY_ID[game] if identifier not in named]
    assert missing == [], f"no test names {', '.join(missing)}: mark one with @pytest.mark.rule(...)"


def test_no_test_names_an_id_that_there_is_not(named: set[str]) -> None:
    assert named <= {identifier for identifiers in EVERY_ID.values() for identifier in identifiers}


def test_only_marks_count_as_naming() -> None:
    assert named_by('x = "AZ-1"\n# AZ-2\n@pytest.mark.rule("AZ-3", "AZ-4")\ndef test_x(): ...') == {"AZ-3", "AZ-4"}
