"""What every screen has: a title, a line of keys that can be clicked, and a way to the club."""

from collections.abc import Sequence

from textual.widgets import Static

from shared.terminal.screens.sized_screen import SizedScreen
from shared.terminal.texts import Texts
from shared.terminal.widgets.chips import Chip, Chips


class ClubScreen(SizedScreen[None]):
    """A screen of the club. Chips of the row `#keys` do the action they are named after."""

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
