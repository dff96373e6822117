"""What prometheus-nats-exporter tells of a server of NATS: its own words where it is installed.

Where it is not, the server's documents are put as the exporter puts them: every number of /varz and /routez under its
own name behind `gnatsd_`, and what /jsz says of the server and its streams under the exporter's names for it.
"""

import asyncio
import contextlib
import json
import shutil
import urllib.request
from collections.abc import AsyncIterator, Mapping
from typing import Any

from tests.support.nats import free_port
from tests.support.waiting import until

EXPORTER = shutil.which("prometheus-nats-exporter")
ARGUMENTS = ("-use_internal_server_name", "-varz", "-routez", "-jsz=streams")
"""As in deploy/kubernetes/components/monitoring."""

SERVER: Mapping[str, tuple[str, ...]] = {
    "jetstream_server_total_streams": ("streams",),
    "jetstream_server_total_consumers": ("consumers",),
    "jetstream_server_total_messages": ("messages",),
    "jetstream_server_total_message_bytes": ("bytes",),
    "jetstream_server_max_memory": ("config", "max_memory"),
    "jetstream_server_max_storage": ("config", "max_storage"),
}
STREAM: Mapping[str, tuple[str, ...]] = {
    "jetstream_stream_total_messages": ("state", "messages"),
    "jetstream_stream_total_bytes": ("state", "bytes"),
    "jetstream_stream_first_seq": ("state", "first_seq"),
    "jetstream_stream_last_seq": ("state", "last_seq"),
    "jetstream_stream_consumer_count": ("state", "consumer_count"),
}


async def page(monitor: str) -> str:
    """What Prometheus is told of the server that shows itself at `monitor`, host:port."""
    if EXPORTER is not None:
        async with _exporter(EXPORTER, monitor) as address:
            return await get(f"http://{address}/metrics")
    return await translated(monitor)


@contextlib.asynccontextmanager
async def _exporter(path: str, monitor: str) -> AsyncIterator[str]:
    address = f"127.0.0.1:{free_port()}"
    process = await asyncio.create_subprocess_exec(
        path, f"-port={address.rpartition(':')[2]}", "-addr=127.0.0.1", *ARGUMENTS, f"http://{monitor}"
    )

    async def answers() -> bool:
        try:
            return bool(await get(f"http://{address}/metrics"))
        except OSError:
            return False

    try:
        await until(answers)
        yield address
    finally:
        process.kill()
        await process.wait()


async def translated(monitor: str) -> str:
    """The server's own documents, as the exporter would put them."""
    varz, routez, jsz = [
        json.loads(await get(f"http://{monitor}/{document}")) for document in ("varz", "routez", "jsz?streams=true")
    ]
    server = {"server_id": varz["server_name"]}
    lines = [
        _line(f"gnatsd_{name}_{key}", value, server)
        for name, document in (("varz", varz), ("routez", routez))
        for key, value in document.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    meta = jsz.get("meta_cluster") or {}
    jetstream = {
        **server,
        "server_name": varz["server_name"],
        "cluster": meta.get("name", ""),
        "domain": jsz["config"].get("domain", ""),
        "meta_leader": meta.get("leader", ""),
        "is_meta_leader": str(not meta or meta.get("leader") == varz["server_name"]).lower(),
    }
    lines += [_line(name, _at(jsz, path), jetstream) for name, path in SERVER.items()]
    for account in jsz.get("account_details", []):
        for stream in account.get("stream_detail", []):
            labels = {
                **jetstream,
                "account": account["name"],
                "account_id": account["id"],
                "stream_name": stream["name"],
                "stream_leader": (stream.get("cluster") or {}).get("leader", ""),
                "is_stream_leader": "true",
            }
            lines += [_line(name, _at(stream, path), labels) for name, path in STREAM.items()]
    return "".join(lines)


def _at(document: Any, path: tuple[str, ...]) -> float:
    for key in path:
        document = document[key]
    return float(document)


def _line(name: str, value: float, labels: Mapping[str, str]) -> str:
    told = ",".join(f'{label}="{text}"' for label, text in labels.items())
    return f"{name}{{{told}}} {value}\n"


async def get(url: str) -> str:
    """A page."""

    def fetch() -> str:
        with urllib.request.urlopen(url, timeout=5) as answer:
            text: str = answer.read().decode()
            return text

    return await asyncio.to_thread(fetch)
