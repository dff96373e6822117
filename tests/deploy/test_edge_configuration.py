"""The edge's configuration: Envoy takes it, and it says of methods and refusals what the services say."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.edge.refusals import REFUSALS
from deploy.edge.render import CONFIGURATION, LOCAL_ORIGINS, Place, render
from services.ledger.identity_servicer import PUBLIC_METHODS
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.ledger.v1 import identity_pb2, ledger_pb2
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2
from shared.gen.levata.table.v1 import table_pb2
from shared.rpc.policy import RETRIABLE
from tests.support.contract import METHODS as CONTRACT
from tests.support.edge import ENVOY

SERVICES = [
    service
    for file in (table_pb2, matchmaking_pb2, bot_pb2, identity_pb2, ledger_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
]
METHODS = [method for service in SERVICES for method in service.methods]


def path_of(method: Any) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"


def manager(settings: Any, listener: str = "club") -> Any:
    (found,) = [one for one in settings["static_resources"]["listeners"] if one["name"] == listener]
    return found["filter_chains"][0]["filters"][0]["typed_config"]


def routes(settings: Any) -> Any:
    (host,) = manager(settings)["route_config"]["virtual_hosts"]
    return host["routes"]


def matches(match: Any, path: str) -> bool:
    if "path" in match:
        return bool(match["path"] == path)
    if "prefix" in match:
        return path.startswith(match["prefix"])
    return re.fullmatch(match["safe_regex"]["regex"], path) is not None


def filter_of(settings: Any, name: str) -> Any:
    (found,) = [one["typed_config"] for one in manager(settings)["http_filters"] if one["name"].endswith("." + name)]
    return found


@pytest.fixture(scope="module")
def settings() -> Any:
    return yaml.safe_load(CONFIGURATION.read_text())


def place(folder: Path) -> Place:
    upstreams = {"table": ["127.0.0.1:1", "[::1]:2"], "matchmaking": ["127.0.0.1:3"], "bot": ["h:4"], "ledger": ["h:5"]}
    return Place("127.0.0.1", 7080, 7180, upstreams, ["127.0.0.1:5104"], folder / "admin.sock")


def test_envoy_takes_what_is_rendered(tmp_path: Path) -> None:
    configuration = tmp_path / "envoy.json"
    configuration.write_text(render(place(tmp_path)))
    told = subprocess.run(
        [str(ENVOY), "--mode", "validate", "-c", str(configuration), "--log-level", "warning"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert told.returncode == 0, told.stderr
    assert "deprecated" not in told.stderr.lower()


def test_only_addresses_and_origins_differ_from_the_cluster(tmp_path: Path, settings: Any) -> None:
    def flat(value: Any, path: str = "") -> dict[str, Any]:
        if isinstance(value, dict):
            return {key: one for name, more in value.items() for key, one in flat(more, f"{path}.{name}").items()}
        if isinstance(value, list):
            return {key: one for index, more in enumerate(value) for key, one in flat(more, f"{path}[{index}]").items()}
        return {path: value}

    here, there = flat(json.loads(render(place(tmp_path)))), flat(settings)
    differing = {path for path in here.keys() | there.keys() if here.get(path) != there.get(path)}
    allowed = r".*(address\.(pipe|socket_address).*|safe_regex\.regex)"
    assert differing
    assert [path for path in differing if not re.fullmatch(allowed, path)] == []


def test_all_processes_of_a_service_are_upstream(tmp_path: Path) -> None:
    clusters = {one["name"]: one for one in json.loads(render(place(tmp_path)))["static_resources"]["clusters"]}
    (endpoints,) = clusters["table"]["load_assignment"]["endpoints"]
    found = [one["endpoint"]["address"]["socket_address"] for one in endpoints["lb_endpoints"]]
    assert found == [{"address": "127.0.0.1", "port_value": 1}, {"address": "::1", "port_value": 2}]


@pytest.mark.parametrize("method", METHODS, ids=path_of)
def test_every_method_has_a_route_with_the_timeout_that_it_needs(settings: Any, method: Any) -> None:
    first = next(route for route in routes(settings) if matches(route["match"], path_of(method)))
    owner = method.containing_service.full_name.split(".")[1]
    assert first["route"]["cluster"] == owner
    streams = method.server_streaming or method.client_streaming
    assert first["route"]["timeout"] == ("0s" if streams else "15s")
    assert ("hash_policy" in first["route"]) == (owner == "table")


@pytest.mark.parametrize("method", METHODS, ids=path_of)
def test_every_call_is_tried_again_and_a_stream_as_long_as_it_has_not_begun(settings: Any, method: Any) -> None:
    """Envoy tries nothing again once an answer has begun; a stream that is open has no limit of time."""
    route = next(route for route in routes(settings) if matches(route["match"], path_of(method)))["route"]
    policy = route["retry_policy"]
    conditions = set(policy["retry_on"].split(","))
    assert conditions == {"connect-failure", "refused-stream", "reset"} | {code.name.lower() for code in RETRIABLE}
    if method.server_streaming or method.client_streaming:
        assert "per_try_timeout" not in policy
    else:
        # Two tries that are waited for in vain leave time for nothing, but fit.
        assert 2 * float(policy["per_try_timeout"].rstrip("s")) <= float(route["timeout"].rstrip("s"))


def test_nothing_is_tried_again_that_would_change_something_twice() -> None:
    """What changes something by a unary call carries a request id, but for a few of which the contract says that they
    are safe to repeat; the ledger's results are only read.
    """
    changing = [one for one in CONTRACT.values() if not one.streams_out and "LedgerService" not in one.path]
    without = [one for one in changing if not one.asks_for("request_id")]
    assert [one.name for one in without if not re.search(r"[Ss]afe to repeat", one.comment)] == []


@pytest.mark.parametrize("method", METHODS, ids=path_of)
def test_a_token_is_wanted_where_the_services_want_one(settings: Any, method: Any) -> None:
    rules = filter_of(settings, "jwt_authn")["rules"]
    first = next(rule for rule in rules if matches(rule["match"], path_of(method)))
    public = method.containing_service.name == "IdentityService" and method.name in PUBLIC_METHODS
    assert ("requires" in first) != public


def test_what_is_refused_is_said_as_the_services_say_it(settings: Any) -> None:
    mappers = manager(settings)["local_reply_config"]["mappers"]
    found = {}
    for mapper in mappers:
        (header,) = mapper["headers_to_add"]
        assert header["header"]["key"] == "grpc-status-details-bin"
        code = mapper["filter"]["status_code_filter"]["comparison"]["value"]["default_value"]
        found[code] = header["header"]["value"]
    assert found == {refusal.http: refusal.header for refusal in REFUSALS}


def test_the_admin_interface_has_no_port_and_figures_have_one_path(settings: Any) -> None:
    assert set(settings["admin"]["address"]) == {"pipe"}
    (host,) = manager(settings, "figures")["route_config"]["virtual_hosts"]
    assert [route["match"]["path"] for route in host["routes"]] == ["/metrics", "/ready"]


@pytest.mark.parametrize(
    ("origin", "welcome"),
    [
        ("http://localhost:3000", True),
        ("https://127.0.0.1", True),
        ("http://localhost.evil.example", False),
        ("https://evil.example/http://localhost", False),
    ],
)
def test_pages_of_this_machine_are_welcome_locally(origin: str, welcome: bool) -> None:
    assert (re.fullmatch(LOCAL_ORIGINS, origin) is not None) == welcome
