"""Positions of Arzoi that a viewer cannot tell apart."""

import random

from services.table.engine.arzoi import State
from services.table.engine.arzoi.septica import SepticaPlay
from services.table.engine.cards import cards_of, mask_of


def another_like_it(state: State, viewer: int | None, chance: random.Random) -> State:
    """The same position with all cards that `viewer` cannot see dealt anew."""
    other = state.copy()
    play = other.play
    assert play is not None
    stock = list(play.stock[play.drawn :]) if isinstance(play, SepticaPlay) else []
    hidden = [*stock, *other.aside]
    for seat in range(other.seats):
        if seat != viewer:
            hidden.extend(cards_of(play.hands[seat]))
    chance.shuffle(hidden)
    for seat in range(other.seats):
        if seat != viewer:
            size = play.hands[seat].bit_count()
            play.hands[seat] = mask_of(hidden[:size])
            del hidden[:size]
    if isinstance(play, SepticaPlay):
        play.stock = (*play.stock[: play.drawn], *hidden[: len(stock)])
        del hidden[: len(stock)]
    other.aside = tuple(hidden)
    if viewer is None or other.set_aside:
        other.in_play += 1  # what lies aside is as unknown as the hands
    return other
