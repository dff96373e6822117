"""What the image runs: `python -m deploy.image <what>`, which is its entry point.

table, matchmaking, bot, ledger   one service
provision                         makes the streams of NATS, or brings them up to date
migrate                           brings the ledger's database to the newest revision
drain                             ends an edge in good order, beside Envoy
console                           waits, for `levata admin` to be run beside it
backup                            takes a backup, one of a series
restore                           restores one into a club that is empty
health                            succeeds while the service in this container lives (Docker's own check)
"""

import http.client
import os
import runpy
import sys
from collections.abc import Mapping, Sequence
from typing import Final

SERVICES: Final = ("table", "matchmaking", "bot", "ledger")
JOBS: Final[Mapping[str, Sequence[str]]] = {
    "provision": ("deploy.nats",),
    "migrate": ("services.ledger", "migrate"),
    "drain": ("deploy.edge.drain",),
    "console": ("deploy.admin.console",),
    "backup": ("deploy.backup", "backup"),
    "restore": ("deploy.backup", "restore"),
}
LIVE_SECONDS: Final = 3.0


def main(arguments: Sequence[str]) -> int:
    """Runs what is asked for, in this process; returns the exit status."""
    if len(arguments) != 1:
        return _usage()
    (what,) = arguments
    if what == "health":
        return 0 if lives(os.environ.get("LEVATA_METRICS_LISTEN", "")) else 1
    if what in SERVICES:
        command: Sequence[str] = (f"services.{what}",)
    elif what in JOBS:
        command = JOBS[what]
    else:
        return _usage()
    module, *rest = command
    sys.argv = [f"python -m {module}", *rest]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    return 0


def lives(metrics_listen: str) -> bool:
    """Whether the service that has its metrics at `metrics_listen`, host:port, says that it lives."""
    host, _, port = metrics_listen.rpartition(":")
    host = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "::1"}.get(host, host.strip("[]"))
    try:
        connection = http.client.HTTPConnection(host, int(port), timeout=LIVE_SECONDS)
        connection.request("GET", "/livez")
        return connection.getresponse().status == 200
    except (OSError, ValueError, http.client.HTTPException):
        return False


def _usage() -> int:
    known = ", ".join([*SERVICES, *JOBS, "health"])
    print(f"Say what to run, one of: {known}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
