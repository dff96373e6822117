"""Nobody learns of Rentz what they may not see: positions that a viewer cannot tell apart give that viewer the same."""

import random

import pytest

from services.table.engine.cards import BIT, TEXT, cards_of, mask_of
from services.table.engine.rentz import PACK, SUBGAMES, Choose, Phase, Play, State, Subgame
from tests.support.rentz import new, sensibly
from tests.support.viewers import assert_alike, refusal, shown_to


def hands(state: State) -> list[int]:
    return [state.hand(seat) for seat in range(4)]


def with_hands(state: State, masks: list[int]) -> State:
    """The same position with these cards in the hands."""
    other = state.copy()
    if other.play is None:
        other.dealt = tuple(masks)
    else:
        other.play.hands[:] = masks
    return other


def another_like_it(state: State, viewer: int | None, chance: random.Random) -> State:
    """The same position with all cards that `viewer` cannot see dealt anew."""
    masks = hands(state)
    hidden = [card for seat in range(4) if seat != viewer for card in cards_of(masks[seat])]
    chance.shuffle(hidden)
    for seat in range(4):
        if seat != viewer:
            size = masks[seat].bit_count()
            masks[seat] = mask_of(hidden[:size])
            del hidden[:size]
    return with_hands(state, masks)


@pytest.mark.parametrize("seed", range(3))
def test_hidden_cards_of_rentz_make_no_difference_to_a_viewer(seed: int) -> None:
    """For each seat and for spectators, before the choice and in positions of every subgame."""
    chance = random.Random(f"information {seed}")
    state = new()
    checked = changed = 0
    seen: set[Subgame | None] = set()
    while not state.is_over():
        if state.decision() is not None and (chance.random() < 0.1 or state.phase is Phase.CHOOSE):
            seen.add(state.subgame)
            for viewer in (None, *range(4)):
                other = another_like_it(state, viewer, chance)
                checked += 1
                changed += other != state
                tried: list[object] = [Play(card) for card in chance.sample(range(56), 8)]
                tried += [Choose(subgame) for subgame in chance.sample(SUBGAMES, 2)]
                assert_alike("rentz", state, other, viewer, tried)
        sensibly(state, chance)
    assert seen == {None, *SUBGAMES}
    assert checked > 300
    assert changed > checked / 2


def test_the_own_hand_of_rentz_makes_a_difference_to_its_seat_only() -> None:
    """Two seats swap a card: each of them knows, and nobody else."""
    chance = random.Random(4)
    state = new()
    checked = 0
    while checked < 100:
        one, two = chance.sample(range(4), 2)
        masks = hands(state)
        if masks[one] and masks[two]:
            swapped = BIT[chance.choice(cards_of(masks[one]))] | BIT[chance.choice(cards_of(masks[two]))]
            masks[one] ^= swapped
            masks[two] ^= swapped
            other = with_hands(state, masks)
            for viewer in (None, *range(4)):
                differs = viewer in (one, two)
                assert (state.knowledge(viewer) != other.knowledge(viewer)) == differs
                assert (shown_to("rentz", state, viewer) != shown_to("rentz", other, viewer)) == differs
            checked += 1
        sensibly(state, chance)


def test_who_passed_and_who_waited_is_known_to_all() -> None:
    """Of two layout games that differ in a turn that passed by itself, everybody knows which it is."""
    chance = random.Random(6)
    state = new()
    checked = 0
    while not state.is_over():
        layout = state.layout
        if layout is not None and any(move.card < 0 for move in layout.history):
            other = state.copy()
            assert other.layout is not None
            other.layout.history = tuple([move for move in layout.history if move.card >= 0])
            for viewer in (None, *range(4)):
                assert state.knowledge(viewer) != other.knowledge(viewer)
            checked += 1
        sensibly(state, chance)
    assert checked > 10


def test_a_refusal_in_rentz_names_no_card_but_the_one_that_was_tried_and_those_on_the_table() -> None:
    chance = random.Random(8)
    state = new()
    refusals = 0
    while not state.is_over():
        decision = state.decision()
        if decision is not None:
            tried = chance.choice(PACK)
            text = refusal(state, decision.seat, Play(tried)).partition("): ")[2]
            on_table = state.trick if state.layout is None else cards_of(state.layout.laid)
            named = {card for card in range(56) if TEXT[card] in text}
            assert named <= {tried, *on_table}
            refusals += bool(text)
        sensibly(state, chance)
    assert refusals > 300
