"""Tables of Rentz as the table service would send them, made of the engine's own positions."""

import random
from collections.abc import Sequence
from functools import partial

from services.table.engine.cards import cards_of, parse_card
from services.table.engine.game import Deal
from services.table.engine.games import GAMES
from services.table.engine.rentz import Choose, Event, Options, Play, Rentz, State, Subgame
from services.table.wire import wires
from tests.support import match_tables

ENGINE: Rentz = Rentz()
WIRE = wires()["rentz"]
told = partial(match_tables.told, WIRE)
update_of = partial(match_tables.update_of, WIRE)
waiting = partial(match_tables.waiting, WIRE)


def new(dealer: int = 0) -> State:
    """A match in which `dealer` has drawn the ace of spades."""
    state = ENGINE.new(Options(), 4)
    pack = sorted(state.pack(), key=lambda card: card != parse_card("AS"))
    drawn = [*pack[1 : dealer + 1], pack[0], *pack[dealer + 1 :]]
    state.apply(None, Deal(tuple(drawn)))
    return state


def deal(state: State, *hands: str) -> tuple[Event, ...]:
    """Deals these hands to seats 0, 1, …, each as cards with blanks between; the others get what is left."""
    wanted = [[parse_card(card) for card in hand.split()] for hand in hands]
    named = {card for hand in wanted for card in hand}
    rest = [card for card in state.pack() if card not in named]
    random.Random(7).shuffle(rest)
    dealt: list[Sequence[int]] = []
    for seat in range(4):
        hand = wanted[seat] if seat < len(wanted) else []
        dealt.append([*hand, *(rest.pop() for _ in range(8 - len(hand)))])
    pack = [dealt[(state.dealer + place) % 4][number] for number in range(8) for place in range(4)]
    return state.apply(None, Deal(tuple(pack)))


def choose(state: State, subgame: Subgame) -> tuple[Event, ...]:
    """The dealer chooses."""
    return state.apply(state.dealer, Choose(subgame))


def play(state: State, *cards: str) -> tuple[Event, ...]:
    """Whoever is at turn plays each of the cards; everything that followed."""
    events: list[Event] = []
    for card in cards:
        decision = state.decision()
        assert decision is not None
        events += state.apply(decision.seat, Play(parse_card(card)))
    return tuple(events)


def sensibly(state: State, chance: random.Random, mistakes: float = 0.0) -> tuple[Event, ...]:
    """The next action: a shuffled deal, or a move by rule of thumb, or any legal one in so many of all cases."""
    if state.needs_deal():
        pack = list(state.pack())
        chance.shuffle(pack)
        return state.apply(None, Deal(tuple(pack)))
    decision = state.decision()
    assert decision is not None
    legal = state.legal_actions()
    action = chance.choice(legal) if chance.random() < mistakes else GAMES["rentz"].rule_of_thumb(state)
    return state.apply(decision.seat, action)


def in_hand(state: State, seat: int) -> list[int]:
    """The cards of a seat, in the order of a hand."""
    return list(cards_of(state.hand(seat)))
