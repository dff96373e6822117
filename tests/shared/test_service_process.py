"""A service as a process of its own: signals, exit codes, what it prints."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from shared import stream_setup
from shared.bus import Bus
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2 as pb
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2_grpc as rpc
from tests.support.nats import NatsServer
from tests.support.tokens import TokenIssuer
from tests.support.waiting import until

ROOT = Path(__file__).parents[2]


class Process:
    """The tiny service, running."""

    def __init__(self, mode: str, environment: dict[str, str], output: Path) -> None:
        self._output = output
        with output.open("wb") as stream:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.tiny_service", mode],
                cwd=ROOT,
                env={**os.environ, "LEVATA_LOG_FORMAT": "json", **environment},
                stdout=stream,
                stderr=subprocess.STDOUT,
            )

    @property
    def text(self) -> str:
        return self._output.read_text()

    @property
    def told(self) -> list[str]:
        """What the service itself told."""
        return [line.removeprefix("TINY ") for line in self.text.splitlines() if line.startswith("TINY ")]

    @property
    def events(self) -> list[dict[str, Any]]:
        """What was logged."""
        return [json.loads(line) for line in self.text.splitlines() if line.startswith("{")]

    def logged(self, event: str) -> Callable[[], bool]:
        return lambda: any(line["event"] == event for line in self.events)

    async def serving(self) -> dict[str, Any]:
        """Waits until it serves, and returns that line of its log."""
        await until(self.logged("serving"), what=self.text)
        return next(line for line in self.events if line["event"] == "serving")

    async def exit_code(self) -> int:
        return await asyncio.to_thread(self.process.wait, 30)


@pytest.fixture
async def start(nats: NatsServer, issuer: TokenIssuer, tmp_path: Path) -> AsyncIterator[Callable[..., Process]]:
    started: list[Process] = []

    def run(mode: str = "serve", **environment: str) -> Process:
        process = Process(
            mode,
            {
                "LEVATA_NATS_URL": nats.url,
                "LEVATA_JWKS_FILE": str(issuer.jwks_file),
                "LEVATA_DRAIN_SECONDS": "5",
                **environment,
            },
            tmp_path / f"output-{len(started)}",
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.process.poll() is None:
            process.process.kill()
            process.process.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_drains_and_ends_with_success(
    start: Callable[..., Process], bus: Bus, number: signal.Signals
) -> None:
    process = start()
    line = await process.serving()
    await stream_setup.ensure(bus, ["RESULTS"])
    await bus.publish("results.arzoi", b"one")
    await until(lambda: "handled one" in process.told)
    async with grpc.aio.insecure_channel(line["address"]) as channel:
        stub: Any = rpc.MatchmakingServiceStub(channel)
        await stub.ListQueues(pb.ListQueuesRequest())
    process.process.send_signal(number)
    assert await process.exit_code() == 0
    assert process.told[1:] == ["drained", "closed second", "closed first"]
    assert process.events[-1]["event"] == "stopped"


async def test_metrics_are_served_while_it_runs(start: Callable[..., Process]) -> None:
    line = await start().serving()

    def fetch(path: str) -> str:
        with urllib.request.urlopen(f"http://{line['metrics_address']}{path}", timeout=10) as answer:
            text: str = answer.read().decode()
            return text

    assert await asyncio.to_thread(fetch, "/livez") == "alive\n"
    assert await asyncio.to_thread(fetch, "/readyz") == "ready\n"
    assert "levata_ready 1.0" in await asyncio.to_thread(fetch, "/metrics")


async def test_a_failing_background_task_ends_the_process_with_failure(
    start: Callable[..., Process], tmp_path: Path
) -> None:
    trigger = tmp_path / "trigger"
    process = start("fail", LEVATA_TINY_TRIGGER=str(trigger))
    await process.serving()
    trigger.touch()
    assert await process.exit_code() == 1
    assert process.told == ["drained", "closed second", "closed first"]
    (line,) = [line for line in process.events if line["event"].startswith("a background task failed")]
    assert "the trigger is there" in line["exception"]


async def test_what_cannot_be_bound_ends_with_failure_and_its_reason(start: Callable[..., Process]) -> None:
    process = start("broken")
    assert await process.exit_code() == 1
    (line,) = [line for line in process.events if line["event"] == "could not start"]
    assert "cannot be bound" in line["error"]


async def test_a_signal_ends_also_a_service_that_still_waits_for_something(start: Callable[..., Process]) -> None:
    process = start("waits")
    await until(lambda: process.told == ["waits"], what=process.text)
    process.process.send_signal(signal.SIGTERM)
    assert await process.exit_code() == 0
    assert process.events[-1]["event"] == "stopped"


async def test_no_nats_is_said_in_one_line_without_a_traceback(start: Callable[..., Process], nats: NatsServer) -> None:
    await nats.kill()
    process = start(LEVATA_PUBLISH_SECONDS="0.5")
    assert await process.exit_code() == 1
    (line,) = [line for line in process.events if line["event"] == "could not start"]
    assert "no connection to NATS" in line["error"]
    assert "exception" not in line


async def test_a_taken_port_is_said_in_one_line(start: Callable[..., Process]) -> None:
    first = await start().serving()
    second = start(LEVATA_LISTEN=first["address"])
    assert await second.exit_code() == 1
    (line,) = [line for line in second.events if line["event"] == "could not start"]
    assert first["address"] in line["error"]
    assert "exception" not in line


async def test_settings_are_printed_at_the_start_with_secrets_masked(start: Callable[..., Process]) -> None:
    process = start(LEVATA_TINY_SECRET="s3cret", LEVATA_NATS_PASSWORD="s3cret")
    await process.serving()
    (line,) = [line for line in process.events if line["event"] == "settings"]
    assert line["setting_drain_seconds"] == 5.0
    assert line["service"] == "tiny"
    assert "s3cret" not in process.text


async def test_wrong_settings_are_named_without_their_values(start: Callable[..., Process]) -> None:
    process = start(LEVATA_DRAIN_SECONDS="s3cret", LEVATA_REPLICAS="9")
    assert await process.exit_code() == 1
    assert "drain_seconds" in process.text
    assert "replicas" in process.text
    assert "s3cret" not in process.text
    assert "Traceback" not in process.text


async def test_a_killed_process_is_followed_by_another_that_goes_on(start: Callable[..., Process], bus: Bus) -> None:
    first = start()
    await first.serving()
    await stream_setup.ensure(bus, ["RESULTS"])
    await bus.publish("results.arzoi", b"one")
    await until(lambda: "handled one" in first.told)
    first.process.kill()
    await first.exit_code()
    await bus.publish("results.arzoi", b"two")
    second = start()
    await until(lambda: second.told == ["handled two"])
