"""How a dashboard is put together: what `boards` says of it in few words, as Grafana reads it.

Grafana's own library (grafana-foundation-sdk) knows the format. Panels get no ids and no positions here: Grafana counts
the ones, and the library lays out the others, row after row of 24 columns.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from grafana_foundation_sdk.builders import common as common_builders
from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.builders import prometheus, stat, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common, dashboard

SOURCE: Final = dashboard.DataSourceRef(type_val="prometheus", uid="$datasource")
ALL_OF_THEM: Final = ".*"
TAG: Final = "levata"

Kind = Literal["lines", "areas", "number"]


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture.

    Attributes:
        title: Above it.
        queries: PromQL and the legend of each; `NS` stands for the chosen namespace.
        unit: Grafana's name of the unit.
        says: What it says, and what is good or bad about it.
        kind: Lines, areas one upon another, or the last value as a number.
        width: Of 24 columns.
        red_from: The number turns red from this value on.
        red_below: The number is red below this value.
    """

    title: str
    queries: Sequence[tuple[str, str]]
    unit: str = "short"
    says: str = ""
    kind: Kind = "lines"
    width: int = 8
    red_from: float | None = None
    red_below: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """Panels under one heading."""

    title: str
    panels: Sequence[Panel]


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose from, at the top of a dashboard.

    Attributes:
        name: Used as `$name`.
        selector: Series whose values are offered.
        label: The label that they have them in.
    """

    name: str
    selector: str
    label: str


@dataclass(frozen=True, slots=True)
class Board:
    """A dashboard.

    Attributes:
        name: Of its file, and of its address.
        title: What it is called.
        says: What it is for.
        rows: What is on it.
        choices: What can be chosen beside datasource and namespace.
    """

    name: str
    title: str
    says: str
    rows: Sequence[Row]
    choices: Sequence[Choice] = field(default_factory=tuple)


def to_json(board: Board) -> str:
    """The dashboard as Grafana imports it."""
    made = (
        builders.Dashboard(f"Levata / {board.title}")
        .uid(f"levata-{board.name}")
        .description(board.says)
        .tags([TAG])
        .readonly()
        .refresh("30s")
        .time("now-1h", "now")
        .timezone("browser")
        .tooltip(dashboard.DashboardCursorSync.CROSSHAIR)
        .link(
            builders.DashboardLink("Levata")
            .type(dashboard.DashboardLinkType.DASHBOARDS)
            .tags([TAG])
            .as_dropdown(True)
            .include_vars(True)
            .keep_time(True)
        )
        .with_variable(builders.DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
    )
    for choice in (Choice("namespace", "levata_ready", "namespace"), *board.choices):
        made.with_variable(_variable(choice))
    for row in board.rows:
        made.with_row(builders.Row(row.title))
        for panel in row.panels:
            made.with_panel(_panel(panel))
    return json.dumps(made.build(), cls=JSONEncoder, indent=1, ensure_ascii=False) + "\n"


def _variable(choice: Choice) -> builders.QueryVariable:
    return (
        builders.QueryVariable(choice.name)
        .label(choice.name)
        .datasource(SOURCE)
        .query(f"label_values({_expression(choice.selector)}, {choice.label})")
        .refresh(dashboard.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(dashboard.VariableSort.ALPHABETICAL_ASC)
        .multi(True)
        .include_all(True)
        .all_value(ALL_OF_THEM)
        .current(dashboard.VariableOption(selected=True, text="All", value="$__all"))
    )


def _panel(panel: Panel) -> Any:
    made: Any = stat.Panel() if panel.kind == "number" else timeseries.Panel()
    made.title(panel.title).datasource(SOURCE).unit(panel.unit).span(panel.width)
    if panel.says:
        made.description(panel.says)
    for number, (expression, legend) in enumerate(panel.queries):
        query = prometheus.Dataquery().expr(_expression(expression)).ref_id(chr(ord("A") + number))
        if legend:
            query.legend_format(legend)
        made.with_target(query.instant() if panel.kind == "number" else query.range())
    if panel.kind == "number":
        _number(made, panel)
    else:
        _lines(made, panel)
    return made


def _lines(made: timeseries.Panel, panel: Panel) -> None:
    made.height(7).min(0).show_points(common.VisibilityMode.NEVER).line_width(1)
    made.tooltip(common_builders.VizTooltipOptions().mode(common.TooltipDisplayMode.MULTI))
    made.legend(
        common_builders.VizLegendOptions()
        .show_legend(True)
        .display_mode(common.LegendDisplayMode.LIST)
        .placement(common.LegendPlacement.BOTTOM)
        .calcs([])
    )
    if panel.kind == "areas":
        made.fill_opacity(30)
        made.stacking(common_builders.StackingConfig().mode(common.StackingMode.NORMAL))
    else:
        made.fill_opacity(5)


def _number(made: stat.Panel, panel: Panel) -> None:
    made.height(4).graph_mode(common.BigValueGraphMode.NONE).no_value("–")
    made.reduce_options(common_builders.ReduceDataOptions().calcs(["lastNotNull"]))
    made.color_mode(common.BigValueColorMode.VALUE)
    steps = [dashboard.Threshold(value=None, color="green")]
    if panel.red_below is not None:
        steps = [dashboard.Threshold(value=None, color="red"), dashboard.Threshold(panel.red_below, "green")]
    if panel.red_from is not None:
        steps.append(dashboard.Threshold(panel.red_from, "red"))
    made.thresholds(builders.ThresholdsConfig().mode(dashboard.ThresholdsMode.ABSOLUTE).steps(steps))


def _expression(text: str) -> str:
    """PromQL with the chosen namespace in it."""
    return re.sub(r"\bNS\b", 'namespace=~"$namespace"', " ".join(text.split()))
