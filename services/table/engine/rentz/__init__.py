"""The rules of Rentz: RULES.md beside this file states them, statement by statement."""

from services.table.engine.first_dealer import DealerDrawn
from services.table.engine.rentz.actions import Action, Choose, Play
from services.table.engine.rentz.events import (
    Chosen,
    Dealt,
    Event,
    Finished,
    MovesAgain,
    Passed,
    Placed,
    Scored,
    ScoreRow,
    TrickTaken,
    Waited,
)
from services.table.engine.rentz.game import RENTZ
from services.table.engine.rentz.layout import PASSED, REWARDS, WAITED, LayoutHand, Move, layout_hand
from services.table.engine.rentz.match import State
from services.table.engine.rentz.options import Options
from services.table.engine.rentz.position import HANDS, Phase
from services.table.engine.rentz.subgames import PACK, SUBGAMES, TRICK_SCORINGS, Subgame, TrickScoring
from services.table.engine.rentz.tricks import TrickHand, trick_hand

__all__ = [
    "HANDS",
    "PACK",
    "PASSED",
    "RENTZ",
    "REWARDS",
    "SUBGAMES",
    "TRICK_SCORINGS",
    "WAITED",
    "Action",
    "Choose",
    "Chosen",
    "DealerDrawn",
    "Dealt",
    "Event",
    "Finished",
    "LayoutHand",
    "Move",
    "MovesAgain",
    "Options",
    "Passed",
    "Phase",
    "Placed",
    "Play",
    "ScoreRow",
    "Scored",
    "State",
    "Subgame",
    "TrickHand",
    "TrickScoring",
    "TrickTaken",
    "Waited",
    "layout_hand",
    "trick_hand",
]
