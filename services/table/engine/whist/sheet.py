"""The score sheet of whist for people: hand by hand, what each player bid, took and got, and streaks and premiums."""

from collections.abc import Iterable, Sequence

from services.table.engine.score_sheet import headings_of, outcome
from services.table.engine.whist.events import Cell
from services.table.engine.whist.position import Position


def score_sheet(position: Position, names: Sequence[str] = ()) -> str:
    """The score sheet so far, as lines of text.

    Each cell says bid/tricks, the points, a premium in brackets, the streak after the hand (`3+` for three exact hands
    in a row, `2-` for two misses), and the score.

    Args:
        position: The match.
        names: The players in seat order; without them they are called P1, P2, ...
    """
    seats = position.seats
    headings = headings_of(position, names)
    premium = f"premium {position.options.premium}" if position.options.premium else "no premiums"
    lines = [f"Whist {position.options.pattern}, {premium}", _line("hand", "cards", "dealer", headings)]
    totals = [0] * seats
    for row in position.rows:
        for seat in range(seats):
            totals[seat] += row.cells[seat].change
        cells = [f"{_cell(row.cells[seat])} {totals[seat]:>4}" for seat in range(seats)]
        lines.append(_line(str(row.number), str(row.cards_each), headings[row.dealer], cells))
    if not position.rows:
        lines.append("No hand has been played.")
    lines.append("")
    lines.append(outcome(position, headings))
    return "\n".join(lines) + "\n"


def _cell(cell: Cell) -> str:
    premium = f"[{cell.premium:+d}]" if cell.premium else ""
    streak = f"{cell.streak.exact}+" if cell.streak.exact else f"{cell.streak.missed}-" if cell.streak.missed else ""
    return f"{cell.bid}/{cell.tricks} {cell.points:+d}{premium} {streak:>2}"


def _line(number: str, cards: str, dealer: str, cells: Iterable[str]) -> str:
    columns = [f"{number:>4} {cards:>5}  {dealer[:10]:<10}", *[f"{cell[:20]:>20}" for cell in cells]]
    return " ".join(columns).rstrip()
