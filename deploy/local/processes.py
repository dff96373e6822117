"""Processes: how one is started so that it cannot outlive the supervisor, recognised later, and stopped.

A process is told from another that got its number later by the time at which it started. Each runs in a session of its
own, so that Ctrl-C in the terminal reaches the supervisor alone, and a signal to its group reaches all it has started.
"""

import asyncio
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """One process, and no other that may get its number later.

    Attributes:
        name: What it is to the supervisor, such as `table`.
        pid: Its number, which is also that of its group.
        started: When it started, in the words of the operating system; empty if that is not to be had.
    """

    name: str
    pid: int
    started: str

    def is_alive(self) -> bool:
        """Whether this very process still runs; a zombie does not."""
        return bool(self.started) and start_time(self.pid) == self.started


def start_time(pid: int) -> str:
    """When the process started, such that no two processes with one number have the same; empty if it does not run."""
    if sys.platform == "linux":
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        except OSError:
            return ""
        state, ticks = fields[0], fields[19]
        return "" if state in "ZX" else f"{boot} {ticks}"
    shown = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, _, started = shown.stdout.strip().partition(" ")
    return "" if state.startswith("Z") else started.strip()


async def start(argv: Sequence[str], environment: Mapping[str, str]) -> asyncio.subprocess.Process:
    """Starts a process in a session of its own; what it prints comes through one pipe, `stdout`.

    On Linux the kernel kills it when the supervisor dies, however that happens.

    Raises:
        OSError: The program is not there or cannot be run.
    """
    return await asyncio.create_subprocess_exec(
        *argv,
        env=dict(environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=_die_with(os.getpid()) if sys.platform == "linux" else None,
    )


def _die_with(supervisor: int) -> "_Tether":
    return _Tether(supervisor, ctypes.CDLL(None, use_errno=True))


@dataclass(frozen=True, slots=True)
class _Tether:
    """Runs in the child between fork and exec, so it only makes system calls."""

    supervisor: int
    libc: ctypes.CDLL

    def __call__(self) -> None:
        self.libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self.supervisor:  # it died before it could be watched
            os.kill(os.getpid(), signal.SIGKILL)


def send(pid: int, number: signal.Signals) -> None:
    """Signals a process and all of its group; nothing happens if it is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
