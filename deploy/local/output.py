"""What the processes print: all of it into files, and what a person should see onto the terminal."""

import asyncio
import re
import sys
from collections import deque
from pathlib import Path
from typing import BinaryIO, TextIO

ALARMING = re.compile(
    rb"\[(?:warning|error|critical) *\]|\"level\": ?\"(?:warning|error|critical)\"|\[(?:WRN|ERR|FTL)\]"
)
"""A line of a service's log, for people or for machines, or of NATS, that is worse than information."""
EXPECTED = re.compile(
    rb"Plaintext passwords detected|TTL state is outdated; attempting to recover|caught ENVOY_SIGTERM"
)
"""NATS would rather have hashes in its configuration; here they are random, and in its environment only. After it was
killed it reads again what it has not noted of times to live, which it does by itself. Envoy is told to stop."""
COLOURS = re.compile(rb"\x1b\[[0-9;]*m")
ROTATE_BYTES = 20_000_000
LAST_LINES = 30
LONGEST_SHOWN = 400


class Terminal:
    """Tells the person at the terminal what happens; lines never mix."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout

    def say(self, text: str = "") -> None:
        """Prints a line or more. A terminal that was closed is nobody's trouble."""
        try:
            self._stream.write(text + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            pass


class Log:
    """The log file of one process: appended to over restarts, the one before kept when it has grown long.

    Attributes:
        path: The file.
        last: The last lines of the process that runs, or ran last, without colours.
    """

    def __init__(self, path: Path, label: str, terminal: Terminal) -> None:
        self.path = path
        self.last: deque[str] = deque(maxlen=LAST_LINES)
        self._label = label
        self._terminal = terminal
        self._file: BinaryIO = path.open("ab")

    async def copy(self, reader: asyncio.StreamReader) -> None:
        """Copies everything that a process prints, until it closes its output. What `last` had was another's."""
        self.last.clear()
        while line := await _line(reader):
            self._write(line)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _write(self, line: bytes) -> None:
        if self._file.tell() > ROTATE_BYTES:
            self._file.close()
            self.path.replace(self.path.with_name(self.path.name + ".1"))
            self._file = self.path.open("ab")
        self._file.write(line)
        self._file.flush()
        plain = COLOURS.sub(b"", line).rstrip()
        text = plain.decode(errors="replace")
        self.last.append(text)
        if ALARMING.search(plain) and not EXPECTED.search(plain):
            self._terminal.say(f"{self._label} | {text[:LONGEST_SHOWN]}")


async def _line(reader: asyncio.StreamReader) -> bytes:
    """The next line, or a piece of one that is longer than the reader's buffer; empty at the end."""
    try:
        return await reader.readuntil(b"\n")
    except asyncio.IncompleteReadError as error:
        return error.partial
    except asyncio.LimitOverrunError as error:
        return await reader.readexactly(error.consumed)
