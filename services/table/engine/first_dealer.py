"""Drawing for the first deal of a match, as at a real table.

There is no chance in the engine, so who deals first is left to a shuffled pack, like everything else: each seat draws a
card, and the highest deals. It is a pack of its own: nothing of a hand can be read off the draw.
"""

from dataclasses import dataclass

from services.table.engine.cards import RANK_COUNT


@dataclass(frozen=True, slots=True)
class DealerDrawn:
    """Everybody drew a card for the first deal.

    Attributes:
        cards: The card of each seat.
        dealer: The seat with the highest one, which deals first.
    """

    cards: tuple[int, ...]
    dealer: int


def draw_dealer(pack: tuple[int, ...], seats: int) -> DealerDrawn:
    """Seat i draws card i of the shuffled pack.

    The highest rank deals first; of equal ranks the suit decides, in the order spades, hearts, diamonds, clubs.
    """
    drawn = pack[:seats]
    return DealerDrawn(drawn, min(range(seats), key=lambda seat: (drawn[seat] % RANK_COUNT, drawn[seat])))
