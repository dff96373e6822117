"""The edge's configuration for a place that is no cluster: `envoy.yaml` with other addresses, the rest unchanged."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

CONFIGURATION: Final = Path(__file__).with_name("envoy.yaml")
LOCAL_ORIGINS: Final = r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?"
"""Pages that are served from this machine, as those of developers are."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an edge runs, and before whom.

    Attributes:
        host: Address to listen on.
        port: Port for clients.
        metrics_port: Port for figures.
        upstreams: Addresses, host:port, of the processes of each service, by its name.
        keys: Addresses, host:port, where the ledger gives its public keys over HTTP.
        admin: Socket of the admin interface.
        keys_seconds: How often the keys are fetched again.
        origins: Regular expression that the origin of a page has to match as a whole.
    """

    host: str
    port: int
    metrics_port: int
    upstreams: Mapping[str, Sequence[str]]
    keys: Sequence[str]
    admin: Path
    origins: str = LOCAL_ORIGINS
    keys_seconds: int = 60


def render(place: Place) -> str:
    """The configuration as JSON, which Envoy reads as well as YAML.

    Raises:
        KeyError: `envoy.yaml` has no longer what is to be changed.
    """
    settings: dict[str, Any] = yaml.safe_load(CONFIGURATION.read_text())
    settings["admin"]["address"]["pipe"]["path"] = str(place.admin)
    resources = settings["static_resources"]
    ports = {"club": place.port, "figures": place.metrics_port}
    for listener in resources["listeners"]:
        listener["address"]["socket_address"] = {"address": place.host, "port_value": ports[listener["name"]]}
    club = _manager(resources["listeners"], "club")
    filters = {one["name"]: one["typed_config"] for one in club["http_filters"]}
    filters["envoy.filters.http.jwt_authn"]["providers"]["levata"]["remote_jwks"]["cache_duration"] = (
        f"{place.keys_seconds}s"
    )
    (host,) = club["route_config"]["virtual_hosts"]
    (allowed,) = host["typed_per_filter_config"]["envoy.filters.http.cors"]["allow_origin_string_match"]
    policy = filters["envoy.filters.http.rbac"]["rules"]["policies"]["foreign-origin"]
    forbidden = policy["permissions"][0]["and_rules"]["rules"][1]["not_rule"]["header"]["string_match"]
    for origins in (allowed, forbidden):
        origins["safe_regex"]["regex"] = place.origins
    for cluster in resources["clusters"]:
        if cluster["name"] == "admin":
            cluster["load_assignment"]["endpoints"][0]["lb_endpoints"][0]["endpoint"]["address"]["pipe"]["path"] = str(
                place.admin
            )
        else:
            addresses = place.keys if cluster["name"] == "keys" else place.upstreams[cluster["name"]]
            cluster["load_assignment"]["endpoints"] = [{"lb_endpoints": [_endpoint(one) for one in addresses]}]
    return json.dumps(settings, indent=1)


def _manager(listeners: Sequence[Mapping[str, Any]], name: str) -> Any:
    """The connection manager of a listener."""
    (listener,) = [one for one in listeners if one["name"] == name]
    return listener["filter_chains"][0]["filters"][0]["typed_config"]


def _endpoint(address: str) -> dict[str, Any]:
    host, _, port = address.rpartition(":")
    where = {"address": host.strip("[]"), "port_value": int(port)}
    return {"endpoint": {"address": {"socket_address": where}}}
