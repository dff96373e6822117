"""What the processes print: into files all of it, onto the terminal what alarms."""

import asyncio
import io
import os
import sys
from pathlib import Path

import pytest

from deploy.local import output
from deploy.local.output import Log, Terminal

QUIET = [
    "2026-11-30T19:00:00.000000Z [info     ] serving                    address=127.0.0.1:7001",
    '{"event": "serving", "level": "info"}',
    "[7] 2026/11/30 19:00:00.000000 [INF] Server is ready",
    "[7] 2026/11/30 19:00:00.000000 [WRN] Plaintext passwords detected, use nkeys or bcrypt",
    "[7] 2026/11/30 19:00:00.000000 [WRN] Filestore [KV_TICKETS] TTL state is outdated; attempting to recover",
    "Traceback (most recent call last):",
]
ALARMING = [
    "2026-11-30T19:00:00.000000Z [warning  ] disconnected from NATS",
    "2026-11-30T19:00:00.000000Z [\x1b[31m\x1b[1merror    \x1b[0m] a background task failed",
    '{"event": "not ready", "level": "warning"}',
    '{"level":"error","event":"dead letter"}',
    "[7] 2026/11/30 19:00:00.000000 [ERR] Publish Violation",
]

FORKS = """
import asyncio, os, sys
from deploy.local import processes
import grpc

async def main():
    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        await channel.channel_ready()
        for _ in range(20):
            child = await processes.start([sys.executable, "-S", "-c", ""], os.environ)
            await child.wait()
    await server.stop(0)

asyncio.run(main())
"""


async def written(log: Log, *pieces: bytes) -> None:
    reader = asyncio.StreamReader(limit=1024)
    copying = asyncio.create_task(log.copy(reader))
    for piece in pieces:
        reader.feed_data(piece)
        await asyncio.sleep(0)
    reader.feed_eof()
    await copying
    log.close()


@pytest.mark.parametrize(("line", "shown"), [(line, False) for line in QUIET] + [(line, True) for line in ALARMING])
async def test_a_line_is_kept_and_shown_only_if_it_alarms(line: str, shown: bool, tmp_path: Path) -> None:
    seen = io.StringIO()
    await written(Log(tmp_path / "it.log", "it", Terminal(seen)), line.encode() + b"\n")
    assert (tmp_path / "it.log").read_text() == line + "\n"
    assert bool(seen.getvalue()) is shown
    assert "\x1b" not in seen.getvalue()
    assert not shown or seen.getvalue().startswith("it | ")


async def test_lines_of_any_length_and_without_an_end_are_kept_whole(tmp_path: Path) -> None:
    content = b"x" * 5000 + b"\n" + b"short\n" + b"no end"
    await written(Log(tmp_path / "it.log", "it", Terminal(io.StringIO())), content[:3000], content[3000:])
    assert (tmp_path / "it.log").read_bytes() == content


async def test_a_log_that_has_grown_long_is_put_aside_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "ROTATE_BYTES", 10)
    lines = [f"line number {number}\n".encode() for number in range(4)]
    await written(Log(tmp_path / "it.log", "it", Terminal(io.StringIO())), *lines)
    assert (tmp_path / "it.log").read_bytes() == lines[3]
    assert (tmp_path / "it.log.1").read_bytes() == lines[2]


async def test_a_log_goes_on_where_the_last_run_ended(tmp_path: Path) -> None:
    for line in (b"one\n", b"two\n"):
        await written(Log(tmp_path / "it.log", "it", Terminal(io.StringIO())), line)
    assert (tmp_path / "it.log").read_bytes() == b"one\ntwo\n"


async def test_last_words_are_those_of_the_process_that_died_and_not_of_one_before(tmp_path: Path) -> None:
    log = Log(tmp_path / "it.log", "it", Terminal(io.StringIO()))
    for line in (b"[error    ] of the first\n", b"of the second\n"):
        reader = asyncio.StreamReader()
        reader.feed_data(line)
        reader.feed_eof()
        await log.copy(reader)
    assert list(log.last) == ["of the second"]
    log.close()


async def test_processes_started_while_grpc_is_at_work_leave_no_word_of_grpc_on_the_terminal(tmp_path: Path) -> None:
    script = tmp_path / "forks.py"
    script.write_text(FORKS)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(script),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    told, _ = await process.communicate()
    assert (process.returncode, told) == (0, b"")


def test_a_terminal_that_was_closed_is_nobodys_trouble() -> None:
    closed = io.StringIO()
    closed.close()
    Terminal(closed).say("anybody there?")
