"""What objects say of each other: names, keys, ports and files that have to be where they are looked for."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

import yaml

from deploy.kubernetes.builds import LOADER, Build, Object, title
from deploy.kubernetes.environment import PREFIX, values
from deploy.kubernetes.flows import POSTGRES
from deploy.kubernetes.inventory import DATABASE, OPERATORS, OUTSIDE
from deploy.kubernetes.workloads import PROBES, Workload, selects, workloads

Ports = Mapping[str, int]
MOUNTED: Final = "/run/levata/"
"""Where files that come from outside are mounted."""
LISTENING: Final[Mapping[str, str]] = {
    f"{PREFIX}LISTEN": "grpc",
    f"{PREFIX}METRICS_LISTEN": "metrics",
    f"{PREFIX}NATS_LISTEN": "client",
    f"{PREFIX}NATS_MONITOR": "monitor",
    f"{PREFIX}NATS_PEER_LISTEN": "peer",
}
"""The port by its name that an address to listen on has to be of."""
EXAMPLE: Final = "levata\\\\.example"
"""What stands for the origins of one's own pages, as JSON."""
OPTIONAL: Final = ("edge",)
"""Workloads of a component of their own, which another component may scale where they are there."""
UNITS: Final[Mapping[str, int]] = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
HEAP_SHARE: Final = 0.8
"""Of a container's memory, so much may be Envoy's heap: the rest is for what it holds besides."""
OPERATED: Final[Ports] = {"metrics": 9187}
"""Ports of the pods that the operator of the database makes."""


def findings(build: Build) -> Iterator[str]:
    """What is looked for in a build and is not there."""
    for workload in workloads(build):
        said = [*_files(build, workload), *_own_ports(build, workload), *_addresses(build, workload)]
        yield from (f"{title(workload.object)}: {what}" for what in said)
    yield from _databases(build)
    yield from _services(build)
    yield from _targets(build)
    yield from _edge(build)


# Secrets, ConfigMaps and the files in them


def _keys(build: Build) -> dict[tuple[str, str], set[str]]:
    """The keys of every Secret and ConfigMap that there is or will be, by kind and name."""
    found: dict[tuple[str, str], set[str]] = {(one.kind, one.name): set(one.files) for one in (*OUTSIDE, DATABASE)}
    for one in build.of("Secret", "ConfigMap"):
        keys = {*one.get("data", {}), *one.get("stringData", {}), *one.get("binaryData", {})}
        found[one["kind"], one["metadata"]["name"]] = keys
    for kind, endings in OPERATORS.items():
        for one in build.of(kind):
            found.update({("Secret", one["metadata"]["name"] + end): set(keys) for end, keys in endings.items()})
    return found


def _files(build: Build, workload: Workload) -> Iterator[str]:
    keys = _keys(build)
    volumes: dict[str, set[str] | None] = {}
    claims = {one["metadata"]["name"] for one in workload.object["spec"].get("volumeClaimTemplates", ())}
    for volume in workload.pod.get("volumes", ()):
        where = _source(volume)
        volumes[volume["name"]] = keys.get(where) if where else None
        claim = volume.get("persistentVolumeClaim", {}).get("claimName")
        if claim is not None and build.named("PersistentVolumeClaim", claim) is None:
            yield f"there is no PersistentVolumeClaim/{claim}"
        if where and where not in keys:
            yield f"{'/'.join(where)} is neither made nor listed among what comes from outside"
    for container in workload.containers:
        mounts = {one["mountPath"]: one["name"] for one in container.get("volumeMounts", ())}
        for path, name in mounts.items():
            if name not in volumes and name not in claims:
                yield f"there is no volume {name} to mount at {path}"
        for where, key in _variables_from(container):
            if where not in keys:
                yield f"{'/'.join(where)} is neither made nor listed among what comes from outside"
            elif key and key not in keys[where]:
                yield f"{'/'.join(where)} has no {key}"
        for name, value in values(build, container).items():
            if value is None or not value.startswith(MOUNTED):
                continue
            path = PurePosixPath(value)
            held = volumes.get(mounts.get(str(path.parent), ""))
            # Those that serve nobody are told of files by the shared ConfigMap that they never open.
            if workload.lasting and not workload.idle and path.name not in (held or ()):
                yield f"{name} is {value}, which is in no volume"


