"""The dashboards are what their description makes, and nothing on them is tied to one Grafana."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.monitoring.__main__ import dashboards, main
from deploy.monitoring.boards import BOARDS
from deploy.monitoring.expressions import DASHBOARDS
from deploy.monitoring.panels import Board, Choice, Panel, Row, to_json

WIDTH = 24


def read(name: str) -> Any:
    return json.loads((DASHBOARDS / f"{name}.json").read_text())


def test_the_dashboards_are_as_they_would_be_made_anew() -> None:
    assert main(["--check"]) == 0


def test_one_that_was_changed_by_hand_and_one_too_many_are_found_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dashboards(tmp_path, check=True) == 1
    assert dashboards(tmp_path, check=False) == 0
    assert dashboards(tmp_path, check=True) == 0
    capsys.readouterr()
    (tmp_path / "bots.json").write_text("{}")
    (tmp_path / "old.json").write_text("{}")
    assert dashboards(tmp_path, check=True) == 1
    said = capsys.readouterr().err
    assert "bots.json" in said
    assert "old.json" in said
    assert dashboards(tmp_path, check=False) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{board.name}.json" for board in BOARDS)


def test_the_whole_club_is_covered() -> None:
    names = [board.name for board in BOARDS]
    assert names == ["overview", "services", "tables", "bots", "queues", "ledger", "nats", "edge"]


@pytest.mark.parametrize("name", [board.name for board in BOARDS])
def test_a_dashboard_fits_any_grafana(name: str) -> None:
    dashboard = read(name)
    assert dashboard["uid"] == f"levata-{name}"
    assert "id" not in dashboard
    source, namespace, *_ = dashboard["templating"]["list"]
    assert (source["name"], source["type"], source["query"]) == ("datasource", "datasource", "prometheus")
    assert namespace["name"] == "namespace"
    titles = [panel["title"] for panel in dashboard["panels"]]
    assert len(set(titles)) == len(titles)
    for panel in dashboard["panels"]:
        assert panel.get("id", 0) == 0, panel["title"]
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= WIDTH, panel["title"]
        if panel["type"] != "row":
            assert panel["datasource"] == {"type": "prometheus", "uid": "$datasource"}
            assert panel["targets"], panel["title"]
            for target in panel["targets"]:
                assert "datasource" not in target


@pytest.mark.parametrize("name", [board.name for board in BOARDS])
def test_panels_do_not_overlap(name: str) -> None:
    taken: dict[tuple[int, int], str] = {}
    for panel in read(name)["panels"]:
        place = panel["gridPos"]
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                assert (x, y) not in taken, (panel["title"], taken[x, y])
                taken[x, y] = panel["title"]


def test_a_description_comes_out_as_what_it_says() -> None:
    panel = Panel("Turns", [("sum by (kind) (turns{NS})", "{{kind}}")], unit="ops", says="So many.", kind="areas")
    number = Panel("Frozen", [("max(frozen{NS})", "")], kind="number", red_from=1)
    made = json.loads(
        to_json(Board("x", "X", "Of x.", (Row("A", (panel, number)),), (Choice("kind", "t{NS}", "kind"),)))
    )
    row, lines, stat = made["panels"]
    assert (row["type"], lines["type"], stat["type"]) == ("row", "timeseries", "stat")
    assert lines["targets"][0]["expr"] == 'sum by (kind) (turns{namespace=~"$namespace"})'
    assert lines["targets"][0]["legendFormat"] == "{{kind}}"
    assert lines["fieldConfig"]["defaults"]["unit"] == "ops"
    assert lines["fieldConfig"]["defaults"]["custom"]["stacking"]["mode"] == "normal"
    assert stat["targets"][0]["instant"] is True
    assert stat["fieldConfig"]["defaults"]["thresholds"]["steps"][-1] == {"value": 1, "color": "red"}
    assert made["templating"]["list"][2]["query"] == 'label_values(t{namespace=~"$namespace"}, kind)'


def test_a_cluster_gets_all_rules_and_dashboards(tmp_path: Path) -> None:
    beside = Path(sys.executable).with_name("kubectl")
    kubectl = str(beside) if beside.exists() else shutil.which("kubectl")
    assert kubectl is not None, "kubectl is not installed; `make setup` does it"
    shutil.copytree(DASHBOARDS.parent, tmp_path / "monitoring")
    (tmp_path / "kustomization.yaml").write_text("components: [monitoring]\n")
    built = subprocess.run([kubectl, "kustomize", tmp_path], capture_output=True, text=True, check=True)
    documents = list(yaml.safe_load_all(built.stdout))
    maps = {one["metadata"]["name"]: one for one in documents if one["kind"] == "ConfigMap"}
    assert [one["metadata"]["name"] for one in documents if one["kind"] == "PrometheusRule"] == ["levata"]
    assert sorted(maps) == sorted(f"levata-dashboard-{board.name}" for board in BOARDS)
    for board in BOARDS:
        made = maps[f"levata-dashboard-{board.name}"]
        assert made["metadata"]["labels"]["grafana_dashboard"] == "1"
        assert json.loads(made["data"][f"{board.name}.json"]) == read(board.name)
