"""Custom resources against the definitions of their operators, beside our own schemas of the fields that we use."""

import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deploy.kubernetes import builds
from deploy.kubernetes.builds import DEPLOY, title
from tests.support.node import node_with

JUDGE = Path(__file__).with_name("operators") / "judge.mjs"
KINDS = {"Cluster", "ScheduledBackup", "ScaledObject", "PodMonitor", "PrometheusRule"}
JUDGE_SECONDS = 60

Judge = Callable[[list[Any]], list[list[str]]]


@pytest.fixture(scope="module")
def judge() -> Judge:
    """What the operators' definitions say against objects."""
    node = node_with(JUDGE.parent)

    def judged(objects: list[Any]) -> list[list[str]]:
        done = subprocess.run(
            [node, str(JUDGE)],
            input=json.dumps(objects),
            capture_output=True,
            text=True,
            check=True,
            timeout=JUDGE_SECONDS,
        )
        answers: list[list[str]] = json.loads(done.stdout)
        return answers

    return judged


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Every custom resource that the manifests have, by its title."""
    root = builds.copy(DEPLOY, tmp_path_factory.mktemp("resources") / "deploy")
    built = builds.combinations(root, ["production", "base with postgres-snapshots"])
    return {title(one): one for build in built for one in build.of(*KINDS)}


def test_operators_take_every_resource_that_the_manifests_have(judge: Judge, resources: dict[str, Any]) -> None:
    assert {one["kind"] for one in resources.values()} == KINDS
    said = dict(zip(resources, judge(list(resources.values())), strict=True))
    assert {name: errors for name, errors in said.items() if errors} == {}


@pytest.mark.parametrize(
    ("kind", "path", "wrong"),
    [
        ("Cluster", ("spec", "instances"), "three"),
        ("Cluster", ("spec", "primaryUpdateMethod"), "now"),
        ("ScheduledBackup", ("spec", "cluster"), None),
        ("ScaledObject", ("spec", "maxReplicaCount"), "many"),
        ("ScaledObject", ("spec", "triggers", 0, "type"), 7),
        ("PodMonitor", ("spec", "selector"), None),
        ("PrometheusRule", ("spec", "groups", 0, "rules", 0, "expr"), None),
    ],
)
def test_operators_do_not_take_what_is_wrong(
    judge: Judge, resources: dict[str, Any], kind: str, path: tuple[str | int, ...], wrong: Any
) -> None:
    damaged = copy.deepcopy(next(one for one in resources.values() if one["kind"] == kind))
    *way, last = path
    place: Any = damaged
    for step in way:
        place = place[step]
    if wrong is None:
        del place[last]
    else:
        assert place[last] != wrong
        place[last] = wrong
    (errors,) = judge([damaged])
    assert any("/".join(map(str, way)) in error for error in errors), errors
