"""Nobody learns what they may not see: positions that a viewer cannot tell apart give that viewer the same."""

import random

import pytest

from services.table.engine.arzoi import Part, Play, State
from services.table.engine.arzoi.septica import SepticaPlay
from services.table.engine.cards import BIT, cards_of
from tests.support.arzoi import ARZOI, new
from tests.support.hidden_cards import another_like_it
from tests.support.steps import step
from tests.support.viewers import assert_alike, refusal, shown_to


def check(state: State, viewer: int | None, chance: random.Random) -> None:
    tried = [Play(card) for card in chance.sample(range(56), 8)]
    assert_alike("arzoi", state, another_like_it(state, viewer, chance), viewer, tried)


@pytest.mark.rule("GAP-A26")
@pytest.mark.parametrize("seats", range(3, 10))
def test_hidden_cards_make_no_difference_to_a_viewer(seats: int) -> None:
    """For each seat and for spectators, who see public things only, in positions of whole matches."""
    chance = random.Random(f"information {seats}")
    state = new(seats)
    parts: set[Part | None] = set()
    while not state.is_over():
        if state.play is not None and (chance.random() < 0.02 or state.part not in parts):
            parts.add(state.part)
            for viewer in (None, *chance.sample(range(seats), 3)):
                check(state, viewer, chance)
            decision = state.decision()
            assert decision is not None
            check(state, decision.seat, chance)
        decision = state.decision()
        if decision is None or chance.random() < 0.05:
            step(state, chance)
        else:
            state.apply(decision.seat, ARZOI.rule_of_thumb(state))
    assert Part.WHIST in parts


@pytest.mark.parametrize("seats", [3, 4, 9])
def test_the_own_hand_makes_a_difference_to_its_seat_only(seats: int) -> None:
    """Two seats swap a card: each of them knows, and nobody else."""
    chance = random.Random(seats)
    state = new(seats)
    checked = 0
    while checked < 60:
        decision = state.decision()
        if state.play is not None and decision is not None and decision.kind != "choose":
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
                    if viewer is not None and differs:
                        assert shown_to("arzoi", state, viewer) != shown_to("arzoi", other, viewer)
                    if not differs:
                        assert shown_to("arzoi", state, viewer)[:2] == shown_to("arzoi", other, viewer)[:2]
                checked += 1
        step(state, chance)


@pytest.mark.parametrize("seats", [4, 9])
def test_a_seat_knows_in_which_order_it_drew_its_cards(seats: int) -> None:
    state = new(seats)
    state.apply(0, ARZOI.parse_action("septica"))
    chance = random.Random(2)
    while not (isinstance(state.play, SepticaPlay) and state.play.refills):
        step(state, chance)
    play = state.play
    other = state.copy()
    assert isinstance(other.play, SepticaPlay)
    for seat in range(seats):
        drawn = play.drawn_by(seat)
        assert len(drawn) == sum(circles for _, circles in play.refills)
        assert all(play.hands[seat] & BIT[card] for card in drawn)
    # Had the taker drawn another of its cards, the taker would know.
    taker = play.refills[0][0]
    held = [card for card in cards_of(play.hands[taker]) if card not in play.drawn_by(taker)]
    if held:
        other.play.stock = (held[0], *play.stock[1:])
        assert other.knowledge(taker) != state.knowledge(taker)
        assert other.knowledge((taker + 1) % seats) == state.knowledge((taker + 1) % seats)


def test_a_refusal_names_no_card_but_the_one_that_was_tried_and_those_on_the_table() -> None:
    chance = random.Random(8)
    state = new(5)
    for _ in range(600):
        decision = state.decision()
        if decision is not None and state.legal_cards():
            tried = chance.randrange(56)
            if not state.legal_cards() & BIT[tried]:
                text = refusal(state, decision.seat, Play(tried))
                public = {tried, state.trump_card, *state.trick}
                named = {card for card in range(56) if ARZOI.action_text(Play(card))[-2:] in text.split("): ", 1)[1]}
                assert named <= public
        step(state, chance)
