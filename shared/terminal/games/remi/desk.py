"""The desk of Remi: the felt and the rack, and a turn put together with keys or clicks."""

from collections.abc import Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import game_pb2, table_pb2
from shared.terminal.desks.desk import Desk, Play
from shared.terminal.games.remi import guide, keys
from shared.terminal.games.remi.board import Board
from shared.terminal.games.remi.composer import Composer, Zone
from shared.terminal.games.remi.draft import Draft
from shared.terminal.games.remi.felt import RemiFelt
from shared.terminal.games.remi.rack_view import RackView
from shared.terminal.games.remi.words import action_words, kind_of
from shared.terminal.texts import Texts
from shared.terminal.widgets.chips import Chip

LOADED = ("lay", "add", "swap_joker", "turn", "close_with_atu")
"""Advice that can be put into the draft."""


class RemiDesk(Desk):
    """Remi on the table screen."""

    wide = True

    def __init__(self, texts: Texts, play: Play) -> None:
        super().__init__(texts, play)
        self.composer = Composer()
        self.felt: RemiFelt = RemiFelt(texts, id="felt")
        self.hand: RackView = RackView(texts, id="hand")
        self._table = table_pb2.Table()
        self._own: int | None = None
        self._notes: Sequence[Text] = ()
        self._advice = Text()

    def show(self, table: table_pb2.Table, private: table_pb2.Private, notes: Sequence[Text]) -> None:
        """The felt as it is to be seen."""
        self._table, self._notes = table, notes
        self._own = private.seat if private.HasField("seat") else None
        self._draw()

    def offer(self, table: table_pb2.Table, private: table_pb2.Private) -> None:
        """The newest state; the draft stays if it can."""
        seat = private.seat if private.HasField("seat") and table.HasField("game") else None
        before = self.composer.draft, self.composer.offers
        legal = [action.remi for action in private.legal_actions]
        self.composer.offer(table.game.remi, private.hand.remi, seat, legal)
        if before != (self.composer.draft, self.composer.offers):
            self._advice = Text()

    def refresh(self, private: table_pb2.Private, turn: bool) -> None:
        """The rack, the draft on the felt, the cursor wherever it is."""
        composer = self.composer
        layout = composer.layout()
        self.hand.display = bool(layout)
        self.hand.show(composer.shown_rack, layout, composer.cursor, composer.barred)
        self._draw()

    def prompt(self) -> str | Text:
        """What is asked, what Enter would do, what the draft comes to."""
        return self._advice or guide.prompt(self.composer, [seat.name for seat in self._table.seats], self.texts)

    def chips(self) -> tuple[Sequence[Chip], int | None]:
        """What can be done, by key or click."""
        return guide.buttons(self.composer, self.texts)

    def press(self, key: str, character: str | None) -> bool:
        """A key."""
        advised, self._advice = bool(self._advice), Text()
        pressed = keys.press(self.composer, key, character)
        if advised and key == "escape":
            return True
        if pressed.action is not None:
            self.play(game_pb2.GameAction(remi=pressed.action))
        return pressed.taken

    def press_chip(self, name: str) -> bool:
        """A click on a button is its key."""
        if not name.startswith(guide.NAME):
            return False
        key = name.removeprefix(guide.NAME)
        return self.press(key, key if len(key) == 1 else None)

    def touch(self, part: str, index: int) -> None:
        """A click marks a tile, points into the row and then takes, points at a combination or adds to it."""
        composer = self.composer
        if part == "tile":
            composer.zone, composer.cursor = Zone.HAND, index
            composer.mark()
        elif part == "row" and index in composer.offers.takes:
            again = composer.zone is Zone.ROW and composer.place_at == index
            composer.zone, composer.place_at = Zone.ROW, index
            if again:
                self.press("enter", None)
        elif part == "meld":
            composer.zone, composer.meld_at = Zone.MELDS, index
            if composer.rack.marks:
                self.press("enter", None)

    def suggest(self, action: game_pb2.GameAction) -> str:
        """Points at what a bot would do, or puts it into the draft."""
        done, composer = action.remi, self.composer
        kind = kind_of(done)
        taken = done.turn.steps[0] if kind == "turn" and done.turn.steps[0].HasField("take") else None
        if taken is None and kind in LOADED and not composer.load(done):
            return ""
        if kind == "take" or taken is not None:
            composer.zone, composer.place_at = Zone.ROW, done.take if taken is None else taken.take
        elif kind == "discard":
            held = (number for number in composer.in_order() if composer.shown_rack.tile(number) == done.discard)
            composer.zone, composer.cursor = Zone.HAND, next(held, None)
        said = action_words(done, self.texts)
        self._advice = guide.worded(self.texts("remi.hint"), action=said)
        return self._advice.plain

    def _draw(self) -> None:
        """Draws the felt; the draft on it while what is seen is what the draft rests on."""
        composer, shown = self.composer, self._table.game.remi
        present = shown.melds == composer.table.melds and shown.row == composer.table.row
        lying = composer.lying() if present else Draft().lying(shown.melds, 0)
        question = composer.question
        meld = question.options[question.at].meld if question is not None else None
        if composer.zone is Zone.MELDS and question is None:
            meld = composer.meld_at
        board = Board(
            table=self._table,
            own=self._own,
            lying=lying,
            meld=meld,
            place=composer.place_at if composer.zone is Zone.ROW and present else None,
            takes=composer.offers.takes if composer.offers.draw and present else None,
            notes=self._notes,
        )
        self.felt.show_board(board)
