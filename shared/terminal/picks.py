"""What the player may pick now, and which of it is picked: lit cards first, then bids, variants and the like."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shared.gen.levata.table.v1 import game_pb2
from shared.terminal.games.view import Choice, HandCard


@dataclass(frozen=True, slots=True)
class Pick:
    """One possibility: the action, the key for it, and where it is shown: a card of the hand or a choice."""

    action: game_pb2.GameAction
    key: str
    card: int | None = None
    choice: int | None = None


class Picks:
    """The possibilities of one decision in the order of the screen, and a cursor among them.

    A single possibility is picked by itself; of several none is, until the player picks one.
    """

    def __init__(self, cards: Sequence[HandCard] = (), choices: Sequence[Choice] = ()) -> None:
        self.items: list[Pick] = [
            Pick(card.action, str(index + 1), card=index) for index, card in enumerate(cards) if card.action is not None
        ]
        self.items += [Pick(choice.action, choice.key, choice=index) for index, choice in enumerate(choices)]
        self._at: int | None = 0 if len(self.items) == 1 else None

    @property
    def picked(self) -> Pick | None:
        """What Enter would do."""
        return None if self._at is None else self.items[self._at]

    def step(self, by: int) -> None:
        """Moves to the next possibility on the right (1) or the left (-1), round and round."""
        if not self.items:
            return
        if self._at is None:
            self._at = 0 if by > 0 else len(self.items) - 1
        else:
            self._at = (self._at + by) % len(self.items)

    def pick_key(self, key: str) -> bool:
        """Picks the possibility with that key; False when there is none."""
        return self._pick(lambda item: item.key == key)

    def pick_card(self, index: int) -> bool:
        """Picks a card of the hand; False when it may not be played."""
        return self._pick(lambda item: item.card == index)

    def pick_choice(self, index: int) -> bool:
        """Picks a choice; False when there is none of that number."""
        return self._pick(lambda item: item.choice == index)

    def pick_action(self, action: game_pb2.GameAction) -> bool:
        """Picks an action, as a hint names it; False when it is not possible."""
        return self._pick(lambda item: item.action == action)

    def same(self, other: "Picks") -> bool:
        """Whether the same can be picked in both, in the same places."""
        return self.items == other.items

    def _pick(self, wanted: Callable[[Pick], bool]) -> bool:
        for index, item in enumerate(self.items):
            if wanted(item):
                self._at = index
                return True
        return False
