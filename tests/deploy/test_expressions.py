"""Whatever rules, dashboards and scalers ask Prometheus for is there, in a club that runs."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from deploy.monitoring.expressions import Expression, expressions, of_scalers
from deploy.monitoring.rules import rules
from tests.support import promql
from tests.support.promql import Figures, NotAskedRightError
from tests.support.seen_club import pages

ALL = expressions()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    return asyncio.run(pages(tmp_path_factory.mktemp("seen")))


@pytest.fixture(scope="module")
def figures(told: Mapping[str, str]) -> Figures:
    found = Figures()
    for job, page in told.items():
        found.scraped(job, page)
    for rule in rules():
        if not rule.alert:
            found.recorded(rule.name, promql.result_labels(rule.expression))
    found.recorded("ALERTS", frozenset({"alertname", "alertstate", *promql.TARGET}))
    return found


def missing(figures: Figures, text: str, told: frozenset[str] = frozenset()) -> list[str]:
    return [lacks for one in promql.selections(text, told) if (lacks := figures.missing(one)) is not None]


def test_there_are_expressions_of_every_kind() -> None:
    places = {expression.place.partition(":")[0] for expression in ALL}
    assert "rules.yaml" in places
    assert any(place.endswith(".json") for place in places)
    assert [expression.place for expression in of_scalers()] == ["components/autoscaling/bot.yaml"]


@pytest.mark.parametrize("expression", ALL, ids=lambda expression: expression.place)
def test_what_is_asked_for_is_there(figures: Figures, expression: Expression) -> None:
    assert missing(figures, expression.text, expression.told) == []


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("levata_redy", "there is no levata_redy"),
        ("rate(levata_rpc_seconds[5m])", "there is no levata_rpc_seconds"),
        ("levata_rpc_handled", "there is no levata_rpc_handled"),
        ("sum by (table) (levata_ready)", "levata_ready has no label table"),
        ('levata_rpc_seconds_bucket{verb="x"}', "levata_rpc_seconds_bucket has no label verb"),
        ('levata_consumer_waiting{stream="BOTS"}', "no levata_consumer_waiting is like"),
        ('levata_matchmaking_waiting{job="table"}', "no levata_matchmaking_waiting is like"),
        ('up{job="tables"}', "no up is like"),
        ("histogram_quantile(0.9, rate(levata_ready[5m]))", "levata_ready has no label le"),
        ("levata_ready and on (queue) levata_bus_connected", "levata_ready has no label queue"),
        ("namespace_job:levata_rpc_failed:ratio_rate1h", "there is no namespace_job:levata_rpc_failed:ratio_rate1h"),
        ("namespace_job:levata_rpc_handled:rate5m{method=~'.+'}", "has no label method"),
    ],
)
def test_what_is_not_there_is_found_out(figures: Figures, text: str, lacks: str) -> None:
    assert any(lacks in one for one in missing(figures, text)), missing(figures, text)


def test_a_label_that_was_thrown_away_is_found_out() -> None:
    with pytest.raises(NotAskedRightError):
        promql.selections("sum by (job) (levata_ready)", frozenset({"instance"}))
    with pytest.raises(ValueError, match="unclosed left parenthesis"):
        promql.selections("sum by (job (levata_ready)")


def test_a_scaler_that_asks_for_something_else_would_be_found(figures: Figures, tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text(
        """
kind: ScaledObject
spec: {triggers: [{type: prometheus, metadata: {query: 'max(levata_turns_waiting)'}}, {type: cron, metadata: {}}]}
"""
    )
    (expression,) = of_scalers(tmp_path)
    assert missing(figures, expression.text) == ["there is no levata_turns_waiting"]


def test_every_figure_of_ours_is_looked_at_somewhere(told: Mapping[str, str]) -> None:
    kinds = dict(
        pair for page in told.values() for pair in re.findall(r"^# TYPE (levata_\w+) (\w+)$", page, re.MULTILINE)
    )
    figures = {f"{name}_bucket" if kind == "histogram" else name for name, kind in kinds.items()}
    assert len(figures) > 60
    assert figures - {one.name for expression in ALL for one in promql.selections(expression.text)} == set()


def test_nobody_and_no_table_is_ever_a_label(figures: Figures, told: Mapping[str, str]) -> None:
    named = {"player", "player_id", "table", "table_id", "match", "match_id", "ticket", "ticket_id", "name", "seat"}
    for figure, label, value in figures.labels():
        if figure.startswith("levata_"):
            assert label not in named, figure
            assert value != "Ana", figure
            # An id is a long string of letters and digits with no word in it.
            assert not (len(value) >= 16 and any(map(str.isdigit, value)) and value.isalnum()), (figure, label, value)
