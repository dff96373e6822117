"""What a bench found, for people and for programs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Row:
    """One figure beside its floor.

    Attributes:
        name: What was measured.
        value: The figure of ours.
        floor: The figure of the floor, measured in the same run.
        unit: Of both.
        aim: What the ratio ought to be; empty where nothing is asked.
    """

    name: str
    value: float
    floor: float
    unit: str
    aim: str = ""

    @property
    def ratio(self) -> float:
        """Ours to the floor's."""
        return self.value / self.floor if self.floor else float("nan")


@dataclass(frozen=True)
class Section:
    """Rows that belong together, and notes to them."""

    title: str
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    more: dict[str, float] = field(default_factory=dict)

    def text(self) -> str:
        """As printed."""
        lines = [self.title]
        if self.rows:
            lines.append(f"  {'':<66}{'ratio':>8}{'ours':>12}{'floor':>12}")
        for row in self.rows:
            aim = f"   aim: {row.aim}" if row.aim else ""
            lines.append(
                f"  {row.name:<66}{row.ratio:>8.2f}{_figure(row.value):>12}{_figure(row.floor):>12} {row.unit}{aim}"
            )
        lines += [f"  {note}" for note in self.notes]
        return "\n".join(lines)

    def json(self) -> dict[str, Any]:
        """As written to a file."""
        rows = [
            {
                "name": row.name, "ratio": row.ratio, "value": row.value, "floor": row.floor, "unit": row.unit,
                "aim": row.aim,
            }
            for row in self.rows
        ]  # fmt: skip
        return {"title": self.title, "rows": rows, "notes": list(self.notes), "more": self.more}


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
