"""Every PromQL expression that is anywhere: in rules, on dashboards, and where the number of pods follows from one."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from deploy.monitoring.rules import rules

DASHBOARDS: Final = Path(__file__).with_name("dashboards")
KUBERNETES: Final = Path(__file__).parent.parent / "kubernetes"

_VARIABLES: Final[Mapping[str, str]] = {"__rate_interval": "5m", "__interval": "1m", "__range": "1h"}
"""What Grafana puts in the place of its own variables; every other one stands for any value."""
_LABEL_VALUES: Final = re.compile(r"label_values\((?P<selector>.*),\s*(?P<label>\w+)\)")


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression and where it is.

    Attributes:
        place: File, and what in it.
        text: PromQL.
        told: Labels of the result that somebody is told.
    """

    place: str
    text: str
    told: frozenset[str] = frozenset()


def expressions() -> list[Expression]:
    """All of them."""
    return [*of_rules(), *of_dashboards(), *of_scalers()]


def of_rules() -> Iterator[Expression]:
    """Those of the rules; an alert tells labels in its annotations."""
    for rule in rules():
        told = frozenset(re.findall(r"\$labels\.(\w+)", " ".join(rule.annotations.values())))
        yield Expression(f"rules.yaml: {rule.name}", rule.expression, told)


def of_dashboards() -> Iterator[Expression]:
    """Those of the dashboards, with Grafana's variables replaced; a legend tells labels."""
    for path in sorted(DASHBOARDS.glob("*.json")):
        dashboard = json.loads(path.read_text())
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "query":
                query = variable["query"] if isinstance(variable["query"], str) else variable["query"]["query"]
                found = _LABEL_VALUES.fullmatch(query)
                if found is None:
                    raise ValueError(f"{path.name}: {query} asks for no values of a label")
                yield Expression(
                    f"{path.name}: ${variable['name']}", _replaced(found["selector"]), frozenset({found["label"]})
                )
        for panel in _panels(dashboard["panels"]):
            for target in panel.get("targets", []):
                told = frozenset(re.findall(r"{{\s*(\w+)\s*}}", target.get("legendFormat") or ""))
                yield Expression(f"{path.name}: {panel['title']}", _replaced(target["expr"]), told)


def of_scalers(folder: Path = KUBERNETES) -> Iterator[Expression]:
    """Those that KEDA asks Prometheus."""
    for path in sorted(folder.rglob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            if isinstance(document, dict) and document.get("kind") == "ScaledObject":
                for trigger in document["spec"]["triggers"]:
                    if trigger["type"] == "prometheus":
                        yield Expression(str(path.relative_to(folder)), trigger["metadata"]["query"])


def _panels(panels: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Panels, and those in rows that are folded."""
    for panel in panels:
        yield panel
        yield from _panels(panel.get("panels") or [])


def _replaced(text: str) -> str:
    return re.sub(r"\$\{?(\w+)\}?", lambda found: _VARIABLES.get(found[1], ".*"), text)
