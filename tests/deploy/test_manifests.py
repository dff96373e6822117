"""The manifests as they are, and what the check makes of them when they are broken on purpose."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deploy.edge.configure import configured
from deploy.kubernetes import builds, schemas
from deploy.kubernetes.builds import DEPLOY, Build
from deploy.kubernetes.check import of_overlay, of_repository
from deploy.kubernetes.flows import FLOWS, Flow, findings
from deploy.kubernetes.workloads import selects

GUIDE = DEPLOY / "kubernetes" / "README.md"
Damage = Callable[[Path], str]
"""Breaks something in a copy; returns the file."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of `deploy`, with what the checks look at."""
    root = tmp_path_factory.mktemp("manifests") / "deploy"
    builds.copy(DEPLOY, root)
    return root


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """A copy of `deploy` of this test's own, to be damaged."""
    return Path(shutil.copytree(whole, tmp_path / "deploy"))


@pytest.fixture(scope="module")
def production(whole: Path) -> Build:
    """The production overlay, as it is."""
    (build,) = builds.combinations(whole, ["production"])
    return build


def edit(file: str, old: str, new: str, count: int = 1) -> Damage:
    """Puts `new` in the place of `old`, which has to be there."""

    def damage(root: Path) -> str:
        path = root / file
        text = path.read_text()
        assert old in text, f"{file} has no {old!r} any more"
        path.write_text(text.replace(old, new, count))
        return file

    return damage


def without_object(file: str, kind: str, name: str) -> Damage:
    """Removes one object of a file."""

    def damage(root: Path) -> str:
        path = root / file
        parts = path.read_text().split("\n---\n")
        kept = [one for one in parts if not re.search(rf"kind: {kind}\nmetadata:\n  name: {name}\n", one)]
        assert len(kept) == len(parts) - 1, f"{file} has no {kind}/{name} any more"
        path.write_text("\n---\n".join(kept))
        return file

    return damage


BASE = "kubernetes/base"
COMPONENTS = "kubernetes/components"
TABLE = f"{BASE}/table.yaml"
NATS = f"{COMPONENTS}/nats/nats.yaml"
EDGE = f"{COMPONENTS}/edge/edge.yaml"
POSTGRES = f"{COMPONENTS}/postgres/postgres.yaml"
BACKUP = f"{COMPONENTS}/backup/backup.yaml"
NETWORK = f"{BASE}/network.yaml"
SETTINGS = f"{BASE}/kustomization.yaml"

