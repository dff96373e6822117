"""Remi as one of the games."""

from collections.abc import Sequence

from services.table.engine.game import Deal
from services.table.engine.remi import notation, sheet, thumb
from services.table.engine.remi.actions import Action
from services.table.engine.remi.match import State
from services.table.engine.remi.options import SIZES, Options


class Remi:
    """The rules of Remi, as RULES.md states them."""

    def __init__(self) -> None:
        self.name: str = "remi"
        self.sizes: range = SIZES

    def new(self, options: Options, seats: int) -> State:
        """A match at its start: the first deal is due.

        Raises:
            ValueError: If `seats` is not 2 to 4 (GAP-R1), or there are not 1 to 20 rounds (GAP-R27).
        """
        return State(options, seats)

    def options_text(self, options: Options) -> str:
        """Options as one line of text; empty for the defaults."""
        return notation.options_text(options)

    def parse_options(self, text: str) -> Options:
        """The options that `options_text` wrote. Raises `NotationError`."""
        return notation.parse_options(text)

    def action_text(self, action: Action | Deal) -> str:
        """An action, deals included, as text without line breaks."""
        return notation.action_text(action)

    def parse_action(self, text: str) -> Action | Deal:
        """The action that `action_text` wrote. Raises `NotationError`."""
        return notation.parse_action(text)

    def score_sheet(self, state: State, names: Sequence[str] = ()) -> str:
        """The score sheet so far, for people, round by round."""
        return sheet.score_sheet(state, names)

    def rule_of_thumb(self, state: State) -> Action:
        """A sensible legal action for the seat to decide, from what that seat may know."""
        return thumb.rule_of_thumb(state)
