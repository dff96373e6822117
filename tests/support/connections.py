"""Which process is connected to which port of this machine, as the kernel sees it."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

LOOK_SECONDS = 0.1
_ESTABLISHED = "01"


def connected(processes: Iterable[int]) -> dict[int, set[int]]:
    """The remote ports to which each of these processes has a connection at this moment."""
    ports = _remote_ports()
    return {process: {ports[inode] for inode in _sockets(process) if inode in ports} for process in processes}


def _remote_ports() -> dict[str, int]:
    """The remote port of every established connection, by the inode of its socket."""
    found = {}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == _ESTABLISHED:
                    found[fields[9]] = int(fields[2].rpartition(":")[2], 16)
    return found


def _sockets(process: int) -> set[str]:
    """The inodes of a process's sockets; empty when it is gone."""
    found = set()
    folder = f"/proc/{process}/fd"
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            with contextlib.suppress(OSError):
                kind, _, inode = os.readlink(f"{folder}/{name}").partition(":")
                if kind == "socket":
                    found.add(inode.strip("[]"))
    return found


class Watch:
    """Looks at the connections of processes again and again.

    Args:
        processes: The processes of this moment, each with the name that it is known by.

    Attributes:
        seen: Who has been connected where: the name, and the port.
    """

    def __init__(self, processes: Callable[[], Mapping[int, str]]) -> None:
        self.seen: set[tuple[str, int]] = set()
        self._processes = processes

    def look(self) -> None:
        """Looks once."""
        names = self._processes()
        self.seen |= {(names[process], port) for process, ports in connected(names).items() for port in ports}

    async def run(self) -> None:
        """Looks until it is cancelled."""
        while True:
            self.look()
            await asyncio.sleep(LOOK_SECONDS)