BROKEN: dict[str, tuple[Damage, str]] = {
    # What an API server would drop without a word, or not take.
    "a probe is misspelt": (edit(TABLE, "livenessProbe:", "livenesProbe:"), "'livenesProbe' was unexpected"),
    "a limit is misspelt": (edit(TABLE, "limits:", "limit:"), "'limit' was unexpected"),
    "a number is text": (
        edit(f"{BASE}/ledger.yaml", "replicas: 2", 'replicas: "2"'),
        "Deployment/ledger: spec.replicas: '2' is not",
    ),
    "an operator's field is misspelt": (edit(POSTGRES, "instances:", "instance:"), "Cluster/ledger: spec: "),
    "an operator's value is none of its": (edit(POSTGRES, "method: any", "method: some"), "'some' is not one of"),
    "a trigger has no query": (edit(f"{COMPONENTS}/autoscaling/bot.yaml", "query:", "question:"), "'query' is a req"),
    # Pods.
    "there is no probe of life": (
        edit(
            f"{BASE}/bot.yaml",
            "          livenessProbe:\n            grpc:\n              port: 7003\n              service: liveness\n"
            "            periodSeconds: 10\n            timeoutSeconds: 5\n            failureThreshold: 3\n",
            "",
        ),
        "Deployment/bot: container bot has no livenessProbe",
    ),
    "life depends on what readiness asks for": (
        edit(
            TABLE,
            "            grpc:\n              port: 7001\n              service: liveness\n            periodS"
            "econds: 10",
            "            grpc:\n              port: 7001\n            periodSeconds: 10",
        ),
        "livenessProbe asks for '' and not for 'liveness'",
    ),
    "a probe asks at another port": (
        edit(TABLE, "            grpc:\n              port: 7001", "            grpc:\n              port: 7010"),
        "asks at 7010, which is none of its ports",
    ),
    "memory has no limit": (edit(TABLE, "limits:\n              memory: 1536Mi", "limits: {}"), "no limits of memory"),
    "the root file system can be written": (
        edit(EDGE, "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"),
        "readOnlyRootFilesystem is False",
    ),
    "capabilities stay": (edit(NATS, "drop: [ALL]", "drop: [NET_RAW]"), "capabilities is"),
    "root is allowed": (edit(TABLE, "runAsNonRoot: true", "runAsNonRoot: false"), "may run as root"),
    "a token is mounted": (
        edit(TABLE, "automountServiceAccountToken: false", "automountServiceAccountToken: true"),
        "mount a token",
    ),
    "an account is another's": (edit(TABLE, "serviceAccountName: table", "serviceAccountName: bot"), "of its own"),
    "there is no budget": (
        without_object(TABLE, "PodDisruptionBudget", "table"),
        "Deployment/table: has 0 disruption budgets",
    ),
    "a budget is wider": (edit(NATS, "maxUnavailable: 1", "maxUnavailable: 2"), "other than one pod at a time"),
    "a spread is of other pods": (
        edit(
            TABLE,
            "labelSelector:\n            matchLabels:\n              app.kubernetes.io/name: table",
            "labelSelector:\n            matchLabels:\n              app.kubernetes.io/name: tables",
        ),
        "is not spread over",
    ),
    "backups may overtake each other": (
        edit(BACKUP, "concurrencyPolicy: Forbid", "concurrencyPolicy: Allow"),
        "CronJob/backup: may run beside itself",
    ),
    "a volume is claimed that is not there": (
        edit(BACKUP, "claimName: backups", "claimName: backup"),
        "CronJob/backup: there is no PersistentVolumeClaim/backup",
    ),
    "a backup would be of another database": (
        edit(
            f"{COMPONENTS}/postgres/kustomization.yaml",
            "kind: CronJob\n      name: backup",
            "kind: Job\n      name: backup",
        ),
        "there are several databases: ",
    ),
    "a schedule's job may write everywhere": (
        edit(BACKUP, "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"),
        "container backup has no restricted security context",
    ),
    "an old pod goes first": (edit(TABLE, "maxUnavailable: 0", "maxUnavailable: 1"), "before a new one is there"),
    "an old pod goes too soon": (
        edit(TABLE, "minReadySeconds: 10", "minReadySeconds: 5"),
        "when a new one has been ready for 5 s",
    ),
    "a version is any": (edit(NATS, "library/nats:2.15.1", "library/nats:latest"), "image of no certain version"),
    "two say how many pods there are": (
        edit(f"{COMPONENTS}/autoscaling/kustomization.yaml", "name: table|bot|edge", "name: bot|edge"),
        "Deployment/table: how many pods it has is said by ['replicas', 'HorizontalPodAutoscaler/table']",
    ),
    "an end is cut short": (
        edit(TABLE, "terminationGracePeriodSeconds: 60", "terminationGracePeriodSeconds: 40"),
        "is given 40 s",
    ),
    "the edge does not wait for its drain": (edit(EDGE, "seconds: 45", "seconds: 5"), "Envoy stays for 5 s"),
    # Who may talk to whom.
    "a policy is missing": (without_object(NETWORK, "NetworkPolicy", "bot"), "no NetworkPolicy is made for bot"),
    "nothing is forbidden": (
        edit(
            NETWORK,
            "  podSelector: {}\n  policyTypes: [Ingress, Egress]",
            "  podSelector: {}\n  policyTypes: [Ingress]",
        ),
        "no NetworkPolicy forbids everything",
    ),
    "a flow is missing": (
        edit(
            NETWORK, "        - podSelector:\n            matchLabels:\n              app.kubernetes.io/name: bot\n", ""
        ),
        "no NetworkPolicy of table allows bot -> table:7001/TCP, which is meant",
    ),
    "a flow is too many": (
        edit(NETWORK, "port: 5432\n", "port: 5432\n        - protocol: TCP\n          port: 22\n"),
        "a NetworkPolicy allows ledger -> postgres:22/TCP, which is not meant",
    ),
    "everybody may come in": (
        edit(
            f"{COMPONENTS}/nats/network.yaml",
            "    - from:\n        - podSelector:\n            matchLabels:\n"
            "              app.kubernetes.io/name: nats\n      ports:",
            "    - ports:",
        ),
        "allows anyone -> nats:6222/TCP, which is not meant",
    ),
    # What containers are told.
    "a setting is misspelt": (edit(SETTINGS, "LEVATA_LOG_LEVEL", "LEVATA_LOGLEVEL"), "LEVATA_LOGLEVEL, which is no"),
    "a setting is of no service": (
        edit(TABLE, "LEVATA_TURN_KEY_FILE", "LEVATA_TURN_FILE"),
        "is told LEVATA_TURN_FILE, which is no setting of TableSettings",
    ),
    "a setting is missing": (
        edit(TABLE, "LEVATA_TURN_KEY_FILE", "LEVATA_TURN_FILE"),
        "is not told LEVATA_TURN_KEY_FIL",
    ),
    "one service's setting is told to all": (
        edit(SETTINGS, "LEVATA_LOG_LEVEL=info", "LEVATA_TABLE_ADDRESS=dns:///table:7001"),
        "Deployment/table: container table is told LEVATA_TABLE_ADDRESS",
    ),
    "a setting does not take a value": (
        edit(SETTINGS, "LEVATA_LOG_FORMAT=json", "LEVATA_LOG_FORMAT=jason"),
        "is told LEVATA_LOG_FORMAT, but",
    ),
    "a password is another user's": (
        edit(TABLE, "name: levata-nats-table", "name: levata-nats-bot"),
        "'table' at NATS with the password in",
    ),
    "there are fewer copies than servers": (
        edit(f"{COMPONENTS}/nats/kustomization.yaml", "LEVATA_REPLICAS=3", "LEVATA_REPLICAS=1"),
        "Deployment/table: asks for 1 copies of 3 servers of NATS",
    ),
    "a variable of NATS is missing": (
        edit(NATS, "LEVATA_NATS_SYNC_INTERVAL", "LEVATA_NATS_SYNC"),
        "is not told LEVATA_NATS_SYNC_INTERVAL, which its configuration asks for",
    ),
    "a variable of NATS is spare": (
        edit("nats/nats.conf", "sync_interval: $LEVATA_NATS_SYNC_INTERVAL", "sync_interval: always"),
        "is told LEVATA_NATS_SYNC_INTERVAL, which its configuration does not ask for",
    ),
    "a hash is another user's": (edit(NATS, "key: table", "key: bot"), "compares the password of table with"),
    "the image does not know what to run": (edit(TABLE, "args: [table]", "args: [tables]"), "the image does not know"),
    # What objects say of each other.
    "a service sends to another port": (edit(TABLE, "targetPort: grpc", "targetPort: rpc"), "has no port rpc"),
    "a service has no pods": (
        edit(
            TABLE,
            "clusterIP: None\n  selector:\n    app.kubernetes.io/name: table",
            "clusterIP: None\n  selector:\n    app.kubernetes.io/name: tables",
        ),
        "Service/table: there are no pods behind it",
    ),
    "an address is another": (
        edit(f"{BASE}/bot.yaml", "dns:///table:7001", "dns:///table:7002"),
        "is at table:7002, and the Service has no",
    ),
    "a process listens elsewhere": (edit(TABLE, '"[::]:7001"', '"[::]:7011"'), "listens on 7011, its port grpc is"),
    "a server of NATS is not told of": (edit(NATS, "nats-2.nats-peers", "nats-1.nats-peers"), "does not name each of"),
    "a secret is nowhere": (
        edit(TABLE, "secretName: levata-turn-key", "secretName: levata-turn"),
        "Secret/levata-turn is neither made nor",
    ),
    "a secret has no such key": (edit(NATS, "key: password", "key: word"), "Secret/levata-nats-peer has no word"),
    "a file is in no volume": (edit(TABLE, "turn/turn.key", "turn/turns.key"), "turns.key, which is in no volume"),
    "Envoy looks for a service elsewhere": (
        edit("edge/envoy.yaml", "{ address: table, port_value: 7001 }", "{ address: tables, port_value: 7001 }"),
        "the cluster table of Envoy is at tables",
    ),
    "Envoy listens elsewhere": (edit("edge/envoy.yaml", "port_value: 8080", "port_value: 8081"), "Envoy listens on"),
    "Envoy may fill more than it has": (
        edit(EDGE, "memory: 1Gi", "memory: 1023Mi"),
        "Envoy may fill 858993459 bytes, and its container has",
    ),
    "a scaler of the edge scales nothing": (
        edit(f"{COMPONENTS}/autoscaling/edge.yaml", "name: edge\n  minReplicas", "name: egde\n  minReplicas"),
        "HorizontalPodAutoscaler/edge: there is no egde to scale",
    ),
    "a scaler scales nothing": (
        edit(f"{COMPONENTS}/autoscaling/bot.yaml", "scaleTargetRef:\n    name: bot", "scaleTargetRef:\n    name: bots"),
        "ScaledObject/bot: there is no bots to scale",
    ),
    "a monitor watches another port": (
        edit(f"{COMPONENTS}/monitoring/scrapes.yaml", "port: exporter", "port: monitoring"),
        "PodMonitor/nats: some of its pods have no port monitoring",
    ),
}


