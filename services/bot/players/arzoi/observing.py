"""The view of a seat, taken from a state of the engine: for the arena, and for whoever searches."""

from services.bot.players.arzoi.view import ArzoiView
from services.bot.players.tricks.observing import trick_facts
from services.table.engine.arzoi.match import State


def view_of(state: State) -> ArzoiView:
    """What the seat to decide sees. Nothing hidden from it is read.

    Raises:
        ValueError: No seat has to decide.
    """
    return ArzoiView(
        **trick_facts(state),
        phase=state.phase,
        part=state.part,
        variants_left=state.variants_left,
        round=state.round,
        rounds=state.rounds,
        attempt=state.attempt,
        multiplier=state.multiplier,
        cards_each=state.cards_each,
        trump_card=state.trump_card,
        legal=tuple(state.legal_actions()),
        bids=tuple([None if bid < 0 else bid for bid in state.bids]),
        points=tuple(state.points),
        burned=tuple([bool(state.burned >> other & 1) for other in range(state.seats)]),
        stock=state.stock,
        teams=state.teams,
    )
