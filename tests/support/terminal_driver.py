"""Drives the terminal as a person would, and reads what is on its screen."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widget import Widget

from shared.client import Addresses
from shared.terminal.app import LevataApp
from shared.terminal.settings import TerminalSettings
from shared.terminal.widgets.cards_in_hand import Hand
from shared.terminal.widgets.chips import Chips

BOUND_SECONDS = 30.0
LOOK_SECONDS = 0.02


class Driver:
    """One terminal."""

    def __init__(self, app: LevataApp, pilot: Pilot[Any]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> str:
        """All that is written on the screen, line by line."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    async def until(self, holds: Callable[[], bool], what: str) -> None:
        """Waits until something holds; fails with the screen when it does not come true."""
        for _ in range(int(BOUND_SECONDS / LOOK_SECONDS)):
            if holds():
                return
            await self.pilot.pause(LOOK_SECONDS)
        raise AssertionError(f"never came: {what}\n{self.screen}")

    async def sees(self, *words: str) -> None:
        """Waits until all `words` are on the screen."""
        for each in words:
            await self.until(lambda each=each: each in self.screen, each)  # type: ignore[misc]

    async def gone(self, words: str) -> None:
        """Waits until `words` are not on the screen any more."""
        await self.until(lambda: words not in self.screen, f"without {words}")

    async def press(self, *keys: str) -> None:
        """Presses keys."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def write(self, text: str) -> None:
        """Types a text."""
        await self.press(*("space" if letter == " " else letter for letter in text))

    def widget(self, selector: str, kind: type[Any]) -> Any:
        """A widget of the screen."""
        return self.app.screen.query_one(selector, kind)

    async def click_chip(self, selector: str, name: str) -> None:
        """Clicks a small button."""
        await self.until(lambda: name in [chip.name for chip in self.widget(selector, Chips).chips], name)
        await self.pilot.pause(2 * LOOK_SECONDS)
        chips = self.widget(selector, Chips)
        await self.pilot.click(chips, offset=chips.position(name))
        await self.pilot.pause()

    async def click_card(self, index: int) -> None:
        """Clicks a card of the hand."""
        hand = self.widget("#hand", Hand)
        await self.pilot.click(hand, offset=hand.position(index))
        await self.pilot.pause()

    async def click(self, widget: Widget | str, offset: tuple[int, int] = (0, 0)) -> None:
        """Clicks a widget."""
        await self.pilot.click(widget, offset=offset)
        await self.pilot.pause()


@asynccontextmanager
async def terminal(
    addresses: Addresses, state: Path, *, size: tuple[int, int] = (80, 24), language: str = "ro", **told: Any
) -> AsyncIterator[Driver]:
    """A terminal of `size` at the door of the club."""
    settings = TerminalSettings(state=state, language=language, **{"show_milliseconds": 0, **told})
    app = LevataApp(settings, addresses)
    async with app.run_test(size=size, notifications=True) as pilot:
        yield Driver(app, pilot)
