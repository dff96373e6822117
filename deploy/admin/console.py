"""Waits until it is told to end: what runs in the pod in which operators run `levata admin`."""

import signal
import sys
from collections.abc import Sequence


def main() -> int:
    """Waits; the exit code."""
    wanted: Sequence[signal.Signals] = (signal.SIGTERM, signal.SIGINT)
    # Blocked, so that none is lost between starting and waiting.
    signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    print("a console for operators: run `levata admin` in it", flush=True)
    signal.sigwait(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
