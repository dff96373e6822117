"""What containers are told by their environment: settings that the code knows, with values that it takes."""

import contextlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr, ValidationError
from pydantic_settings import BaseSettings

from deploy.backup.settings import BackupSettings
from deploy.club_settings import ClubSettings
from deploy.edge.drain import DrainSettings
from deploy.kubernetes.builds import Build, title
from deploy.kubernetes.workloads import IMAGE, Workload, workloads
from deploy.local.secrets import NATS_USERS
from services.bot.settings import BotSettings
from services.ledger.settings import LedgerSettings
from services.matchmaking.settings import MatchmakingSettings
from services.table.settings import TableSettings
from shared.settings import ServiceSettings

PREFIX: Final = "LEVATA_"
SETTINGS: Final[Mapping[str, type[BaseSettings]]] = {
    "table": TableSettings,
    "matchmaking": MatchmakingSettings,
    "bot": BotSettings,
    "ledger": LedgerSettings,
    "provision": ServiceSettings,
    "migrate": LedgerSettings,
    "drain": DrainSettings,
    "console": ClubSettings,
    "backup": BackupSettings,
    "restore": BackupSettings,
}
"""What the image runs, by its argument, and the settings that it reads."""
ENOUGH: Final[Mapping[str, frozenset[str]]] = {
    "provision": frozenset({"nats_url", "nats_user", "nats_password", "replicas"}),
    "migrate": frozenset({"database_url"}),
    "drain": frozenset(),
    "console": frozenset({"nats_url", "nats_user", "nats_password", "database_url"}),
    "backup": frozenset({"nats_url", "nats_user", "nats_password", "database_url", "backup_directory"}),
    "restore": frozenset(
        {"nats_url", "nats_user", "nats_password", "database_url", "backup_directory", "backup_name", "replicas"}
    ),
}
"""What those that are no servers have to be told; servers, everything that is else meant for a laptop."""
SECRET_VALUE: Final = "postgresql://user:secret@host/name"
"""Stands for a value that is not in the manifests: as good a password as any other, and a database's address."""
POD_VALUE: Final = "pod-0"


def values(build: Build, container: Mapping[str, Any]) -> dict[str, str | None]:
    """The environment of a container as the manifests have it; None for what comes from a secret or from the pod."""
    found: dict[str, str | None] = {}
    for source in container.get("envFrom", ()):
        if "configMapRef" in source:
            shared = build.named("ConfigMap", source["configMapRef"]["name"])
            found.update((shared or {}).get("data", {}))
    for one in container.get("env", ()):
        found[one["name"]] = one.get("value")
    return found


def findings(build: Build) -> Iterator[str]:
    """What is wrong with the environment of a build's containers."""
    servers = next((one.object["spec"]["replicas"] for one in workloads(build) if one.name == "nats"), None)
    for workload in workloads(build):
        for container in workload.containers:
            copies = values(build, container).get(f"{PREFIX}REPLICAS")
            if servers is not None and copies not in (None, str(servers)):
                yield f"{title(workload.object)}: asks for {copies} copies of {servers} servers of NATS"
            if container["image"].rpartition("/")[2].partition("@")[0].partition(":")[0] == IMAGE:
                said = _of_ours(build, workload, container)
            elif workload.name == "nats" and container is workload.main:
                said = _of_nats(build, container)
            else:
                said = iter(f"has {one['name']}" for one in container.get("env", ()) if one["name"].startswith(PREFIX))
            yield from (f"{title(workload.object)}: container {container['name']} {what}" for what in said)


def _of_ours(build: Build, workload: Workload, container: Mapping[str, Any]) -> Iterator[str]:
    arguments = container.get("args", [])
    if len(arguments) != 1 or arguments[0] not in SETTINGS:
        yield f"runs {arguments}, which the image does not know"
        return
    kind = SETTINGS[arguments[0]]
    told = values(build, container)
    own = {f"{PREFIX}{name.upper()}" for name in kind.model_fields}
    for name in sorted(told.keys() - own):
        yield f"is told {name}, which is no setting of {kind.__name__}"
    # Every service is told the same by the shared ConfigMap, so nothing in it may be one service's own.
    for one in _shared(build, container):
        if one.removeprefix(PREFIX).lower() not in ServiceSettings.model_fields:
            yield f"is told {one} with all others, which is no setting of every service"
    needed = ENOUGH.get(arguments[0])
    if needed is None:
        needed = frozenset(name for name, field in kind.model_fields.items() if _of_a_laptop(name, field.default))
    for name in sorted(needed):
        if f"{PREFIX}{name.upper()}" not in told:
            yield f"is not told {PREFIX}{name.upper()}"
    yield from _taken(kind, told)
    yield from _user(container)
    yield from _ends_in_time(workload, container, told)
    if kind is DrainSettings:
        yield from _outlasts(workload, told)