SMALLEST = {
    f"{BASE}/": "base",
    "nats/": "base with nats",
    "edge/": "base with edge",
    **{f"{COMPONENTS}/{name}/": f"base with {name}" for name in ("nats", "postgres", "edge", "backup", "autoscaling")},
}
"""The smallest build that a file is in; all others are in production only."""
TOGETHER = (
    "a monitor watches another port",
    "Envoy looks for a service elsewhere",
    "a backup would be of another database",
)
"""What is seen only where everything is there."""


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_found(name: str, copy: Path) -> None:
    damage, said = BROKEN[name]
    file = damage(copy)
    smallest = next((build for folder, build in SMALLEST.items() if file.startswith(folder)), "production")
    found = [what for _, what in of_repository(copy, ["production" if name in TOGETHER else smallest])]
    assert any(said in what for what in found), found


def test_manifests_that_nobody_broke_are_found_good(whole: Path) -> None:
    assert of_repository(whole) == []


def test_what_kustomize_refuses_is_said_in_its_words(copy: Path) -> None:
    edit(f"{COMPONENTS}/edge/kustomization.yaml", "- edge.yaml", "- egde.yaml")(copy)
    with pytest.raises(builds.CannotBuildError, match=r"production: .*egde\.yaml"):
        of_repository(copy, ["production"])


