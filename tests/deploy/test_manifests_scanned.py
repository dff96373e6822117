"""What checkov says of a build, and what becomes of that."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deploy.kubernetes.builds import Build
from deploy.kubernetes.scan import CannotScanError, findings

INSTALLED = Path(__file__).parents[2] / ".checkov" / "bin" / "checkov"
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "open", "namespace": "levata"},
    "spec": {"hostNetwork": True, "containers": [{"name": "open", "image": "open:1"}]},
}
BUILDS = [Build("good", [], whole=True), Build("bad", [POD], whole=True)]
Scanner = Callable[..., Path]


@pytest.fixture
def scanner(tmp_path: Path) -> Scanner:
    """A program that says what it is told to, in checkov's place."""

    def make(said: str, code: int = 0) -> Path:
        program = tmp_path / "checkov"
        (tmp_path / "said").write_text(said)
        program.write_text(f"#!/bin/sh\ncat {tmp_path}/said\nexit {code}\n")
        program.chmod(0o755)
        return program

    return make


def report(*failed: dict[str, str], **summary: int) -> str:
    found: dict[str, Any] = {
        "results": {"failed_checks": failed},
        "summary": {"passed": 7, "parsing_errors": 0, **summary},
    }
    return json.dumps(found)


def test_what_is_found_is_told_of_the_build_and_the_object(scanner: Scanner) -> None:
    one = {
        "file_path": "/1.yaml",
        "resource": "Pod.levata.open",
        "check_id": "CKV_K8S_19",
        "check_name": "no host network",
    }
    assert list(findings(scanner(report(one), 1), BUILDS)) == [("bad", "Pod/open: CKV_K8S_19 no host network")]
    assert list(findings(scanner(report()), BUILDS)) == []


@pytest.mark.parametrize("said", ["", "Traceback", "[]", report(passed=0), report(parsing_errors=1)])
def test_a_scan_that_looked_at_nothing_is_no_good_scan(said: str, scanner: Scanner) -> None:
    with pytest.raises(CannotScanError):
        list(findings(scanner(said, 2), BUILDS))


@pytest.mark.skipif(not INSTALLED.exists(), reason="checkov is not there: `make check` installs it")
def test_checkov_itself_finds_what_is_open() -> None:
    found = {what.split()[1] for name, what in findings(INSTALLED, BUILDS[1:]) if name == "bad"}
    assert {"CKV_K8S_19", "CKV_K8S_20", "CKV_K8S_37"} <= found
    assert "CKV_K8S_11" not in found
