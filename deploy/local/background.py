"""A club in the background: started without a terminal of its own, and stopped from any other."""

import os
import signal
import subprocess
import sys
import time

from deploy.local.errors import LocalError
from deploy.local.instance import Instance
from deploy.local.output import Terminal
from deploy.local.settings import LocalSettings

UP = b"up"
"""What the supervisor writes to whoever started it in the background, once everything serves."""
BEYOND_DRAIN_SECONDS = 30.0


def start(settings: LocalSettings, terminal: Terminal) -> None:
    """Starts a supervisor that outlives this process, and returns when the club is up.

    Raises:
        LocalError: It did not come up; the message is its own.
    """
    folder = settings.state / "logs"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise LocalError(f"The state directory {settings.state} cannot be used: {error.strerror}.") from error
    path = folder / "supervisor.log"
    told, announce = os.pipe()
    with path.open("ab") as log:
        before = log.tell()
        command = [sys.executable, "-m", "deploy.local", "up", "--announce", str(announce)]
        choices = ["--state", str(settings.state), "--tables", str(settings.tables), "--bots", str(settings.bots)]
        subprocess.Popen(
            [*command, *choices],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=[announce],
            start_new_session=True,
        )
    os.close(announce)
    with os.fdopen(told, "rb") as pipe:
        is_up = pipe.read() == UP  # ends with the word, or with the life of the supervisor
    with path.open("rb") as log:
        log.seek(before)
        said = log.read().decode(errors="replace").strip()
    if not is_up:
        raise LocalError(said)
    terminal.say(said)
    terminal.say("It runs in the background: `make down` stops it.")


def stop(settings: LocalSettings, terminal: Terminal) -> None:
    """Stops the supervisor that runs from this state directory, and waits until all has ended.

    Raises:
        LocalError: It does not end.
    """
    holder = Instance(settings.state).holder()
    if holder is None:
        with Instance(settings.state) as instance:
            ended = instance.end_leftovers()
        terminal.say("Ended what was left: " + ", ".join(ended) + "." if ended else "The club is not up.")
        return
    os.kill(holder.pid, signal.SIGTERM)
    until = time.monotonic() + settings.drain_seconds + BEYOND_DRAIN_SECONDS
    while holder.is_alive():
        if time.monotonic() > until:
            raise LocalError(f"The supervisor, process {holder.pid}, does not end. `kill -9 {holder.pid}` ends it.")
        time.sleep(0.05)
    terminal.say("Stopped.")
