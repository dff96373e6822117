"""The club as a whole: everything started in order, watched, and stopped in order."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterable

from pydantic import SecretStr

from deploy.local import roster
from deploy.local.errors import LocalError
from deploy.local.instance import Instance
from deploy.local.output import Log, Terminal
from deploy.local.roster import Role
from deploy.local.runner import Runner
from deploy.local.secrets import Secrets
from deploy.local.settings import LocalSettings
from deploy.nats.provision import provision
from shared.bus import BusUnavailable
from shared.settings import ServiceSettings
from shared.stream_setup import MismatchError

START_SECONDS = 60.0
"""The longest that a process may take until it serves, on a slow machine at its first start."""
STOPPING = (("edge",), ("matchmaking", "bot"), ("table", "ledger"), ("nats",))
"""Who is stopped together, and in which order."""
BEYOND_DRAIN_SECONDS = 5.0
"""What a service may take to end, beyond the time it has for draining."""


class Supervisor:
    """Runs a club until it is told to stop.

    Args:
        settings: Ports, state directory, how many of what.
        secrets: What the processes are given.
        instance: The right to run from this state directory.
        terminal: Where a person reads.
    """

    def __init__(self, settings: LocalSettings, secrets: Secrets, instance: Instance, terminal: Terminal) -> None:
        self._settings = settings
        self._secrets = secrets
        self._instance = instance
        self._terminal = terminal
        self._stop = asyncio.Event()
        self._runners: list[Runner] = []
        self._logs: list[Log] = []

    async def run(self, up: Callable[[], None]) -> None:
        """Starts everything, calls `up` when all of it serves, and stops everything when a signal comes.

        Raises:
            LocalError: A process cannot be started, or not again; the others have been stopped.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._signalled)
        trouble = loop.create_task(self._start(up))
        stopped = loop.create_task(self._stop.wait())
        try:
            await asyncio.wait({trouble, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await self._end(trouble, stopped)
        if not trouble.cancelled():
            trouble.result()

    async def _start(self, up: Callable[[], None]) -> None:
        """Starts everything and then watches it; ends by an error only."""
        nats = roster.nats(self._settings, self._secrets)
        await self._run(nats).ready(START_SECONDS)
        await self._provision()
        started = [self._run(role) for role in roster.services(self._settings, self._secrets)]
        await _all_or_first_error(runner.ready(START_SECONDS) for runner in started)
        if self._settings.edge:
            await self._run(roster.edge(self._settings)).ready(START_SECONDS)
        up()
        await _all_or_first_error(runner.failure() for runner in self._runners)

    async def _provision(self) -> None:
        """Makes the streams, as the user who alone may."""
        user = "provisioner"
        password = self._secrets.nats_passwords[user]
        settings = ServiceSettings(
            nats_url=roster.nats_url(self._settings), nats_user=user, nats_password=SecretStr(password)
        )
        try:
            await provision(settings)
        except (BusUnavailable, MismatchError) as error:
            raise LocalError(f"The streams could not be made: {error}") from error

    def _run(self, role: Role) -> Runner:
        folder = self._settings.state / "logs"
        folder.mkdir(parents=True, exist_ok=True)
        log = Log(folder / f"{role.name}.log", role.name, self._terminal)
        self._logs.append(log)
        runner = Runner(role, log, self._terminal, self._remember)
        self._runners.append(runner)
        runner.start()
        return runner

    async def _end(self, *tasks: asyncio.Task[object]) -> None:
        """Stops everything, callers before those whom they call, so that each can end what it has begun."""
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        grace = self._settings.drain_seconds + BEYOND_DRAIN_SECONDS
        for wave in STOPPING:
            await asyncio.gather(*(runner.stop(grace) for runner in self._runners if runner.role.kind in wave))
        for log in self._logs:
            log.close()
        self._instance.remember([])

    def _remember(self) -> None:
        self._instance.remember(runner.process for runner in self._runners if runner.process is not None)

    def _signalled(self) -> None:
        if self._stop.is_set():
            self._terminal.say("Killing everything.")
            for runner in self._runners:
                runner.kill()
            return
        self._terminal.say(f"\nStopping; Ctrl-C once more to kill. ({self._settings.state} keeps the state.)")
        self._stop.set()


async def _all_or_first_error(waits: Iterable[Coroutine[object, object, None]]) -> None:
    """Waits for all; the first error ends the waiting at once and is raised as it is."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
