"""The score sheet of Rentz for people: round by round, who chose what, and what it brought everybody."""

from collections.abc import Iterable, Sequence

from services.table.engine.rentz.position import HANDS, Position
from services.table.engine.score_sheet import headings_of, outcome


def score_sheet(position: Position, names: Sequence[str] = ()) -> str:
    """The score sheet so far, as lines of text: a round is one choice of everybody.

    Each cell says what the hand brought and the score after it.

    Args:
        position: The match.
        names: The players in seat order; without them they are called P1, P2, ...
    """
    seats = position.seats
    headings = headings_of(position, names)
    lines = [f"Rentz, {HANDS} hands", _line("hand", "chosen by", "subgame", headings)]
    totals = [0] * seats
    for row in position.rows:
        if row.number % seats == 1:
            lines.append(f"Round {row.number // seats + 1}")
        for seat in range(seats):
            totals[seat] += row.points[seat]
        cells = [f"{_points(row.points[seat])} {totals[seat]:>6}" for seat in range(seats)]
        lines.append(_line(str(row.number), headings[row.dealer], row.subgame.value, cells))
    if not position.rows:
        lines.append("No hand has been played.")
    lines.append("")
    lines.append(outcome(position, headings))
    return "\n".join(lines) + "\n"


def _points(points: int) -> str:
    return f"{points:+d}" if points else "0"


def _line(number: str, dealer: str, subgame: str, cells: Iterable[str]) -> str:
    columns = [f"{number:>4}  {dealer[:10]:<10} {subgame:<14}", *[f"{cell[:14]:>14}" for cell in cells]]
    return " ".join(columns).rstrip()
