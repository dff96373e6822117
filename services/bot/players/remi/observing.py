"""What a seat sees of a state of the engine. Nothing hidden from it is read."""

from services.bot.players.remi.memory import remembered
from services.bot.players.remi.view import RemiView
from services.table.engine.remi import State


def observed(state: State) -> RemiView:
    """What the seat to decide sees.

    Raises:
        ValueError: No seat has to decide.
    """
    seat = state.decider()
    if seat < 0:
        raise ValueError("no seat has to decide")
    return RemiView(
        seat=seat,
        seats=state.seats,
        phase=state.phase,
        number=state.number,
        rounds=state.options.rounds,
        first=state.first,
        turned=state.turned,
        pile=state.pile,
        row=state.row,
        melds=state.melds,
        tiles=state.hand_sizes(),
        melded=state.melded,
        scores=state.scores(),
        two_tiles_announced=state.two_tiles_announced,
        duty=state.duty,
        opening=state.opening,
        hand=state.hand(seat).copy(),
        barred=state.barred,
        legal=tuple(state.legal_actions()),
        memory=remembered(state.happened, state.seats),
    )
