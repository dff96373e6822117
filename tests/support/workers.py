"""A pytest plugin for tests that run in many processes (pytest-xdist): what is done when one dies, or all fall silent.

A file's tests stay together, as with xdist's own `--dist loadfile`. When a process dies, the test that it died of has
failed and is not begun again, as xdist would do; what is left of its file goes to the others; the processes that it had
started are ended. Where no test runs any more and nothing is heard of any process, the session is interrupted, and so
ends with its summary. Of tests that hang, tests/support/watchdog.py takes care.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Generator
from time import monotonic
from typing import Any, Final

import psutil
import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

SILENT_SECONDS: Final = 300.0
"""How long nothing may be heard while no test runs: longer than it takes to collect the tests on a busy machine."""
LOOK_SECONDS: Final = 0.5


class FileScheduling(LoadFileScheduling):
    """Hands out the tests by files, each test once."""

    def remove_node(self, node: WorkerController) -> str | None:
        """Takes away a process, and returns the test that it died of, if it died."""
        died_of = None
        left: dict[str, dict[str, bool]] = {}
        for file, tests in self.assigned_work[node].items():
            waiting = {test: False for test, done in tests.items() if not done}
            if waiting and died_of is None:
                died_of = next(iter(waiting))
                del waiting[died_of]
            if waiting:
                left[file] = waiting
        self.assigned_work[node] = left
        super().remove_node(node)
        return died_of


class Overseer:
    """What the process that runs no tests knows of those that do.

    Args:
        silent_seconds: How long nothing may be heard of them while no test runs.
    """

    def __init__(self, silent_seconds: float) -> None:
        self._silent_seconds = silent_seconds
        self._running: set[str] = set()
        self._heard = monotonic()
        self._over = threading.Event()
        self._silent = False
        self._run = ""

    def pytest_sessionstart(self) -> None:
        threading.Thread(target=self._keep_listening, name="overseer", daemon=True).start()

    def _keep_listening(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            if not self._running and monotonic() > self._heard + self._silent_seconds:
                self._silent = True
                os.kill(os.getpid(), signal.SIGINT)
                for process in psutil.Process().children():
                    process.send_signal(signal.SIGABRT)  # faulthandler tells where they are
                return

    @pytest.hookimpl(tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> FileScheduling | None:
        return FileScheduling(config, log) if config.getoption("dist") == "loadfile" else None

    def pytest_configure_node(self, node: WorkerController) -> None:
        self._run = node.workerinput["testrunuid"]

    def pytest_testnodeready(self) -> None:
        self._heard = monotonic()

    def pytest_xdist_node_collection_finished(self) -> None:
        self._heard = monotonic()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._running.add(nodeid)
        self._heard = monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._ended(nodeid)

    def pytest_handlecrashitem(self, crashitem: str) -> None:
        self._ended(crashitem)

    def _ended(self, test: str) -> None:
        self._running.discard(test)
        self._heard = monotonic()

    def pytest_testnodedown(self, node: WorkerController, error: object | None) -> None:
        self._heard = monotonic()
        if error is not None:
            end_processes_of(self._run, node.gateway.id)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        self._over.set()
        try:
            return (yield)  # xdist waits ten seconds for each process, and kills it then
        finally:
            end_processes_of(self._run)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._silent:
            terminalreporter.write_sep("=", f"nothing was heard of the test processes for {self._silent_seconds:g} s")


def end_processes_of(run: str, worker: str | None = None) -> None:
    """Kills the processes that were started in a run of tests and are still there.

    Args:
        run: Id of the run, which everything that its tests start finds in its environment.
        worker: Only those that this process started, such as `gw0`; None: those of all.
    """
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            environment = process.environ()
            if environment.get("PYTEST_XDIST_TESTRUNUID") == run and worker in (
                None,
                environment.get("PYTEST_XDIST_WORKER"),
            ):
                process.kill()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("watchdog_silent", "seconds for which all test processes may be silent", default=str(SILENT_SECONDS))


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("dist") != "no" and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Overseer(float(config.getini("watchdog_silent"))), "overseer")
