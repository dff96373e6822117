"""Rentz as one of the games."""

from collections.abc import Sequence

from services.table.engine.game import Deal
from services.table.engine.rentz import notation, sheet, thumb
from services.table.engine.rentz.actions import Action
from services.table.engine.rentz.match import State
from services.table.engine.rentz.options import Options
from services.table.engine.rentz.subgames import SEATS


class Rentz:
    """The rules of Rentz, as RULES.md states them."""

    def __init__(self) -> None:
        self.name: str = "rentz"
        self.sizes: range = range(SEATS, SEATS + 1)

    def new(self, options: Options, seats: int) -> State:
        """A match at its start: who chooses first is to be drawn (GAP-Z4).

        Raises:
            ValueError: If `seats` is not 4 (RZ-1).
        """
        return State(options, seats)

    def options_text(self, options: Options) -> str:
        """Options as one line of text: empty, there are none."""
        return ""

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
