"""What every screen has: a title, a line of keys that can be clicked, and a way to the club."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from textual import events, on
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

from shared.terminal.texts import Texts
from shared.terminal.widgets.chips import Chip, Chips

LEAST_WIDTH = 80
LEAST_HEIGHT = 24
"""What every screen is drawn for. A smaller terminal is told so, and shows nothing half."""

if TYPE_CHECKING:
    from shared.terminal.app import LevataApp


class ClubScreen(Screen[None]):
    """A screen of the club. Chips of the row `#keys` do the action they are named after.

    In a terminal that is too small it is covered by words that say so. What goes on behind goes on; but nothing that
    cannot be seen is done by a key, except going away.
    """

    @on(events.Mount)
    async def add_notice(self) -> None:
        """Has the words ready."""
        await self.mount(Static("", id="small", markup=False))
        self.notice_size(self.app.size)

    @on(events.Resize)
    def terminal_resized(self, event: events.Resize) -> None:
        """The terminal is another size."""
        self.notice_size(event.size)

    @on(events.ScreenResume)
    def shown_again(self) -> None:
        """The terminal may have become another size while another screen was shown."""
        self.notice_size(self.app.size)

    def notice_size(self, size: Size) -> None:
        """Covers the screen when the terminal is too small for it."""
        small = size.width < LEAST_WIDTH or size.height < LEAST_HEIGHT
        self.set_class(small, "small")
        least = {"least_width": LEAST_WIDTH, "least_height": LEAST_HEIGHT}
        for notice in self.query("#small").results(Static):
            notice.update(self.texts("club.small", width=size.width, height=size.height, **least) if small else "")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether an action may be done: not blindly."""
        return action == "back" or not self.has_class("small")

    @property
    def levata(self) -> "LevataApp":
        """The application."""
        return cast("LevataApp", self.app)

    @property
    def texts(self) -> Texts:
        """The language."""
        return self.levata.texts

    def title_bar(self, title: str) -> Static:
        """The line at the top."""
        return Static(f"{self.texts('club.title')} · {title}", id="title", markup=False)

    def key_bar(self, chips: Sequence[Chip]) -> Chips:
        """The line at the bottom."""
        return Chips(chips, gap=0, id="keys")

    def back_and_help(self) -> Sequence[Chip]:
        """The keys that nearly every screen has."""
        return [Chip("back", "q", self.texts("key.back")), Chip("help", "?", self.texts("key.help"))]

    async def on_chips_pressed(self, message: Chips.Pressed) -> None:
        """A chip was clicked."""
        message.stop()
        await self.press_chip(message.name)

    async def press_chip(self, name: str) -> None:
        """Does what the chip is named after."""
        await self.run_action(name)

    def action_back(self) -> None:
        """Goes to the screen before."""
        self.app.pop_screen()

    def action_help(self) -> None:
        """Shows the page of help."""
        self.levata.show_help()
