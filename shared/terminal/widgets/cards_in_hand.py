"""One's own hand: lit cards may be played, by a click or by their key and Enter."""

from collections.abc import Sequence

from rich.text import Text
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from shared.terminal.games.view import HandCard
from shared.terminal.widgets.canvas import Canvas
from shared.terminal.widgets.cards import FACE_HEIGHT, FACE_WIDTH, CardFace, face
from shared.terminal.widgets.touched import Touched

STEP = FACE_WIDTH + 1


class Hand(Widget):
    """The cards of the viewer. A click on a lit card posts `Touched`, its part `card`."""

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._cards: Sequence[HandCard] = ()
        self._chosen: int | None = None

    @property
    def cards(self) -> Sequence[HandCard]:
        """The cards shown, in order."""
        return self._cards

    @property
    def canvas(self) -> Canvas:
        """What is drawn now."""
        canvas = Canvas(self.size.width, self.size.height)
        left = self._left()
        for index, card in enumerate(self._cards):
            lit = card.action is not None
            shown = CardFace(card.card, str(index + 1) if lit else "", lit, index == self._chosen)
            for line, text in enumerate(face(shown)):
                canvas.put(left + index * STEP, line, text)
        return canvas

    def show(self, cards: Sequence[HandCard], chosen: int | None) -> None:
        """Shows a hand; `chosen` is the card that Enter would play."""
        self._cards, self._chosen = cards, chosen
        self.refresh()

    def position(self, index: int) -> tuple[int, int]:
        """The cell in the middle of a card."""
        return self._left() + index * STEP + 2, 1

    def _left(self) -> int:
        return max(0, (self.size.width - len(self._cards) * STEP + 1) // 2)

    def render_line(self, y: int) -> Strip:
        """One line of the hand."""
        return self.canvas.strip(y, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Finds the card under the pointer."""
        index, within = divmod(event.x - self._left(), STEP)
        inside = 0 <= index < len(self._cards) and within < FACE_WIDTH and event.y < FACE_HEIGHT
        if inside and self._cards[index].action is not None:
            self.post_message(Touched("card", index))

    def written(self) -> Text:
        """What is written on the cards, for whoever looks without colours."""
        return Text("\n".join(self.canvas.lines()))
