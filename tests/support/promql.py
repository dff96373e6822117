"""What a PromQL expression asks for, compared with the figures that a running system has."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import promql_parser as pql
from prometheus_client.parser import text_string_to_metric_families

TARGET = frozenset({"namespace", "job", "instance", "pod"})
"""Labels that whoever scrapes adds to everything."""
ANYTHING = None
"""Stands for a label's value that is not known before Prometheus has worked it out."""


class NotAskedRightError(Exception):
    """An expression asks for a label that it has thrown away itself."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Series that an expression asks for.

    Attributes:
        name: Of the figure.
        matchers: Label, operator (=, !=, =~, !~) and value of each condition.
        labels: Labels that are used of what is found: to group by, to match by, or to be told.
    """

    name: str
    matchers: tuple[tuple[str, str, str], ...]
    labels: frozenset[str]

    def admits(self, labels: Mapping[str, str | None]) -> bool:
        """Whether a series meets the conditions."""
        return all(_holds(labels.get(label, ""), operator, value) for label, operator, value in self.matchers)


def _holds(found: str | None, operator: str, value: str) -> bool:
    if found is ANYTHING:
        return True
    match operator:
        case "=":
            return found == value
        case "!=":
            return found != value
        case "=~":
            return re.fullmatch(value, found) is not None
        case "!~":
            return re.fullmatch(value, found) is None
    raise AssertionError(operator)


_OPERATORS = (
    (pql.MatchOp.Equal, "="),
    (pql.MatchOp.NotEqual, "!="),
    (pql.MatchOp.Re, "=~"),
    (pql.MatchOp.NotRe, "!~"),
)


def _operator(op: Any) -> str:
    """How an operator is written."""
    (written,) = [text for one, text in _OPERATORS if one == op]
    return written


def selections(expression: str, told: frozenset[str] = frozenset()) -> list[Selection]:
    """Everything that an expression asks for; `told`: labels of its result that somebody is told.

    Raises:
        ValueError: It is no PromQL.
        NotAskedRightError: A label is wanted that an aggregation does not leave.
    """
    return list(_selections(pql.parse(expression), told))


def _selections(node: Any, wanted: frozenset[str]) -> Iterator[Selection]:
    match node:
        case pql.VectorSelector():
            found = [(one.name, _operator(one.op), one.value) for one in node.matchers.matchers]
            yield Selection(str(node.name), tuple(found), wanted)
        case pql.MatrixSelector():
            yield from _selections(node.vector_selector, wanted)
        case pql.AggregateExpr():
            kept = frozenset(node.modifier.labels) if node.modifier is not None else frozenset[str]()
            if node.modifier is None or node.modifier.type == pql.AggModifierType.By:
                if wanted - kept:
                    raise NotAskedRightError(f"{sorted(wanted - kept)} is not kept by {node.prettify()}")
                yield from _selections(node.expr, kept)
            else:
                yield from _selections(node.expr, wanted | kept)
        case pql.BinaryExpr():
            matching = node.modifier.matching if node.modifier is not None else None
            on = frozenset(matching.labels) if matching is not None else frozenset[str]()
            told_by_both = str(node.op) not in ("and", "unless") and matching is None
            yield from _selections(node.lhs, wanted | on)
            yield from _selections(node.rhs, (wanted if told_by_both else frozenset[str]()) | on)
        case pql.Call():
            own = {"histogram_quantile": frozenset({"le"})}.get(node.func.name, frozenset[str]())
            # The labels of what is absent are those that it was asked for by.
            passed = frozenset[str]() if node.func.name == "absent" else wanted
            for argument in node.args:
                yield from _selections(argument, passed | own)
        case pql.ParenExpr() | pql.UnaryExpr() | pql.SubqueryExpr():
            yield from _selections(node.expr, wanted)
        case pql.NumberLiteral() | pql.StringLiteral():
            return
        case _:
            raise AssertionError(f"{type(node)} is not known here")


def result_labels(expression: str) -> frozenset[str]:
    """Labels of what an expression comes to, which has to be an aggregation or made of such."""
    return _result_labels(pql.parse(expression))


def _result_labels(node: Any) -> frozenset[str]:
    match node:
        case pql.AggregateExpr():
            assert node.modifier is not None
            assert node.modifier.type == pql.AggModifierType.By
            return frozenset(node.modifier.labels)
        case pql.Call() if node.func.name == "histogram_quantile":
            return _result_labels(node.args[1]) - {"le"}
        case pql.BinaryExpr():
            return _result_labels(node.lhs)
        case pql.ParenExpr():
            return _result_labels(node.expr)
    raise AssertionError(f"{node.prettify()} is no aggregation")


class Figures:
    """The series that there are."""

    def __init__(self) -> None:
        self._series: defaultdict[str, list[Mapping[str, str | None]]] = defaultdict(list)

    def scraped(self, job: str, page: str) -> None:
        """Takes in what a process tells Prometheus, and what Prometheus adds to it."""
        target = dict.fromkeys(TARGET, ANYTHING) | {"job": job}
        written = set(re.findall(r"^([a-zA-Z_:][\w:]*)", page, re.MULTILINE))
        for family in text_string_to_metric_families(page):
            for sample in family.samples:
                # The parser gives every counter the ending that it should have.
                name = sample.name if sample.name in written else sample.name.removesuffix("_total")
                self._series[name].append({**target, **sample.labels})
        self._series["up"].append(target)

    def recorded(self, name: str, labels: frozenset[str]) -> None:
        """Takes in what a rule records."""
        self._series[name].append(dict.fromkeys(labels, ANYTHING))

    def labels(self) -> Iterator[tuple[str, str, str]]:
        """Every label of every series: name of the figure, label, value."""
        for name, series in self._series.items():
            for labels in series:
                yield from ((name, label, value) for label, value in labels.items() if value is not ANYTHING)

    def missing(self, selection: Selection) -> str | None:
        """What of a selection there is not; None if there is all."""
        series = self._series.get(selection.name)
        if not series:
            return f"there is no {selection.name}"
        known = frozenset().union(*series)
        asked = selection.labels | {label for label, _, _ in selection.matchers}
        if asked - known:
            return f"{selection.name} has no label {', '.join(sorted(asked - known))}"
        if not any(selection.admits(labels) for labels in series):
            return f"no {selection.name} is like {selection.matchers}"
        return None