def test_what_nobody_wrote_down_is_found(copy: Path) -> None:
    edit("kubernetes/README.md", "`levata-turn-key`", "a key")(copy)
    (copy / "monitoring" / "dashboards").mkdir(exist_ok=True)
    (copy / "monitoring" / "dashboards" / "forgotten.json").write_text("{}")
    found = [what for _, what in of_repository(copy, ["base"])]
    assert "kubernetes/README.md does not tell that Secret/levata-turn-key has to be there" in found
    assert "monitoring/kustomization.yaml does not list dashboards/forgotten.json" in found


def test_every_component_and_overlay_is_among_the_combinations(whole: Path) -> None:
    names = [build.name for build in builds.combinations(whole, ["none of them"])]
    assert names == []
    assert {path.name for path in (whole / "kubernetes/components").iterdir()} == {
        "autoscaling",
        "backup",
        "edge",
        "monitoring",
        "nats",
        "postgres",
        "postgres-snapshots",
        "tracing",
    }
    assert {path.name for path in (whole / "kubernetes/overlays").iterdir()} == {"local", "production"}


@pytest.fixture
def own(whole: Path) -> Iterator[Path]:
    """An overlay of one's own, as the guide tells to make it; beside the manifests, since kustomize wants it so."""
    (text,) = re.findall(r"```yaml\n(# club/kustomization\.yaml\n.*?)```", GUIDE.read_text(), re.DOTALL)
    folder = whole.parent / "club"
    folder.mkdir()
    (folder / "kustomization.yaml").write_text(text.replace("../levata/deploy", "../deploy"))
    (folder / "envoy.yaml").write_text(configured(r"https://play\.your-club\.example", proxies=1))
    yield folder
    shutil.rmtree(folder)


def test_an_overlay_made_by_the_guide_is_found_good(own: Path) -> None:
    assert of_overlay(own) == []
    build = Build("own", builds.kustomize(own), whole=True)
    (edge,) = [one for one in build.of("ConfigMap") if "envoy.yaml" in one["data"]]
    assert "your-club" in edge["data"]["envoy.yaml"]
    (service,) = [one for one in build.of("Service") if one["metadata"]["name"] == "edge"]
    assert service["spec"]["type"] == "LoadBalancer"
    assert service["metadata"]["annotations"]


