"""Objects held against their schemas: Kubernetes' own, of the oldest and the newest version, and those of operators."""

import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import jsonschema
import yaml
from kubernetes_validate.utils import latest_version, schema_contents
from referencing import Registry, Resource

from deploy.kubernetes.builds import LOADER, Build, Object, title

OLDEST: Final = "1.30.0"
"""The first version that can do all that the manifests want, the last of it being to sleep before a container ends."""
CUSTOM: Final = Path(__file__).with_name("schemas")
GROUPS: Final[Mapping[str, str]] = {
    "Cluster": "postgresql.cnpg.io/v1",
    "ScheduledBackup": "postgresql.cnpg.io/v1",
    "ScaledObject": "keda.sh/v1alpha1",
    "PodMonitor": "monitoring.coreos.com/v1",
    "PrometheusRule": "monitoring.coreos.com/v1",
}
"""The resources of operators, and the version that is used."""


def versions() -> tuple[str, str]:
    """The oldest and the newest version of Kubernetes that is looked at."""
    return OLDEST, latest_version()


def findings(build: Build) -> Iterator[str]:
    """What an API server would not take, or would drop, of a build."""
    for one in build.objects:
        # The same object is in many builds.
        yield from (f"{title(one)}: {what}" for what in _findings(json.dumps(one, sort_keys=True)))


@functools.lru_cache(maxsize=4096)
def _findings(text: str) -> tuple[str, ...]:
    one: Object = json.loads(text)
    if one["apiVersion"] == GROUPS.get(one["kind"]):
        return tuple(_errors(_custom(one["kind"]), one["spec"], ("spec",)))
    said: dict[str, None] = {}
    for version in versions():
        try:
            validator = _builtin(version, one["kind"], one["apiVersion"])
        except FileNotFoundError:
            said[f"Kubernetes {version} has no {one['kind']} of {one['apiVersion']}"] = None
        else:
            said.update(dict.fromkeys(_errors(validator, one, ())))
    return tuple(said)


def _errors(validator: Any, value: Any, path: tuple[str, ...]) -> Iterator[str]:
    for error in validator.iter_errors(value):
        where = ".".join((*path, *map(str, error.absolute_path)))
        yield f"{where or 'it'}: {error.message[:300]}"


@functools.lru_cache(maxsize=256)
def _builtin(version: str, kind: str, api_version: str) -> Any:
    """The strict validator of a kind. Raises `FileNotFoundError`."""
    group, _, number = api_version.rpartition("/")
    name = "-".join(part for part in (kind.lower(), group.partition(".")[0], number) if part)
    contents = schema_contents(f"{_folder(version)}/{name}.json", version)
    return jsonschema.Draft202012Validator(contents, registry=Resource.from_contents(contents) @ _definitions(version))


@functools.lru_cache(maxsize=4)
def _definitions(version: str) -> Any:
    definitions = schema_contents(f"{_folder(version)}/_definitions.json", version)
    return Resource.from_contents(definitions) @ Registry()


def _folder(version: str) -> str:
    return f"kubernetes-json-schema/v{version}-local-strict"


@functools.lru_cache(maxsize=16)
def _custom(kind: str) -> Any:
    schema = yaml.load((CUSTOM / f"{kind}.yaml").read_text(), Loader=LOADER)
    _close(schema)
    return jsonschema.Draft202012Validator(schema)


def _close(schema: Any) -> None:
    """Forbids what an object does not name, throughout."""
    if isinstance(schema, dict):
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
        for value in schema.values():
            _close(value)
    elif isinstance(schema, list):
        for value in schema:
            _close(value)
