"""The compiled engine is the same engine: it passes the engine's tests, and plays the same matches.

Compiling all of it takes a minute, and so is for `make soak`; one game is compiled always. Skipped where there is no C
compiler or Python's headers are missing, and in the run on the compiled engine itself.
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from deploy.compiled import builder
from services.table import engine
from services.table.engine_build import COMPILED_QUICKLY, VARIABLE
from tests.support.engine_traces import traces

ROOT = Path(__file__).parents[3]
pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(
        engine.build() != "plain", reason="these are tests of the plain source against a compiled build"
    ),
    pytest.mark.skipif(bool(builder.missing()), reason=f"the engine cannot be compiled: {builder.missing()}"),
]


OTHER_GAMES = ("arzoi", "remi", "rentz")


def told_to(choice: str) -> dict[str, str]:
    """The environment in which Python runs a build."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return {**own, VARIABLE: choice}


@pytest.fixture(scope="module")
def compiled() -> dict[str, str]:
    """The environment in which Python runs the engine compiled from the source as it is."""
    builder.compile_engine(COMPILED_QUICKLY)
    return told_to(COMPILED_QUICKLY)


def same_in(folder: Path, environment: Mapping[str, str], ours: Iterable[str]) -> int:
    """Holds the traces of the build that runs in a folder against ours; how many lines there were."""
    command = [sys.executable, "-m", "tests.support.engine_traces"]
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert next(process.stdout).startswith(f"engine: {COMPILED_QUICKLY}-")
        lines = 0
        for our, their in itertools.zip_longest(ours, process.stdout):
            assert their is not None
            assert their.rstrip("\n") == our
            lines += 1
    assert process.returncode == 0
    return lines


def test_random_matches_of_one_game_go_the_same_when_it_is_compiled(tmp_path: Path) -> None:
    table, traced = Path("services/table"), Path("tests/support/engine_traces.py")
    for file in ("services/__init__.py", table / "__init__.py", table / "engine_build.py", traced):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, tmp_path / file)
    source = tmp_path / table / "engine"
    shutil.copytree(ROOT / table / "engine", source, ignore=shutil.ignore_patterns("__pycache__", *OTHER_GAMES))
    games = (source / "games.py").read_text()
    kept = re.sub(rf"^from .*\.({'|'.join(OTHER_GAMES)})\..*\n", "", games, flags=re.MULTILINE)
    (source / "games.py").write_text(re.sub(r"\(ARZOI, WHIST, .*?\)", "(WHIST,)", kept))

    builder.compile_engine(COMPILED_QUICKLY, source, tmp_path / table / "compiled")
    assert same_in(tmp_path, told_to(COMPILED_QUICKLY), traces(["whist"])) > 800


@pytest.mark.soak
def test_random_matches_go_the_same_on_both_builds(compiled: dict[str, str]) -> None:
    assert same_in(ROOT, compiled, traces()) > 4000


@pytest.mark.soak
def test_the_compiled_engine_passes_the_tests_of_the_engine(compiled: dict[str, str]) -> None:
    # This one; what reads sources, or starts programs; and what spends its time on messages made of states, not states.
    other = [Path(__file__).name, "test_rule_coverage.py", "test_replay_command.py", "*_wire.py", "*_information.py"]
    ignored = [f"--ignore-glob=tests/table/engine/{name}" for name in other]
    command = [sys.executable, "-m", "pytest", "tests/table/engine", *ignored, "--tb=short"]
    done = subprocess.run(command, cwd=ROOT, env=compiled, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert f"engine: {COMPILED_QUICKLY}-" in done.stdout
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) > 500
