"""The processes of a bench run: servers and clients, each started, watched and ended by its own id."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import psutil

LINE_BYTES = 256 << 20


class Process:
    """A process that talks in lines of JSON, or not at all; its error output goes to a file."""

    def __init__(self, name: str, child: asyncio.subprocess.Process, log: Path) -> None:
        self.name = name
        self.log = log
        self._child = child

    @classmethod
    async def start(
        cls, name: str, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
    ) -> Self:
        """Starts a command; its error output goes to `<folder>/<name>.log`."""
        log = folder / f"{name}.log"
        with log.open("wb") as errors:
            child = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                env={**os.environ, **(environment or {})},
                limit=LINE_BYTES,
            )
        return cls(name, child, log)

    @classmethod
    async def python(
        cls, name: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
    ) -> Self:
        """Starts a Python module."""
        return await cls.start(name, [sys.executable, "-m", *arguments], folder, environment)

    async def line(self, seconds: float = 120.0) -> dict[str, Any]:
        """The next line it prints, as JSON.

        Raises:
            RuntimeError: It ended, or printed nothing for so long; the end of its error output is in the message.
        """
        assert self._child.stdout is not None
        try:
            async with asyncio.timeout(seconds):
                line = await self._child.stdout.readline()
        except TimeoutError:
            line = b""
        if not line:
            raise RuntimeError(f"{self.name} does not answer\n{self._log_end()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def ask(self, seconds: float = 120.0, **command: Any) -> dict[str, Any]:
        """Sends a command and returns the answer."""
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(command).encode() + b"\n")
        await self._child.stdin.drain()
        return await self.line(seconds)

    def cpu_seconds(self) -> float:
        """CPU time it has used so far."""
        return cpu_seconds(self.pid)

    def resident_bytes(self) -> int:
        """Memory it holds."""
        return int(psutil.Process(self.pid).memory_info().rss)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._child.pid

    def running(self) -> bool:
        """Whether it has not ended."""
        return self._child.returncode is None

    async def stop(self, seconds: float = 20.0) -> None:
        """Asks it to end, and makes it end if it does not."""
        if self._child.returncode is not None:
            return
        self._child.terminate()
        try:
            async with asyncio.timeout(seconds):
                await self._child.communicate()
        except TimeoutError:
            self._child.kill()
            await self._child.communicate()

    def _log_end(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-30:])


def cpu_seconds(pid: int) -> float:
    """CPU time that a process has used so far."""
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


async def answering(address: tuple[str, int], process: Process, seconds: float = 60.0) -> None:
    """Returns when something listens at the address.

    Raises:
        RuntimeError: The process ended, or nothing listens for so long.
    """
    async with asyncio.timeout(seconds):
        while process.running():
            try:
                _, writer = await asyncio.open_connection(*address)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                await writer.wait_closed()
                return
    raise RuntimeError(f"{process.name} ended before it listened; see {process.log}")
