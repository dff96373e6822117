"""The felt: seats around, and in the middle the trump, the trick and the last trick."""

from collections.abc import Sequence

from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.games.view import CardGameView, Lying, Middle
from shared.terminal.texts import Texts
from shared.terminal.widgets.canvas import Canvas
from shared.terminal.widgets.cards import CHIP_WIDTH, FACE_HEIGHT, FACE_WIDTH, box, chip
from shared.terminal.widgets.seats import SEAT_HEIGHT, draw_seat, places, seat_width

BOX_HEIGHT = FACE_HEIGHT + 1
NAME_WIDTH = 12


class Felt(Widget):
    """The table. A click on a seat posts `SeatClicked`."""

    class SeatClicked(Message):
        """Somebody's seat was clicked."""

        def __init__(self, seat: int) -> None:
            super().__init__()
            self.seat = seat

    def __init__(self, texts: Texts, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._texts = texts
        self._table: table_pb2.Table | None = None
        self._view: CardGameView | None = None
        self._own: int | None = None
        self._notes: Sequence[Text] = ()
        self._canvas = Canvas(0, 0)

    @property
    def canvas(self) -> Canvas:
        """What is drawn now."""
        if (self._canvas.width, self._canvas.height) != (self.size.width, self.size.height):
            self._draw(self.size)
        return self._canvas

    def show(
        self, table: table_pb2.Table, view: CardGameView | None, own: int | None, notes: Sequence[Text] = ()
    ) -> None:
        """Shows a table from the seat `own` (None for a spectator); `notes` stand in the middle when no match is on."""
        self._table, self._view, self._own, self._notes = table, view, own, notes
        self._draw(self.size)
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Draws anew."""
        self._draw(event.size)

    def render_line(self, y: int) -> Strip:
        """One line of the drawing."""
        return self.canvas.strip(y, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Finds the seat under the pointer."""
        if self._table is None:
            return
        for place in places(len(self._table.seats), self._own or 0, self.size.width, self.size.height):
            if place.holds(event.x, event.y):
                self.post_message(self.SeatClicked(place.seat))
                return

    def _draw(self, size: Size) -> None:
        self._canvas = canvas = Canvas(size.width, size.height)
        table, view = self._table, self._view
        if table is None or not table.seats or size.height < 3 * SEAT_HEIGHT or size.width < 3 * seat_width(0):
            return
        match_on = table.HasField("game") and view is not None
        for place in places(len(table.seats), self._own or 0, size.width, size.height):
            facts = view.seat(table, place.seat, self._texts) if match_on and view is not None else None
            draw_seat(canvas, place, table, facts, self._own, self._texts)
        sides = seat_width(size.width)
        x, width = sides, size.width - 2 * sides
        if self._notes:
            for line, note in enumerate(self._notes[: size.height - 2 * SEAT_HEIGHT]):
                shown = note.copy()
                shown.truncate(width, overflow="ellipsis")
                canvas.center(x, SEAT_HEIGHT + line, width, shown)
        elif match_on and view is not None:
            self._draw_middle(canvas, view.middle(table, self._texts), x, width, size.height - 2 * SEAT_HEIGHT)

    def _draw_middle(self, canvas: Canvas, middle: Middle, x: int, width: int, height: int) -> None:
        top, bottom = SEAT_HEIGHT, SEAT_HEIGHT + height
        y = top
        for head in middle.head:
            shown = head.copy()
            shown.truncate(width, overflow="ellipsis")
            canvas.center(x, y, width, shown)
            y += 1
        if middle.spread is not None:
            middle.spread.draw(canvas, x, y, width, bottom - y)
            return
        past_lines = 1 + len(middle.past) if middle.past_title else 0
        trick_lines = self._boxes_height(middle.trick, width)
        if trick_lines and y + 1 + trick_lines + past_lines <= bottom:
            spare = bottom - past_lines - y - 1 - trick_lines
            y = self._draw_boxes(canvas, middle.trick, x, y + 1 + spare // 2, width)
        else:
            if y + 1 + len(middle.trick) + past_lines <= bottom:
                y += 1
            for row in middle.trick[: bottom - y]:
                canvas.center(x, y, width, _chips(row))
                y += 1
        room = bottom - y
        if middle.past_title and room >= 2:
            past = middle.past[: room - 1]
            y = bottom - 1 - len(past)
            title = middle.past_title.copy()
            title.truncate(width, overflow="ellipsis")
            canvas.center(x, y, width, title)
            for row in past:
                y += 1
                canvas.center(x, y, width, _chips(row, dim=True))

    def _boxes_height(self, trick: Sequence[Sequence[Lying]], width: int) -> int:
        """Lines that the trick takes when its cards are drawn large; 0 when a row is too long for that."""
        if not trick or any(len(row) * (FACE_WIDTH + 1) > width for row in trick):
            return 0
        return BOX_HEIGHT * len(trick)

    def _draw_boxes(self, canvas: Canvas, trick: Sequence[Sequence[Lying]], x: int, y: int, width: int) -> int:
        for row in trick:
            step = min(NAME_WIDTH + 1, width // len(row))
            start = x + (width - len(row) * step) // 2
            for index, lying in enumerate(row):
                left = start + index * step
                shift = (step - 1 - FACE_WIDTH) // 2
                for line, text in enumerate(box(lying.card, strong=lying.strong)):
                    canvas.put(left + shift, y + line, text)
                name = Text(self._player(lying.seat), "dim")
                name.truncate(step - 1, overflow="ellipsis")
                canvas.center(left, y + FACE_HEIGHT, step - 1, name)
            y += BOX_HEIGHT
        return y

    def _player(self, seat: int) -> str:
        table = self._table
        return table.seats[seat].name if table is not None and seat < len(table.seats) else ""


def _chips(row: Sequence[Lying], *, dim: bool = False) -> Text:
    """A row of the trick in a line; with blanks between the cards while they fit a narrow table."""
    line = Text()
    for index, lying in enumerate(row):
        if index and len(row) * (CHIP_WIDTH + 1) <= 28:
            line.append(" ")
        line.append_text(chip(lying.card, strong=lying.strong, dim=dim))
    return line
