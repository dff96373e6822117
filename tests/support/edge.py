"""An edge before a club: Envoy itself, with the configuration of the cluster and the addresses of this machine."""

import asyncio
import contextlib
import json
import re
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.edge.render import LOCAL_ORIGINS, Place, render
from deploy.local.readiness import answers_http
from tests.support.full_club import FullClub
from tests.support.local_club import free_ports
from tests.support.waiting import until

ENVOY = Path(sys.executable).with_name("envoy")


@dataclass(frozen=True)
class Edge:
    """An edge that runs.

    Attributes:
        address: For clients, host:port.
        metrics_address: For Prometheus, host:port.
        admin: Socket of the admin interface.
        log: What it has printed.
    """

    address: str
    metrics_address: str
    admin: Path
    log: Path

    async def figure(self, name: str, **labels: str) -> float:
        """The sum of a metric over all its series with these labels, or parts of them."""
        reader, writer = await asyncio.open_connection(*self.metrics_address.rsplit(":", 1))
        writer.write(b"GET /metrics HTTP/1.1\r\nhost: edge\r\nconnection: close\r\n\r\n")
        page = (await reader.read()).decode()
        writer.close()
        found = re.findall(rf"^{name}(?:\{{([^}}]*)\}})? ([0-9.e+]+)$", page, re.MULTILINE)
        wanted = [f'{label}="{value}"' for label, value in labels.items()]
        return sum(float(value) for series, value in found if all(one in series for one in wanted))


@contextlib.asynccontextmanager
async def edge(
    folder: Path,
    upstreams: Mapping[str, Sequence[str]],
    keys: str,
    origins: str = LOCAL_ORIGINS,
    heap_bytes: int | None = None,
    resolvers: Mapping[str, str] | None = None,
) -> AsyncIterator[Edge]:
    """Runs an edge until the end of the block.

    Args:
        folder: For its configuration and its log.
        upstreams: Addresses of the processes of each service.
        keys: Where the ledger gives its public keys over HTTP, host:port.
        origins: Regular expression for the origins of pages.
        heap_bytes: What it may hold in memory; None for what its configuration says.
        resolvers: Name servers, host:port, for names of services; None for those of the system.
    """
    folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240 - a moment
    envoy = str(ENVOY) if ENVOY.exists() else shutil.which("envoy")
    assert envoy is not None, "Envoy is not installed; `make setup` does it"
    port, metrics_port = free_ports(2)
    sockets = Path(tempfile.mkdtemp(prefix="levata-"))  # the address of a socket has to be short
    place = Place("127.0.0.1", port, metrics_port, upstreams, [keys], sockets / "admin.sock", origins, keys_seconds=1)
    configuration = folder / "envoy.json"
    settings = json.loads(render(place))
    if heap_bytes is not None:
        (heap, _) = settings["overload_manager"]["resource_monitors"]
        heap["typed_config"]["max_heap_size_bytes"] = heap_bytes
    for cluster in settings["static_resources"]["clusters"]:
        if cluster["name"] in (resolvers or {}):
            cluster["cluster_type"]["typed_config"]["typed_dns_resolver_config"] = _resolver(
                (resolvers or {})[cluster["name"]]
            )
    configuration.write_text(json.dumps(settings))
    made = Edge(f"127.0.0.1:{port}", f"127.0.0.1:{metrics_port}", place.admin, folder / "envoy.log")
    with made.log.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            envoy,
            *("-c", str(configuration), "--disable-hot-restart", "--log-level", "warning", "--concurrency", "1"),
            stdout=log,
            stderr=log,
        )
    try:
        await until(lambda: _serves(process, made), 30, "the edge serves")
        yield made
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        shutil.rmtree(sockets, ignore_errors=True)


def _resolver(address: str) -> dict[str, Any]:
    """Where a cluster of Envoy's looks its name up."""
    host, _, port = address.rpartition(":")
    server = {"socket_address": {"address": host, "port_value": int(port)}}
    return {
        "name": "envoy.network.dns_resolver.cares",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig",
            "resolvers": [server],
            "dns_resolver_options": {"no_default_search_domain": True},
        },
    }


def edge_before(club: FullClub, folder: Path) -> contextlib.AbstractAsyncContextManager[Edge]:
    """An edge before the services of a club."""
    upstreams = {name: [club.service(name).address] for name in ("table", "matchmaking", "bot", "ledger")}
    return edge(folder, upstreams, club.service("ledger").metrics_address)


async def _serves(process: asyncio.subprocess.Process, made: Edge) -> bool:
    assert process.returncode is None, made.log.read_text()
    return await answers_http(made.metrics_address)
