"""Containers of the manifests as processes of this machine: their environment and their files, with other addresses."""

import base64
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from deploy.kubernetes.builds import Build, Object
from deploy.kubernetes.inventory import OUTSIDE
from deploy.kubernetes.workloads import Workload, workloads


class Pods:
    """The pods of a build.

    Args:
        build: The build.
        secrets: What `deploy.kubernetes.secrets` has made.
    """

    def __init__(self, build: Build, secrets: Path) -> None:
        self._build = build
        self._secrets = secrets

    def workload(self, name: str) -> Workload:
        """A workload by its name."""
        return next(one for one in workloads(self._build) if one.name == name)

    def environment(self, workload: Workload, pod: str, secrets: Mapping[str, str] | None = None) -> dict[str, str]:
        """The environment of a pod's main container, as the kubelet makes it.

        Args:
            workload: Whose pod.
            pod: Name of the pod.
            secrets: Values of secrets that are made by nobody here, by the secret's name.
        """
        found: dict[str, str] = {}
        for source in workload.main.get("envFrom", ()):
            found.update(self._object("ConfigMap", source["configMapRef"]["name"])["data"])
        for one in workload.main.get("env", ()):
            found[one["name"]] = expanded(self._value(one, pod, secrets or {}), found)
        return found

    def _value(self, one: Mapping[str, Any], pod: str, secrets: Mapping[str, str]) -> str:
        if "value" in one:
            return str(one["value"])
        source = one["valueFrom"]
        if "fieldRef" in source:
            assert source["fieldRef"]["fieldPath"] == "metadata.name"
            return pod
        reference = source["secretKeyRef"]
        if reference["name"] in secrets:
            return secrets[reference["name"]]
        return self.files("Secret", reference["name"])[reference["key"]].decode()

    def mount(self, workload: Workload, root: Path) -> None:
        """Puts the files of a pod's main container where they are mounted, below `root`."""
        volumes = {one["name"]: one for one in workload.pod.get("volumes", ())}
        for mount in workload.main.get("volumeMounts", ()):
            folder = root / mount["mountPath"].lstrip("/")
            folder.mkdir(parents=True, exist_ok=True)
            volume = volumes.get(mount["name"], {})
            files: Mapping[str, bytes] = {}
            if "secret" in volume:
                files = self.files("Secret", volume["secret"]["secretName"])
            elif "configMap" in volume:
                files = self.files("ConfigMap", volume["configMap"]["name"])
            for name, content in files.items():
                (folder / name).write_bytes(content)

    def files(self, kind: str, name: str) -> dict[str, bytes]:
        """What a Secret or ConfigMap holds, whether the build makes it or it comes from outside."""
        for one in OUTSIDE:
            if (one.kind, one.name) == (kind, name):
                return {key: (self._secrets / file).read_bytes() for key, file in one.files.items()}
        data = self._object(kind, name)["data"]
        return {key: base64.b64decode(value) if kind == "Secret" else value.encode() for key, value in data.items()}

    def _object(self, kind: str, name: str) -> Object:
        found = self._build.named(kind, name)
        assert found is not None, f"{kind}/{name} is neither in the build nor in the inventory"
        return found


def expanded(text: str, variables: Mapping[str, str]) -> str:
    """A value in which the variables that stand before it have been put in, as the kubelet does."""
    return re.sub(r"\$\(([A-Za-z_][A-Za-z0-9_]*)\)", lambda found: variables.get(found[1], found[0]), text)


def replaced(values: Mapping[str, str], pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """An environment with other addresses and places; each of those replaced has to be in it."""
    made = dict(values)
    for old, new in pairs:
        assert any(old in value for value in made.values()), f"nobody is told of {old} any more"
        made = {name: value.replace(old, new) for name, value in made.items()}
    return made
