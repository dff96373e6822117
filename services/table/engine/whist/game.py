"""Romanian whist as one of the games."""

from typing import Final

from services.table.engine.game import Game
from services.table.engine.whist import notation, sheet, thumb
from services.table.engine.whist.course import SIZES
from services.table.engine.whist.match import Action, State
from services.table.engine.whist.options import Options

WHIST: Final[Game[State, Options, Action]] = Game(
    name="whist",
    sizes=SIZES,
    decisions=("bid", "play"),
    new=State,
    options_text=notation.options_text,
    parse_options=notation.parse_options,
    action_text=notation.action_text,
    parse_action=notation.parse_action,
    sheet=sheet.score_sheet,
    rule_of_thumb=thumb.rule_of_thumb,
)
"""The rules of Romanian whist, as RULES.md states them."""
