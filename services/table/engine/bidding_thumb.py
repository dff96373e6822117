"""Rules of thumb for bidding tricks and playing to the bid, made of what the seat to decide may know."""

from collections.abc import Sequence
from typing import Final

from services.table.engine.cards import BIT, HIGHER, RANK_COUNT, SUIT_OF, cards_of, mask_of
from services.table.engine.tricks import FollowSuit

_BEATEN_IF_DEALT: Final = 0.8
"""How often a higher card that somebody holds beats a card: it may be gone by then. Measured in play among thumbs."""
_ANY_TRUMP: Final = 0.35
"""Tricks that a trump brings at least, by ruffing."""
_HIGH_CARD: Final = 0.95
"""What is left of a side suit's high card for want of the lead."""


def nearest_bid(expected: float, seats: int, cards: int, bids_made: int, bid_sum: int, forbidden: int) -> int:
    """The allowed bid nearest to the tricks that a hand is worth.

    Where the others have claimed much, few tricks are left over, and the other way round.

    Args:
        expected: Tricks that the hand is worth by itself.
        seats: Number of players.
        cards: Cards each.
        bids_made: Bids made before.
        bid_sum: Their sum.
        forbidden: The bid that may not be made; -1 if there is none.
    """
    expected += 0.25 * ((cards - bid_sum) / (seats - bids_made) - cards / seats)
    return min([bid for bid in range(cards + 1) if bid != forbidden], key=lambda bid: abs(bid - expected))


def expected_tricks(hand: int, trump_card: int, pack: Sequence[int], seats: int, cards: int) -> float:
    """How many tricks a hand is worth before the first card is played.

    Args:
        hand: The hand, as a mask.
        trump_card: The turned card; -1 without trump.
        pack: The pack.
        seats: Number of players.
        cards: Cards each.
    """
    trump = SUIT_OF[trump_card] if trump_card >= 0 else 0
    known = hand | (BIT[trump_card] if trump_card >= 0 else 0)
    unseen = mask_of(pack) & ~known
    others = seats - 1
    each = cards / max(unseen.bit_count(), 1)
    beaten = _BEATEN_IF_DEALT * others * each
    value = 0.0
    for card in cards_of(hand):
        higher = (HIGHER[card] & unseen).bit_count()
        on_top = (1.0 - beaten) ** higher
        if BIT[card] & trump:
            value += max(on_top, _ANY_TRUMP)
            continue
        void = (1.0 - each) ** (SUIT_OF[card] & unseen).bit_count()
        trumps = 1.0 - (1.0 - each) ** (trump & unseen).bit_count()
        value += on_top * (1.0 - void * trumps) ** others * (_HIGH_CARD if trump else 1.0)
    return value


def card_to_the_bid(play: FollowSuit, bid: int) -> int:
    """The card of the seat to play that makes for taking exactly as many tricks as were bid."""
    seat = play.seat
    wanted = bid - play.taken[seat]
    strong_first = sorted(cards_of(play.legal()), key=lambda card: -_strength(card, play.trump))
    hand_size = play.hands[seat].bit_count()
    if not play.trick:
        return strong_first[0] if wanted > 0 else strong_first[-1]
    winning = [card for card in strong_first if BIT[card] & play.beats]
    losing = [card for card in strong_first if not BIT[card] & play.beats]
    last = len(play.trick) == play.seats - 1
    if wanted > 0:
        if winning:
            return winning[-1] if last else winning[0]
        # The trick is lost: away with the weakest, unless every card left has to win anyway.
        return losing[-1] if wanted < hand_size else losing[0]
    if losing:
        return losing[0]
    return winning[0] if last else winning[-1]


def _strength(card: int, trump: int) -> int:
    return RANK_COUNT - card % RANK_COUNT + (RANK_COUNT if BIT[card] & trump else 0)
