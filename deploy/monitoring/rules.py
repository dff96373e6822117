"""The rules of Prometheus, and the cases in which an alert has to call for somebody, as both are read by Prometheus.

The cases (`rules.cases.yaml`) start from a club that is well. Each changes a few series of it, and names every alert
that has to follow from that: one that is missing fails the case, and so does one too many.
"""

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

RULES: Final = Path(__file__).with_name("rules.yaml")
CASES: Final = Path(__file__).with_name("rules.cases.yaml")
RUNBOOK: Final = Path(__file__).with_name("runbook.md")
NAMESPACE: Final = "levata"
"""Of the club that the cases are about."""

_UNITS: Final = {"s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        group: Name of its group.
        name: What it records, or the name of its alert.
        expression: PromQL.
        alert: Whether it alerts; else it records.
        labels: Labels that it adds.
        annotations: What whoever is called reads.
    """

    group: str
    name: str
    expression: str
    alert: bool
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


def spec() -> dict[str, Any]:
    """The groups of rules, as Prometheus reads them."""
    read: dict[str, Any] = yaml.safe_load(RULES.read_text())["spec"]
    return read


def rules() -> list[Rule]:
    """All rules, in order."""
    return [
        Rule(
            group=group["name"],
            name=rule.get("alert") or rule["record"],
            expression=rule["expr"].strip(),
            alert="alert" in rule,
            labels=rule.get("labels", {}),
            annotations=rule.get("annotations", {}),
        )
        for group in spec()["groups"]
        for rule in group["rules"]
    ]


def hurried(factor: float, interval_seconds: float) -> dict[str, Any]:
    """The same rules for somebody who cannot wait: windows and `for` divided by a factor.

    Args:
        factor: What they are divided by.
        interval_seconds: How often the rules are worked out; no window gets shorter than five times that.
    """
    hurrying = copy.deepcopy(spec())

    def window(found: re.Match[str]) -> str:
        seconds = int(found[1]) * _UNITS[found[2]] / factor
        return f"[{max(5 * interval_seconds, seconds):.0f}s]"

    for group in hurrying["groups"]:
        group["interval"] = f"{interval_seconds * 1000:.0f}ms"
        for rule in group["rules"]:
            rule["expr"] = re.sub(r"\[(\d+)([smh])\]", window, rule["expr"])
            if "for" in rule:
                waits = re.fullmatch(r"(\d+)([smh])", rule["for"])
                assert waits is not None, rule
                rule["for"] = f"{int(waits[1]) * _UNITS[waits[2]] / factor * 1000:.0f}ms"
    return hurrying


def promtool_tests(rules_file: str) -> dict[str, Any]:
    """The cases as a file of unit tests for `promtool test rules`, about the rules in `rules_file`."""
    read = yaml.safe_load(CASES.read_text())
    return {
        "rule_files": [rules_file],
        "evaluation_interval": "1m",
        "tests": [_test(read["well"], case) for case in read["cases"]],
    }


def _test(well: Mapping[str, str], case: Mapping[str, Any]) -> dict[str, Any]:
    series: dict[str, str | None] = {**well, **case.get("series", {})}
    return {
        "name": case["name"],
        "interval": "30s",
        "input_series": [
            {"series": _named(name), "values": values} for name, values in series.items() if values is not None
        ],
        "promql_expr_test": [
            {
                "expr": 'sum without (alertstate, severity) (ALERTS{alertstate="firing"})',
                "eval_time": case["at"],
                "exp_samples": [{"labels": _labels(alert), "value": 1} for alert in case["alerts"]],
            }
        ],
    }


def _named(series: str) -> str:
    """A series of the club."""
    return (
        series.replace("{", f'{{namespace="{NAMESPACE}",', 1)
        if "{" in series
        else f'{series}{{namespace="{NAMESPACE}"}}'
    )


def _labels(alert: Mapping[str, str] | str) -> str:
    """The labels of an alert that is expected: by its name alone, or with more labels beside `alert`."""
    labels = {"alert": alert} if isinstance(alert, str) else dict(alert)
    name = labels.pop("alert")
    if labels.pop("namespace", NAMESPACE) == NAMESPACE:
        labels["namespace"] = NAMESPACE
    return "{" + ",".join(f'{key}="{value}"' for key, value in {"alertname": name, **labels}.items()) + "}"
