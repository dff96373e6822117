"""Rules of thumb for play in which the cards taken are worth points, to be dodged or to be hunted."""

from collections.abc import Callable, Sequence

from services.table.engine.cards import BIT, HIGHER, RANK_COUNT, SUIT_OF, cards_of, mask_of
from services.table.engine.tricks import FollowSuit


def card_for_points(play: FollowSuit, pack: Sequence[int], worth: Callable[[int], int], hunting: bool) -> int:
    """The card of the seat to play that takes few points, or many. Only what that seat knows is looked at.

    Args:
        play: The play, without trump.
        pack: The pack.
        worth: What a set of cards, a mask, is worth to who takes them in a trick: 0 or more, a single card a few.
        hunting: The points are wanted; otherwise they are dodged.
    """
    cards = cards_of(play.legal())
    last = len(play.trick) == play.seats - 1
    if not play.trick:
        seen = mask_of([card for trick in play.history for card in trick.cards]) | play.hands[play.seat]
        unseen = mask_of(pack) & ~seen
        if hunting:
            return min(cards, key=lambda card: ((HIGHER[card] & unseen).bit_count(), card))
        return max(cards, key=lambda card: _safety(card, unseen, worth))
    winning = [card for card in cards if BIT[card] & play.beats]
    losing = [card for card in cards if not BIT[card] & play.beats]
    lying = worth(mask_of(play.trick))
    if hunting:
        if winning and (lying or not last or not losing):
            return winning[0] if not last else max(winning, key=lambda card: (worth(BIT[card]), card))
        return min(losing, key=lambda card: (worth(BIT[card]), -(card % RANK_COUNT)))
    if losing:
        return max(losing, key=lambda card: (worth(BIT[card]), -(card % RANK_COUNT)))
    if last:
        return min(winning, key=lambda card: (worth(BIT[card]), card))
    return max(winning, key=lambda card: card % RANK_COUNT)


def _safety(card: int, unseen: int, worth: Callable[[int], int]) -> tuple[int, int]:
    """How unlikely it is that a lead of `card` takes points: how many unseen cards beat it, less its own points."""
    above = (HIGHER[card] & unseen).bit_count()
    in_suit = (SUIT_OF[card] & unseen).bit_count()
    return (min(above, 3) - (2 if in_suit == 0 else 0) - worth(BIT[card]), card % RANK_COUNT)
