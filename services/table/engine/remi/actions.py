"""What a player of Remi may do; beside these, chance deals (`Deal`).

Tiles are kinds, as `tiles.py` numbers them. Combinations on the table are named by their places in `State.melds`, which
do not change within a round.
"""

from dataclasses import dataclass
from typing import Final, Literal

Tiles = tuple[int, ...]
"""The tiles of one combination: a run in ascending order, in which a Joker stands for the tile of its place, or a set
in any order (GAP-R9, GAP-R38)."""

End = Literal["", "low", "high"]
"""An end of a run: before its lowest tile or after its highest; empty for wherever the tile fits."""
Announcement = Literal["atu", "two_tiles"]
"""What may be announced: the tile identical to the Atu (RM-10), or two tiles left (RM-25)."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw the top tile of the pile (RM-16)."""


@dataclass(frozen=True, slots=True)
class Take:
    """Take a tile of the discard row and all above it (RM-18 to RM-21).

    Attributes:
        place: The place of the lowest of them in the row; 0 is the dead tile, which is never taken (RM-17).
    """

    place: int


@dataclass(frozen=True, slots=True)
class UndoTake:
    """Give back what was taken from the row, undo what was done since, and draw from the pile instead (GAP-R13)."""


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay new combinations. A player's first meld is one such action with all its combinations (GAP-R33).

    Attributes:
        melds: The combinations, one or more.
    """

    melds: tuple[Tiles, ...]


@dataclass(frozen=True, slots=True)
class Add:
    """Add one tile to a combination on the table (RM-22).

    Attributes:
        meld: The combination.
        tile: The tile.
        end: The end of a run. It need not be named unless the tile fits at both; a set has none.
    """

    meld: int
    tile: int
    end: End = ""


@dataclass(frozen=True, slots=True)
class SwapJoker:
    """Take a Joker from the table, its own tile in its place, and lay it in a new combination at once (RM-9, GAP-R10).

    Attributes:
        meld: The combination that the Joker is in.
        place: The place of the Joker in it, from 0 (GAP-R38).
        tile: The tile that takes its place.
        new_meld: The new combination, a Joker in it.
    """

    meld: int
    place: int
    tile: int
    new_meld: Tiles


@dataclass(frozen=True, slots=True)
class Announce:
    """Announce something.

    Attributes:
        what: What is announced.
    """

    what: Announcement


@dataclass(frozen=True, slots=True)
class Discard:
    """Discard a tile, which ends the turn (RM-16).

    Attributes:
        tile: The tile.
    """

    tile: int


@dataclass(frozen=True, slots=True)
class CloseWithAtu:
    """Take the Atu instead of drawing, and close with it (RM-11, GAP-R15, GAP-R36).

    Attributes:
        melds: New combinations, the Atu in one of them. They come first.
        additions: Additions, in this order. A combination of `melds` has the place that it gets on the table.
        discard: The last tile; None when none is left.
    """

    melds: tuple[Tiles, ...]
    additions: tuple[Add, ...] = ()
    discard: int | None = None


Step = Take | Lay | Add | SwapJoker | Announce | Discard | CloseWithAtu
"""What may be done in one action with others. Drawing and undoing may not: the next tile of the pile would be known by
what is refused."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Several actions at once, all of them or none: the same as one after another.

    Attributes:
        steps: The actions in their order, one or more.
    """

    steps: tuple[Step, ...]


Action = Draw | UndoTake | Step | Turn
"""Any action of a player."""

DRAW: Final = Draw()
UNDO_TAKE: Final = UndoTake()
ANNOUNCE_ATU: Final = Announce("atu")
ANNOUNCE_TWO_TILES: Final = Announce("two_tiles")
