"""What a player of Arzoi may do; beside these, chance deals (`Deal`)."""

from dataclasses import dataclass
from typing import Final

from services.table.engine.arzoi.packs import SEPTICA
from services.table.engine.bidding import BIDS, Bid
from services.table.engine.play import PLAYS, Play


@dataclass(frozen=True, slots=True)
class Choose:
    """Choose the next variant (AZ-7).

    Attributes:
        variant: The number of cards of a whist, 2 to 8, or `SEPTICA`.
    """

    variant: int


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave a Septica trick to who holds it (AZ-41)."""


Action = Choose | Bid | Play | Leave
"""Any action of a player: a bid is one of whist (AZ-14); the opener of a Septica trick also plays to go on (AZ-41)."""

CHOICES: Final[dict[int, Choose]] = {variant: Choose(variant) for variant in (2, 3, 4, 5, 6, 7, 8, SEPTICA)}
LEAVE: Final = Leave()

__all__ = ["BIDS", "CHOICES", "LEAVE", "PLAYS", "Action", "Bid", "Choose", "Leave", "Play"]
