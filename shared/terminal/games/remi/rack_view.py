"""The hand of Remi: the rack with its groups, what is marked, and the cursor."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from shared.terminal.games.remi.melds import arrangements
from shared.terminal.games.remi.rack import Group, Rack
from shared.terminal.games.remi.tiles import WIDTH, Look, cell, face
from shared.terminal.texts import Texts
from shared.terminal.widgets.canvas import Canvas
from shared.terminal.widgets.touched import Touched

STEP = WIDTH + 1
GROUP_GAP = 1
LARGE_ROWS = 2
"""With more rows of tiles than this they are drawn small."""
GOOD = "#b8f0a0"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a tile is drawn: its left cell and its row."""

    number: int
    x: int
    row: int


def spots_of(rack: Rack, groups: Sequence[Group], width: int) -> list[Spot]:
    """Where every tile lies: groups beside one another, in rows; one that is too long for a row is broken."""
    spots: list[Spot] = []
    x = row = 0
    for group in groups:
        needed = len(group) * STEP - 1
        if x and x + needed > width and rack.is_group(group):
            x, row = 0, row + 1
        for number in group:
            if x and x + WIDTH > width:
                x, row = 0, row + 1
            spots.append(Spot(number, x, row))
            x += STEP
        x += GROUP_GAP
    return spots


class RackView(Widget):
    """The viewer's tiles. A click on one posts `Touched`, its part `tile`, its index the tile's number on the rack."""

    def __init__(self, texts: Texts, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.styles.height = "auto"
        self._texts = texts
        self._rack = Rack()
        self._groups: Sequence[Group] = ()
        self._cursor: int | None = None
        self._barred = ""
        self._drawn: Canvas | None = None

    def show(self, rack: Rack, groups: Sequence[Group], cursor: int | None, barred: str) -> None:
        """Shows tiles of `rack` in their `groups`; `barred` is the tile that may not be discarded."""
        if (rack, groups, cursor, barred) == (self._rack, self._groups, self._cursor, self._barred):
            return
        anew = [len(group) for group in groups] != [len(group) for group in self._groups]
        self._rack, self._groups, self._cursor, self._barred = rack, groups, cursor, barred
        self._drawn = None
        self.refresh(layout=anew)

    @property
    def tiles(self) -> list[str]:
        """The tiles shown, from left to right."""
        return [self._rack.tile(number) for group in self._groups for number in group]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The lines that the tiles take at that width."""
        rows = _rows(spots_of(self._rack, self._groups, width))
        return max(1, rows) * (3 if rows <= LARGE_ROWS else 2)

    @property
    def canvas(self) -> Canvas:
        """What is drawn now."""
        if self._drawn is None or (self._drawn.width, self._drawn.height) != (self.size.width, self.size.height):
            self._drawn = self._draw()
        return self._drawn

    def _draw(self) -> Canvas:
        canvas = Canvas(self.size.width, self.size.height)
        spots = {spot.number: spot for spot in spots_of(self._rack, self._groups, self.size.width)}
        large = _rows(spots.values()) <= LARGE_ROWS
        height = 3 if large else 2
        for group in self._groups:
            if self._rack.is_group(group):
                self._draw_bracket(canvas, [spots[number] for number in group], height)
            for number in group:
                spot = spots[number]
                self._draw_tile(canvas, spot, spot.row * height, large)
        return canvas

    def position(self, number: int) -> tuple[int, int]:
        """The middle cell of a tile. Raises `StopIteration` when it is not shown."""
        spots = spots_of(self._rack, self._groups, self.size.width)
        height = 3 if _rows(spots) <= LARGE_ROWS else 2
        spot = next(spot for spot in spots if spot.number == number)
        return spot.x + 1, spot.row * height

    def render_line(self, y: int) -> Strip:
        """One line of the rack."""
        return self.canvas.strip(y, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Finds the tile under the pointer."""
        spots = spots_of(self._rack, self._groups, self.size.width)
        height = 3 if _rows(spots) <= LARGE_ROWS else 2
        for spot in spots:
            if spot.x <= event.x < spot.x + WIDTH and event.y // height == spot.row:
                self.post_message(Touched("tile", spot.number))
                return

    def _draw_tile(self, canvas: Canvas, spot: Spot, y: int, large: bool) -> None:
        tile = self._rack.tile(spot.number)
        look = Look.PLAIN
        if spot.number in self._rack.marks:
            look = Look.PICKED
        elif spot.number < 0:
            look = Look.DRAFT
        lines = face(tile, self._texts, look) if large else [cell(tile, self._texts, look)]
        for line, text in enumerate(lines):
            canvas.put(spot.x, y + line, text)
        mark = self._mark(spot.number, tile)
        if mark:
            canvas.put(spot.x + 1, y + len(lines), mark)

    def _mark(self, number: int, tile: str) -> Text | None:
        """What stands under a tile: the cursor, that it is marked, barred, or new."""
        if number == self._cursor:
            return Text("▲", "bold #ffd75f")
        if number in self._rack.marks:
            return Text("●", "#ffd75f")
        if tile == self._barred:
            return Text("×", "#ff7f7f")
        return Text("+", "#8fd0ff") if number in self._rack.fresh else None

    def _draw_bracket(self, canvas: Canvas, spots: Sequence[Spot], height: int) -> None:
        """The line under a group, with its points if it is a combination."""
        found = arrangements([self._rack.tile(spot.number) for spot in spots])
        for row in sorted({spot.row for spot in spots}):
            xs = [spot.x for spot in spots if spot.row == row]
            width = xs[-1] + WIDTH - xs[0]
            points = str(found[0].points()) if found else ""
            line = f"╰{points.center(width - 2, '─') if width > 2 else '─'}╯"
            canvas.put(xs[0], row * height + height - 1, Text(line, GOOD if found else "dim"))


def _rows(spots: Iterable[Spot]) -> int:
    return 1 + max((spot.row for spot in spots), default=0)
