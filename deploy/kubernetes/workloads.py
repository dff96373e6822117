"""What every workload has to bring: probes, limits, a restricted security context, a budget, an account of its own."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from deploy.kubernetes.builds import Build, Object, title
from shared.rpc.health import LIVENESS

LEAST_USER: Final = 10_000
"""Users of the machine itself have lower numbers."""
ZONE: Final = "topology.kubernetes.io/zone"
HOST: Final = "kubernetes.io/hostname"
DEFAULT_CONTAINER: Final = "kubectl.kubernetes.io/default-container"
PLACEHOLDER: Final = "sha256:" + "0" * 64
IMAGE: Final = "levata"
IDLE: Final = frozenset({"console"})
"""Places for people to work from: nothing is served there, so nothing has to be asked, spread or kept up."""
SETTLED_SECONDS: Final = 10
"""A new pod is ready for so long before an old one goes: until then not everybody who looks names up has found it."""
PROBES: Final = ("startupProbe", "livenessProbe", "readinessProbe")


@dataclass(frozen=True, slots=True)
class Workload:
    """Something that runs pods.

    Attributes:
        object: The whole of it.
        name: Its name, which its pods bear as a label.
        labels: Those of its pods.
        pod: What its pods are like.
    """

    object: Object
    name: str
    labels: Mapping[str, str]
    pod: Mapping[str, Any]

    @property
    def lasting(self) -> bool:
        """It runs until it is removed, unlike a job."""
        return self.object["kind"] not in ("Job", "CronJob")

    @property
    def idle(self) -> bool:
        """It waits for people, and nobody waits for it."""
        return self.name in IDLE

    @property
    def containers(self) -> list[Mapping[str, Any]]:
        """All containers, those for the start included."""
        return [*self.pod.get("initContainers", ()), *self.pod["containers"]]

    @property
    def main(self) -> Mapping[str, Any]:
        """The container that the others are there for."""
        annotations = _template(self.object)["metadata"].get("annotations", {})
        wanted = annotations.get(DEFAULT_CONTAINER, self.pod["containers"][0]["name"])
        found: Mapping[str, Any] = next(one for one in self.pod["containers"] if one["name"] == wanted)
        return found


def workloads(build: Build) -> list[Workload]:
    """All workloads of a build."""
    found = []
    for one in build.of("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"):
        template = _template(one)
        name = one["metadata"]["name"]
        found.append(Workload(one, name, template["metadata"].get("labels", {}), template["spec"]))
    return found


def _template(one: Object) -> Mapping[str, Any]:
    """What the pods of a workload are made from."""
    spec = one["spec"]["jobTemplate"]["spec"] if one["kind"] == "CronJob" else one["spec"]
    template: Mapping[str, Any] = spec["template"]
    return template


def selects(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Whether a label selector selects what bears these labels; an empty one selects everything, None nothing."""
    if selector is None:
        return False
    for key, value in selector.get("matchLabels", {}).items():
        if labels.get(key) != value:
            return False
    for wanted in selector.get("matchExpressions", ()):
        there, value = wanted["key"] in labels, labels.get(wanted["key"])
        met = {
            "In": value in wanted.get("values", ()),
            "NotIn": value not in wanted.get("values", ()),
            "Exists": there,
            "DoesNotExist": not there,
        }[wanted["operator"]]
        if not met:
            return False
    return True


def findings(build: Build) -> Iterator[str]:
    """What is wrong with the workloads of a build."""
    for workload in workloads(build):
        said = [
            *_account(build, workload),
            *_pod(workload),
            *(f"container {one['name']} {what}" for one in workload.containers for what in _container(build, one)),
        ]
        if workload.lasting:
            said += _replicas(build, workload)
        if workload.lasting and not workload.idle:
            said += [*_probes(workload), *_budget(build, workload), *_spread(workload), *_rollout(workload)]
        if workload.object["kind"] == "CronJob" and workload.object["spec"].get("concurrencyPolicy") != "Forbid":
            said.append("may run beside itself")
        yield from (f"{title(workload.object)}: {what}" for what in said)


def _account(build: Build, workload: Workload) -> Iterator[str]:
    if workload.pod.get("serviceAccountName") != workload.name:
        yield "has no service account of its own"
    account = build.named("ServiceAccount", workload.name)
    if account is None:
        yield f"ServiceAccount/{workload.name} is not there"
    for one in (workload.pod, account or {}):
        if one.get("automountServiceAccountToken") is not False:
            yield "its pods, or its account, mount a token"
            break


