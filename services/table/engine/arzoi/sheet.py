"""The score sheet of Arzoi for people: orbit by orbit, what each player bid, took and got."""

from collections.abc import Iterable, Sequence

from services.table.engine.arzoi.events import Cell, Part, ScoreRow
from services.table.engine.arzoi.position import Position, variant_text
from services.table.engine.score_sheet import headings_of, outcome

_PARTS = {
    Part.WHIST: "",
    Part.TOTALE_MINUS: "Totale- ",
    Part.TOTALE_PLUS: "Totale+ ",
    Part.SEPTICA: "",
}


def score_sheet(position: Position, names: Sequence[str] = ()) -> str:
    """The score sheet so far, as lines of text.

    Each cell of whist says bid/tricks and the change of the score, of Totale and Septica the tricks, the points of the
    cards taken and the change. After each round stands the multiplier, if any.

    Args:
        position: The match.
        names: The players in seat order; without them they are called P1, P2, ...
    """
    seats = position.seats
    headings = headings_of(position, names)
    lines: list[str] = []
    totals = [0] * seats
    orbit = 0
    for index, row in enumerate(position.rows):
        if row.orbit != orbit:
            orbit = row.orbit
            lines.extend(_orbit_heading(row, headings))
        for seat in range(seats):
            totals[seat] += row.cells[seat].change
        lines.append(_line(_label(row), headings[row.dealer] if row.round else "", [_cell(row, c) for c in row.cells]))
        last = index + 1 == len(position.rows)
        if last or position.rows[index + 1].orbit != orbit:
            lines.append(_line("total", "", [str(total) for total in totals]))
            lines.append("")
    if not position.rows:
        lines.extend(["No round has been played.", ""])
    lines.append(outcome(position, headings))
    return "\n".join(lines) + "\n"


def _orbit_heading(row: ScoreRow, headings: Sequence[str]) -> Iterable[str]:
    chooser = headings[(row.orbit - 1) % len(headings)]
    yield f"Orbit {row.orbit}: {variant_text(row.variant)}, chosen by {chooser}"
    yield _line("round", "dealer", headings)


def _label(row: ScoreRow) -> str:
    if row.round == 0:
        return "perfect"
    factor = f" x{1 << (row.attempt - 1)}" if row.attempt > 1 else ""
    return f"{_PARTS[row.part]}{row.round}{factor}{' again' if row.replayed else ''}"


def _cell(row: ScoreRow, cell: Cell) -> str:
    if row.round == 0:
        return f"{cell.change:+d}" if cell.change else ""
    if cell.bid is not None:
        return f"{cell.bid}/{cell.tricks}{'*' if cell.burned else ' '} {cell.change:+d}"
    return f"{cell.tricks}t {cell.points}p {cell.change:+d}"


def _line(label: str, dealer: str, cells: Iterable[str]) -> str:
    columns = [f"  {label:<14} {dealer[:10]:<10}", *[f"{cell[:14]:>14}" for cell in cells]]
    return " ".join(columns).rstrip()
