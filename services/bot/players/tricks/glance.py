"""How a novice sees it: the own hand and the trick on the table, counting nothing, and sometimes carelessly."""

import random
from collections.abc import Callable, Sequence
from typing import Final

from services.bot.players.tricks.counting import beats, winning_card
from services.bot.players.tricks.view import TrickView
from services.table.engine.bidding import Bid
from services.table.engine.cards import BIT, cards_of
from services.table.engine.play import Play

CARELESS: Final = 0.2
"""How often a novice plays any card that is allowed."""
_MISJUDGES: Final = 0.3
"""How often its bid is one beside what it thinks."""


def guess_bid(view: TrickView, rng: random.Random) -> Bid:
    """Counts aces, kings and half of the trumps, and sometimes miscounts."""
    strength = 0.0
    for card in cards_of(view.hand):
        rank = card % 14
        if BIT[card] & view.trump:
            strength += 0.9 if rank <= 2 else 0.4
        else:
            strength += (0.7, 0.4, 0.1)[rank] if rank <= 2 else 0.0
    aim = round(strength)
    if rng.random() < _MISJUDGES:
        aim += rng.choice((-1, 1))
    bids = [action for action in view.legal if isinstance(action, Bid)]
    return min(bids, key=lambda bid: (abs(bid.tricks - aim), bid.tricks))


def follow(view: TrickView, wants: bool, shed: Callable[[Sequence[Play]], Play] | None = None) -> Play:
    """The highest card when it wants the trick and can have it, otherwise the lowest; the reverse when it does not.

    Args:
        view: What the seat sees.
        wants: It wants the trick.
        shed: Which of the cards that do not take an unwanted trick to play, lowest first; None for the highest.
    """
    plays = [action for action in view.legal if isinstance(action, Play)]
    low_to_high = sorted(plays, key=lambda play: (-(play.card % 14), play.card))
    best_card, _ = winning_card(view)
    if not view.trick:
        return low_to_high[-1] if wants else low_to_high[0]
    taking = [play for play in low_to_high if beats(play.card, best_card, view.trump)]
    losing = [play for play in low_to_high if play not in taking]
    if wants:
        return taking[-1] if taking else low_to_high[0]
    if losing:
        return losing[-1] if shed is None else shed(losing)
    return low_to_high[0]
