"""Nobody learns of whist what they may not see: positions that a viewer cannot tell apart give that viewer the same."""

import random

import pytest

from services.table.engine.cards import BIT, TEXT, cards_of, mask_of
from services.table.engine.whist import Phase, Play, State
from tests.support.viewers import assert_alike, refusal, shown_to
from tests.support.whist import new, sensibly


def another_like_it(state: State, viewer: int | None, chance: random.Random) -> State:
    """The same position with all cards that `viewer` cannot see dealt anew."""
    other = state.copy()
    play = other.play
    assert play is not None
    hidden = list(other.aside)
    for seat in range(other.seats):
        if seat != viewer:
            hidden.extend(cards_of(play.hands[seat]))
    chance.shuffle(hidden)
    for seat in range(other.seats):
        if seat != viewer:
            size = play.hands[seat].bit_count()
            play.hands[seat] = mask_of(hidden[:size])
            del hidden[:size]
    other.aside = tuple(hidden)
    return other


@pytest.mark.parametrize("seats", range(3, 7))
def test_hidden_cards_of_whist_make_no_difference_to_a_viewer(seats: int) -> None:
    """For each seat and for spectators, who see public things only, in positions of a whole match."""
    chance = random.Random(f"information {seats}")
    state = new(seats)
    checked = changed = 0
    while not state.is_over():
        if state.play is not None and chance.random() < 0.15:
            for viewer in (None, *range(seats)):
                other = another_like_it(state, viewer, chance)
                checked += 1
                changed += other != state
                assert_alike("whist", state, other, viewer, [Play(card) for card in chance.sample(range(56), 8)])
        sensibly(state, chance)
    assert checked > 100
    assert changed > checked / 2


@pytest.mark.parametrize("seats", [3, 6])
def test_the_own_hand_of_whist_makes_a_difference_to_its_seat_only(seats: int) -> None:
    """Two seats swap a card: each of them knows, and nobody else."""
    chance = random.Random(seats)
    state = new(seats)
    checked = 0
    while checked < 60:
        if state.play is not None:
            one, two = chance.sample(range(seats), 2)
            other = state.copy()
            assert other.play is not None
            if other.play.hands[one] and other.play.hands[two]:
                first = chance.choice(cards_of(other.play.hands[one]))
                second = chance.choice(cards_of(other.play.hands[two]))
                other.play.hands[one] ^= BIT[first] | BIT[second]
                other.play.hands[two] ^= BIT[first] | BIT[second]
                for viewer in (None, *range(seats)):
                    differs = viewer in (one, two)
                    assert (state.knowledge(viewer) != other.knowledge(viewer)) == differs
                    assert (shown_to("whist", state, viewer) != shown_to("whist", other, viewer)) == differs
                checked += 1
        sensibly(state, chance)


def test_a_refusal_in_whist_names_no_card_but_the_one_that_was_tried_and_those_on_the_table() -> None:
    chance = random.Random(8)
    state = new(5)
    tried_cards = 0
    while not state.is_over():
        decision = state.decision()
        if decision is not None and state.phase is Phase.PLAY:
            tried = chance.randrange(56)
            if not state.legal_cards() & BIT[tried]:
                text = refusal(state, decision.seat, Play(tried)).split("): ", 1)[1]
                named = {card for card in range(56) if TEXT[card] in text}
                assert named <= {tried, state.trump_card, *state.trick}
                tried_cards += 1
        sensibly(state, chance)
    assert tried_cards > 100
