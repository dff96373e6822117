"""Rentz as one of the games."""

from typing import Final

from services.table.engine.game import Game
from services.table.engine.rentz import notation, sheet, thumb
from services.table.engine.rentz.actions import Action
from services.table.engine.rentz.match import State
from services.table.engine.rentz.options import Options
from services.table.engine.rentz.subgames import SEATS

RENTZ: Final[Game[State, Options, Action]] = Game(
    name="rentz",
    sizes=range(SEATS, SEATS + 1),
    decisions=("choose", "play"),
    new=State,
    options_text=notation.options_text,
    parse_options=notation.parse_options,
    action_text=notation.action_text,
    parse_action=notation.parse_action,
    sheet=sheet.score_sheet,
    rule_of_thumb=thumb.rule_of_thumb,
)
"""The rules of Rentz, as RULES.md states them."""
