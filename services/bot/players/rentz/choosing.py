"""Choosing a subgame: what the hand promises now, against what the same choice may be worth with a hand to come."""

import random
from collections.abc import Sequence
from functools import cache
from typing import Final

from services.bot.players.rentz.prospects import promise
from services.bot.players.rentz.view import RentzView
from services.table.engine.cards import RANK_CARDS, RANKS, mask_of
from services.table.engine.rentz import PACK, SUBGAMES, Choose, Subgame
from services.table.engine.rentz.subgames import HAND

_HANDS_TO_COME: Final = 240
"""So many hands stand for all those that may come."""
_SEED: Final = "hands to come"
_MISJUDGES: Final = 0.3
"""How often a novice takes any subgame."""
_HIGH: Final = RANK_CARDS[RANKS.index("A")] | RANK_CARDS[RANKS.index("K")] | RANK_CARDS[RANKS.index("Q")]


def by_prospects(view: RentzView) -> Choose:
    """The choice that promises most, this hand and all the choices after it taken together (GAP-Z3)."""
    choices = [action for action in view.legal if isinstance(action, Choose)]
    left = sum([_place(choice.subgame) for choice in choices])
    worth = worth_of_choices()
    return max(choices, key=lambda choice: promise(choice.subgame, view.hand) + worth[left & ~_place(choice.subgame)])


@cache
def worth_of_choices() -> Sequence[float]:
    """For each set of subgames that are left to choose, by `_place`, what choosing them promises in all.

    With every hand that comes the best of what is left is chosen, so a set is worth the mean, over hands, of the best
    promise and what the rest is worth after it.
    """
    chance = random.Random(_SEED)
    hands = [mask_of(chance.sample(PACK, HAND)) for _ in range(_HANDS_TO_COME)]
    promises = [[promise(subgame, hand) for subgame in SUBGAMES] for hand in hands]
    worth = [0.0] * (1 << len(SUBGAMES))
    for left in range(1, len(worth)):
        after = [(index, worth[left & ~(1 << index)]) for index in range(len(SUBGAMES)) if left >> index & 1]
        best = [max([promised[index] + rest for index, rest in after]) for promised in promises]
        worth[left] = sum(best) / len(best)
    return worth


def _place(subgame: Subgame) -> int:
    """The bit of a subgame in a set of them."""
    return 1 << SUBGAMES.index(subgame)


def at_a_glance(view: RentzView, rng: random.Random) -> Choose:
    """A novice's choice: something to be won with high cards, something to be dodged with low ones, or anything."""
    choices = [action for action in view.legal if isinstance(action, Choose)]
    if rng.random() < _MISJUDGES:
        return rng.choice(choices)
    strong = (view.hand & _HIGH).bit_count() > 3
    wanted = (Subgame.WHIST, Subgame.TEN_OF_CLUBS, Subgame.RENTZ) if strong else tuple(SUBGAMES[:5])
    fitting = [choice for choice in choices if choice.subgame in wanted]
    return rng.choice(fitting or choices)
