"""One process kept running, with small real programs."""

import asyncio
import io
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deploy.local import runner as runner_module
from deploy.local.errors import LocalError
from deploy.local.output import Log, Terminal
from deploy.local.roster import Role
from deploy.local.runner import Runner, ending
from tests.support.local_club import free_ports

GREETER = """
import socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("listening", flush=True)
while True:
    client, _ = server.accept()
    client.sendall(b"INFO {}\\r\\n")
    client.close()
"""
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + GREETER
DYING = "print('last words', flush=True); raise SystemExit(3)"


class Bench:
    """A runner of a program, and what it has told."""

    def __init__(self, folder: Path, program: str) -> None:
        port = free_ports(1)[0]
        argv = (sys.executable, "-c", program, str(port))
        self.told = io.StringIO()
        terminal = Terminal(self.told)
        self.log = Log(folder / "it.log", "it", terminal)
        self.runner = Runner(
            Role("it", "it", argv, dict(os.environ), f"127.0.0.1:{port}", greets="nats"), self.log, terminal, self.note
        )
        self.seen: list[int] = []

    def note(self) -> None:
        if self.runner.process is not None:
            self.seen.append(self.runner.process.pid)

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not true():  # noqa: ASYNC110 - another process has no event to wait for
                await asyncio.sleep(0.01)


@asynccontextmanager
async def running(folder: Path, program: str) -> AsyncIterator[Bench]:
    bench = Bench(folder, program)
    bench.runner.start()
    try:
        yield bench
    finally:
        bench.runner.kill()
        await bench.runner.stop(30)
        bench.log.close()


async def test_it_is_ready_when_it_answers(tmp_path: Path) -> None:
    async with running(tmp_path, GREETER) as bench:
        await bench.runner.ready(60)
        assert "listening" in bench.log.last


async def test_a_program_that_dies_before_it_is_ready_is_given_up_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "FIRST_WAIT_SECONDS", 0.01)
    async with running(tmp_path, DYING) as bench:
        with pytest.raises(LocalError, match=r"it does not start: it ended with code 3.*\n.*last words"):
            await bench.runner.ready(60)
        assert len(bench.seen) == runner_module.TRIES_AT_START


async def test_a_program_that_never_answers_is_given_up(tmp_path: Path) -> None:
    async with running(tmp_path, "import time; print('thinking', flush=True); time.sleep(600)") as bench:
        await bench.until(lambda: bool(bench.log.last))
        with pytest.raises(LocalError, match=r"did not get ready within 0.5 s.*\n.*thinking"):
            await bench.runner.ready(0.5)


async def test_waits_between_deaths_grow_and_every_death_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "FIRST_WAIT_SECONDS", 0.01)
    async with running(tmp_path, GREETER) as bench:
        await bench.runner.ready(60)
        for deaths in (1, 2, 3):
            os.kill(bench.seen[-1], signal.SIGKILL)
            await bench.until(lambda deaths=deaths: len(bench.seen) == deaths + 1)  # type: ignore[misc]
        told = bench.told.getvalue()
        assert [f"again in {wait} s" in told for wait in ("0.01", "0.02", "0.04")] == [True, True, True]


async def test_a_program_that_ignores_the_polite_signal_is_killed_after_the_grace(tmp_path: Path) -> None:
    async with running(tmp_path, DEAF) as bench:
        await bench.runner.ready(60)
        await bench.runner.stop(0.2)
        assert bench.runner.process is None
        assert "does not end; killing it" in bench.told.getvalue()


async def test_stopping_is_no_death(tmp_path: Path) -> None:
    async with running(tmp_path, GREETER) as bench:
        await bench.runner.ready(60)
        await bench.runner.stop(30)
        assert len(bench.seen) == 1
        assert bench.told.getvalue() == ""


async def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    terminal = Terminal(io.StringIO())
    role = Role("it", "it", (str(tmp_path / "nothing"),), {}, "127.0.0.1:1", greets="nats")
    runner = Runner(role, Log(tmp_path / "it.log", "it", terminal), terminal, lambda: None)
    runner.start()
    with pytest.raises(LocalError, match="nothing cannot be run"):
        await runner.ready(60)


def test_endings_are_told_in_words() -> None:
    assert ending(3) == "ended with code 3"
    assert ending(-9) == "was killed by SIGKILL"
