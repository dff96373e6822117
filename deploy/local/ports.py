"""Ports: refused before anything starts, so that nobody has to read a stack trace to find out which is taken."""

import contextlib
import socket
from collections.abc import Iterable

from deploy.local.errors import LocalError


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def require_free(host: str, ports: Iterable[tuple[int, str, str]]) -> None:
    """Raises `LocalError` that names every port that is taken or wanted twice, and the command that chooses others.

    It is raised too if this machine has no such address as `host`.

    Args:
        host: Where the ports are to be listened on.
        ports: Number, what for, and the environment variable that chooses it, for each.
    """
    try:
        free_port(host)
    except OSError as error:
        raise LocalError(
            f"Nothing can listen on LEVATA_HOST={host}: {error.strerror}. "
            "For this machine alone it is 127.0.0.1, for every network 0.0.0.0."
        ) from error
    complaints = []
    others: dict[str, int] = {}
    wanted: dict[int, str] = {}
    for port, purpose, variable in ports:
        if port in wanted:
            trouble = f"is also wanted for {wanted[port]}"
        elif not is_free(host, port):
            trouble = "is taken by another program"
        else:
            wanted[port] = purpose
            continue
        complaints.append(f"Port {port}, for {purpose}, {trouble}.")
        others[variable] = free_port(host)
    if complaints:
        chosen = " ".join(f"{variable}={port}" for variable, port in others.items())
        complaints.append(f"Choose {'another' if len(others) == 1 else 'others'}: {chosen} make up")
        raise LocalError("\n".join(complaints))


def free_port(host: str) -> int:
    """A port that is free at this moment."""
    (port,) = free_ports(host, 1)
    return port


def free_ports(host: str, count: int) -> list[int]:
    """So many ports that are free at this moment, each another."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with contextlib.ExitStack() as held:
        probes = [held.enter_context(socket.socket(family, socket.SOCK_STREAM)) for _ in range(count)]
        for probe in probes:
            probe.bind((host, 0))
        return [int(probe.getsockname()[1]) for probe in probes]
