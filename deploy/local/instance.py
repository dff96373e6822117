"""One supervisor to a state directory, and what one that died left behind.

`run/lock` is locked by the supervisor for as long as it lives; the operating system lets go of it however that life
ends. `run/processes.json` lists what it has started, so that the next one can end what outlived it. `run/addresses` and
`run/operator.json` tell players and operators how to get in.
"""

import fcntl
import os
import signal
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from deploy.local.errors import LocalError
from deploy.local.processes import ProcessIdentity, send, start_time
from deploy.local.secrets import write_secret

_OPERATOR = "operator.json"
PATIENCE_SECONDS = 10.0
"""How long a leftover may take to end by itself."""


class OperatorAccess(msgspec.Struct, frozen=True):
    """How an operator gets at the club that runs here.

    Attributes:
        nats_url: Where NATS is.
        nats_password: Password of the user `operator` there.
        database_url: The ledger's database.
    """

    nats_url: str
    nats_password: str
    database_url: str


def operator_access(state: Path) -> OperatorAccess:
    """How an operator gets at the club that is up from a state directory.

    Raises:
        FileNotFoundError: None is.
        OSError, msgspec.DecodeError: It cannot be read.
    """
    return msgspec.json.decode((state / "run" / _OPERATOR).read_bytes(), type=OperatorAccess)


class Instance:
    """The right to run a club from a state directory; a context manager.

    Entering raises `LocalError` when another supervisor has that right.
    """

    def __init__(self, state: Path) -> None:
        self._folder = state / "run"
        self._lock: int | None = None

    def __enter__(self) -> Self:
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise LocalError(
                f"The state directory {self._folder.parent} cannot be used: {error.strerror}. "
                "Choose another: LEVATA_STATE=<directory> make up"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            holder = self.holder()
            raise LocalError(
                f"The club is already up from {self._folder.parent}"
                + (f" (process {holder.pid}).\n" if holder else ".\n")
                + "Stop it with Ctrl-C in its terminal or with `make down`, or start another beside it with a state "
                "directory and ports of its own (LEVATA_STATE, LEVATA_TABLE_PORT, ...; the README lists them)."
            ) from error
        self._lock = descriptor
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, msgspec.json.encode(identity("supervisor", os.getpid())), 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            (self._folder / "addresses").unlink(missing_ok=True)
            (self._folder / _OPERATOR).unlink(missing_ok=True)
            os.ftruncate(self._lock, 0)
            os.close(self._lock)
            self._lock = None

    def holder(self) -> ProcessIdentity | None:
        """The supervisor that runs now, if any."""
        try:
            found = msgspec.json.decode((self._folder / "lock").read_bytes(), type=ProcessIdentity)
        except (OSError, msgspec.DecodeError):
            return None
        return found if found.is_alive() else None

    def remember(self, processes: Iterable[ProcessIdentity]) -> None:
        """Writes down what runs, for whoever comes after."""
        fresh = self._folder / "processes.json.new"
        fresh.write_bytes(msgspec.json.encode(list(processes)))
        fresh.replace(self._folder / "processes.json")

    def remembered(self) -> list[ProcessIdentity]:
        """What the last supervisor wrote down."""
        try:
            return msgspec.json.decode((self._folder / "processes.json").read_bytes(), type=list[ProcessIdentity])
        except (OSError, msgspec.DecodeError):
            return []

    def publish_addresses(self, addresses: Mapping[str, str]) -> None:
        """Writes down where clients find the services, as assignments that a shell can read; they go at the end."""
        lines = (f"{variable}={address}\n" for variable, address in addresses.items())
        (self._folder / "addresses").write_text("".join(lines))

    def admit_operator(self, access: OperatorAccess) -> None:
        """Writes down how an operator gets in, for whoever may read the state directory; it goes at the end."""
        write_secret(self._folder / _OPERATOR, msgspec.json.encode(access))

    def end_leftovers(self) -> list[str]:
        """Ends what an earlier supervisor has left running; its processes and no others. Returns their names.

        Only for whoever has entered: otherwise they may be those of a supervisor that lives.
        """
        assert self._lock is not None
        remembered = self.remembered()
        leftovers = [process for process in remembered if process.is_alive()]
        for number in (signal.SIGTERM, signal.SIGKILL):
            for process in leftovers:
                if process.is_alive():
                    send(process.pid, number)
            until = time.monotonic() + PATIENCE_SECONDS
            while any(process.is_alive() for process in leftovers) and time.monotonic() < until:
                time.sleep(0.05)
        if remembered:
            self.remember([])
        return [process.name for process in leftovers]


def identity(name: str, pid: int) -> ProcessIdentity:
    """The identity of a process that runs now."""
    return ProcessIdentity(name, pid, start_time(pid))
