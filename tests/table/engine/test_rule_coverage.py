"""Every statement, decision and example of RULES.md is named by a test."""

import ast
import re
from pathlib import Path

import pytest

from services.table.engine import arzoi

TESTS = Path(__file__).parents[2]
RULES = Path(arzoi.__file__).with_name("RULES.md")
EXAMPLES = (1, 2, 3, 4, 5, 7, 9, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 25, 27, 28, 31)
EVERY_ID = (
    [f"AZ-{number}" for number in range(1, 54)]
    + [f"GAP-A{number}" for number in range(1, 35)]
    + [f"EX-A{number}" for number in EXAMPLES]
)


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


def test_rules_state_every_id_exactly_once() -> None:
    stated = re.findall(r"^- \*\*((?:AZ-|GAP-A|EX-A)\d+)\*\*", RULES.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(stated) == sorted(EVERY_ID)


def test_every_id_is_named_by_a_test(named: set[str]) -> None:
    missing = [identifier for identifier in EVERY_ID if identifier not in named]
    assert missing == [], f"no test names {', '.join(missing)}: mark one with @pytest.mark.rule(...)"


def test_no_test_names_an_id_of_arzoi_that_there_is_not(named: set[str]) -> None:
    ours = {identifier for identifier in named if identifier.startswith(("AZ-", "GAP-A", "EX-A"))}
    assert ours <= set(EVERY_ID)


def test_only_marks_count_as_naming() -> None:
    assert named_by('x = "AZ-1"\n# AZ-2\n@pytest.mark.rule("AZ-3", "AZ-4")\ndef test_x(): ...') == {"AZ-3", "AZ-4"}
