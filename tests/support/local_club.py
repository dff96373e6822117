"""A local club, or a part of it, with a state directory and ports of its own."""

import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from deploy.local import roster, secrets
from deploy.local.output import Log, Terminal
from deploy.local.runner import Runner
from deploy.local.secrets import Secrets
from deploy.local.settings import BETWEEN_COPIES, LocalSettings
from shared.settings import ServiceSettings

PORTS = ("table", "matchmaking", "bot", "ledger")
START_SECONDS = 60.0


def free_ports(count: int, copies: int = 1) -> list[int]:
    """Different ports, free at this moment, each with as many free ones above it as copies of a service want."""
    found: list[int] = []
    with contextlib.ExitStack() as held:
        while len(found) < count:
            port = _hold(held, 0)
            above = [port + BETWEEN_COPIES * copy for copy in range(1, copies)]
            if port is not None and all(other < 65536 and _hold(held, other) for other in above):
                found.append(port)
    return found


def _hold(held: contextlib.ExitStack, port: int) -> int:
    """The port that a socket now holds until the stack is closed; 0 if it is taken."""
    probe = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
    try:
        probe.bind(("127.0.0.1", port))
    except OSError:
        return 0
    bound: int = probe.getsockname()[1]
    return bound


def port_variables(copies: int = 1) -> dict[str, str]:
    """The environment that gives a local club ports of its own."""
    names = [f"{service.upper()}{kind}_PORT" for service in PORTS for kind in ("", "_METRICS")]
    names += ["NATS_PORT", "NATS_MONITOR_PORT"]
    return {f"LEVATA_{name}": str(port) for name, port in zip(names, free_ports(len(names), copies), strict=True)}


def local_settings(state: Path) -> LocalSettings:
    """Settings of a local club in `state`."""
    ports = {name.removeprefix("LEVATA_").lower(): int(port) for name, port in port_variables().items()}
    return LocalSettings.model_validate({"state": state, **ports})


@asynccontextmanager
async def running_nats(settings: LocalSettings) -> AsyncIterator[Secrets]:
    """The NATS server of a local club: its real configuration, with permissions, and passwords of its own."""
    async with kept_nats(settings) as (made, _):
        yield made


@asynccontextmanager
async def kept_nats(settings: LocalSettings, made: Secrets | None = None) -> AsyncIterator[tuple[Secrets, Runner]]:
    """The same, with the runner that starts it again when it is killed; `made` has other passwords."""
    made = made or Secrets(settings.state, {user: f"password-of-{user}" for user in secrets.NATS_USERS})
    settings.state.mkdir(parents=True, exist_ok=True)
    log = Log(settings.state / "nats.log", "nats", Terminal())
    runner = Runner(roster.nats(settings, made), log, Terminal(), lambda: None)
    runner.start()
    try:
        await runner.ready(START_SECONDS)
        yield made, runner
    finally:
        await runner.stop(10.0)
        log.close()


def nats_settings(settings: LocalSettings, made: Secrets, user: str) -> ServiceSettings:
    """What a service is told about NATS."""
    return ServiceSettings.model_validate(
        {
            "nats_url": roster.nats_url(settings),
            "nats_user": user,
            "nats_password": made.nats_passwords[user],
        }
    )
