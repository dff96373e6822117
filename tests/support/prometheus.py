"""A real Prometheus, with our rules in a hurry, watching services that run."""

import asyncio
import contextlib
import json
import shutil
import urllib.parse
import urllib.request
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.monitoring import local
from deploy.monitoring.rules import hurried
from tests.support.nats import free_port
from tests.support.waiting import until

PROMETHEUS = shutil.which("prometheus")
EVERY_SECONDS = 0.5
HURRY = 60
"""An hour of the rules is a minute here."""


@dataclass(frozen=True)
class Prometheus:
    """A Prometheus that runs.

    Attributes:
        address: Where it answers.
    """

    address: str

    async def ask(self, path: str, **parameters: str) -> Any:
        """What its API answers."""
        query = urllib.parse.urlencode(parameters)

        def fetch() -> Any:
            with urllib.request.urlopen(f"http://{self.address}/api/v1/{path}?{query}", timeout=10) as answer:
                return json.load(answer)["data"]

        return await asyncio.to_thread(fetch)

    async def firing(self) -> dict[str, dict[str, Any]]:
        """The alerts that fire now, by name."""
        alerts = (await self.ask("alerts"))["alerts"]
        return {one["labels"]["alertname"]: one for one in alerts if one["state"] == "firing"}

    async def value(self, expression: str) -> float:
        """What an expression comes to; 0 if to nothing."""
        found = (await self.ask("query", query=expression))["result"]
        return float(found[0]["value"][1]) if found else 0.0


@contextlib.asynccontextmanager
async def prometheus(folder: Path, targets: local.Targets) -> AsyncIterator[Prometheus]:
    """Runs a Prometheus until the end of the block.

    Args:
        folder: For what it keeps.
        targets: Where each job shows its figures.
    """
    assert PROMETHEUS is not None
    folder.mkdir()  # noqa: ASYNC240 - a moment
    file = local.write(folder, hurried(HURRY, EVERY_SECONDS), targets, EVERY_SECONDS)
    running = Prometheus(f"127.0.0.1:{free_port()}")
    with (folder / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            PROMETHEUS,
            f"--config.file={file}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address={running.address}",
            "--log.level=warn",
            stdout=log,
            stderr=log,
        )

    async def answers() -> bool:
        assert process.returncode is None, (folder / "log").read_text()
        try:
            return bool(await running.ask("status/buildinfo"))
        except OSError:
            return False

    try:
        await until(answers, 30, "Prometheus answers")
        yield running
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
