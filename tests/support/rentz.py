"""Rentz for tests: chosen deals, moves in text, hands that are under way."""

import random
from collections.abc import Sequence

from services.table.engine.cards import cards_of, mask_of, parse_cards
from services.table.engine.game import Deal
from services.table.engine.rentz import PACK, Event, Options, State
from services.table.engine.rentz import RENTZ as RENTZ
from tests.support.steps import mostly_sensible, step

NAMES = ("Ana", "Bogdan", "Călin", "Dana")


def new(dealer: int | None = None) -> State:
    """A match; with `dealer` that seat has been drawn to choose first."""
    state = RENTZ.new(Options(), 4)
    if dealer is not None:
        pack = list(state.pack())
        pack[0], pack[dealer] = pack[dealer], pack[0]
        state.apply(None, Deal(tuple(pack)))
        assert state.dealer == dealer
    return state


def do(state: State, *moves: str) -> list[Event]:
    """Whoever has to decide makes these moves, given in text; what happened."""
    events: list[Event] = []
    for move in moves:
        decision = state.decision()
        events.extend(state.apply(None if decision is None else decision.seat, RENTZ.parse_action(move)))
    return events


def chosen_deal(state: State, hands: Sequence[str]) -> Deal:
    """A deal that gives seat i the cards `hands[i]`, filled up with the highest left."""
    given = [list(parse_cards(hand)) for hand in [*hands, *[""] * (4 - len(hands))]]
    used = mask_of([card for hand in given for card in hand])
    others = [card for card in PACK if not used >> card & 1]
    for hand in given:
        while len(hand) < 8:
            hand.append(others.pop(0))
    return Deal(tuple([given[(state.dealer + index) % 4][index // 4] for index in range(32)]))


def playing(subgame: str, hands: Sequence[str] = (), dealer: int = 0) -> State:
    """The first hand of a match: `dealer` has chosen `subgame`, with these cards in the hands of the seats."""
    state = new(dealer)
    state.apply(None, chosen_deal(state, hands))
    do(state, f"choose {subgame}")
    return state


def play_tricks(state: State, *tricks: str) -> list[Event]:
    """Plays whole tricks, each given as its cards in the order played; what happened."""
    return do(state, *[f"play {card}" for trick in tricks for card in trick.split()])


def sensibly(state: State, chance: random.Random, share: float = 0.9) -> tuple[Event, ...]:
    """Mostly the rule of thumb, otherwise a random step."""
    return mostly_sensible("rentz", state, chance, share)


def finish_hand(state: State, chance: random.Random) -> list[Event]:
    """Plays at random until the hand is scored; what happened."""
    rows = len(state.rows)
    events: list[Event] = []
    while len(state.rows) == rows:
        events.extend(step(state, chance))
    return events


def cards_held(state: State) -> int:
    """All cards in hands, as a mask; fails if one is held twice."""
    held = [card for seat in range(4) for card in cards_of(state.hand(seat))]
    assert len(held) == len(set(held))
    return mask_of(held)
