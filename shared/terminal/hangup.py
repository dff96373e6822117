"""Whether the terminal is still there.

A terminal that is closed sends SIGHUP to whatever runs in it, but not to everything and not everywhere: a client behind
`make`, or without a controlling terminal, would go on for ever, reading an end of file that never ends.
"""

import sys
import termios

WATCH_SECONDS = 1.0
"""How often to look."""


def watched_terminal() -> int | None:
    """The file descriptor of the terminal that is read from; None when there is none."""
    if sys.__stdin__ is None or not sys.__stdin__.isatty():
        return None
    return sys.__stdin__.fileno()


def is_gone(terminal: int) -> bool:
    """Whether a terminal that once was there is closed."""
    try:
        termios.tcgetattr(terminal)
    except termios.error:
        return True
    return False
