"""Who may talk to whom: the policies of a build, held against the flows that are meant."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from deploy.kubernetes.builds import Build, Object, title
from deploy.kubernetes.workloads import selects, workloads

ANYONE: Final = "anyone"
NAME: Final = "app.kubernetes.io/name"
NAMESPACE: Final = "kubernetes.io/metadata.name"
POSTGRES: Final[Mapping[str, str]] = {"cnpg.io/cluster": "ledger"}
"""Labels of the pods that the operator makes for the database."""
OUTSIDERS: Final[Mapping[str, tuple[Mapping[str, str], Mapping[str, str]]]] = {
    "prometheus": ({NAMESPACE: "monitoring"}, {NAME: "prometheus"}),
    "collector": ({NAMESPACE: "monitoring"}, {NAME: "opentelemetry-collector"}),
    "dns": ({NAMESPACE: "kube-system"}, {"k8s-app": "kube-dns"}),
    "postgres operator": ({NAMESPACE: "cnpg-system"}, {}),
}
"""Pods of other namespaces, by the labels of the namespace and their own."""


@dataclass(frozen=True, slots=True, order=True)
class Flow:
    """A connection that may be made."""

    source: str
    target: str
    port: int
    protocol: str = "TCP"

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}:{self.port}/{self.protocol}"


def _flows(source: str, *targets: tuple[str, int]) -> list[Flow]:
    return [Flow(source, target, port) for target, port in targets]


FLOWS: Final = frozenset(
    [
        # Players come to the edge, and it hands them on; it asks the ledger for the public keys of tokens.
        Flow(ANYONE, "edge", 8080),
        *_flows("edge", ("table", 7001), ("matchmaking", 7002), ("bot", 7003), ("ledger", 7004), ("ledger", 7104)),
        # Requests among the services: tables are made, bots act.
        *_flows("matchmaking", ("table", 7001)),
        *_flows("bot", ("table", 7001)),
        # Facts go over NATS, and the log is in it.
        *(Flow(name, "nats", 4222) for name in ("table", "matchmaking", "bot", "ledger", "provision")),
        Flow("nats", "nats", 6222),
        # The ledger alone keeps something in the database.
        *_flows("ledger", ("postgres", 5432)),
        # What a backup is taken of, and restored into.
        *_flows("backup", ("nats", 4222), ("postgres", 5432)),
        *_flows("restore", ("nats", 4222), ("postgres", 5432)),
        *_flows("migrate", ("postgres", 5432)),
        # Those who run the club look after tables and totals.
        *_flows("console", ("nats", 4222), ("postgres", 5432)),
        *_flows("postgres", ("postgres", 5432), ("postgres", 8000), (ANYONE, 443), (ANYONE, 6443)),
        *_flows("postgres operator", ("postgres", 5432), ("postgres", 8000)),
        # Somebody watches.
        *_flows(
            "prometheus",
            *(("table", 7101), ("matchmaking", 7102), ("bot", 7103), ("ledger", 7104)),
            *(("nats", 7777), ("edge", 9902), ("postgres", 9187)),
        ),
    ]
)
"""Everything that is meant, beside looking up names."""
TRACES: Final = frozenset(Flow(name, "collector", 4317) for name in ("table", "matchmaking", "bot", "ledger"))
"""What is meant besides where services are told to send traces."""
TRACING: Final = "LEVATA_OTLP_ENDPOINT"
NAMES: Final = (("dns", 53, "UDP"), ("dns", 53, "TCP"))
"""What every pod may do."""


def findings(build: Build) -> Iterator[str]:
    """What the policies of a build allow and should not, or should allow and do not."""
    pods = _pods(build)
    flows = FLOWS | (TRACES if any(TRACING in one.get("data", {}) for one in build.of("ConfigMap")) else frozenset())
    policies = build.of("NetworkPolicy")
    if not any(_forbids_everything(one) for one in policies):
        yield "no NetworkPolicy forbids everything to those that have none of their own"
    for name, labels in pods.items():
        chosen = _chosen(build, labels)
        if not any(one["spec"]["podSelector"] for one in chosen):
            yield f"no NetworkPolicy is made for {name}"
        for direction in ("Ingress", "Egress"):
            if not any(direction in one["spec"].get("policyTypes", ()) for one in chosen):
                yield f"no NetworkPolicy forbids any {direction.lower()} of {name}"
        let = {flow for one in chosen for flow in (*_ingress(one, name), *_egress(one, name))}
        meant = {flow for flow in flows if name in (flow.source, flow.target)}
        meant |= {Flow(name, *one) for one in NAMES}
        # What a pod may send to itself has to be allowed at both ends, and both ends are of the same policies.
        yield from (f"a NetworkPolicy allows {flow}, which is not meant" for flow in sorted(let - meant))
        yield from (f"no NetworkPolicy of {name} allows {flow}, which is meant" for flow in sorted(meant - let))
        for port in {flow.port for flow in meant if flow.source == flow.target == name}:
            if not all(any(_has(one, way, port) for one in chosen) for way in ("ingress", "egress")):
                yield f"{name} may not talk to its likes at {port}: one of the two ends is not allowed"
    for one in policies:
        if one["spec"]["podSelector"] and not any(selects(one["spec"]["podSelector"], to) for to in pods.values()):
            yield f"{title(one)}: there is no pod that it is for"


def allowed(build: Build) -> frozenset[Flow]:
    """The flows that the policies of a build let through: at both ends, where both are of this build."""
    pods = _pods(build)
    out = {flow for name, labels in pods.items() for one in _chosen(build, labels) for flow in _egress(one, name)}
    into = {flow for name, labels in pods.items() for one in _chosen(build, labels) for flow in _ingress(one, name)}
    return frozenset(
        flow
        for flow in out | into
        if (flow in out or flow.source not in pods) and (flow in into or flow.target not in pods)
    )


def _pods(build: Build) -> dict[str, Mapping[str, str]]:
    """The labels of the pods of a build, by name."""
    pods = {one.name: one.labels for one in workloads(build)}
    if build.named("Cluster", POSTGRES["cnpg.io/cluster"]) is not None:
        pods["postgres"] = POSTGRES
    return pods


def _chosen(build: Build, labels: Mapping[str, str]) -> list[Object]:
    """The policies for pods of these labels."""
    return [one for one in build.of("NetworkPolicy") if selects(one["spec"]["podSelector"], labels)]


def _forbids_everything(policy: Object) -> bool:
    spec = policy["spec"]
    return not spec["podSelector"] and set(spec.get("policyTypes", ())) == {"Ingress", "Egress"} and len(spec) == 2


def _ingress(policy: Object, name: str) -> Iterator[Flow]:
    """The flows to the pods `name` that a policy allows, at their end."""
    for rule in policy["spec"].get("ingress", ()):
        for source in _ends(policy, rule.get("from")):
            yield from (Flow(source, name, *port) for port in _ports(rule))


def _egress(policy: Object, name: str) -> Iterator[Flow]:
    """The flows from the pods `name` that a policy allows, at their end."""
    for rule in policy["spec"].get("egress", ()):
        for target in _ends(policy, rule.get("to")):
            yield from (Flow(name, target, *port) for port in _ports(rule))


def _has(policy: Object, way: str, port: int) -> bool:
    return any(port in [number for number, _ in _ports(rule)] for rule in policy["spec"].get(way, ()))


def _ports(rule: Mapping[str, Any]) -> list[tuple[int, str]]:
    """Ports and protocols; a rule without any is for all, which is never meant: 0."""
    return [(one["port"], one.get("protocol", "TCP")) for one in rule.get("ports", ())] or [(0, "TCP")]


def _ends(policy: Object, peers: list[Mapping[str, Any]] | None) -> Iterator[str]:
    """Who is at the other end."""
    if not peers:
        yield ANYONE
        return
    for peer in peers:
        pod, namespace = peer.get("podSelector"), peer.get("namespaceSelector")
        if "ipBlock" in peer:
            yield f"addresses {peer['ipBlock']['cidr']}"
        elif namespace is not None:
            yield _outsider(namespace, pod or {})
        elif pod:
            yield from _insiders(pod)
        else:
            yield "every pod"


def _outsider(namespace: Mapping[str, Any], pod: Mapping[str, Any]) -> str:
    for name, (of_namespace, of_pod) in OUTSIDERS.items():
        if namespace == {"matchLabels": of_namespace} and pod == ({"matchLabels": of_pod} if of_pod else {}):
            return name
    return f"pods {pod} of namespaces {namespace}"


def _insiders(selector: Mapping[str, Any]) -> Iterator[str]:
    """The names of the pods that a selector selects, whether they are in this build or come with a component."""
    known = {name: {NAME: name} for flow in FLOWS for name in (flow.source, flow.target)}
    known = {**{name: labels for name, labels in known.items() if name not in OUTSIDERS}, "postgres": dict(POSTGRES)}
    found = [name for name, labels in known.items() if selects(selector, labels)]
    yield from found or [f"pods {selector}"]
