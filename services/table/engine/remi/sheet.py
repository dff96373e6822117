"""The score sheet of Remi for people: round by round, what each player laid, kept in hand and got besides."""

from collections.abc import Iterable, Sequence

from services.table.engine.remi.events import Cell, ScoreRow
from services.table.engine.remi.position import Position
from services.table.engine.remi.tiles import TEXT
from services.table.engine.score_sheet import headings_of, outcome


def score_sheet(position: Position, names: Sequence[str] = ()) -> str:
    """The score sheet so far, as lines of text.

    Each cell says what was laid, less the hand, the bonuses (`A` for the Atu, `T` for two tiles, `C` for closing), the
    factor, the penalty in brackets, the points, and the score. A hand of who has not melded has a star.

    Args:
        position: The match.
        names: The players in seat order; without them they are called P1, P2, ...
    """
    seats = position.seats
    headings = headings_of(position, names)
    rounds = position.options.rounds
    lines = [f"Remi, {rounds} round{'s' if rounds > 1 else ''}", _line("round", "atu", "first", headings)]
    totals = [0] * seats
    for row in position.rows:
        for seat in range(seats):
            totals[seat] += row.cells[seat].points
        cells = [f"{_cell(row.cells[seat])} {totals[seat]:>5}" for seat in range(seats)]
        lines.append(_line(str(row.number), TEXT[row.turned], headings[row.first], cells) + _ending(row, headings))
    if not position.rows:
        lines.append("No round has been played.")
    lines.extend(["", outcome(position, headings)])
    return "\n".join(lines) + "\n"


def _ending(row: ScoreRow, headings: Sequence[str]) -> str:
    by = "" if row.closer < 0 else f" by {headings[row.closer]}"
    return f"  {row.ending.value}{by}"


def _cell(cell: Cell) -> str:
    bonuses = ("A" if cell.atu else "") + ("T" if cell.two_tiles else "") + ("C" if cell.closing else "")
    factor = f"x{cell.factor}" if cell.factor > 1 else ""
    penalty = f"[-{cell.penalty}]" if cell.penalty else ""
    star = "" if cell.melded else "*"
    return f"{cell.laid}-{cell.hand}{star}{bonuses}{factor}{penalty} {cell.points:+d}"


def _line(number: str, turned: str, first: str, cells: Iterable[str]) -> str:
    columns = [f"{number:>5} {turned:>3}  {first[:10]:<10}", *[f"{cell[:30]:>30}" for cell in cells]]
    return " ".join(columns)
