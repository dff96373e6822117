"""The view of a seat, taken from a state of the engine: for the arena, and for whoever searches."""

from services.bot.players.arzoi.view import ArzoiView
from services.table.engine.arzoi.match import State


def view_of(state: State) -> ArzoiView:
    """What the seat to decide sees. Nothing hidden from it is read.

    Raises:
        ValueError: No seat has to decide.
    """
    decision = state.decision()
    if decision is None:
        raise ValueError("no seat has to decide")
    seat = decision.seat
    seats = state.size.seats
    return ArzoiView(
        seat=seat,
        seats=seats,
        phase=state.phase,
        part=state.part,
        variants_left=state.variants_left,
        dealer=state.dealer,
        round=state.round,
        rounds=state.rounds,
        attempt=state.attempt,
        multiplier=state.multiplier,
        cards_each=state.cards_each,
        trump_card=state.trump_card,
        hand=state.hand(seat),
        legal=tuple(state.legal_actions()),
        scores=state.scores(),
        cards=state.hand_sizes(),
        bids=tuple([None if bid < 0 else bid for bid in state.bids]),
        tricks=state.taken,
        points=tuple(state.points),
        burned=tuple([bool(state.burned >> other & 1) for other in range(seats)]),
        leader=state.leader if state.trick else -1,
        trick=state.trick,
        past=state.tricks,
        stock=state.stock,
        teams=state.teams,
    )
