"""Small windows: pick one of several, type a line, read a page."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from shared.terminal.screens.sized_screen import SizedScreen
from shared.terminal.texts import Texts
from shared.terminal.widgets.chips import Chip, Chips


class PickDialog(ModalScreen[str | None], SizedScreen[str | None]):
    """Picks one of several; None when it is closed without."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,Q", "dismiss_none", show=False)]

    def __init__(self, title: str, options: Sequence[tuple[str, str]], texts: Texts) -> None:
        super().__init__()
        self._title = title
        self._options = options
        self._texts = texts

    def compose(self) -> ComposeResult:
        """A title, the options, a way out."""
        with Vertical(id="dialog"):
            yield Static(self._title, id="dialog-title", markup=False)
            yield OptionList(*(Option(Content(label), id=name) for name, label in self._options), id="options")
            yield Chips([Chip("dismiss_none", "esc", self._texts("key.back"))])

    def on_mount(self) -> None:
        """The list has the keys."""
        self.query_one(OptionList).focus()

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """It is picked."""
        message.stop()
        self.dismiss(message.option.id)

    def on_chips_pressed(self, message: Chips.Pressed) -> None:
        """Closed by the mouse."""
        message.stop()
        self.dismiss(None)

    def action_dismiss_none(self) -> None:
        """Closed by a key."""
        self.dismiss(None)


class LineDialog(ModalScreen[str | None], SizedScreen[str | None]):
    """Asks for a line of text; None when it is closed without."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss_none", show=False)]

    def __init__(self, title: str, enter: str, texts: Texts, *, max_length: int) -> None:
        super().__init__()
        self._title = title
        self._enter = enter
        self._texts = texts
        self._max_length = max_length

    def compose(self) -> ComposeResult:
        """A title, the line, two buttons."""
        with Vertical(id="dialog"):
            yield Static(self._title, id="dialog-title", markup=False)
            yield Input(max_length=self._max_length, id="line")
            yield Chips(
                [Chip("accept", "", self._enter, loud=True), Chip("dismiss_none", "esc", self._texts("key.back"))]
            )

    def on_mount(self) -> None:
        """The line has the keys."""
        self.query_one(Input).focus()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Entered by the keyboard."""
        message.stop()
        self._accept()

    def on_chips_pressed(self, message: Chips.Pressed) -> None:
        """Entered or closed by the mouse."""
        message.stop()
        if message.name == "accept":
            self._accept()
        else:
            self.dismiss(None)

    def _accept(self) -> None:
        line = self.query_one(Input).value.strip()
        if line:
            self.dismiss(line)

    def action_dismiss_none(self) -> None:
        """Closed by a key."""
        self.dismiss(None)


class PageDialog(ModalScreen[None], SizedScreen[None]):
    """Shows a page that scrolls."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,Q,enter,f,F,question_mark", "close", show=False),
        Binding("up", "scroll(-1,0)", show=False),
        Binding("down", "scroll(1,0)", show=False),
        Binding("left", "scroll(0,-4)", show=False),
        Binding("right", "scroll(0,4)", show=False),
        Binding("pageup", "scroll(-10,0)", show=False),
        Binding("pagedown,space", "scroll(10,0)", show=False),
        Binding("home", "scroll(-10000,0)", show=False),
        Binding("end", "scroll(10000,0)", show=False),
    ]
    AUTO_FOCUS = ""

    def __init__(
        self,
        title: str,
        body: Text | str,
        texts: Texts,
        *,
        wrap: bool,
        at_end: bool = False,
        header: Text | None = None,
    ) -> None:
        """A page to be read.

        Args:
            title: Its title.
            body: The text; a string may hold markup.
            texts: The language.
            wrap: Breaks long lines; else they scroll sideways.
            at_end: Shows the end first.
            header: A line above the body that does not scroll; None for none.
        """
        super().__init__(classes="wrapped" if wrap else "")
        self._title = title
        self._body = body
        self._texts = texts
        self._at_end = at_end
        self._header = header

    def compose(self) -> ComposeResult:
        """A title, the page, a way out."""
        with Vertical(id="page"):
            yield Static(self._title, id="page-title", markup=False)
            if self._header:
                yield Static(self._header, id="page-header")
            with Vertical(id="page-body"):
                yield Static(self._body, id="page-text")
            yield Chips([Chip("close", "esc", self._texts("key.back")), Chip("up", "↑", ""), Chip("down", "↓", "")])

    def on_mount(self) -> None:
        """The newest rows of a sheet are at its end."""
        if self._at_end:
            self.call_after_refresh(lambda: self.query_one("#page-body").scroll_end(animate=False))

    def on_chips_pressed(self, message: Chips.Pressed) -> None:
        """The mouse."""
        message.stop()
        if message.name == "close":
            self.dismiss()
        else:
            self.action_scroll(-5 if message.name == "up" else 5, 0)

    def on_click(self, event: events.Click) -> None:
        """A click beside the page's text does nothing."""
        event.stop()

    def action_scroll(self, lines: int, columns: int) -> None:
        """Scrolls by so many lines and columns."""
        self.query_one("#page-body").scroll_relative(x=columns, y=lines, animate=False)

    def action_close(self) -> None:
        """Closes the page."""
        self.dismiss()
