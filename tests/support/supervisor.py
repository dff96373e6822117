"""A supervisor in a process of its own, as `make up` starts it, and what it has started."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from deploy.local.errors import LocalError
from deploy.local.instance import Instance
from deploy.local.processes import ProcessIdentity

WAIT_SECONDS = 90.0
END_SECONDS = 40.0
"""How long a club has to end at the end of a test, before it is killed."""


def wait_until(true: Callable[[], bool], what: str, seconds: float = WAIT_SECONDS) -> None:
    """Waits until something is so, and fails when it has not become so in time."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, f"waited {seconds:g} s in vain for: {what}"
        time.sleep(0.02)


class SupervisorProcess:
    """One run of `python -m deploy.local`.

    Attributes:
        state: Its state directory.
        process: The process.
    """

    def __init__(self, state: Path, environment: Mapping[str, str], *arguments: str) -> None:
        self.state = state
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LEVATA_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "deploy.local", *arguments],
            env={**kept, **environment, "LEVATA_STATE": str(state)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._said: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._said.append(line.decode())

    def said(self) -> str:
        """All that it has printed."""
        return "".join(self._said)

    def wait_to_say(self, pattern: str, times: int = 1) -> None:
        """Waits until it has printed something."""

        def so() -> bool:
            return len(re.findall(pattern, self.said())) >= times or self.process.poll() is not None

        wait_until(so, pattern)
        assert len(re.findall(pattern, self.said())) >= times, f"it ended without {pattern!r}:\n{self.said()}"

    def ends(self) -> int:
        """Waits for its end, and returns its exit code."""
        code = self.process.wait(WAIT_SECONDS)
        self._reader.join(WAIT_SECONDS)
        return code

    def children(self) -> dict[str, ProcessIdentity]:
        """What it runs now, by name."""
        return {found.name: found for found in Instance(self.state).remembered() if found.is_alive()}

    def interrupt(self) -> None:
        """Presses Ctrl-C."""
        self.process.send_signal(signal.SIGINT)


@contextlib.contextmanager
def supervising(state: Path, environment: Mapping[str, str], *arguments: str) -> Iterator[SupervisorProcess]:
    """Runs a supervisor, and sees to it that nothing of it is left."""
    supervisor = SupervisorProcess(state, environment, *arguments)
    try:
        yield supervisor
    finally:
        if supervisor.process.poll() is None:
            supervisor.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                supervisor.process.wait(END_SECONDS)
        supervisor.process.kill()
        supervisor.process.wait()
        with contextlib.suppress(LocalError), Instance(state) as instance:  # another one may live beside this one
            instance.end_leftovers()
