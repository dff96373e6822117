"""One process kept running: started, started again when it dies, stopped in good order."""

import asyncio
import contextlib
import signal
import time
from collections.abc import Callable

from deploy.local import processes
from deploy.local.errors import LocalError
from deploy.local.instance import identity
from deploy.local.output import Log, Terminal
from deploy.local.processes import ProcessIdentity
from deploy.local.readiness import is_ready
from deploy.local.roster import Role

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 15.0
STEADY_SECONDS = 30.0
"""Whoever has run for so long has recovered: the next wait is short again."""
TRIES_AT_START = 4
"""A process that dies so often before it was ever ready will not get ready."""
ASK_AGAIN_SECONDS = 0.1


class Runner:
    """Keeps one process of the club running.

    Args:
        role: What to run.
        log: Where its output goes.
        terminal: Where its deaths are told.
        changed: Called whenever the process is another, or none.
    """

    def __init__(self, role: Role, log: Log, terminal: Terminal, changed: Callable[[], None]) -> None:
        self.role = role
        self.process: ProcessIdentity | None = None
        self._log = log
        self._terminal = terminal
        self._changed = changed
        self._ready = asyncio.Event()
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to keep the process running."""
        self._task = asyncio.create_task(self._keep(), name=f"keep {self.role.name}")

    async def ready(self, timeout_seconds: float) -> None:
        """Waits until the process has answered that it serves.

        Raises:
            LocalError: It did not within the time, or died again and again; the message has its last words.
        """
        assert self._task is not None
        waiting = asyncio.create_task(self._ready.wait())
        try:
            await asyncio.wait({waiting, self._task}, timeout=timeout_seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        if self._ready.is_set():
            return
        if self._task.done() and not self._task.cancelled() and (error := self._task.exception()) is not None:
            raise error
        raise LocalError(self._words(f"{self.role.name} did not get ready within {timeout_seconds:g} s"))

    async def failure(self) -> None:
        """Waits for as long as the process can be kept running.

        Raises:
            LocalError: It cannot be started any more.
        """
        assert self._task is not None
        await asyncio.shield(self._task)

    async def stop(self, grace_seconds: float) -> None:
        """Ends the process: politely, and after the grace by force."""
        self._stopping.set()
        if self._task is None:
            return
        if self.process is not None:
            processes.send(self.process.pid, signal.SIGTERM)
        done, _ = await asyncio.wait({self._task}, timeout=grace_seconds)
        if not done:
            self._terminal.say(f"{self.role.name} does not end; killing it.")
            self.kill()
            await asyncio.wait({self._task})

    def kill(self) -> None:
        """Ends the process at once."""
        self._stopping.set()
        if self.process is not None:
            processes.send(self.process.pid, signal.SIGKILL)

    async def _keep(self) -> None:
        wait = FIRST_WAIT_SECONDS
        deaths = 0
        while not self._stopping.is_set():
            began = time.monotonic()
            code = await self._run_once()
            if self._stopping.is_set():
                return
            deaths += 1
            if not self._ready.is_set() and deaths >= TRIES_AT_START:
                raise LocalError(self._words(f"{self.role.name} does not start: it {ending(code)}"))
            if time.monotonic() - began > STEADY_SECONDS:
                wait = FIRST_WAIT_SECONDS
            self._terminal.say(
                f"{self.role.name} {ending(code)}; starting it again in {wait:g} s (its log: {self._log.path})"
            )
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), wait)
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)

    async def _run_once(self) -> int:
        try:
            child = await processes.start(self.role.argv, self.role.environment)
        except OSError as error:
            raise LocalError(f"{self.role.argv[0]} cannot be run: {error.strerror}.") from error
        assert child.stdout is not None
        self.process = identity(self.role.name, child.pid)
        self._changed()
        if self._stopping.is_set():  # asked to stop while it was being started
            processes.send(child.pid, signal.SIGTERM)
        asking = asyncio.create_task(self._ask())
        try:
            await self._log.copy(child.stdout)
            return await child.wait()
        finally:
            asking.cancel()
            self.process = None
            self._changed()

    async def _ask(self) -> None:
        again = self._ready.is_set()
        while not await is_ready(self.role):  # noqa: ASYNC110 - another process has no event to wait for
            await asyncio.sleep(ASK_AGAIN_SECONDS)
        self._ready.set()
        if again:
            self._terminal.say(f"{self.role.name} is back.")

    def _words(self, what: str) -> str:
        last = "\n".join(f"  {line}" for line in self._log.last)
        return f"{what}. The end of its log, {self._log.path}:\n{last or '  (nothing)'}"


def ending(code: int) -> str:
    """How a process ended, for people."""
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"ended with code {code}"
