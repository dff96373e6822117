"""Arzoi as one of the games."""

from typing import Final

from services.table.engine.arzoi import notation, sheet, thumb
from services.table.engine.arzoi.actions import Action
from services.table.engine.arzoi.match import State
from services.table.engine.arzoi.options import Options
from services.table.engine.game import Game

ARZOI: Final[Game[State, Options, Action]] = Game(
    name="arzoi",
    sizes=range(3, 10),
    decisions=("choose", "bid", "play"),
    new=State,
    options_text=notation.options_text,
    parse_options=notation.parse_options,
    action_text=notation.action_text,
    parse_action=notation.parse_action,
    sheet=sheet.score_sheet,
    rule_of_thumb=thumb.rule_of_thumb,
)
"""The rules of Arzoi, as RULES.md states them."""
