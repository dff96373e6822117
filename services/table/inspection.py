"""A table's log as an operator looks at it: every record, whether each follows from the one before, and where not.

Nothing is changed, and nothing is hidden: the records tell all cards.
"""

from dataclasses import dataclass

import msgspec

from services.table import facts as f
from services.table.log import Stored
from services.table.state import TableState, fold


@dataclass(frozen=True, slots=True)
class Line:
    """One message of a log.

    Attributes:
        sequence: Its sequence in the stream.
        data: As it stands there.
        record: The record; None when it is none.
        damage: Why it does not follow from what came before; empty when it does.
    """

    sequence: int
    data: bytes
    record: f.Record | None
    damage: str = ""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a log says.

    Attributes:
        table: The table's id.
        lines: All messages, in order. Those after the first damaged one are not held against anything.
        state: The table, as far as the log can be followed.
        damaged: The first message that does not follow; None when all do.
        written_off: The record by which an operator gave the table up; None when none did.
    """

    table: str
    lines: tuple[Line, ...]
    state: TableState
    damaged: Line | None
    written_off: f.Record | None

    @property
    def last(self) -> int:
        """Sequence of the last message; 0 when there is none."""
        return self.lines[-1].sequence if self.lines else 0


def inspect(table: str, stored: list[Stored]) -> Inspection:
    """Reads a log as a table server does, up to its end or its first damage."""
    state = TableState()
    lines: list[Line] = []
    damaged: Line | None = None
    for sequence, data in stored:
        record, damage = _decoded(data)
        if damaged is None and record is not None:
            try:
                state, _ = fold(state, record, f.link(data))
            except Exception as error:  # of whatever kind: a table server freezes the table for it
                damage = str(error) or repr(error)
        line = Line(sequence, data, record, damage if damaged is None else "")
        lines.append(line)
        if damage and damaged is None:
            damaged = line
    written_off = lines[-1].record if damaged is not None and f.writes_off(lines[-1].data) else None
    return Inspection(table, tuple(lines), state, damaged, written_off)


def _decoded(data: bytes) -> tuple[f.Record | None, str]:
    """The record, or why it is none."""
    try:
        return f.decode(data), ""
    except msgspec.DecodeError as error:
        return None, f"is no record: {error}"
