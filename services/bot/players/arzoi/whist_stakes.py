"""What a round of Whist Arzoi is played for (AZ-21 to AZ-25)."""

from services.bot.players.arzoi.view import ArzoiView
from services.bot.players.tricks.chances import Stakes
from services.table.engine.arzoi import whist

_SPITE = 0.25
"""What it is worth to leave a trick to somebody whom it burns, or to keep it from somebody who needs it."""


def stakes(view: ArzoiView) -> Stakes:
    """Points for each bid, the multiplier left out, with what not to burn is worth besides."""
    premium = perfect_premium(view)
    return Stakes([whist.points(bid, bid, view.cards_each, 1) + premium for bid in range(view.cards_each + 1)])


def perfect_premium(view: ArzoiView) -> float:
    """What not to burn in this round is worth for the sake of a perfect orbit (AZ-24), to a seat that has not burned.

    A burn costs the chance of the bonus; the chance shrinks with every round still to come. When all others have
    burned, an own burn also ends the orbit early (AZ-27).
    """
    if view.burned[view.seat]:
        return 0.0
    return float(whist.PERFECT) * 0.6 ** max(view.rounds - view.round, 0)


def spite(view: ArzoiView) -> list[float]:
    """What it is worth that each seat burns: more where a perfect orbit goes with it."""
    return [_SPITE * (1.0 if burned else 2.0) for burned in view.burned]
