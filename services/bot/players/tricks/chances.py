"""How many tricks a hand will take: a chance for each card, put together to a distribution."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.bot.players.tricks.counting import Counted
from services.table.engine.cards import BIT, SUIT_CARDS, SUIT_OF, cards_of

_EAGER_NEEDY = 0.85
"""How often a player who needs tricks plays higher when it could also play lower."""
_EAGER_DONE = 0.2
"""The same for one who needs no more."""
_EAGER_UNKNOWN = 0.65
"""The same in tricks to come."""
_VOID_RUFF = 0.33
"""The chance that a suit the hand is out of brings a trick to a low trump."""
_SINGLETON_RUFF = 0.12
"""The same for a suit with one card."""
_LED_TO_ME = 0.45
"""The chance that a suit is led by others while a card of it waits, with a single card left."""
_LED_TO_ME_EACH = 0.1
"""More for each further card."""
_CROWD_RUFF = 0.5
_CROWD_LED = 0.2
"""At more than four players both are smaller: by these powers of the share of opponents, measured in the arena."""


def eagerness(counted: Counted) -> tuple[float, ...]:
    """For each seat how often it plays higher when it could also play lower, by what it still needs."""
    view = counted.view
    eager = []
    for seat in range(view.seats):
        bid = view.bids[seat]
        if bid is None:
            eager.append(_EAGER_UNKNOWN)
        else:
            eager.append(_EAGER_NEEDY if bid > view.tricks[seat] else _EAGER_DONE)
    return tuple(eager)


def lead_chances(counted: Counted, eager: tuple[float, ...]) -> dict[int, float]:
    """For each card of the seat's hand the chance that it takes a trick that it leads.

    Args:
        counted: What is known.
        eager: For each seat how often it plays higher when it could also play lower.
    """
    view = counted.view
    others = [seat for seat in range(view.seats) if seat != view.seat and view.cards[seat]]
    chances = {}
    for card in cards_of(view.hand):
        suit = SUIT_OF[card]
        chance = 1.0
        for seat in others:
            chance *= 1.0 - counted.beaten_by(seat, card, suit, eager[seat])
        chances[card] = chance
    return chances


def later_chances(counted: Counted, leading: Mapping[int, float], hand: int, on_lead: bool) -> list[float]:
    """For each card of `hand` the chance that it takes a trick in the rest of the round.

    Args:
        counted: What is known.
        leading: What `lead_chances` says.
        hand: The seat's cards in those tricks.
        on_lead: The seat leads the first of them.
    """
    trump = counted.view.trump
    crowd = min(1.0, 3 / (counted.view.seats - 1))
    led = min(1.0, _LED_TO_ME + _LED_TO_ME_EACH * (hand.bit_count() - 1)) * crowd**_CROWD_LED
    available = 1.0 if on_lead else led
    ruffing = _ruffing(counted, hand) * crowd**_CROWD_RUFF
    chances = []
    for card in cards_of(hand):
        if BIT[card] & trump:
            chances.append(1.0 - (1.0 - leading[card]) * (1.0 - ruffing))
        else:
            chances.append(leading[card] * available)
    return chances


def _ruffing(counted: Counted, hand: int) -> float:
    """The chance that a low trump takes a trick in which the seat has to trump."""
    trump = counted.view.trump
    if not trump:
        return 0.0
    none = 1.0
    for suit in SUIT_CARDS:
        if suit == trump or not suit & counted.unseen:
            continue
        held = (hand & suit).bit_count()
        if held == 0:
            none *= 1.0 - _VOID_RUFF
        elif held == 1:
            none *= 1.0 - _SINGLETON_RUFF
    return 1.0 - none


def distribution(chances: Sequence[float]) -> list[float]:
    """The chance of each number of tricks, from independent chances of the cards."""
    spread = [1.0]
    for chance in chances:
        longer = [0.0] * (len(spread) + 1)
        for tricks, weight in enumerate(spread):
            longer[tricks] += weight * (1.0 - chance)
            longer[tricks + 1] += weight * chance
        spread = longer
    return spread


@dataclass(frozen=True, slots=True)
class Stakes:
    """What a deal is played for, beside the point for each trick too many or too few.

    Attributes:
        made: Points for making each bid, by the bid, all that it leads to included.
        missed: What missing the bid costs, however narrowly.
    """

    made: Sequence[float]
    missed: float = 0.0


def expected_points(spread: Sequence[float], needed: int, bid: int, stakes: Stakes) -> float:
    """The points to expect of a deal.

    Args:
        spread: The chance of each number of tricks to come.
        needed: How many of them make the bid; negative when there are too many already.
        bid: The bid.
        stakes: What is played for.
    """
    made = stakes.made[bid]
    total = 0.0
    for tricks, weight in enumerate(spread):
        total += weight * (made if tricks == needed else -abs(tricks - needed) - stakes.missed)
    return total
