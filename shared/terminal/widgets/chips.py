"""A row of small buttons that wraps: bids, variants, keys. Drawn as text, so that many fit a small terminal."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from shared.terminal.widgets.canvas import Canvas, fitted


@dataclass(frozen=True, slots=True)
class Chip:
    """A button: `name` for the program, `key` that presses it, `label` for people; `loud` draws the eye."""

    name: str
    key: str
    label: str
    loud: bool = False

    def words(self) -> str:
        """What is written on it."""
        return self.label if not self.key or self.key == self.label else f"{self.key.upper()} {self.label}"


class Chips(Widget):
    """The row. A click on a chip posts `Pressed`."""

    class Pressed(Message):
        """A chip was clicked."""

        def __init__(self, chips: "Chips", name: str) -> None:
            super().__init__()
            self.chips = chips
            self.name = name

    def __init__(self, chips: Sequence[Chip] = (), *, gap: int = 1, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._chips = chips
        self._gap = gap
        self._chosen: int | None = None

    @property
    def chips(self) -> Sequence[Chip]:
        """The chips shown."""
        return self._chips

    def show(self, chips: Sequence[Chip], chosen: int | None = None) -> None:
        """Shows other chips; `chosen` is the one that Enter would press."""
        if (list(chips), chosen) != (list(self._chips), self._chosen):
            self._chips, self._chosen = chips, chosen
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The lines that the chips take at that width."""
        return 1 + max((y for _, y, _ in self.layout_of(width)), default=0)

    def layout_of(self, width: int) -> list[tuple[int, int, int]]:
        """For every chip its left cell, its line and its width; lines are filled from the left and wrap."""
        spots = []
        x = y = 0
        for chip in self._chips:
            wide = min(width, cell_len(chip.words()) + 2)
            if x and x + wide > width:
                x, y = 0, y + 1
            spots.append((x, y, wide))
            x += wide + self._gap
        return spots

    def position(self, name: str) -> tuple[int, int]:
        """The first cell inside the chip of that name. Raises `KeyError` when there is none."""
        for chip, (x, y, _) in zip(self._chips, self.layout_of(self.size.width), strict=True):
            if chip.name == name:
                return x + 1, y
        raise KeyError(name)

    @property
    def canvas(self) -> Canvas:
        """What is drawn now."""
        canvas = Canvas(self.size.width, self.size.height)
        for index, (chip, (x, y, wide)) in enumerate(zip(self._chips, self.layout_of(self.size.width), strict=True)):
            if index == self._chosen:
                style = Style(color="#101010", bgcolor="#ffd75f", bold=True)
            elif chip.loud:
                style = Style(color="#101010", bgcolor="#8fd77f", bold=True)
            else:
                style = Style(color="#f0f0f0", bgcolor="#3a4a44")
            words = f"▸{chip.words()}◂" if index == self._chosen else f" {chip.words()} "
            canvas.put(x, y, Text(fitted(words, wide), style))
        return canvas

    def render_line(self, y: int) -> Strip:
        """One line of the row."""
        return self.canvas.strip(y, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Finds the chip under the pointer."""
        for chip, (x, y, wide) in zip(self._chips, self.layout_of(self.size.width), strict=True):
            if y == event.y and x <= event.x < x + wide:
                self.post_message(self.Pressed(self, chip.name))
                return
