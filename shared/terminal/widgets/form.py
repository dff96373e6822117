"""A row of a form: a label and one value of several, changed by ←→ or by a click."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from shared.terminal.widgets.canvas import fitted

LABEL_WIDTH = 26


class ValueRow(Widget, can_focus=True):
    """One setting. Posts `Changed` when its value is another."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", show=False),
        Binding("right,space", "step(1)", show=False),
    ]
    DEFAULT_CSS = """
    ValueRow { width: 100%; height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    ValueRow:focus { background: $boost; text-style: bold; }
    """

    class Changed(Message):
        """The value changed."""

        def __init__(self, row: "ValueRow") -> None:
            super().__init__()
            self.row = row

    def __init__(self, label: str, values: Sequence[tuple[str, str]], value: str, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._label = label
        self._values = values
        self._index = max((index for index, (each, _) in enumerate(values) if each == value), default=0)

    @property
    def value(self) -> str:
        """The value that is set."""
        return self._values[self._index][0]

    def offer(self, values: Sequence[tuple[str, str]], value: str) -> None:
        """Offers other values."""
        self._values = values
        self._index = max((index for index, (each, _) in enumerate(values) if each == value), default=0)
        self.refresh()

    def action_step(self, step: int) -> None:
        """Goes to the next or previous value, round and round."""
        self._index = (self._index + step) % len(self._values)
        self.refresh()
        self.post_message(self.Changed(self))

    def on_click(self, event: events.Click) -> None:
        """Left of the value goes back, elsewhere on."""
        self.focus()
        self.action_step(-1 if event.x <= LABEL_WIDTH + 2 and event.x >= LABEL_WIDTH else 1)

    def render(self) -> Text:
        """The row."""
        mark = "▸" if self.has_focus else " "
        return Text.assemble(
            mark, fitted(self._label, LABEL_WIDTH - 1), "◀ ", (self._values[self._index][1], "bold"), " ▶"
        )