def _databases(build: Build) -> Iterator[str]:
    """Whoever is told of a database has to be told of the same one."""
    told: dict[tuple[str, str], list[str]] = {}
    for workload in workloads(build):
        for container in workload.containers:
            for one in container.get("env", ()):
                if one["name"] == f"{PREFIX}DATABASE_URL":
                    reference = one.get("valueFrom", {}).get("secretKeyRef", {"name": "a value", "key": "of its own"})
                    told.setdefault((reference["name"], reference["key"]), []).append(title(workload.object))
    if len(told) > 1:
        where = "; ".join(f"{name} {key} for {', '.join(whose)}" for (name, key), whose in sorted(told.items()))
        yield f"there are several databases: {where}"


def _source(volume: Mapping[str, Any]) -> tuple[str, str] | None:
    if "secret" in volume:
        return "Secret", volume["secret"]["secretName"]
    if "configMap" in volume:
        return "ConfigMap", volume["configMap"]["name"]
    return None


def _variables_from(container: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], str]]:
    for one in container.get("envFrom", ()):
        if "configMapRef" in one:
            yield ("ConfigMap", one["configMapRef"]["name"]), ""
        if "secretRef" in one:
            yield ("Secret", one["secretRef"]["name"]), ""
    for one in container.get("env", ()):
        for kind, reference in (("Secret", "secretKeyRef"), ("ConfigMap", "configMapKeyRef")):
            if found := one.get("valueFrom", {}).get(reference):
                yield (kind, found["name"]), found["key"]


# Ports


def _ports(workload: Workload) -> dict[str, int]:
    """The ports of a workload's pods by their names."""
    return {one["name"]: one["containerPort"] for each in workload.containers for one in each.get("ports", ())}


def _own_ports(build: Build, workload: Workload) -> Iterator[str]:
    for container in workload.containers:
        ports = {one["name"]: one["containerPort"] for one in container.get("ports", ())}
        for kind in (*PROBES, "lifecycle"):
            for port in _probed(container.get(kind, {})):
                if port not in ports and port not in ports.values():
                    yield f"container {container['name']}: {kind} asks at {port}, which is none of its ports"
        for name, value in values(build, container).items():
            if name in LISTENING and value is not None and workload.lasting:
                port = int(value.rpartition(":")[2])
                if ports.get(LISTENING[name]) != port:
                    yield f"container {container['name']} listens on {port}, its port {LISTENING[name]} is another"


def _probed(probe: Mapping[str, Any]) -> Iterator[int | str]:
    for kind in ("grpc", "httpGet", "tcpSocket"):
        if kind in probe:
            yield probe[kind]["port"]


# Services and other names


def _services(build: Build) -> Iterator[str]:
    pods = {one.name: one for one in workloads(build)}
    for service in build.of("Service"):
        chosen = [one for one in pods.values() if _behind(service, one)]
        if not chosen:
            yield f"{title(service)}: there are no pods behind it"
        for port in service["spec"]["ports"]:
            target = port.get("targetPort", port["port"])
            for workload in chosen:
                if target not in _ports(workload) and target not in _ports(workload).values():
                    yield f"{title(service)}: {title(workload.object)} has no port {target}"
    for workload in pods.values():
        name = workload.object["spec"].get("serviceName")
        if name and build.named("Service", name) is None:
            yield f"{title(workload.object)}: there is no Service {name}"


def _behind(service: Object, workload: Workload) -> bool:
    """Whether a Service, which names labels and no more, sends to these pods."""
    labels = service["spec"].get("selector")
    return bool(labels) and selects({"matchLabels": labels}, workload.labels)


def _reached(build: Build, host: str, port: int, source: str) -> Iterator[str]:
    """What keeps a host and port from being reached."""
    service = build.named("Service", host)
    if service is None:
        if build.whole:
            yield f"{source} is at {host}, and there is no such Service"
    elif port not in [one["port"] for one in service["spec"]["ports"]]:
        yield f"{source} is at {host}:{port}, and the Service has no such port"
    elif service["spec"].get("clusterIP") == "None":
        # Whoever looks the name up gets pods, and there is nobody who would turn one port into another.
        for workload in workloads(build):
            if _behind(service, workload) and port not in _ports(workload).values():
                yield f"{source} is at {host}:{port}, where no pod listens"


