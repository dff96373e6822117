"""Romanian whist as one of the games."""

from collections.abc import Sequence

from services.table.engine.game import Deal
from services.table.engine.whist import notation, sheet, thumb
from services.table.engine.whist.course import SIZES
from services.table.engine.whist.match import Action, State
from services.table.engine.whist.options import Options


class Whist:
    """The rules of Romanian whist, as RULES.md states them."""

    def __init__(self) -> None:
        self.name: str = "whist"
        self.sizes: range = SIZES

    def new(self, options: Options, seats: int) -> State:
        """A match at its start: the first dealer is to be drawn (RW-4).

        Raises:
            ValueError: If `seats` is not 3 to 6 (RW-1), or the options are none.
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
        """The score sheet so far, for people, hand by hand."""
        return sheet.score_sheet(state, names)

    def rule_of_thumb(self, state: State) -> Action:
        """A sensible legal action for the seat to decide, from what that seat may know."""
        return thumb.rule_of_thumb(state)
