"""Runs of pytest in which something hangs, with the watchdog in a hurry."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[2]
RUN_SECONDS = 100.0
SETTINGS = """
[pytest]
asyncio_mode = auto
asyncio_default_fixture_loop_scope = function
addopts = -p tests.support.watchdog -p tests.support.workers -p no:cacheprovider -ra
timeout = 3
watchdog_grace = 2
"""

HANGS = """
import asyncio, ctypes, signal, subprocess, time
import pytest

def test_begins():
    pass

@pytest.mark.parametrize("signals", ["taken", "blocked"])
def test_hangs_in_c(signals, child):
    if signals == "blocked":
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    ctypes.PyDLL(None).sleep(1000)  # nothing else runs Python meanwhile

@pytest.fixture
def child():
    subprocess.Popen(["sleep", "1000"], start_new_session=True)

def test_goes_on():
    pass

@pytest.fixture
async def ends(how):
    yield
    while True:
        try:
            await asyncio.Event().wait()
        except BaseException:
            if how == "told":
                raise

@pytest.mark.parametrize("how", ["told", "never"])
async def test_fails_and_does_not_end(ends, how, child):
    assert False

def test_comes_last():
    pass
"""

SILENT = """
import os, threading

def pytest_sessionfinish():
    if "PYTEST_XDIST_WORKER" in os.environ:
        threading.Event().wait()
"""

LEFT_THREAD = """
import threading

def test_leaves_a_thread():
    threading.Thread(target=threading.Event().wait).start()
"""


@dataclass(frozen=True)
class Run:
    """A run of pytest.

    Attributes:
        code: With which it has ended.
        said: What it has printed.
    """

    code: int
    said: str

    @property
    def last_line(self) -> str:
        """The summary."""
        return self.said.splitlines()[-1]


def run(folder: Path, options: Sequence[str] = (), settings: str = "", **files: str) -> Run:
    """Runs tests in a pytest of their own, to its end; `settings` has more lines for its configuration."""
    (folder / "pytest.ini").write_text(SETTINGS + settings)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text))
    # With CI set pytest would say everything twice.
    environment = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("PYTEST_")}
    environment["LEVATA_TEST_RUN_OF"] = str(folder)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", str(folder / "pytest.ini"), *options, str(folder)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    return Run(done.returncode, done.stdout)


def left_of(folder: Path) -> Iterator[str]:
    """The command lines of processes that a run in this folder has left behind."""
    for process in psutil.process_iter():
        try:
            if process.environ().get("LEVATA_TEST_RUN_OF") == str(folder):
                yield " ".join(process.cmdline())
        except psutil.Error:
            continue


def test_what_hangs_fails_with_all_that_is_known_of_it_and_the_others_go_on(tmp_path: Path) -> None:
    done = run(tmp_path, ["-n", "2", "--dist", "loadfile"], test_hangs=HANGS, test_elsewhere="def test_is_well(): pass")
    print(done.said)

    # A signal ends what it reaches, also in the teardown of a test that has failed already; the process lives on.
    assert "ERROR at teardown of test_fails_and_does_not_end[told]" in done.said
    assert done.said.count("Failed: Timeout (>3.0s) from pytest-timeout.") == 2
    # What nothing can end costs the process its life, once.
    assert done.said.count("crashed while running 'test_hangs.py::test_hangs_in_c[blocked]'") == 1
    assert done.said.count("crashed while running 'test_hangs.py::test_fails_and_does_not_end[never]'") == 1
    assert "+++ watchdog: the teardown of test_hangs.py::test_fails_and_does_not_end[never] hangs" in done.said
    assert "await asyncio.Event().wait()" in done.said.partition("+++ watchdog")[2]
    assert "5 failed, 4 passed, 1 error in" in done.last_line
    assert list(left_of(tmp_path)) == []


def test_a_session_of_which_nothing_is_heard_any_more_ends_with_its_summary(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        ["-n", "1", "--dist", "loadfile"],
        "watchdog_silent = 10",
        conftest=SILENT,
        test_silent="def test_is_well(): pass",
    )
    print(done.said)

    assert done.code == pytest.ExitCode.INTERRUPTED
    assert "nothing was heard of the test processes for 10 s" in done.said
    assert 'conftest.py", line 6 in pytest_sessionfinish' in done.said
    assert "1 passed in" in done.last_line


def test_a_thread_that_a_test_has_left_does_not_keep_pytest_from_exiting(tmp_path: Path) -> None:
    done = run(tmp_path, settings="watchdog_exit = 1", test_leaves=LEFT_THREAD)
    print(done.said)

    assert "1 passed in" in done.said
    assert "watchdog: the exit of the interpreter hangs" in done.said
