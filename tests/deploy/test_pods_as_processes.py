"""The local overlay without a cluster: its pods as processes, told exactly what their manifests tell them."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.kubernetes import builds
from deploy.kubernetes.workloads import PROBES
from tests.support.local_club import free_ports
from tests.support.nats import nats_binary
from tests.support.pods import Pods, replaced
from tests.support.waiting import until

ROOT: Final = Path(__file__).parents[2]
COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "provision": ("deploy.nats",),
    "migrate": ("services.ledger", "migrate"),
    "console": ("deploy.admin.console",),
    **{name: (f"services.{name}",) for name in ("table", "matchmaking", "bot", "ledger")},
}
"""What the image runs, by its argument."""
PORTS: Final = {"table": 7001, "matchmaking": 7002, "bot": 7003, "ledger": 7004}
START_SECONDS: Final = 60.0


@dataclass
class Overlay:
    """The overlay on this machine.

    Attributes:
        pods: Its pods.
        root: Where their files are, each in a folder of its own.
        ports: The ports of this machine for those of the manifests.
    """

    pods: Pods
    root: Path
    ports: Mapping[int, int]

    def start(self, name: str) -> subprocess.Popen[bytes]:
        """Starts a pod of a workload: its main container, without anything that the manifest does not tell it."""
        told = self.told(name)
        root = self.root / name
        arguments = self.pods.workload(name).main["args"]
        if name == "nats":
            told["LEVATA_NATS_STORE"] = str(root / "data")
            command = [str(nats_binary()), *(one.replace("/etc/nats", str(root / "etc/nats")) for one in arguments)]
        else:
            command = [sys.executable, "-m", *COMMANDS[arguments[0]]]
        with (root / "log").open("wb") as log:
            return subprocess.Popen(command, env={"PATH": os.environ["PATH"], **told}, cwd=ROOT, stdout=log, stderr=log)

    def execute(self, name: str, *command: str) -> str:
        """Runs a command in a pod that was started, as `kubectl exec` does; what it prints."""
        environment = {"PATH": os.environ["PATH"], **self.told(name)}
        run = [sys.executable, "-m", *command]
        done = subprocess.run(run, env=environment, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
        return done.stdout

    def told(self, name: str) -> dict[str, str]:
        """The environment of a pod, its files in place, with what is there on this machine for what is not."""
        workload = self.pods.workload(name)
        root = self.root / name
        self.pods.mount(workload, root)
        database = f"sqlite:///{self.root / 'ledger.db'}"
        told = self.pods.environment(workload, f"{name}-0", {"ledger-app": database})
        pairs = [
            *((f":{port}", f":{here}") for port, here in self.ports.items()),
            ("dns:///table:", "dns:///localhost:"),
            ("nats://nats:", "nats://127.0.0.1:"),
            ("0.0.0.0:", "127.0.0.1:"),
            ("/run/levata", str(root / "run/levata")),
        ]
        return dict(replaced(told, [pair for pair in pairs if any(pair[0] in value for value in told.values())]))

    def log(self, name: str) -> str:
        """What a pod has printed."""
        return (self.root / name / "log").read_text()

    async def probe(self, name: str, kind: str) -> bool:
        """Asks as the kubelet does."""
        probe = self.pods.workload(name).main[kind]["grpc"]
        async with grpc.aio.insecure_channel(f"127.0.0.1:{self.ports[probe['port']]}") as channel:
            request = health_pb2.HealthCheckRequest(service=probe.get("service", ""))
            with contextlib.suppress(grpc.aio.AioRpcError):
                answer = await health_pb2_grpc.HealthStub(channel).Check(request, timeout=2)
                return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)
        return False


@pytest.fixture
async def overlay(tmp_path: Path) -> AsyncIterator[Overlay]:
    """The overlay, its NATS running."""
    (build,) = builds.combinations(builds.copy(builds.DEPLOY, tmp_path / "deploy"), ["local"])
    wanted = [*PORTS.values(), *(port + 100 for port in PORTS.values()), 4222, 8222]
    made = Overlay(
        Pods(build, tmp_path / "deploy" / builds.SECRETS),
        tmp_path,
        dict(zip(wanted, free_ports(len(wanted)), strict=True)),
    )
    nats = made.start("nats")

    def greets() -> bool:
        assert nats.poll() is None, made.log("nats")
        try:
            return socket.create_connection(("127.0.0.1", made.ports[4222]), 1).recv(4) == b"INFO"
        except OSError:
            return False

    try:
        await until(greets, START_SECONDS)
        yield made
    finally:
        nats.kill()
        nats.wait()


async def test_pods_serve_with_what_their_manifests_tell_them(overlay: Overlay) -> None:
    jobs = {name: overlay.start(name) for name in ("provision", "migrate")}
    for name, job in jobs.items():
        assert await asyncio.to_thread(job.wait, START_SECONDS) == 0, overlay.log(name)
    running = {name: overlay.start(name) for name in (*PORTS, "console")}
    try:
        for name in PORTS:
            process = running[name]
            for kind in PROBES:

                async def passes(
                    name: str = name, kind: str = kind, process: subprocess.Popen[bytes] = process
                ) -> bool:
                    assert process.poll() is None, overlay.log(name)
                    return await overlay.probe(name, kind)

                await until(passes, START_SECONDS, f"{kind} of {name}")
        for name, port in PORTS.items():
            # Pods have addresses of both kinds, or of either.
            for host in ("127.0.0.1", "[::1]") if socket.has_ipv6 else ("127.0.0.1",):
                url = f"http://{host}:{overlay.ports[port + 100]}/metrics"
                with await asyncio.to_thread(urllib.request.urlopen, url, timeout=10) as answer:
                    assert b"levata_ready 1.0" in answer.read(), name
        answered = await asyncio.to_thread(overlay.execute, "console", "shared.cli", "admin", "servers", "--json")
        assert {(one["name"], one["state"]) for one in json.loads(answered)} == {
            (f"{name}-0", "ready") for name in PORTS
        }
        answered = await asyncio.to_thread(overlay.execute, "console", "shared.cli", "admin", "totals", "check")
        assert "disagreements: 0" in answered
    finally:
        for process in running.values():
            process.send_signal(signal.SIGTERM)
        codes = {name: await asyncio.to_thread(process.wait, 60) for name, process in running.items()}
    assert codes == dict.fromkeys(running, 0)
    # Every line is one that machines can read, and none tells a password.
    for name in PORTS:
        text = overlay.log(name)
        assert all(line.startswith("{") for line in text.splitlines()), text
        assert (
            overlay.pods.environment(overlay.pods.workload(name), "", {"ledger-app": ""})["LEVATA_NATS_PASSWORD"]
            not in text
        )
