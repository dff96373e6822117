"""What a player of Rentz may do; beside these, chance deals (`Deal`)."""

from dataclasses import dataclass
from typing import Final

from services.table.engine.play import PLAYS, Play
from services.table.engine.rentz.subgames import SUBGAMES, Subgame


@dataclass(frozen=True, slots=True)
class Choose:
    """Choose what this hand is played for (RZ-3)."""

    subgame: Subgame


Action = Choose | Play
"""Any action of a player: a card is played to the trick (RZ-5) or to the layout (RZ-13)."""

CHOICES: Final[dict[Subgame, Choose]] = {subgame: Choose(subgame) for subgame in SUBGAMES}
"""Choosing each subgame."""

__all__ = ["CHOICES", "PLAYS", "Action", "Choose", "Play"]
