"""What happens in a match of Remi by its rules: the events that `State.apply` returns. Everybody may know them all."""

from dataclasses import dataclass
from enum import Enum

from services.table.engine.remi.actions import Announcement
from services.table.engine.remi.melds import LaidMeld


class Ending(Enum):
    """How a round ended."""

    CLOSED = "closed"
    """Somebody got rid of all tiles (RM-28)."""
    CLOSED_WITH_JOKER = "closed with a Joker"
    """Somebody did, with a Joker as the last tile (RM-29)."""
    PILE_EXHAUSTED = "pile exhausted"
    """The turn in which the last tile of the pile was drawn is over (GAP-R26)."""
    NOTHING_MOVED = "nothing moved"
    """Ten turns for each player passed in which nobody drew from the pile or laid a tile (GAP-R35)."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """Tiles were dealt.

    Attributes:
        number: Number of the round in the match, from 1.
        first: The first player (RM-3).
        turned: The tile that was turned up (RM-2).
    """

    number: int
    first: int
    turned: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """A tile was drawn from the pile; which one, only the player knows."""

    seat: int


@dataclass(frozen=True, slots=True)
class Taken:
    """Tiles were taken from the row.

    Attributes:
        seat: Who took them.
        tiles: The tiles, the lowest first.
    """

    seat: int
    tiles: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TakeUndone:
    """The turn went back to before the take, and a tile was drawn from the pile (GAP-R34).

    Attributes:
        seat: Who undid it.
        tiles: The tiles that went back to the row, the lowest first.
    """

    seat: int
    tiles: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """Somebody laid the first meld.

    Attributes:
        seat: Who did.
        points: What it was worth (RM-14).
    """

    seat: int
    points: int


@dataclass(frozen=True, slots=True)
class Laid:
    """Combinations were laid.

    Attributes:
        seat: Who laid them.
        melds: The combinations as they lie now.
    """

    seat: int
    melds: tuple[LaidMeld, ...]


@dataclass(frozen=True, slots=True)
class Added:
    """A tile was added to a combination.

    Attributes:
        seat: Who added it.
        meld: The combination, by its place on the table.
        tile: The tile.
    """

    seat: int
    meld: int
    tile: int


@dataclass(frozen=True, slots=True)
class Swapped:
    """A Joker was swapped.

    Attributes:
        seat: Who swapped it.
        meld: The combination that it came from, by its place on the table.
        tile: The tile that took its place.
        new_meld: The new combination, the Joker in it.
    """

    seat: int
    meld: int
    tile: int
    new_meld: LaidMeld


@dataclass(frozen=True, slots=True)
class Announced:
    """Something was announced.

    Attributes:
        seat: Who announced it.
        what: What.
    """

    seat: int
    what: Announcement


@dataclass(frozen=True, slots=True)
class Discarded:
    """A tile was discarded, which ended the turn."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class AtuTaken:
    """The Atu was taken, to close with it (RM-11)."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class FewTiles:
    """A player came down to three tiles or fewer (RM-27).

    Attributes:
        seat: Who did.
        tiles: How many tiles are left, 0 to 3.
    """

    seat: int
    tiles: int


@dataclass(frozen=True, slots=True)
class TwoTilesMissed:
    """A player discarded from two tiles without an announcement (RM-26). It is told once a round."""

    seat: int


@dataclass(frozen=True, slots=True)
class PileExhausted:
    """The last tile of the pile was drawn: the round ends with this turn (GAP-R26)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of one seat in a round.

    Attributes:
        laid: Value of what the player had on the table (RM-15, GAP-R24).
        hand: Value of what was left in hand, its own multipliers included (RM-31, GAP-R25).
        atu: Bonus for the Atu (RM-10).
        two_tiles: Bonus for announcing two tiles (GAP-R17).
        closing: Bonus for closing (RM-28).
        factor: By what all this was multiplied: 1, 2 or 4 (RM-12, RM-29, GAP-R20).
        penalty: Penalty for a missed announcement, 0 or 500 (RM-26, GAP-R21).
        melded: The player had melded.
    """

    laid: int
    hand: int
    atu: int
    two_tiles: int
    closing: int
    factor: int
    penalty: int
    melded: bool

    @property
    def points(self) -> int:
        """Points of the round."""
        return (self.closing + self.laid + self.atu + self.two_tiles - self.hand) * self.factor - self.penalty


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A row of the score sheet: one round.

    Attributes:
        number: Number of the round in the match, from 1.
        first: The first player.
        turned: The tile that was turned up.
        ending: How the round ended.
        closer: Who closed; -1 when nobody did.
        cells: One for each seat.
    """

    number: int
    first: int
    turned: int
    ending: Ending
    closer: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """A row was added to the score sheet."""

    row: ScoreRow


Event = (
    Dealt
    | Drawn
    | Taken
    | TakeUndone
    | Opened
    | Laid
    | Added
    | Swapped
    | Announced
    | Discarded
    | AtuTaken
    | FewTiles
    | TwoTilesMissed
    | PileExhausted
    | Scored
)
"""Anything that happens by the rules."""
