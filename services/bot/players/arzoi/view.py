"""What one seat sees of a match of Arzoi, as bots think about it.

The same view is read from a turn of the work queue (`reading`) and from a state of the engine (`observing`), so that
the arena measures exactly what plays at the tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from services.bot.players.tricks.view import TrickView
from services.table.engine.arzoi.actions import Action
from services.table.engine.arzoi.events import Part
from services.table.engine.arzoi.packs import SIZES, Size
from services.table.engine.arzoi.position import Phase

_FOLLOWING = (Part.WHIST, Part.TOTALE_MINUS, Part.TOTALE_PLUS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArzoiView(TrickView):
    """A decision to be made, and all that its seat may know.

    Attributes:
        phase: Which kind of decision.
        part: What is played; None while a variant is chosen.
        variants_left: Variants that can still be chosen.
        round: Round of the part, from 1.
        rounds: Rounds that the part has at most.
        attempt: Attempt at the round, from 1.
        multiplier: What the points of this attempt are multiplied by.
        legal: Everything the seat may do, in the game's order.
        points: Points of the cards taken by each seat; Totale and Septica.
        burned: Whether each seat has burned in this orbit.
        stock: Cards left to draw in Septica.
        teams: Teams in Septica; 0 outside.
    """

    phase: Phase
    part: Part | None
    variants_left: tuple[int, ...]
    round: int
    rounds: int
    attempt: int
    multiplier: int
    legal: tuple[Action, ...]
    points: tuple[int, ...]
    burned: tuple[bool, ...]
    stock: int
    teams: int

    @property
    def size(self) -> Size:
        """The row of AZ-4."""
        return SIZES[self.seats]

    @property
    def pack(self) -> Sequence[int]:
        """The cards of the pack."""
        return SIZES[self.seats].pack

    @property
    def follows_suit(self) -> bool:
        """Everywhere but in Septica (AZ-18, AZ-32, AZ-39)."""
        return self.part in _FOLLOWING
