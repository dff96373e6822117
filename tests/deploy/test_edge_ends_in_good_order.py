"""The end of the edge: Envoy as its manifest starts it, and beside it what drains it when the pod is to go."""

import asyncio
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from deploy.edge.drain import AdminError, DrainSettings, connections, drain
from deploy.edge.render import Place, render
from deploy.kubernetes import builds
from deploy.local.readiness import answers_http
from tests.support.edge import ENVOY
from tests.support.local_club import free_ports
from tests.support.pods import Pods
from tests.support.waiting import until

ROOT: Final = Path(__file__).parents[2]
ADDRESS: Final = "127.0.0.1"


@dataclass
class Visitor:
    """A client with a connection that it keeps."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def ask(self) -> str:
        """Makes a request that the edge answers by itself; the head of the answer."""
        self.writer.write(b"GET / HTTP/1.1\r\nHost: club\r\n\r\n")
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = next((line for line in head.splitlines() if line.startswith("content-length:")), "content-length: 0")
        await self.reader.readexactly(int(length.partition(":")[2]))
        return head


@dataclass
class Edge:
    """Envoy, running.

    Attributes:
        envoy: The process.
        admin: Socket of its admin interface.
        port: For clients.
        figures: Address of the figures and of readiness.
    """

    envoy: asyncio.subprocess.Process
    admin: Path
    port: int
    figures: str

    async def visit(self) -> Visitor:
        """A connection."""
        return Visitor(*await asyncio.open_connection(ADDRESS, self.port))

    def settings(self, drain_seconds: float) -> DrainSettings:
        """How it is drained: nobody has to be waited for who would send new clients."""
        return DrainSettings(edge_admin=self.admin, edge_leave_seconds=0.0, edge_drain_seconds=drain_seconds)


@pytest.fixture
async def edge(tmp_path: Path) -> AsyncIterator[Edge]:
    (build,) = builds.combinations(builds.copy(builds.DEPLOY, tmp_path / "deploy"), ["base with edge"])
    arguments = Pods(build, tmp_path).workload("edge").main["args"]
    port, figures, *nobody = free_ports(3)
    sockets = Path(tempfile.mkdtemp(prefix="levata-"))  # the address of a socket has to be short
    upstreams = {name: [f"{ADDRESS}:{nobody[0]}"] for name in ("table", "matchmaking", "bot", "ledger")}
    place = Place(ADDRESS, port, figures, upstreams, [f"{ADDRESS}:{nobody[0]}"], sockets / "admin.sock")
    (tmp_path / "envoy.json").write_text(render(place))
    command = [one.replace("/etc/envoy/envoy.yaml", str(tmp_path / "envoy.json")) for one in arguments]
    with (tmp_path / "envoy.log").open("wb") as log:
        envoy = await asyncio.create_subprocess_exec(ENVOY, *command, stdout=log, stderr=log)
    made = Edge(envoy, place.admin, port, f"{ADDRESS}:{figures}")
    try:
        await until(lambda: answers_http(made.figures), 30, "the edge is ready")
        yield made
    finally:
        if envoy.returncode is None:
            envoy.kill()
        await envoy.wait()
        shutil.rmtree(sockets)


async def test_clients_are_asked_to_go_and_envoy_ends_when_they_have(edge: Edge) -> None:
    visitor = await edge.visit()
    assert "connection: close" not in await visitor.ask()
    assert await connections(edge.admin) == 1
    draining = asyncio.create_task(drain(edge.settings(60)))
    await until(lambda: _not_ready(edge))
    # The answer to the next call says that it was the last one.
    await until(lambda: _asked_to_go(visitor))
    visitor.writer.close()
    await draining
    assert await asyncio.wait_for(edge.envoy.wait(), 20) == 0


async def test_clients_that_stay_are_cut_off_in_time(edge: Edge, capsys: pytest.CaptureFixture[str]) -> None:
    visitor = await edge.visit()
    await visitor.ask()
    await drain(edge.settings(1))
    assert await asyncio.wait_for(edge.envoy.wait(), 20) == 0
    assert await visitor.reader.read() == b""
    assert "1 connections are cut off" in capsys.readouterr().out


async def test_the_process_beside_envoy_waits_for_the_signal(edge: Edge) -> None:
    environment = {"LEVATA_EDGE_ADMIN": str(edge.admin), "LEVATA_EDGE_LEAVE_SECONDS": "0", "PYTHONPATH": str(ROOT)}
    command = (sys.executable, "-m", "deploy.edge.drain")
    process = await asyncio.create_subprocess_exec(*command, env=environment, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    assert await asyncio.wait_for(process.stdout.readline(), 60) == b"waiting for the end of the pod\n"
    assert await answers_http(edge.figures)
    process.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(process.wait(), 30) == 0
    assert await asyncio.wait_for(edge.envoy.wait(), 20) == 0


async def test_an_envoy_that_has_gone_is_said_to_have_gone(tmp_path: Path) -> None:
    with pytest.raises(AdminError, match="/healthcheck/fail"):
        await drain(DrainSettings(edge_admin=tmp_path / "admin.sock"))


async def _not_ready(edge: Edge) -> bool:
    return not await answers_http(edge.figures)


async def _asked_to_go(visitor: Visitor) -> bool:
    return "connection: close" in await visitor.ask()
