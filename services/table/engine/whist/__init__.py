"""The rules of Romanian whist: RULES.md beside this file states them, statement by statement."""

from services.table.engine.bidding import Bid
from services.table.engine.first_dealer import DealerDrawn
from services.table.engine.play import Play
from services.table.engine.whist.course import DEALS, PACKS
from services.table.engine.whist.events import (
    BiddingEnded,
    Cell,
    Dealt,
    Event,
    Scored,
    ScoreRow,
    TrickTaken,
)
from services.table.engine.whist.game import WHIST
from services.table.engine.whist.match import Action, State
from services.table.engine.whist.options import PATTERNS, PREMIUMS, Options, Pattern
from services.table.engine.whist.position import Phase
from services.table.engine.whist.scoring import Streak

__all__ = [
    "DEALS",
    "PACKS",
    "PATTERNS",
    "PREMIUMS",
    "WHIST",
    "Action",
    "Bid",
    "BiddingEnded",
    "Cell",
    "DealerDrawn",
    "Dealt",
    "Event",
    "Options",
    "Pattern",
    "Phase",
    "Play",
    "ScoreRow",
    "Scored",
    "State",
    "Streak",
    "TrickTaken",
]
