"""What a screen and a dialog have alike: in a terminal that is too small they are covered by words that say so."""

from typing import TYPE_CHECKING, Final, TypeVar, cast

from textual import events, on
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

if TYPE_CHECKING:
    from shared.terminal.app import LevataApp

T = TypeVar("T")

LEAST_WIDTH = 80
LEAST_HEIGHT = 24
"""What every screen is drawn for. A smaller terminal is told so, and shows nothing half."""

KEYS_AWAY: Final = frozenset({"q", "Q", "escape", "ctrl+c", "ctrl+q"})
"""The keys that a covered screen takes: those that go away."""
ACTIONS_AWAY: Final = frozenset({"back", "cards", "dismiss_none", "close"})
"""What those keys may do on a covered screen."""


class SizedScreen(Screen[T]):
    """A screen that wants room.

    What goes on behind the words goes on; but nothing that cannot be seen is done by a key, except going away.
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
        words = self.levata.texts("club.small", width=size.width, height=size.height, **least) if small else ""
        for notice in self.query("#small").results(Static):
            notice.update(words)

    @property
    def covered(self) -> bool:
        """Whether the words cover the screen."""
        return self.has_class("small")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether an action may be done: not blindly."""
        return action in ACTIONS_AWAY or not self.covered

    @property
    def levata(self) -> "LevataApp":
        """The application."""
        return cast("LevataApp", self.app)
