"""Whist for tests: chosen deals, moves in text, hands that end as wanted."""

import random
from collections.abc import Callable, Sequence

from services.table.engine.cards import mask_of, parse_cards
from services.table.engine.game import Deal
from services.table.engine.whist import WHIST as WHIST
from services.table.engine.whist import Event, Options, Pattern, ScoreRow, State
from tests.support.steps import mostly_sensible, step

NAMES = ("Ana", "Bogdan", "Călin", "Dana", "Emil", "Florica")


def new(seats: int, pattern: Pattern = "1-8-1", premium: int = 10, dealer: int | None = None) -> State:
    """A match; with `dealer` that seat has been drawn to deal first."""
    state = WHIST.new(Options(pattern, premium), seats)
    if dealer is not None:
        draw(state, dealer)
    return state


def draw(state: State, dealer: int) -> None:
    """The draw gives `dealer` the ace of spades."""
    pack = list(state.pack())
    pack[0], pack[dealer] = pack[dealer], pack[0]
    state.apply(None, Deal(tuple(pack)))
    assert state.dealer == dealer


def do(state: State, *moves: str) -> list[Event]:
    """Whoever has to decide makes these moves, given in text; what happened."""
    events: list[Event] = []
    for move in moves:
        decision = state.decision()
        events.extend(state.apply(None if decision is None else decision.seat, WHIST.parse_action(move)))
    return events


def chosen_deal(state: State, hands: Sequence[str], trump_card: str = "") -> Deal:
    """A deal that gives seat i the cards `hands[i]`, filled up with the highest left; then the turned card."""
    each = state.cards_each
    given = [list(parse_cards(hand)) for hand in [*hands, *[""] * (state.seats - len(hands))]]
    turned = list(parse_cards(trump_card))
    used = mask_of([card for hand in given for card in hand] + turned)
    others = [card for card in state.pack() if not used >> card & 1]
    for hand in given:
        while len(hand) < each:
            hand.append(others.pop(0))
    first = state.dealer + 1
    dealt = [given[(first + index) % state.seats][index // state.seats] for index in range(each * state.seats)]
    return Deal((*dealt, *turned, *others))


def sensibly(state: State, chance: random.Random, share: float = 0.9) -> tuple[Event, ...]:
    """Mostly the rule of thumb, otherwise a random step."""
    return mostly_sensible("whist", state, chance, share)


def to_hand(state: State, number: int, seed: int = 0) -> None:
    """Plays on until the hand of that number is to be dealt."""
    chance = random.Random(seed)
    while state.number < number or not state.needs_deal() or state.dealer < 0:
        sensibly(state, chance)


def at_hand(seats: int, number: int, pattern: Pattern = "1-8-1", premium: int = 10) -> State:
    """A match in which the hand of that number is to be dealt, and no streak or score is left from before."""
    state = new(seats, pattern, premium, dealer=(1 - number) % seats)
    to_hand(state, number)
    state.streaks = [type(state.streaks[0])(0, 0)] * seats
    state.points_so_far = [0] * seats
    assert state.dealer == 0
    return state


def play_hand(
    state: State, exact: Sequence[bool], wanted: Callable[[ScoreRow], bool] = lambda row: True
) -> list[Event]:
    """Plays the hand that is to be dealt so that just the seats marked make their bids, and the row is as wanted.

    Deals and bids are tried in a fixed order until it comes out.
    """
    for seed in range(100_000):
        chance = random.Random(seed)
        trial = state.copy()
        events: list[Event] = []
        while len(trial.rows) == len(state.rows):
            events.extend(step(trial, chance))
        if [cell.bid == cell.tricks for cell in trial.rows[-1].cells] == list(exact) and wanted(trial.rows[-1]):
            chance = random.Random(seed)
            while len(state.rows) < len(trial.rows):
                step(state, chance)
            assert state == trial
            return events
    raise AssertionError(f"no play found in which {list(exact)} make their bids")
