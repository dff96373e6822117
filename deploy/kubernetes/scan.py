"""What checkov finds in a build, with the exceptions that `checkov.yaml` explains."""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from deploy.kubernetes.builds import Build

CONFIGURATION: Final = Path(__file__).with_name("checkov.yaml")


class CannotScanError(Exception):
    """checkov did not run to its end; the message is its own."""


def findings(checkov: Path, builds: Sequence[Build]) -> Iterator[tuple[str, str]]:
    """The name of the build and what is wrong in it. Raises `CannotScanError`."""
    names = {f"/{number}.yaml": build.name for number, build in enumerate(builds)}
    with tempfile.TemporaryDirectory() as folder:
        for build, file in zip(builds, names, strict=True):
            Path(folder + file).write_text(yaml.safe_dump_all(build.objects))
        command = [str(checkov), "--config-file", str(CONFIGURATION), "--output", "json", "--directory", folder]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    try:
        report: dict[str, Any] = json.loads(done.stdout)
        results = report["results"]["failed_checks"]
        summary = report["summary"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise CannotScanError(f"checkov ended with {done.returncode}:\n{done.stdout}\n{done.stderr}") from error
    if summary["parsing_errors"] or not summary["passed"]:
        raise CannotScanError(f"checkov could not read everything: {summary}")
    for one in results:
        kind, _, name = one["resource"].partition(".")
        yield names[one["file_path"]], f"{kind}/{name.rpartition('.')[2]}: {one['check_id']} {one['check_name']}"
