"""The packs of Arzoi and what is played at each number of players (AZ-4), as one table."""

from dataclasses import dataclass
from typing import Final

from services.table.engine.cards import RANK_CARDS, RANKS, pack_of

SEPTICA: Final = 9
"""The variant Septica; a whist is named by its number of cards, 2 to 8, so that variants sort as they are listed."""


@dataclass(frozen=True)
class Size:
    """What is played at one number of players: a row of AZ-4, with what follows from it.

    Attributes:
        seats: Number of players.
        ranks: Ranks in the pack, from the ace down.
        pack: The pack, ascending.
        whist_max: Cards of the greatest whist; the least is 2.
        totale_cards: Cards each in a Totale.
        teams: Teams in Septica; 0 where it is not played (AZ-5).
        cutters: The cards that cut in Septica, as a mask (AZ-38, GAP-A14).
        septica_points: The cards that count one point each in Septica, as a mask (AZ-38, GAP-A16).
        all_variants: The variants of a match, whists ascending, Septica last (AZ-7).
    """

    seats: int
    ranks: int
    pack: tuple[int, ...]
    whist_max: int
    totale_cards: int
    teams: int
    cutters: int
    septica_points: int
    all_variants: tuple[int, ...]

    def variants(self, no_whist_of_2: bool) -> tuple[int, ...]:
        """The variants of a match, with or without the whist of 2 (AZ-52, GAP-A22)."""
        return self.all_variants[1:] if no_whist_of_2 else self.all_variants


def _of_ranks(ranks: str) -> int:
    return sum([RANK_CARDS[RANKS.index(rank)] for rank in ranks])


def _row(seats: int, lowest: str, whist_max: int, totale_cards: int, teams: int, cutters: str, points: str) -> Size:
    ranks = RANKS.index(lowest) + 1
    whists = tuple(range(2, whist_max + 1))
    return Size(
        seats=seats,
        ranks=ranks,
        pack=pack_of(ranks),
        whist_max=whist_max,
        totale_cards=totale_cards,
        teams=teams,
        cutters=_of_ranks(cutters),
        septica_points=_of_ranks(points),
        all_variants=(*whists, SEPTICA) if teams else whists,
    )


SIZES: Final[dict[int, Size]] = {
    row.seats: row
    for row in (
        # seats, lowest card, greatest whist, cards each at Totale, Septica: teams, cutters, point cards
        _row(3, "9", 8, 8, 0, "", ""),
        _row(4, "7", 8, 8, 2, "7", "AT"),
        _row(5, "5", 8, 8, 0, "", ""),
        _row(6, "3", 8, 8, 2, "78", "AKT"),
        _row(7, "3", 6, 6, 0, "", ""),  # GAP-A1
        _row(8, "3", 6, 6, 2, "78", "AKT"),
        _row(9, "1", 6, 6, 3, "78", "AKT"),  # GAP-A14
    )
}
"""The row of each number of players (AZ-4, GAP-A1)."""
