"""The felt of Remi as a widget."""

from textual import events
from textual.geometry import Size

from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.games.remi.board import Board, Spot, draw
from shared.terminal.texts import Texts
from shared.terminal.widgets.touched import Touched
from shared.terminal.widgets.trick import Felt


class RemiFelt(Felt):
    """The table. A click on a tile of the row or on a combination posts `Touched`, its part `row` or `meld`."""

    def __init__(self, texts: Texts, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(texts, id)
        self._board = Board(table_pb2.Table(), None)
        self._spots: list[Spot] = []

    def show_board(self, board: Board) -> None:
        """Shows a table; one that is shown already is not drawn again."""
        if board != self._board:
            self._board = board
            self._draw(self.size)
            self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Finds what is under the pointer."""
        for spot in self._spots:
            if not spot.holds(event.x, event.y):
                continue
            if spot.part == "seat":
                self.post_message(self.SeatClicked(spot.index))
            else:
                self.post_message(Touched(spot.part, spot.index))
            return

    def position(self, part: str, index: int) -> tuple[int, int]:
        """The first cell of something that can be clicked. Raises `KeyError` when it is not seen."""
        for spot in self._spots:
            if (spot.part, spot.index) == (part, index):
                return spot.x, spot.y
        raise KeyError((part, index))

    def _draw(self, size: Size) -> None:
        self._canvas, self._spots = draw(self._board, self._texts, size)
