"""Remi as one of the games."""

from typing import Final

from services.table.engine.game import Game
from services.table.engine.remi import notation, sheet, thumb
from services.table.engine.remi.actions import Action
from services.table.engine.remi.match import State
from services.table.engine.remi.options import SIZES, Options

REMI: Final[Game[State, Options, Action]] = Game(
    name="remi",
    sizes=SIZES,
    decisions=("turn",),
    new=State,
    options_text=notation.options_text,
    parse_options=notation.parse_options,
    action_text=notation.action_text,
    parse_action=notation.parse_action,
    sheet=sheet.score_sheet,
    rule_of_thumb=thumb.rule_of_thumb,
)
"""The rules of Remi, as RULES.md states them."""
