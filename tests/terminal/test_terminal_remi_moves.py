"""Whatever the table offers at Remi can be played with the keys, and comes to the same."""

import random

import pytest

from services.table.engine.remi import Action, CloseWithAtu, Lay, State, SwapJoker, Take, Turn, UndoTake
from shared.terminal.games.remi.composer import Composer
from tests.support.remi import REMI, dealt, lively, lucky_deal, new, set_up
from tests.support.remi_tables import WIRE, Hands, update_of


def looking(state: State, composer: Composer | None = None) -> Composer:
    """What the seat to decide has on the screen."""
    composer = composer if composer is not None else Composer()
    seat = state.decider()
    update = update_of(state, own=seat)
    legal = [action.remi for action in update.private.legal_actions]
    composer.offer(update.table.game.remi, update.private.hand.remi, seat, legal)
    return composer


def by_keys(state: State, action: Action) -> None:
    """Plays `action` with the keys; the only thing that is sent has the same effect."""
    hands = Hands(looking(state))
    hands.play(WIRE.action_to_proto(action).remi)
    (sent,) = hands.sent
    expected, played = state.copy(), state.copy()
    expected.apply(expected.decider(), action)
    message = WIRE.action_to_proto(action)
    message.remi.CopyFrom(sent)
    played.apply(played.decider(), WIRE.action_from_proto(message))
    assert played == expected, (REMI.action_text(action), sent)


def test_every_action_that_is_offered_in_a_match_is_played_with_the_keys() -> None:
    """Lively matches, in which every listed action of every position is tried, each against the engine."""
    chance = random.Random(3)
    kinds: dict[type, int] = {}
    for seats in (2, 3, 4):
        state = new(seats)
        for _ in range(70):
            if state.is_over():
                break
            if state.needs_deal():
                state.apply(None, lucky_deal(state, chance))
                continue
            for action in state.legal_actions():
                by_keys(state, action)
                kinds[type(action)] = kinds.get(type(action), 0) + 1
            state.apply(state.decider(), lively(state, chance))
    assert all(kinds.get(kind, 0) > 3 for kind in (Lay, Take, Turn, UndoTake)), kinds


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_turns_by_rule_of_thumb_are_played_with_the_keys(seats: int) -> None:
    chance = random.Random(seats)
    state = new(seats, rounds=4)
    whole_turns = 0
    while not state.is_over():
        if state.needs_deal():
            state.apply(None, lucky_deal(state, chance))
            continue
        action = REMI.rule_of_thumb(state)
        if isinstance(action, Turn) and isinstance(action.steps[0], Take):
            by_keys(state, action.steps[0])
            state.apply(state.decider(), action.steps[0])
            action = action.steps[1] if len(action.steps) == 2 else Turn(action.steps[1:])
        by_keys(state, action)
        state.apply(state.decider(), action)
        whole_turns += isinstance(action, Turn)
    assert whole_turns > 4


def test_jokers_are_swapped_with_the_keys_as_the_table_offers_it() -> None:
    state = set_up(["R7 B1 B2 K9 K10", "R1 R2 R3"], melds=["1: R5 R6 *", "1: Y7 B7 *"], melded=[0, 1], turned="K5")
    state.apply(0, REMI.parse_action("draw"))
    swaps = [action for action in state.legal_actions() if isinstance(action, SwapJoker)]
    assert swaps
    for action in swaps:
        by_keys(state, action)


def test_the_round_is_closed_with_the_atu_with_the_keys() -> None:
    state = set_up(["K3 K4 R8", "R1 R2 R3"], melds=["1: R9 R10 R11"], melded=[0, 1], turned="K5")
    closing = [action for action in state.legal_actions() if isinstance(action, CloseWithAtu)]
    assert closing
    by_keys(state, closing[0])


def test_what_is_on_the_rack_is_always_what_is_in_hand() -> None:
    chance = random.Random(5)
    state = dealt(seats=2, rounds=2)
    composers = [Composer(), Composer()]
    for _ in range(120):
        if state.is_over():
            break
        if state.needs_deal():
            state.apply(None, lucky_deal(state, chance))
            continue
        for seat, composer in enumerate(composers):
            update = update_of(state, own=seat)
            legal = [action.remi for action in update.private.legal_actions]
            composer.offer(update.table.game.remi, update.private.hand.remi, seat, legal)
            held = sorted(composer.rack.tile(number) for number in composer.in_order())
            assert held == sorted(update.private.hand.remi.tiles)
            numbers = composer.in_order()
            assert len(set(numbers)) == len(numbers)
        state.apply(state.decider(), lively(state, chance))
    assert state.rows
