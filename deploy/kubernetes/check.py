"""Checks every combination of the manifests, as part of `make check`; or an overlay of one's own:

    python -m deploy.kubernetes.check                  # base, base with each component, overlays
    python -m deploy.kubernetes.check MY/OVERLAY ...   # these, as they are to be applied

With `--checkov` and its binary, what that finds too. Ends with 1 if anything is found.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from deploy.kubernetes import environment, flows, references, scan, schemas, workloads
from deploy.kubernetes.builds import DEPLOY, Build, CannotBuildError, combinations, copy, kustomize
from deploy.kubernetes.inventory import DATABASE, OUTSIDE

README: Final = "kubernetes/README.md"
Finding = tuple[str, str]
"""The build, and what is wrong with it."""


def findings(build: Build) -> Iterator[Finding]:
    """What is wrong with a build; of one that the schemas refuse, nothing else is asked."""
    said = list(schemas.findings(build))
    if not said:
        for look in (workloads, flows, environment, references):
            said += look.findings(build)
    yield from ((build.name, what) for what in dict.fromkeys(said))


def of_repository(deploy: Path = DEPLOY, only: Sequence[str] = (), checkov: Path | None = None) -> list[Finding]:
    """What is wrong with the manifests of a `deploy` folder.

    Raises:
        CannotBuildError: kustomize does not accept them.
        CannotScanError: checkov did not run to its end.
    """
    with tempfile.TemporaryDirectory() as folder:
        builds = list(combinations(copy(deploy, Path(folder).resolve() / "deploy"), only))
    found = [one for build in builds for one in findings(build)]
    if checkov is not None:
        found += scan.findings(checkov, [build for build in builds if build.whole])
    found += (("deploy", what) for what in _unwritten(deploy))
    return found


def of_overlay(folder: Path, checkov: Path | None = None) -> list[Finding]:
    """What is wrong with an overlay that is to be applied as it is. Raises `CannotBuildError` and `CannotScanError`."""
    build = Build(str(folder), kustomize(folder), whole=True, released=True)
    return [*findings(build), *(scan.findings(checkov, [build]) if checkov is not None else ())]


def _unwritten(deploy: Path) -> Iterator[str]:
    """What stands in a folder and is not used, or has to be there and is not told."""
    text = (deploy / README).read_text()
    for one in (*OUTSIDE, DATABASE):
        if f"`{one.name}`" not in text:
            yield f"{README} does not tell that {one.kind}/{one.name} has to be there"
    monitoring = deploy / "monitoring"
    listing = (monitoring / "kustomization.yaml").read_text()
    dashboards = sorted(f"dashboards/{file.name}" for file in (monitoring / "dashboards").glob("*.json"))
    for name in ("rules.yaml", *dashboards):
        if f"- {name}" not in listing and f"[{name}]" not in listing and f"={name}" not in listing:
            yield f"monitoring/kustomization.yaml does not list {name}"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m deploy.kubernetes.check", description="Checks manifests.")
    parser.add_argument(
        "overlays", type=Path, nargs="*", metavar="OVERLAY", help="of your own; else those of this folder"
    )
    parser.add_argument("--checkov", type=Path, help="its binary")
    asked = parser.parse_args(arguments)
    try:
        if asked.overlays:
            found = [one for folder in asked.overlays for one in of_overlay(folder, asked.checkov)]
        else:
            found = of_repository(checkov=asked.checkov)
    except (CannotBuildError, scan.CannotScanError) as error:
        print(f"manifests: {error}", file=sys.stderr)
        return 1
    where: dict[str, list[str]] = {}
    for build, what in found:
        where.setdefault(what, []).append(build)
    for what, names in where.items():
        print(f"manifests: {what} ({', '.join(dict.fromkeys(names))})", file=sys.stderr)
    if not found:
        print("manifests: nothing to complain of")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
