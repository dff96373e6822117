"""The table of Remi drawn: everybody's figures, the discard row, and the combinations with whose tiles are whose."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.style import Style
from rich.text import Text
from textual.geometry import Size

from shared.gen.levata.table.v1 import remi_pb2, table_pb2
from shared.terminal.games.remi.draft import Lying
from shared.terminal.games.remi.tiles import JOKER, WIDTH, Look, cell, face
from shared.terminal.texts import Texts
from shared.terminal.widgets.canvas import Canvas, fitted
from shared.terminal.widgets.seats import seat_state

STEP = WIDTH + 1
MARKS = "¹²³⁴"
"""The marks of the seats, beside their names and beside their tiles."""
SEAT_COLOURS = ("#ffd75f", "#8fd0ff", "#ffb0c8", "#b8f0a0")
FEW_TILES = 3
"""A player with so many tiles or fewer stands out (RM-27)."""
GAP = 2
"""Cells between two combinations."""
LEAST_HEIGHT = 6
ROOMY_HEIGHT = 18
"""With so many lines there is one between seats, row and combinations."""
LARGE = 2
"""Lines of a large tile."""
STEPS = (LARGE + 2, 2, 1)
"""Lines from one row of combinations to the next, as many as there is room for."""
MORE_WIDTH = 3
"""Cells at the edge that say how many lines of combinations are not seen."""


@dataclass(frozen=True, slots=True)
class Board:
    """What is to be drawn.

    Attributes:
        table: The table.
        own: The viewer's seat; None for a spectator.
        lying: The combinations, those of the viewer's draft with them.
        meld: The combination that is pointed at; None for none.
        place: The place of the row that is pointed at; None for none.
        takes: The places of the row from which the viewer may take; None when taking is not the question.
        notes: Lines for the middle when no match is on.
    """

    table: table_pb2.Table
    own: int | None
    lying: Sequence[Lying] = ()
    meld: int | None = None
    place: int | None = None
    takes: Sequence[int] | None = None
    notes: Sequence[Text] = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """Where something can be clicked."""

    x: int
    y: int
    width: int
    part: str
    index: int

    def holds(self, x: int, y: int) -> bool:
        """Whether a cell belongs to it."""
        return self.x <= x < self.x + self.width and self.y == y


def draw(board: Board, texts: Texts, size: Size) -> tuple[Canvas, list[Spot]]:
    """Draws a table, and says where everything is that can be clicked."""
    drawing = _Drawing(board, texts, size)
    drawing.draw()
    return drawing.canvas, drawing.spots


class _Drawing:
    """One drawing of a table."""

    def __init__(self, board: Board, texts: Texts, size: Size) -> None:
        self.canvas = Canvas(size.width, size.height)
        self.spots: list[Spot] = []
        self._board = board
        self._texts = texts

    def draw(self) -> None:
        """Seats above, then the row, then the combinations."""
        board, canvas = self._board, self.canvas
        if canvas.height < LEAST_HEIGHT or not board.table.seats:
            return
        y = self._draw_seats(canvas)
        if board.notes:
            for line, note in enumerate(board.notes[: canvas.height - y - 1]):
                shown = note.copy()
                shown.truncate(canvas.width, overflow="ellipsis")
                canvas.center(0, y + 1 + line, canvas.width, shown)
        elif board.table.HasField("game"):
            gap = 1 if canvas.height >= ROOMY_HEIGHT else 0
            y = self._draw_row(canvas, y + gap)
            self._draw_melds(canvas, y + gap)

    # Who sits there.

    def _draw_seats(self, canvas: Canvas) -> int:
        """Draws the seats side by side, the viewer's first; the line below them."""
        table = self._board.table
        count = len(table.seats)
        width = canvas.width // count
        own = self._board.own or 0
        game = table.game.remi
        lines = 3 if canvas.height >= 3 * LEAST_HEIGHT // 2 else 2
        for column in range(count):
            seat = (own + column) % count
            facts = game.seats[seat] if table.HasField("game") and seat < len(game.seats) else None
            for line, text in enumerate(self._seat(seat, facts, width - 1, lines)):
                canvas.put(column * width, line, text, width - 1)
                self.spots.append(Spot(column * width, line, width - 1, "seat", seat))
        return lines

    def _seat(self, index: int, facts: remi_pb2.RemiSeat | None, width: int, lines: int) -> list[Text]:
        """A seat: its name and state; its points; its tiles and what it has announced."""
        table, texts = self._board.table, self._texts
        seat = table.seats[index]
        acting = table.HasField("decision") and table.decision.seat == index
        state = seat_state(table, index, texts)
        suffix = f" {texts('table.you')}" if index == self._board.own else ""
        name = (seat.name or texts("table.free")) + suffix
        room = width - (state.cell_len + 1 if state else 0)
        style = f"{SEAT_COLOURS[index % 4]} {'bold reverse' if acting else 'bold'}"
        head = Text.assemble((fitted(("▶" if acting else " ") + MARKS[index % 4] + name, room), style))
        if state:
            head.append(" ").append_text(state)
        if facts is None:
            return [head]
        score, held = Text(f" {facts.score}p", "bold"), Text(" ").append_text(self._held(facts))
        if table.game.remi.phase == remi_pb2.REMI_PHASE_OVER:
            return [head, score]
        laid = Text.assemble(score, " ", self._laid(facts))
        if lines > 2:
            return [head, _fitting(width, laid, score), _fitting(width, held)]
        return [head, _fitting(width, Text.assemble(laid, held), Text.assemble(score, held), held)]

    def _laid(self, facts: remi_pb2.RemiSeat) -> Text:
        if not facts.melded:
            return Text(self._texts("remi.seat.not_laid"), "dim")
        return Text(self._texts("remi.seat.laid", points=facts.laid), "#b8f0a0")

    def _held(self, facts: remi_pb2.RemiSeat) -> Text:
        """Tiles in hand, announcements, and what was missed."""
        texts = self._texts
        few = facts.tiles <= FEW_TILES
        count = texts("remi.seat.one") if facts.tiles == 1 else texts("remi.seat.tiles", tiles=facts.tiles)
        words = texts("remi.seat.none") if not facts.tiles else f"{count}!" if few else count
        line = Text(words, "bold #ff9f5f" if few else "")
        if facts.atu_announced:
            line.append(" Atu", "#ffd75f")
        if facts.two_tiles_announced:
            line.append(f" {texts('remi.seat.two')}", "#ffd75f")
        if facts.two_tiles_missed:
            line.append(f" {texts('remi.seat.missed')}", "#ff7f7f")
        return line

    # The discard row.

    def _draw_row(self, canvas: Canvas, y: int) -> int:
        """Draws the row, oldest first; the line below it. Of a long one the end is seen, and the dead tile."""
        board, texts = self._board, self._texts
        row = board.table.game.remi.row
        label = texts("remi.row")
        canvas.put(0, y, Text(label, "bold"))
        if not row:
            canvas.put(len(label) + 1, y, Text(texts("remi.row.empty"), "dim"))
            return y + 1
        left = len(label)
        per_line = max(1, (canvas.width - left) // STEP)
        lines = min(-(-len(row) // per_line), max(2, (canvas.height - y) // 4))
        places = list(range(len(row)))
        if len(row) > lines * per_line:
            room = lines * per_line - 2
            start = len(row) - room if board.place is None else min(len(row) - room, max(1, board.place))
            places = [0, -1, *range(start, start + room)]
        for index, place in enumerate(places):
            x, line = left + index % per_line * STEP, y + index // per_line
            if place < 0:
                canvas.put(x, line, Text(" …"))
            else:
                canvas.put(x, line, self._row_tile(row[place], place))
                self.spots.append(Spot(x, line, STEP, "row", place))
        return y + lines

    def _row_tile(self, tile: str, place: int) -> Text:
        board = self._board
        taken = board.place is not None and place >= board.place
        mark = "▸" if place == board.place else "×" if place == 0 else " "
        look = Look.PLAIN
        if taken:
            look = Look.PICKED
        elif place == 0 or (board.takes is not None and place not in board.takes):
            look = Look.DIM
        return Text(mark, "bold #ffd75f" if taken else "").append_text(cell(tile, self._texts, look))

    # The combinations.

    def _draw_melds(self, canvas: Canvas, top: int) -> None:
        board, texts = self._board, self._texts
        room = canvas.height - top
        if not board.lying:
            if room > 0:
                canvas.center(0, top + room // 2, canvas.width, Text(texts("remi.table.empty"), "dim"))
            return
        lines = _lines(board.lying, canvas.width)
        if len(lines) > room:
            lines = _lines(board.lying, canvas.width - MORE_WIDTH)
        step = next(step for step in STEPS if len(lines) * step <= room or step == 1)
        seen = max(1, room // step)
        first = self._first_seen(lines, seen)
        for index, line in enumerate(lines[first : first + seen]):
            for x, lying in line:
                self._draw_meld(canvas, x, top + index * step, lying, step)
        below = len(lines) - first - seen
        for y, more in ((top, f"↑{first}" if first else ""), (canvas.height - 1, f"↓{below}" if below > 0 else "")):
            canvas.put(canvas.width - MORE_WIDTH, y, Text(more.rjust(MORE_WIDTH), "bold #ffd75f"))

    def _first_seen(self, lines: Sequence[Sequence[tuple[int, Lying]]], seen: int) -> int:
        """The first line to be shown: the end of the table, but what is pointed at is always seen."""
        first = max(0, len(lines) - seen)
        for index, line in enumerate(lines):
            if any(lying.meld == self._board.meld for _, lying in line):
                return max(min(first, index), index - seen + 1)
        return first

    def _draw_meld(self, canvas: Canvas, x: int, y: int, lying: Lying, step: int) -> None:
        """Draws a combination in as many lines as there are for it: large tiles, small ones, with or without words."""
        combination = lying.combination
        pointed = lying.meld == self._board.meld
        height = LARGE if step > LARGE else 1
        canvas.put(x, y, Text("▸" if pointed else " ", "bold #ffd75f"))
        for index, tile in enumerate(combination.tiles):
            look = Look.PICKED if pointed else Look.DRAFT if lying.drafted[index] else Look.PLAIN
            stands = combination.stands_for(index)[0] if tile == JOKER and combination.run else ""
            lines = face(tile, self._texts, look, stands) if height > 1 else [cell(tile, self._texts, look, stands)]
            left = x + 1 + index * STEP
            for line, text in enumerate(lines):
                canvas.put(left, y + line, text)
            seat = lying.seats[index] % len(MARKS)
            canvas.put(left + WIDTH, y, Text(MARKS[seat], Style(color=SEAT_COLOURS[seat], bold=True)))
        for line in range(height):
            self.spots.append(Spot(x, y + line, _width(lying), "meld", lying.meld))
        if step > 1:
            canvas.put(x + 1, y + height, self._caption(lying), _width(lying) + GAP - 1)

    def _caption(self, lying: Lying) -> Text:
        seats = self._board.table.seats
        name = seats[lying.owner].name if lying.owner < len(seats) else ""
        text = Text(f"{lying.combination.points()}p {name}", "dim")
        text.truncate(_width(lying) + GAP - 2, overflow="ellipsis")
        return text


def _fitting(width: int, *ways: Text) -> Text:
    """The first of several ways to say something that fits; the last is cut if none does."""
    for way in ways:
        if way.cell_len <= width:
            return way
    cut = ways[-1].copy()
    cut.truncate(width, overflow="ellipsis")
    return cut


def _width(lying: Lying) -> int:
    return 1 + STEP * len(lying.combination.tiles)


def _lines(lying: Sequence[Lying], width: int) -> list[list[tuple[int, Lying]]]:
    """The combinations in lines, each with its left cell."""
    lines: list[list[tuple[int, Lying]]] = [[]]
    x = 0
    for each in lying:
        if x and x + _width(each) > width:
            lines.append([])
            x = 0
        lines[-1].append((x, each))
        x += _width(each) + GAP
    return lines
