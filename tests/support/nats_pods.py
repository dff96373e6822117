"""The servers of NATS of the production overlay, as processes: their arguments, environment, configuration, secrets."""

import contextlib
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.kubernetes import builds, secrets
from deploy.kubernetes.builds import Build
from shared.settings import ServiceSettings
from tests.support.local_club import free_ports
from tests.support.nats import nats_binary
from tests.support.pods import Pods, replaced

START_SECONDS = 60.0
SERVERS = 3


class NatsPod:
    """One pod of NATS, as a process.

    Attributes:
        name: Of the pod.
        url: For clients.
        ports: Those of a pod, by the ports that stand for them here.
    """

    def __init__(self, pods: Pods, number: int, ports: list[list[int]], root: Path) -> None:
        workload = pods.workload("nats")
        client, monitor, peer = ports[number]
        self.name = f"nats-{number}"
        self.url = f"nats://127.0.0.1:{client}"
        self.ports = {client: 4222, monitor: 8222, peer: 6222}
        self._probe = f"http://127.0.0.1:{monitor}{workload.main['startupProbe']['httpGet']['path']}"
        self._stop = workload.main["lifecycle"]["preStop"]["exec"]["command"]
        pods.mount(workload, root)
        self._environment = replaced(
            pods.environment(workload, self.name),
            [
                ("0.0.0.0:4222", f"127.0.0.1:{client}"),
                ("0.0.0.0:8222", f"127.0.0.1:{monitor}"),
                ("0.0.0.0:6222", f"127.0.0.1:{peer}"),
                ("/data", str(root / "data")),
                *((f"nats-{other}.nats-peers:6222", f"127.0.0.1:{ports[other][2]}") for other in range(SERVERS)),
            ],
        )
        self._arguments = [one.replace("/etc/nats", str(root / "etc/nats")) for one in workload.main["args"]]
        self._log = root / "log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The process, as long as it has been started."""
        assert self._process is not None
        return self._process

    def start(self) -> None:
        """Starts it."""
        with self._log.open("ab") as log:
            command = [str(nats_binary()), *self._arguments]
            self._process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)

    def ready(self) -> bool:
        """Whether its startup probe passes."""
        assert self.process.poll() is None, self._log.read_text()[-3000:]
        try:
            with urllib.request.urlopen(self._probe, timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def kill(self) -> None:
        """Kills it with SIGKILL."""
        self.process.kill()
        self.process.wait()

    def go(self) -> int:
        """Ends it as the kubelet does, by its hook and at once the signal; its exit code."""
        hook = [str(nats_binary()), *(one.replace("ldm=1", f"ldm={self.process.pid}") for one in self._stop[1:])]
        subprocess.run(hook, check=True, capture_output=True)
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


class NatsCluster:
    """All three.

    Attributes:
        build: The build.
        pods: Its pods.
        servers: The servers by name.
    """

    def __init__(self, build: Build, pods: Pods, root: Path) -> None:
        self.build = build
        self.pods = pods
        free = free_ports(3 * SERVERS)
        ports = [free[3 * number : 3 * number + 3] for number in range(SERVERS)]
        made = [NatsPod(pods, number, ports, root / f"nats-{number}") for number in range(SERVERS)]
        self.servers = {server.name: server for server in made}

    @property
    def urls(self) -> list[str]:
        """Where clients find them."""
        return [server.url for server in self.servers.values()]

    def wait(self) -> None:
        """Waits until all are ready."""
        deadline = time.monotonic() + START_SECONDS
        while not all(server.ready() for server in self.servers.values()):
            assert time.monotonic() < deadline, "the servers do not find each other"
            time.sleep(0.1)

    def _environment(self, name: str) -> dict[str, str]:
        """The environment of a workload as its manifest gives it; `ledger-app` is of no use here."""
        environment = self.pods.environment(self.pods.workload(name), f"{name}-0", {"ledger-app": ""})
        return replaced(environment, [("nats://nats:4222", ",".join(self.urls))])

    def told(self, name: str) -> dict[str, str]:
        """What a workload is told of NATS."""
        of_nats = ("LEVATA_NATS_", "LEVATA_REPLICAS")
        return {key: value for key, value in self._environment(name).items() if key.startswith(of_nats)}

    def settings(self, name: str) -> ServiceSettings:
        """The settings of a workload, such as `table`, or `provision`."""
        environment = self._environment(name)
        with pytest.MonkeyPatch.context() as patched:
            for variable in [one for one in os.environ if one.startswith("LEVATA_")]:
                patched.delenv(variable)
            for variable, value in environment.items():
                patched.setenv(variable, value)
            return ServiceSettings(publish_seconds=30.0)


@contextlib.contextmanager
def nats_pods(root: Path) -> Iterator[NatsCluster]:
    """All three inside the block, without streams yet; `root` is an empty folder."""
    secrets.make(root / "secrets")
    (production,) = builds.combinations(builds.copy(builds.DEPLOY, root / "deploy"), ["production"])
    made = NatsCluster(production, Pods(production, root / "secrets"), root)
    try:
        for server in made.servers.values():
            server.start()
        made.wait()
        yield made
    finally:
        for server in made.servers.values():
            with contextlib.suppress(AssertionError):
                server.kill()