def _shared(build: Build, container: Mapping[str, Any]) -> set[str]:
    return set(values(build, {"envFrom": container.get("envFrom", ())}))


def _of_a_laptop(name: str, default: object) -> bool:
    """Whether a default is right on one machine only: this host, a relative path, nobody's password, any instance."""
    if isinstance(default, SecretStr):
        default = default.get_secret_value()
    if isinstance(default, Path):
        return not default.is_absolute()
    if isinstance(default, str):
        return "127.0.0.1" in default or "///." in default
    return name in ("nats_user", "nats_password", "service_token_file", "instance", "log_format", "replicas")


def _taken(kind: type[BaseSettings], told: Mapping[str, str | None]) -> Iterator[str]:
    """Whether the settings take the values."""
    given = {name: SECRET_VALUE if value is None else value for name, value in told.items()}
    with _environment(given):
        try:
            kind()
        except ValidationError as error:
            for one in error.errors():
                yield f"is told {PREFIX}{'.'.join(map(str, one['loc'])).upper()}, but {one['msg']}"


@contextlib.contextmanager
def _environment(given: Mapping[str, str]) -> Iterator[None]:
    """The process's own environment is this one meanwhile."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(given)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _user(container: Mapping[str, Any]) -> Iterator[str]:
    """Whether the password at NATS is that of the user."""
    named = {one["name"]: one for one in container.get("env", ())}
    user = named.get(f"{PREFIX}NATS_USER", {}).get("value")
    password = named.get(f"{PREFIX}NATS_PASSWORD", {}).get("valueFrom", {}).get("secretKeyRef", {}).get("name")
    if user is not None and user not in NATS_USERS:
        yield f"is {user!r} at NATS, who is unknown there"
    if user is not None and not _is_named(password, f"levata-nats-{user}"):
        yield f"is {user!r} at NATS with the password in {password}"


def _is_named(found: str | None, wanted: str) -> bool:
    """Whether a name is the wanted one, or that with the hash of a generator."""
    return found is not None and re.fullmatch(rf"{re.escape(wanted)}(-[a-z0-9]{{10}})?", found) is not None


def _ends_in_time(workload: Workload, container: Mapping[str, Any], told: Mapping[str, str | None]) -> Iterator[str]:
    """Whether a pod is left the time that its end takes: until nobody sends anything, and until it has drained."""
    grace = workload.pod.get("terminationGracePeriodSeconds", 30)
    before = container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
    drain = float(told.get(f"{PREFIX}DRAIN_SECONDS") or 0)
    if workload.lasting and not workload.idle and before + drain >= grace:
        yield f"takes {before} + {drain:g} s to end and is given {grace} s"


def _outlasts(workload: Workload, told: Mapping[str, str | None]) -> Iterator[str]:
    """Whether Envoy is still there when it has been drained, and has ended when the pod is given up."""
    drain = float(told.get(f"{PREFIX}EDGE_DRAIN_SECONDS") or DrainSettings().edge_drain_seconds)
    stays = workload.main.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
    grace = workload.pod.get("terminationGracePeriodSeconds", 30)
    if not drain < stays < grace:
        yield f"drains for {drain:g} s, while Envoy stays for {stays} s and the pod for {grace} s"


def _of_nats(build: Build, container: Mapping[str, Any]) -> Iterator[str]:
    """Whether the configuration is told what it asks for, and nothing else."""
    asked = _variables(build, container)
    if not asked:
        yield "has no configuration"
        return
    told = {one["name"]: one for one in container.get("env", ()) if one["name"].startswith(PREFIX)}
    yield from (f"is not told {name}, which its configuration asks for" for name in sorted(asked - told.keys()))
    yield from (f"is told {name}, which its configuration does not ask for" for name in sorted(told.keys() - asked))
    for user in NATS_USERS:
        key = told.get(f"{PREFIX}NATS_{user.upper()}_PASSWORD", {}).get("valueFrom", {}).get("secretKeyRef", {})
        if key.get("key") != user or not _is_named(key.get("name"), "levata-nats-hashes"):
            yield f"compares the password of {user} with {key}"


def _variables(build: Build, container: Mapping[str, Any]) -> set[str]:
    """The variables in the file that the server is started with, and in those that it includes."""
    arguments = container.get("args", [])
    file = Path(arguments[arguments.index("--config") + 1]).name if "--config" in arguments else ""
    files: Mapping[str, str] = next((one["data"] for one in build.of("ConfigMap") if file in one.get("data", {})), {})
    found: set[str] = set()
    waiting = [file] if file in files else []
    while waiting:
        text = re.sub(r"#.*", "", files[waiting.pop()])
        found |= set(re.findall(rf"\$({PREFIX}[A-Z_]+)", text))
        waiting += [one for one in re.findall(r"^\s*include\s+\./(\S+)", text, re.MULTILINE) if one in files]
    return found
