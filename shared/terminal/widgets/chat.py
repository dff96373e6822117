"""What happened and what was said, newest below."""

from collections import deque

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

KEPT = 300


class Feed(VerticalScroll):
    """The latest lines; wraps anew when the terminal changes size."""

    can_focus = False

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._lines: deque[Text] = deque(maxlen=KEPT)
        self._body = Static("")

    def compose(self) -> ComposeResult:
        """One text."""
        yield self._body

    @property
    def lines(self) -> list[str]:
        """What is written."""
        return [line.plain for line in self._lines]

    def write(self, *lines: Text) -> None:
        """Adds lines and goes to the end."""
        if not lines:
            return
        self._lines.extend(lines)
        self._body.update(Text("\n").join(self._lines))
        self.scroll_end(animate=False)
