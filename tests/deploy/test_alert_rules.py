"""The alerts: each is tried, each says what to do."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.monitoring.rules import CASES, RUNBOOK, Rule, hurried, promtool_tests, rules, spec
from tests.support import promql

PROMTOOL = shutil.which("promtool")
with_promtool = pytest.mark.skipif(
    PROMTOOL is None, reason="promtool is not installed (Debian's package `prometheus` has it)"
)
ALERTS = [rule for rule in rules() if rule.alert]
SEVERITIES = {"critical", "warning"}


def promtool(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    assert PROMTOOL is not None
    return subprocess.run([PROMTOOL, *arguments], cwd=folder, capture_output=True, text=True, check=False)


@with_promtool
def test_prometheus_takes_the_rules(tmp_path: Path) -> None:
    for name, made in (("rules.yaml", spec()), ("hurried.yaml", hurried(60, 0.5))):
        (tmp_path / name).write_text(yaml.safe_dump(made))
        checked = promtool("check", "rules", "--lint=all", "--lint-fatal", name, folder=tmp_path)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        assert f"{len(rules())} rules found" in checked.stdout


@with_promtool
def test_every_fault_calls_for_exactly_those_alerts_that_it_should(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump(spec()))
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump(promtool_tests("rules.yaml")))
    tried = promtool("test", "rules", "tests.yaml", folder=tmp_path)
    assert tried.returncode == 0, tried.stdout + tried.stderr


@with_promtool
def test_an_alert_that_would_not_fire_is_found_out(tmp_path: Path) -> None:
    groups = spec()
    for group in groups["groups"]:
        for rule in group["rules"]:
            if rule.get("alert") == "LevataTablesFrozen":
                rule["expr"] = rule["expr"].replace("> 0", "> 1")
    tests = promtool_tests("rules.yaml")
    tests["tests"] = [test for test in tests["tests"] if "frozen" in test["name"]]
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump(groups))
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump(tests))
    tried = promtool("test", "rules", "tests.yaml", folder=tmp_path)
    assert tried.returncode != 0
    assert "LevataTablesFrozen" in tried.stdout + tried.stderr


def test_there_is_a_case_for_every_alert_and_no_two_alerts_have_one_name() -> None:
    expected = {
        alert if isinstance(alert, str) else alert["alert"]
        for case in yaml.safe_load(CASES.read_text())["cases"]
        for alert in case["alerts"]
    }
    assert expected == {alert.name for alert in ALERTS}
    assert {name: count for name, count in Counter(rule.name for rule in rules()).items() if count > 1} == {}


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)
def test_an_alert_says_how_bad_it_is_what_it_is_and_where_to_read_what_to_do(alert: Rule) -> None:
    assert alert.labels["severity"] in SEVERITIES
    assert set(alert.annotations) == {"summary", "description", "runbook_url"}
    assert alert.annotations["runbook_url"] == f"https://levata.example/runbook#{alert.name.lower()}"
    assert "$value" not in alert.annotations["summary"] or " or " not in re.sub(r"\(.*?\)", "", alert.expression), (
        "a value that may be one of two things tells nobody anything"
    )


def sections() -> dict[str, str]:
    """The sections of the runbook by their headings."""
    parts = re.split(r"^### (\w+)$", RUNBOOK.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_runbook_has_a_section_for_every_alert_and_for_nothing_else() -> None:
    assert list(sections()) == [alert.name for alert in ALERTS]


@pytest.mark.parametrize("name", [alert.name for alert in ALERTS])
def test_a_section_says_what_it_means_where_to_look_and_what_to_do(name: str) -> None:
    meaning, look, do = re.split(r"^\*\*(?:Look|Do):\*\* ", sections()[name], flags=re.MULTILINE)
    assert all(len(part.strip()) > 8 for part in (meaning, look, do))


def test_the_runbook_names_no_alert_that_there_is_not() -> None:
    assert set(re.findall(r"Levata[A-Z]\w+", RUNBOOK.read_text())) == {alert.name for alert in ALERTS}


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.name)
def test_rules_group_by_little_and_never_by_who_plays_where(rule: Rule) -> None:
    few = {
        *promql.TARGET,
        *("method", "code", "reason", "check", "le", "subject", "outcome", "stream", "consumer", "game", "by", "kind"),
        *("level", "queue", "server_id", "envoy_cluster_name"),
    }
    used = {label for one in promql.selections(rule.expression) for label in one.labels}
    assert used <= few


def test_in_a_hurry_nothing_but_time_changes() -> None:
    def names(groups: Any) -> list[str]:
        return [rule.get("alert") or rule["record"] for group in groups["groups"] for rule in group["rules"]]

    quick = hurried(60, 0.5)
    assert names(quick) == names(spec())
    (down,) = [rule for group in quick["groups"] for rule in group["rules"] if rule.get("alert") == "LevataServiceDown"]
    assert down["for"] == "1000ms"
    (frozen,) = [
        rule for group in quick["groups"] for rule in group["rules"] if rule.get("alert") == "LevataTablesFrozen"
    ]
    assert "increase(levata_tables_frozen_total[30s])" in frozen["expr"]
