"""The score sheet of whist, hand by hand, with streaks, premiums and what everybody has in the end."""

from collections.abc import Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import table_pb2, whist_pb2
from shared.terminal.games.tricks import BAD, GOOD, signed
from shared.terminal.games.view import SheetRow
from shared.terminal.texts import Texts

PREMIUM = "bold #ffd75f"
PATTERNS = {whist_pb2.WHIST_PATTERN_8_1_8: "8-1-8"}
"""Names of the patterns; any other is the usual one."""


def pattern_name(options: whist_pb2.WhistOptions) -> str:
    """The pattern as people call it."""
    return PATTERNS.get(options.pattern, "1-8-1")


def streak_text(streak: whist_pb2.WhistStreak) -> Text:
    """Exact hands, or misses, in a row; empty without any."""
    if streak.exact:
        return Text(f"✓{streak.exact}", GOOD)
    return Text(f"✗{streak.missed}", BAD) if streak.missed else Text("")


def sheet_rows(table: table_pb2.Table, sheet: whist_pb2.WhistScoreSheet, texts: Texts) -> Sequence[SheetRow]:
    """A row for each hand under a heading, and the totals; who dealt is marked.

    A cell says tricks/bid, points, and the streak after the hand, or in its place the premium that it brought.
    """
    if not sheet.rows:
        return []
    pattern = pattern_name(table.options.game.whist)
    premium = table.game.whist.premium
    heading = texts("whist.sheet.plain", pattern=pattern)
    if premium:
        heading = texts("whist.sheet.heading", pattern=pattern, premium=premium)
    rows = [SheetRow("heading", heading)]
    totals = [0] * len(table.seats)
    for row in sheet.rows:
        label = texts("whist.sheet.row", number=row.number, cards=row.cards_each)
        rows.append(SheetRow("row", label, [_cell(cell, row.dealer == seat) for seat, cell in enumerate(row.cells)]))
        for seat, cell in enumerate(row.cells):
            totals[seat] += cell.points + cell.premium
    rows.append(SheetRow("total", texts("sheet.total"), [Text(signed(total), "bold") for total in totals]))
    return rows


def _cell(cell: whist_pb2.WhistCell, deals: bool) -> Text:
    text = Text("●" if deals else "", "dim")
    colour = GOOD if cell.bid == cell.tricks else BAD
    text.append(f"{cell.tricks}/{cell.bid} {signed(cell.points)}", f"not dim {colour}")
    if cell.premium:
        return text.append(signed(cell.premium), f"not dim {PREMIUM}")
    return text.append_text(streak_text(cell.streak))
