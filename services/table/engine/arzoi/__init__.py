"""The rules of Arzoi: RULES.md beside this file states them, statement by statement."""

from services.table.engine.arzoi.actions import Action, Bid, Choose, Leave, Play
from services.table.engine.arzoi.events import (
    BiddingEnded,
    Cell,
    Dealt,
    Event,
    OrbitEnded,
    Part,
    Scored,
    ScoreRow,
    TrickTaken,
)
from services.table.engine.arzoi.game import ARZOI
from services.table.engine.arzoi.match import State
from services.table.engine.arzoi.options import Options
from services.table.engine.arzoi.packs import SEPTICA, SIZES, Size
from services.table.engine.arzoi.position import Phase

__all__ = [
    "ARZOI",
    "SEPTICA",
    "SIZES",
    "Action",
    "Bid",
    "BiddingEnded",
    "Cell",
    "Choose",
    "Dealt",
    "Event",
    "Leave",
    "Options",
    "OrbitEnded",
    "Part",
    "Phase",
    "Play",
    "ScoreRow",
    "Scored",
    "Size",
    "State",
    "TrickTaken",
]
