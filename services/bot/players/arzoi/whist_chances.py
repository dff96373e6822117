"""How many tricks a hand of whist will take: a chance for each card, put together to a distribution (AZ-17)."""

from collections.abc import Mapping, Sequence

from services.bot.players.arzoi.counting import Counted
from services.table.engine.arzoi import whist
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
    """The chance that a low trump takes a trick in which the seat has to trump (AZ-18)."""
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


def expected_points(spread: Sequence[float], needed: int, bid: int, cards: int, premium: float) -> float:
    """The points to expect of a round, the multiplier left out.

    Args:
        spread: The chance of each number of tricks to come.
        needed: How many of them make the bid; negative when there are too many already.
        bid: The bid.
        cards: Cards each at the deal.
        premium: What not burning is worth besides (AZ-24).
    """
    made = whist.points(bid, bid, cards, 1) + premium
    total = 0.0
    for tricks, weight in enumerate(spread):
        total += weight * (made if tricks == needed else -abs(tricks - needed))
    return total


def perfect_premium(counted: Counted) -> float:
    """What not to burn in this round is worth for the sake of a perfect orbit (AZ-24), to a seat that has not burned.

    A burn costs the chance of the bonus; the chance shrinks with every round still to come. When all others have
    burned, an own burn also ends the orbit early (AZ-27).
    """
    view = counted.view
    if view.burned[view.seat]:
        return 0.0
    return float(whist.PERFECT) * 0.6 ** max(view.rounds - view.round, 0)