def test_an_overlay_of_ones_own_may_hold_nothing_that_stands_for_something_else(own: Path) -> None:
    (own / "kustomization.yaml").write_text("resources: [../deploy/kubernetes/overlays/production]\n")
    found = [what for _, what in of_overlay(own)]
    assert any("has the image that only stands for yours" in what for what in found)
    assert "Deployment/edge: lets the pages call that only stand for yours" in found


def test_pages_from_anywhere_are_not_let_in_by_mistake() -> None:
    for origins in (".*", "https://.*", "("):
        with pytest.raises(ValueError, match=r"from anywhere|no regular expression"):
            configured(origins)
    assert r"regex: 'https://a''b\.example'" in configured(r"https://a'b\.example")


# The flows


def test_the_flows_are_those_of_the_design() -> None:
    """Requests: the edge to all, matchmaking and bots to the table. Facts: over NATS. The database: the ledger's."""
    services = {"table", "matchmaking", "bot", "ledger"}
    among = {(flow.source, flow.target) for flow in FLOWS if {flow.source, flow.target} <= services}
    assert among == {("matchmaking", "table"), ("bot", "table")}
    clients = {flow.source for flow in FLOWS if flow.target == "nats" and flow.port == 4222}
    assert clients - services == {"provision", "console", "backup", "restore"}
    assert {flow.source for flow in FLOWS if flow.target == "postgres" and flow.port == 5432} >= {"ledger", "migrate"}
    assert not {flow.source for flow in FLOWS if flow.target == "postgres"} & {"table", "matchmaking", "bot", "edge"}
    assert {flow.target for flow in FLOWS if flow.source == "anyone"} == {"edge"}


def test_a_policy_of_all_ports_or_addresses_is_seen_as_what_it_is(production: Build) -> None:
    for rule, flow in (
        ({"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}, Flow("table", "addresses 0.0.0.0/0", 0)),
        ({"to": [{"podSelector": {}}], "ports": [{"port": 80}]}, Flow("table", "every pod", 80)),
        ({}, Flow("table", "anyone", 0)),
    ):
        policy = {
            "kind": "NetworkPolicy",
            "metadata": {"name": "more"},
            "spec": {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "table"}}, "egress": [rule]},
        }
        found = list(findings(Build("with more", [*production.objects, policy], whole=True)))
        assert found == [f"a NetworkPolicy allows {flow}, which is not meant"]


@pytest.mark.parametrize(
    ("selector", "chosen"),
    [
        ({}, True),
        (None, False),
        ({"matchLabels": {"a": "1"}}, True),
        ({"matchLabels": {"a": "1", "b": "1"}}, False),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["1", "2"]}]}, True),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]}, False),
        ({"matchExpressions": [{"key": "b", "operator": "DoesNotExist"}]}, True),
        ({"matchExpressions": [{"key": "b", "operator": "Exists"}]}, False),
    ],
)
def test_labels_are_selected_as_by_the_server(selector: dict[str, object] | None, chosen: bool) -> None:
    assert selects(selector, {"a": "1"}) is chosen


# Versions


def test_what_runs_in_the_cluster_is_what_the_tests_run(production: Build) -> None:
    def version(program: str, pattern: str) -> str:
        binary = Path(sys.executable).with_name(program)
        found = re.search(pattern, subprocess.run([binary, "--version"], capture_output=True, text=True).stdout)
        assert found, program
        return found[1]

    images = {
        container["name"]: container["image"]
        for one in production.of("Deployment", "StatefulSet")
        for container in one["spec"]["template"]["spec"]["containers"]
    }
    assert images["nats"].endswith(":" + version("nats-server", r"v(\d+\.\d+\.\d+)"))
    assert images["envoy"].endswith("-v" + version("envoy", r"/(\d+\.\d+\.\d+)/"))


def test_the_oldest_version_of_kubernetes_is_the_one_that_the_guide_names() -> None:
    oldest, newest = schemas.versions()
    assert f"Kubernetes {oldest.rpartition('.')[0]}" in GUIDE.read_text()
    assert newest != oldest
