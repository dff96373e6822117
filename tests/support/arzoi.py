"""Arzoi for tests: chosen deals, moves in text, rounds that end as wanted."""

import random
from collections.abc import Sequence

from services.table.engine.arzoi import ARZOI as ARZOI
from services.table.engine.arzoi import Event, Options, State
from services.table.engine.cards import mask_of, parse_cards
from services.table.engine.game import Deal
from tests.support.steps import random_deal, step

NAMES = ("Ana", "Bogdan", "Călin", "Dana", "Emil", "Florica", "Gheorghe", "Horia", "Ioana")


def new(seats: int, *, no_whist_of_2: bool = False) -> State:
    return ARZOI.new(Options(no_whist_of_2=no_whist_of_2), seats)


def do(state: State, *moves: str) -> list[Event]:
    """Whoever has to decide makes these moves, given in text; what happened."""
    events: list[Event] = []
    for move in moves:
        decision = state.decision()
        events.extend(state.apply(None if decision is None else decision.seat, ARZOI.parse_action(move)))
    return events


def chosen_deal(state: State, hands: Sequence[str], after: str = "", last: str = "") -> Deal:
    """A deal that gives seat i the cards `hands[i]`, filled up; `after` lie next in the pack, `last` at its end."""
    each = state.cards_each
    given = [list(parse_cards(hand)) for hand in [*hands, *[""] * (state.seats - len(hands))]]
    following = list(parse_cards(after))
    ending = list(parse_cards(last))
    used = mask_of([card for hand in given for card in hand] + following + ending)
    others = [card for card in state.pack() if not used >> card & 1]
    for hand in given:
        while len(hand) < each:
            hand.append(others.pop(0))
    first = state.dealer + 1
    dealt = [given[(first + index) % state.seats][index // state.seats] for index in range(each * state.seats)]
    return Deal((*dealt, *following, *others, *ending))


def play_match(state: State, chance: random.Random) -> State:
    while not state.is_over():
        step(state, chance)
    return state


def whist_round(state: State, bids: Sequence[int], tricks: Sequence[int]) -> list[Event]:
    """Plays the whist round that is to be dealt with these bids and tricks, both in seat order.

    Deals and plays are tried in a fixed order until the tricks come out.
    """
    for seed in range(100_000):
        chance = random.Random(seed)
        trial = state.copy()
        trial.apply(None, random_deal(trial, chance))
        for place in range(1, state.seats + 1):
            do(trial, f"bid {bids[(state.dealer + place) % state.seats]}")
        moves: list[str] = []
        while len(trial.rows) == len(state.rows):
            moves.append(ARZOI.action_text(chance.choice(trial.legal_actions())))
            do(trial, moves[-1])
        if [cell.tricks for cell in trial.rows[len(state.rows)].cells] == list(tricks):
            state.apply(None, random_deal(state, random.Random(seed)))
            for place in range(1, state.seats + 1):
                do(state, f"bid {bids[(state.dealer + place) % state.seats]}")
            return do(state, *moves)
    raise AssertionError(f"no deal found in which the tricks are {list(tricks)}")


def skip_round(state: State, seed: int = 0) -> None:
    """Plays out the present round, or attempt at one, at random."""
    chance = random.Random(seed)
    rows = len(state.rows)
    while len(state.rows) == rows:
        step(state, chance)


def changes(state: State, row: int = -1) -> list[int]:
    """The changes of the scores in a row of the score sheet."""
    return [cell.change for cell in state.rows[row].cells]
