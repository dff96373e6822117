"""What a round of Remi brings: the cell of one player on the score sheet (RM-28 to RM-32)."""

from collections.abc import Iterable
from typing import Final

from services.table.engine.remi.events import Cell, Ending
from services.table.engine.remi.melds import LaidMeld
from services.table.engine.remi.tiles import COLOUR_OF, NUMBER_OF, Hand

CLOSING: Final = 100
"""Points for closing (RM-28)."""
ATU: Final = 50
"""Points for announcing the tile identical to the Atu (RM-10)."""
TWO_TILES: Final = 25
"""Points of the winner for announcing two tiles (RM-30)."""
MISSED: Final = 500
"""What it costs to miss that announcement (RM-26)."""


def is_doubled(turned: int) -> bool:
    """Whether the tile that was turned up doubles the score of the round: an ace does (RM-12), a Joker not (GAP-R6)."""
    return NUMBER_OF[turned] == 1


def laid_points(melds: Iterable[LaidMeld], seat: int) -> int:
    """Value of the tiles that `seat` has on the table (RM-15, GAP-R24)."""
    total = 0
    for meld in melds:
        total += meld.points_of(seat)
    return total


def hand_points(hand: Hand, turned: int, melded: bool) -> int:
    """Value of the tiles left in hand (RM-31, RM-32, GAP-R25).

    Args:
        hand: The tiles.
        turned: The tile that was turned up: those of its colour count twice.
        melded: The player had melded; everything counts twice for who had not.
    """
    return hand.value(COLOUR_OF[turned]) * (1 if melded else 2)


def cell(
    laid: int,
    hand: Hand,
    turned: int,
    ending: Ending | None,
    melded: bool,
    atu_announced: bool,
    two_tiles_announced: bool,
    two_tiles_missed: bool,
) -> Cell:
    """The result of one player.

    Args:
        laid: Value of what the player has on the table.
        hand: What is left in hand.
        turned: The tile that was turned up.
        ending: How the player closed the round; None for who did not close.
        melded: Had melded.
        atu_announced: Announced the Atu.
        two_tiles_announced: Announced two tiles.
        two_tiles_missed: Missed to.
    """
    factor = 2 if is_doubled(turned) else 1
    closing = two_tiles = 0
    if ending is not None:
        closing = CLOSING
        two_tiles = TWO_TILES if two_tiles_announced and not two_tiles_missed else 0
        factor *= 2 if ending is Ending.CLOSED_WITH_JOKER else 1
    return Cell(
        laid=laid,
        hand=hand_points(hand, turned, melded),
        atu=ATU if atu_announced else 0,
        two_tiles=two_tiles,
        closing=closing,
        factor=factor,
        penalty=MISSED if two_tiles_missed else 0,
        melded=melded,
    )