def _addresses(build: Build, workload: Workload) -> Iterator[str]:
    for container in workload.containers:
        for name, value in values(build, container).items():
            if value is None:
                continue
            for host, port in re.findall(r"(?:nats://|dns:///)([a-z][a-z0-9-]*):(\d+)", value):
                yield from _reached(build, host, int(port), name)
            peers = re.findall(r"@([a-z-]+)-(\d+)\.([a-z-]+):(\d+)", value)
            if not peers:
                continue
            spec = workload.object["spec"]
            wanted = {(workload.name, str(number), spec["serviceName"]) for number in range(spec["replicas"])}
            if {peer[:3] for peer in peers} != wanted:
                yield f"{name} does not name each of the {spec['replicas']} servers once"
            for _, _, host, port in peers:
                yield from _reached(build, host, int(port), name)


def _targets(build: Build) -> Iterator[str]:
    """What scalers scale, monitors watch, and backups are taken of."""
    pods = [(one.labels, _ports(one)) for one in workloads(build)]
    if build.named("Cluster", POSTGRES["cnpg.io/cluster"]) is not None:
        pods.append((POSTGRES, dict(OPERATED)))
    for scaler in build.of("HorizontalPodAutoscaler", "ScaledObject"):
        target = scaler["spec"]["scaleTargetRef"]
        elsewhere = target["name"] in OPTIONAL and not build.whole
        if build.named(target.get("kind", "Deployment"), target["name"]) is None and not elsewhere:
            yield f"{title(scaler)}: there is no {target['name']} to scale"
    for backup in build.of("ScheduledBackup"):
        name = backup["spec"]["cluster"]["name"]
        if build.whole and build.named("Cluster", name) is None:
            yield f"{title(backup)}: there is no Cluster/{name} to take a backup of"
    for monitor in build.of("PodMonitor"):
        chosen = [ports for labels, ports in pods if selects(monitor["spec"]["selector"], labels)]
        if not chosen and build.whole:
            yield f"{title(monitor)}: there are no pods to watch"
        for endpoint in monitor["spec"]["podMetricsEndpoints"]:
            if any(endpoint["port"] not in ports for ports in chosen):
                yield f"{title(monitor)}: some of its pods have no port {endpoint['port']}"


# The edge


def _edge(build: Build) -> Iterator[str]:
    """Whether Envoy listens where its pods say, and looks for services where they are."""
    edge = next((one for one in workloads(build) if one.name == "edge"), None)
    if edge is None:
        return
    configuration = _configuration(build, edge)
    if configuration is None:
        yield "Deployment/edge: has no configuration"
        return
    if build.released and EXAMPLE in json.dumps(configuration):
        yield "Deployment/edge: lets the pages call that only stand for yours"
    resources = configuration["static_resources"]
    listening = {one["name"]: one["address"]["socket_address"]["port_value"] for one in resources["listeners"]}
    if listening != _ports(edge):
        yield f"Deployment/edge: its ports are {_ports(edge)}, Envoy listens on {listening}"
    limit = _bytes(edge.main["resources"]["limits"]["memory"])
    for heap in _heaps(configuration):
        if heap > HEAP_SHARE * limit:
            yield f"Deployment/edge: Envoy may fill {heap} bytes, and its container has {limit}"
    for cluster in resources["clusters"]:
        for group in cluster["load_assignment"]["endpoints"]:
            for one in group["lb_endpoints"]:
                address = one["endpoint"]["address"].get("socket_address")
                if address:
                    host, port = address["address"], address["port_value"]
                    said = _reached(build, host, port, f"the cluster {cluster['name']} of Envoy")
                    yield from (f"Deployment/edge: {what}" for what in said)


def _heaps(configuration: Mapping[str, Any]) -> Iterator[int]:
    """The limits of Envoy's memory, in bytes."""
    for monitor in configuration["overload_manager"]["resource_monitors"]:
        if "max_heap_size_bytes" in monitor["typed_config"]:
            yield monitor["typed_config"]["max_heap_size_bytes"]


def _bytes(quantity: str) -> int:
    """A quantity of memory, such as 1Gi, in bytes."""
    return int(quantity[:-2]) * UNITS[quantity[-2:]] if quantity[-2:] in UNITS else int(quantity)


def _configuration(build: Build, edge: Workload) -> Mapping[str, Any] | None:
    arguments = edge.main.get("args", [])
    file = PurePosixPath(arguments[arguments.index("--config-path") + 1]).name
    holder: Object | None = next((one for one in build.of("ConfigMap") if file in one.get("data", {})), None)
    loaded: Mapping[str, Any] | None = None if holder is None else yaml.load(holder["data"][file], Loader=LOADER)
    return loaded
