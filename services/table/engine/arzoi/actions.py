"""What a player of Arzoi may do; beside these, chance deals (`Deal`)."""

from dataclasses import dataclass
from typing import Final

from services.table.engine.arzoi.packs import SEPTICA
from services.table.engine.cards import CARD_COUNT


@dataclass(frozen=True, slots=True)
class Choose:
    """Choose the next variant (AZ-7).

    Attributes:
        variant: The number of cards of a whist, 2 to 8, or `SEPTICA`.
    """

    variant: int


@dataclass(frozen=True, slots=True)
class Bid:
    """Bid so many tricks (AZ-14)."""

    tricks: int


@dataclass(frozen=True, slots=True)
class Play:
    """Play a card; where the opener of a Septica trick decides, go on with it (AZ-41)."""

    card: int


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave a Septica trick to who holds it (AZ-41)."""


Action = Choose | Bid | Play | Leave
"""Any action of a player."""

CHOICES: Final[dict[int, Choose]] = {variant: Choose(variant) for variant in (2, 3, 4, 5, 6, 7, 8, SEPTICA)}
BIDS: Final[tuple[Bid, ...]] = tuple([Bid(tricks) for tricks in range(9)])
PLAYS: Final[tuple[Play, ...]] = tuple([Play(card) for card in range(CARD_COUNT)])
LEAVE: Final = Leave()
