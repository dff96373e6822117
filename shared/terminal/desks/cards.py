"""The desk of games of cards: seats around a trick, the hand, and one thing to pick at a time."""

from collections.abc import Sequence

from rich.text import Text

from shared.gen.levata.table.v1 import game_pb2, table_pb2
from shared.terminal.desks.desk import Desk, Play
from shared.terminal.games.view import CardGameView
from shared.terminal.picks import Picks
from shared.terminal.texts import Texts
from shared.terminal.widgets.cards_in_hand import Hand
from shared.terminal.widgets.chips import Chip
from shared.terminal.widgets.trick import Felt

CHOICE = "choice-"
STEPS = {"left": -1, "right": 1}


class CardDesk(Desk):
    """A card or a choice is picked by its key, by the arrows or by a click, and Enter plays it."""

    def __init__(self, view: CardGameView | None, texts: Texts, play: Play) -> None:
        """`view` is None for a game that this terminal does not know."""
        super().__init__(texts, play)
        self._view = view
        self._picks = Picks()
        self._private = table_pb2.Private()
        self._advice = ""
        self._turn = False
        self.felt: Felt = Felt(texts, id="felt")
        self.hand: Hand = Hand(id="hand")

    def show(self, table: table_pb2.Table, private: table_pb2.Private, notes: Sequence[Text]) -> None:
        """The felt, from the viewer's seat."""
        self.felt.show(table, self._view, private.seat if private.HasField("seat") else None, notes)

    def offer(self, table: table_pb2.Table, private: table_pb2.Private) -> None:
        """Lets the player pick from what the newest update allows, whatever is still being shown."""
        self._private = private
        view = self._view
        fresh = Picks(view.hand(private), view.choices(private, self.texts)) if view is not None else Picks()
        if not fresh.same(self._picks):
            self._picks, self._advice = fresh, ""

    def refresh(self, private: table_pb2.Private, turn: bool) -> None:
        """The hand, the picked card in it."""
        self._turn = turn
        if self._view is None:
            return
        picked = self._picks.picked
        cards = self._view.hand(private)
        self.hand.display = bool(cards) or not self._view.choices(private, self.texts)
        self.hand.show(cards, picked.card if turn and picked is not None else None)

    def prompt(self) -> str | Text:
        """What a bot advised."""
        return self._advice

    def chips(self) -> tuple[Sequence[Chip], int | None]:
        """Bids, variants and the like."""
        if self._view is None:
            return [], None
        choices = self._view.choices(self._private, self.texts)
        chips = [Chip(f"{CHOICE}{index}", choice.key, choice.label) for index, choice in enumerate(choices)]
        picked = self._picks.picked
        return chips, picked.choice if self._turn and picked is not None else None

    def press(self, key: str, character: str | None) -> bool:
        """Arrows go to the next possibility, Enter plays what is picked, other keys pick."""
        if key in STEPS:
            self._picks.step(STEPS[key])
            return True
        if key == "enter":
            self._play()
            return True
        return character is not None and self._picks.pick_key(character.lower())

    def press_chip(self, name: str) -> bool:
        """A click on a bid or a variant plays it."""
        if not name.startswith(CHOICE):
            return False
        if self._picks.pick_choice(int(name.removeprefix(CHOICE))):
            self._play()
        return True

    def touch(self, part: str, index: int) -> None:
        """A click on a card plays it."""
        if self._picks.pick_card(index):
            self._play()

    def suggest(self, action: game_pb2.GameAction) -> str:
        """Picks it, so that Enter plays it."""
        if self._view is None or not self._picks.pick_action(action):
            return ""
        self._advice = self.texts("table.hint", action=self._view.action_words(action, self.texts))
        return self._advice

    def _play(self) -> None:
        picked = self._picks.picked
        if picked is not None:
            self.play(picked.action)
