"""What a seat sees of a state of the engine, the same in every game with tricks. Nothing hidden from it is read."""

from typing import Any

from services.bot.players.tricks.view import TrickFacts


def trick_facts(state: Any) -> TrickFacts:
    """What the seat to decide sees of `state`, the match of a game with tricks.

    Raises:
        ValueError: No seat has to decide.
    """
    decision = state.decision()
    if decision is None:
        raise ValueError("no seat has to decide")
    return TrickFacts(
        seat=decision.seat,
        seats=state.seats,
        dealer=state.dealer,
        hand=state.hand(decision.seat),
        scores=state.scores(),
        cards=state.hand_sizes(),
        tricks=state.taken,
        leader=state.leader if state.trick else -1,
        trick=state.trick,
        past=state.tricks,
    )
