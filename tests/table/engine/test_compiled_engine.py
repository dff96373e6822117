"""The compiled engine is the same engine: it passes the engine's tests, and plays the same matches.

Skipped where there is no C compiler or Python's headers are missing, and in the run on the compiled engine itself.
"""

import itertools
import os
import re
import subprocess
import sys
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


@pytest.fixture(scope="module")
def compiled() -> dict[str, str]:
    """The environment in which Python runs the engine compiled from the source as it is."""
    builder.compile_engine(COMPILED_QUICKLY)
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return {**own, VARIABLE: COMPILED_QUICKLY}


def test_random_matches_go_the_same_on_both_builds(compiled: dict[str, str]) -> None:
    command = [sys.executable, "-m", "tests.support.engine_traces"]
    with subprocess.Popen(command, cwd=ROOT, env=compiled, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert next(process.stdout).startswith(f"engine: {COMPILED_QUICKLY}-")
        lines = 0
        for ours, theirs in itertools.zip_longest(traces(), process.stdout):
            assert theirs is not None
            assert theirs.rstrip("\n") == ours
            lines += 1
    assert process.returncode == 0
    assert lines > 4000


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
