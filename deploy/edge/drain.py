"""Ends the edge in good order: `python -m deploy.edge.drain`, beside Envoy in a pod.

Envoy ends at once when it is told to, whatever its clients are doing. So this waits for the signal in its place: new
clients are kept away, those that are there are asked to go elsewhere with their next call, and when all have gone, or
it has taken long enough, Envoy is ended. Streams that are still open then break off, and their clients resume them.
"""

import asyncio
import re
import signal
import sys
from pathlib import Path
from typing import Final

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

ANSWER_SECONDS: Final = 5.0
LOOK_SECONDS: Final = 0.5
CONNECTIONS: Final = "http.club.downstream_cx_active"


class DrainSettings(BaseSettings):
    """How the edge ends, each from the environment variable `LEVATA_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="LEVATA_", extra="ignore", frozen=True)

    edge_admin: Path = Field(Path("/tmp/admin.sock"), description="Socket of Envoy's admin interface.")
    edge_leave_seconds: float = Field(
        5.0, ge=0, description="Until nobody sends new clients any more, once the edge says that it is not ready."
    )
    edge_drain_seconds: float = Field(35.0, ge=0, description="From the signal to the end of Envoy at most.")


class AdminError(Exception):
    """Envoy's admin interface does not answer, or refuses."""


async def ask(admin: Path, method: str, path: str) -> str:
    """Makes a request at the admin interface; the body of the answer. Raises `AdminError`."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            reader, writer = await asyncio.open_unix_connection(admin)
            try:
                request = f"{method} {path} HTTP/1.1\r\nHost: admin\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                writer.write(request.encode())
                answer = (await reader.read()).decode()
            finally:
                writer.close()
    except (OSError, TimeoutError) as error:
        raise AdminError(f"{method} {path}: {error!r}") from error
    head, _, body = answer.partition("\r\n\r\n")
    if not re.match(r"HTTP/1\.1 2", head):
        raise AdminError(f"{method} {path}: {head.splitlines()[0] if head else 'no answer'}")
    return body


async def connections(admin: Path) -> int:
    """How many connections clients have open. Raises `AdminError`."""
    text = await ask(admin, "GET", f"/stats?filter=^{re.escape(CONNECTIONS)}$")
    found = re.search(rf"{re.escape(CONNECTIONS)}: (\d+)", text)
    return int(found[1]) if found else 0


async def drain(settings: DrainSettings) -> None:
    """Drains Envoy and ends it. Raises `AdminError`."""
    admin = settings.edge_admin
    try:
        async with asyncio.timeout(settings.edge_drain_seconds):
            await ask(admin, "POST", "/healthcheck/fail")
            await asyncio.sleep(settings.edge_leave_seconds)
            await ask(admin, "POST", "/drain_listeners?graceful")
            while await connections(admin):  # noqa: ASYNC110 - counted by Envoy
                await asyncio.sleep(LOOK_SECONDS)
    except TimeoutError:
        print(f"{await connections(admin)} connections are cut off", flush=True)
    await ask(admin, "POST", "/quitquitquit")


async def wait_and_drain(settings: DrainSettings) -> None:
    """Waits for SIGTERM, then drains. Raises `AdminError`."""
    told = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    print("waiting for the end of the pod", flush=True)
    await told.wait()
    await drain(settings)


if __name__ == "__main__":
    try:
        asyncio.run(wait_and_drain(DrainSettings()))
    except AdminError as error:
        sys.exit(f"Envoy could not be ended in good order: {error}")