def _pod(workload: Workload) -> Iterator[str]:
    context = workload.pod.get("securityContext", {})
    if context.get("runAsNonRoot") is not True or context.get("runAsUser", 0) < LEAST_USER:
        yield f"may run as root, or as a user below {LEAST_USER}"
    if context.get("seccompProfile", {}).get("type") != "RuntimeDefault":
        yield "has no seccomp profile"
    if workload.pod.get("enableServiceLinks") is not False:
        yield "is told all services by its environment"
    if workload.labels.get("app.kubernetes.io/name") != workload.name:
        yield "its pods do not bear its name"
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if workload.pod.get(key):
            yield f"wants {key}"


def _container(build: Build, container: Mapping[str, Any]) -> Iterator[str]:
    context = container.get("securityContext", {})
    wanted = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    for key, value in wanted.items():
        if context.get(key) != value:
            yield f"has no restricted security context: {key} is {context.get(key)!r}"
    resources = container.get("resources", {})
    for kind, key in (("requests", "cpu"), ("requests", "memory"), ("limits", "memory")):
        if key not in resources.get(kind, {}):
            yield f"has no {kind} of {key}"
    image = container["image"]
    named = image.rpartition("/")[2]
    # In the base ours has none yet.
    certain = ("@" in named or ":" in named) and not named.endswith(":latest")
    if not certain and (build.whole or image != IMAGE):
        yield f"has an image of no certain version: {image}"
    if build.released and PLACEHOLDER in image:
        yield f"has the image that only stands for yours: {image}"


def _probes(workload: Workload) -> Iterator[str]:
    main = workload.main
    for kind in PROBES:
        if kind not in main:
            yield f"container {main['name']} has no {kind}"
    for container in workload.containers:
        for kind in PROBES:
            probe = container.get(kind, {}).get("grpc")
            if probe is None:
                continue
            wanted = "" if kind == "readinessProbe" else LIVENESS
            if probe.get("service", "") != wanted:
                asked = probe.get("service", "")
                yield f"container {container['name']}: {kind} asks for {asked!r} and not for {wanted!r}"


def _budget(build: Build, workload: Workload) -> Iterator[str]:
    budgets = [one for one in build.of("PodDisruptionBudget") if selects(one["spec"].get("selector"), workload.labels)]
    if len(budgets) != 1:
        yield f"has {len(budgets)} disruption budgets"
    elif budgets[0]["spec"].get("maxUnavailable") != 1 or "minAvailable" in budgets[0]["spec"]:
        yield "has a disruption budget other than one pod at a time"


def _spread(workload: Workload) -> Iterator[str]:
    constraints = workload.pod.get("topologySpreadConstraints", ())
    keys = {one["topologyKey"] for one in constraints if selects(one.get("labelSelector"), workload.labels)}
    affinity = workload.pod.get("affinity", {}).get("podAntiAffinity", {})
    apart = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", ())
    keys |= {one["topologyKey"] for one in apart if selects(one.get("labelSelector"), workload.labels)}
    for key in (ZONE, HOST):
        if key not in keys:
            yield f"is not spread over {key}"


def _rollout(workload: Workload) -> Iterator[str]:
    """A new pod comes before an old one goes, and is known by then."""
    if workload.object["kind"] != "Deployment":
        return
    spec = workload.object["spec"]
    update = spec.get("strategy", {}).get("rollingUpdate", {})
    if update.get("maxUnavailable") != 0 or not update.get("maxSurge"):
        yield "lets an old pod go before a new one is there"
    if spec.get("minReadySeconds", 0) < SETTLED_SECONDS:
        yield f"lets an old pod go when a new one has been ready for {spec.get('minReadySeconds', 0)} s"


def _replicas(build: Build, workload: Workload) -> Iterator[str]:
    """Either the manifest says how many, or a scaler does: both would undo each other's work."""
    scalers = [
        title(one)
        for one in build.of("HorizontalPodAutoscaler", "ScaledObject")
        if one["spec"]["scaleTargetRef"]["name"] == workload.name
    ]
    if ("replicas" in workload.object["spec"]) == bool(scalers):
        yield f"how many pods it has is said by {['replicas', *scalers] if scalers else 'nobody'}"
