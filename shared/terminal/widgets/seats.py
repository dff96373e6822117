"""The table seen from one's own seat: where everybody sits, and what is shown there."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.games.view import SeatFacts
from shared.terminal.texts import Texts
from shared.terminal.widgets.canvas import Canvas, fitted
from shared.terminal.widgets.cards import chip

SEAT_HEIGHT = 3
TEAM_COLOURS = ("#8fd0ff", "#ffc07f", "#c8a0ff")
ARRANGEMENTS = {
    1: (0, 1, 0),
    2: (1, 0, 1),
    3: (1, 1, 1),
    4: (1, 2, 1),
    5: (1, 3, 1),
    6: (2, 2, 2),
    7: (2, 3, 2),
    8: (2, 4, 2),
}
"""For so many others: how many sit on the right, at the top and on the left."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a seat is drawn: its left upper cell and its width; three lines high."""

    seat: int
    x: int
    y: int
    width: int

    def holds(self, x: int, y: int) -> bool:
        """Whether a cell belongs to the seat."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + SEAT_HEIGHT


def seat_width(width: int) -> int:
    """Cells that a seat gets on a table so wide."""
    return 14 if width < 76 else 18 if width < 100 else 22


def places(seats: int, own: int, width: int, height: int) -> Sequence[Place]:
    """Where everybody sits on a table of `width` × `height` cells: the own at the bottom, the next to its right."""
    cell = seat_width(width)
    right, top, left = ARRANGEMENTS.get(seats - 1, (2, max(0, seats - 5), 2))
    order = [(own + step) % seats for step in range(seats)]
    result = [Place(own, (width - cell) // 2, height - SEAT_HEIGHT, cell)]
    others = order[1:]
    inner = height - 2 * SEAT_HEIGHT

    def rows(count: int) -> list[int]:
        if count == 1:
            return [SEAT_HEIGHT + max(0, (inner - SEAT_HEIGHT) // 2)]
        return [SEAT_HEIGHT + inner - SEAT_HEIGHT, SEAT_HEIGHT] if count else []

    for seat, y in zip(others[:right], rows(right), strict=True):
        result.append(Place(seat, width - cell, y, cell))
    ends = others[right : right + top]
    for index, seat in enumerate(ends):
        room = width // len(ends)
        x = width - room * (index + 1) + (room - cell) // 2
        result.append(Place(seat, max(0, x), 0, cell))
    for seat, y in zip(others[right + top :], reversed(rows(left)), strict=True):
        result.append(Place(seat, 0, y, cell))
    return result


def draw_seat(
    canvas: Canvas,
    place: Place,
    table: table_pb2.Table,
    facts: SeatFacts | None,
    own: int | None,
    texts: Texts,
) -> None:
    """Draws one seat: its name and who is to act; points, bid and tricks; its marks, its state and its card."""
    seat = table.seats[place.seat]
    acting = table.HasField("decision") and table.decision.seat == place.seat
    colour = TEAM_COLOURS[facts.group % 3] if facts is not None and facts.group is not None else "#ffffff"
    style = "bold" if seat.kind == table_pb2.SEAT_KIND_HUMAN else "italic"
    name = seat.name or texts("table.free")
    if seat.kind == table_pb2.SEAT_KIND_FREE:
        name, style, colour = texts("table.free"), "dim", "#ffffff"
    if acting:
        style += " reverse"
    suffix = f" {texts('table.you')}" if own == place.seat and place.width >= 22 else ""
    title = ("▶" if acting else " ") + name + suffix
    canvas.put(place.x, place.y, Text(fitted(title, place.width), f"{style} {colour}"), place.width)
    if facts is None:
        canvas.put(place.x + 1, place.y + 1, seat_state(table, place.seat, texts), place.width - 1)
        return
    canvas.put(place.x + 1, place.y + 1, _standing(facts, place.width - 1), place.width - 1)
    marks = Text()
    if facts.dealer:
        marks.append("●", "#ffd75f")
    if facts.chooser:
        marks.append("◆", "#8fd0ff")
    room = place.width - 1 - (4 if facts.card else 0)
    state = seat_state(table, place.seat, texts)
    states = (state, Text()) if seat.kind == table_pb2.SEAT_KIND_BOT else (state,)
    canvas.put(place.x + 1, place.y + 2, _foot(marks, states, facts.taken, room), room)
    if facts.card:
        canvas.put(place.x + place.width - 3, place.y + 2, chip(facts.card, strong=facts.holds), 3)


def _standing(facts: SeatFacts, room: int) -> Text:
    """Points, then as much of what the round brings as there is room for."""
    score = Text(f"{facts.score}p", "bold")
    for parts in ((facts.detail, facts.note), (facts.brief, facts.note), (facts.brief,)):
        line = Text(" ").join([score, *(part for part in parts if part)])
        if line.cell_len <= room:
            return line
    return score


def _foot(marks: Text, states: Sequence[Text], taken: Sequence[Text], room: int) -> Text:
    """Marks, state, and what was taken, in as many words as there is room for; that a bot sits there goes first."""
    for words in taken:
        for state in states:
            line = Text(" ").join([part for part in (marks, state, words) if part])
            if line.cell_len <= room:
                return line
    line = Text(" ").join([part for part in (marks, states[0]) if part])
    line.truncate(room, overflow="ellipsis")
    return line


def seat_state(table: table_pb2.Table, index: int, texts: Texts) -> Text:
    """Host, bot, away, without connection, muted."""
    seat = table.seats[index]
    text = Text()
    if seat.player_id and seat.player_id == table.host_player_id:
        text.append("★ ", "#ffd75f")
    if seat.kind == table_pb2.SEAT_KIND_BOT:
        text.append(texts("table.bot"), "dim")
    elif seat.kind == table_pb2.SEAT_KIND_HUMAN:
        if seat.away:
            text.append(texts("table.away"), "#ff7f7f")
        elif not seat.present:
            text.append(texts("table.offline"), "#ffc07f")
        elif seat.muted:
            text.append(texts("table.muted"), "dim")
    text.rstrip()
    return text
