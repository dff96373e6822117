"""The course of a match of Rentz, statement by statement: the draw, the deal, the choice, the end."""

import random
from collections import Counter
from itertools import permutations

import pytest

from services.table.engine.cards import TEXT, cards_of, parse_cards
from services.table.engine.first_dealer import draw_dealer
from services.table.engine.game import Deal, IllegalAction
from services.table.engine.rentz import (
    HANDS,
    PACK,
    SUBGAMES,
    Choose,
    Chosen,
    DealerDrawn,
    Dealt,
    Options,
    Phase,
    Play,
    State,
    Subgame,
)
from services.table.engine.rentz.thumb import promise
from tests.support.rentz import NAMES, RENTZ, chosen_deal, do, finish_hand, new, playing, sensibly
from tests.support.steps import random_deal, step


def refused(state: State, seat: int | None, move: str) -> tuple[str, str]:
    """Reason and rule of a refusal, after which nothing has changed."""
    before = state.copy()
    with pytest.raises(IllegalAction) as caught:
        state.apply(seat, RENTZ.parse_action(move))
    assert state == before
    return caught.value.reason, caught.value.rule


@pytest.mark.rule("RZ-1")
@pytest.mark.parametrize("seats", [0, 1, 2, 3, 5, 6])
def test_rentz_is_for_four(seats: int) -> None:
    with pytest.raises(ValueError, match="for 4 players"):
        RENTZ.new(Options(), seats)
    assert list(RENTZ.sizes) == [4]


@pytest.mark.rule("RZ-1")
def test_the_pack_of_rentz_has_32_cards_and_all_are_dealt() -> None:
    texts = [TEXT[card] for card in PACK]
    assert len(texts) == len(set(texts)) == 32
    assert {text[0] for text in texts} == set("AKQJT987")
    state = new(dealer=2)
    deal = random_deal(state, random.Random(1))
    assert state.apply(None, deal) == (Dealt(1, 2),)
    for seat in range(4):
        assert cards_of(state.hand(seat)) == sorted(deal.pack[(seat - 2) % 4 :: 4])
        assert state.hand_sizes()[seat] == 8


@pytest.mark.rule("RZ-2", "GAP-Z3")
def test_there_are_eight_subgames_and_eight_rounds_of_four() -> None:
    assert len(SUBGAMES) == 8
    assert HANDS == 8 * 4 == 32
    assert new().progress() == (0, 32)


@pytest.mark.rule("GAP-Z4")
def test_who_draws_the_highest_card_chooses_first() -> None:
    state = new()
    assert (state.phase, state.needs_deal(), state.dealer) == (Phase.DRAW, True, -1)
    pack = list(parse_cards("KD AH AC 7S"))
    pack += [card for card in state.pack() if card not in pack]
    assert state.apply(None, Deal(tuple(pack))) == (DealerDrawn(parse_cards("KD AH AC 7S"), 1),)
    assert (state.phase, state.dealer, state.number, state.drawn) == (Phase.DEAL, 1, 1, parse_cards("KD AH AC 7S"))
    assert [state.hand(seat) for seat in range(4)] == [0, 0, 0, 0]
    assert state.apply(None, Deal(state.pack())) == (Dealt(1, 1),)


@pytest.mark.rule("GAP-Z4")
def test_every_seat_has_the_same_chance_to_choose_first() -> None:
    chance = random.Random(4)
    for _ in range(20):
        choosers = Counter(draw_dealer(order, 4).dealer for order in permutations(chance.sample(PACK, 4)))
        assert choosers == {0: 6, 1: 6, 2: 6, 3: 6}


@pytest.mark.rule("RZ-3", "GAP-Z2", "RZ-5")
@pytest.mark.parametrize("dealer", range(4))
def test_the_dealer_chooses_after_the_deal_and_leads(dealer: int) -> None:
    state = new(dealer)
    state.apply(None, random_deal(state, random.Random(dealer)))
    decision = state.decision()
    assert decision is not None
    assert (decision.seat, decision.kind, decision.cards) == (dealer, "choose", 8)
    assert state.hand(dealer).bit_count() == 8
    assert state.legal_actions() == [Choose(subgame) for subgame in SUBGAMES]
    assert state.legal_cards() == 0
    assert do(state, "choose queens") == [Chosen(dealer, Subgame.QUEENS)]
    decision = state.decision()
    assert decision is not None
    assert (decision.seat, decision.kind, decision.cards) == (dealer, "play", 8)
    assert state.leader == dealer
    assert state.legal_cards() == state.hand(dealer)


@pytest.mark.rule("RZ-3", "GAP-Z3", "GAP-Z4", "GAP-Z18")
def test_the_choice_goes_round_and_nobody_chooses_the_same_twice() -> None:
    chance = random.Random(11)
    state = new(dealer=3)
    for number in range(1, 33):
        dealer = (2 + number) % 4
        assert (state.number, state.dealer) == (number, dealer)
        state.apply(None, random_deal(state, chance))
        before = state.chosen(dealer)
        assert len(before) == (number - 1) // 4
        left = [subgame for subgame in SUBGAMES if subgame not in before]
        assert state.legal_actions() == [Choose(subgame) for subgame in left]
        for subgame in before:
            assert refused(state, dealer, f"choose {subgame.value}") == ("SUBGAME_PLAYED", "GAP-Z3")
        assert refused(state, (dealer + 1) % 4, f"choose {left[0].value}") == ("NOT_YOUR_TURN", "GAP-Z18")
        do(state, f"choose {chance.choice(left).value}")
        finish_hand(state, chance)
        assert state.progress() == (number, 32)
    assert state.is_over()


@pytest.mark.rule("GAP-Z3")
def test_the_eighth_choice_is_forced_and_is_made_all_the_same() -> None:
    chance = random.Random(5)
    state = new(dealer=0)
    while state.number < 29 or state.phase is not Phase.CHOOSE:
        step(state, chance)
    assert len(state.legal_actions()) == 1
    decision = state.decision()
    assert decision is not None
    assert decision.kind == "choose"


@pytest.mark.rule("RZ-2")
def test_cards_of_rentz_are_dealt_by_chance_when_they_are_due_and_whole() -> None:
    state = new()
    whole = RENTZ.action_text(Deal(state.pack()))
    assert refused(state, 0, "choose queens") == ("DEAL_DUE", "RZ-2")
    assert refused(state, 1, whole) == ("NOT_YOUR_TURN", "RZ-2")
    assert refused(state, None, whole.rsplit(" ", 1)[0]) == ("BAD_PACK", "RZ-1")
    assert refused(state, None, whole.replace("KS", "AS")) == ("BAD_PACK", "RZ-1")
    assert refused(state, None, whole.replace("7C", "6C")) == ("BAD_PACK", "RZ-1")
    do(state, whole)
    assert refused(state, 0, "play AS") == ("DEAL_DUE", "RZ-2")
    do(state, whole)
    assert refused(state, None, whole) == ("DEAL_NOT_DUE", "RZ-2")
    assert refused(state, state.dealer, whole) == ("DEAL_NOT_DUE", "RZ-2")


@pytest.mark.rule("RZ-3", "RZ-5")
def test_before_the_choice_no_card_is_played_and_after_it_nothing_is_chosen() -> None:
    state = new(dealer=1)
    state.apply(None, chosen_deal(state, ["", "AS"]))
    assert refused(state, 1, "play AS") == ("WRONG_PHASE", "RZ-5")
    do(state, "choose whist")
    assert refused(state, 1, "choose queens") == ("WRONG_PHASE", "RZ-3")
    assert refused(state, 2, "play AS") == ("NOT_YOUR_TURN", "GAP-Z18")
    assert refused(state, None, "play AS") == ("NOT_YOUR_TURN", "GAP-Z18")


@pytest.mark.rule("GAP-Z7")
def test_rentz_has_no_options() -> None:
    assert RENTZ.options_text(Options()) == ""
    assert RENTZ.parse_options(" ") == Options()
    with pytest.raises(ValueError, match="no options"):
        RENTZ.parse_options("blind")


@pytest.mark.rule("RZ-4", "RZ-19")
def test_the_match_of_rentz_is_over_after_32_hands_and_the_highest_score_wins() -> None:
    chance = random.Random(2)
    state = new()
    while not state.is_over():
        assert len(state.rows) < 32
        sensibly(state, chance)
    assert len(state.rows) == 32
    assert (state.decision(), state.legal_actions(), state.play, state.subgame) == (None, [], None, None)
    for seat, move in ((0, "choose whist"), (1, "play AS"), (None, RENTZ.action_text(Deal(state.pack())))):
        assert refused(state, seat, move) == ("MATCH_OVER", "RZ-19")
    state.points_so_far = [-700, 200, -900, -1400]
    assert state.winners() == (1,)
    assert RENTZ.score_sheet(state, NAMES).endswith("Won by Bogdan with 200 points.\n")
    state.points_so_far = [-200, -1200, -200, -1200]
    assert state.winners() == (0, 2)
    assert "Won by P1 and P3 with -200 points." in RENTZ.score_sheet(state)


def test_the_score_sheet_tells_hand_by_hand_what_was_chosen_and_what_it_brought() -> None:
    state = new(dealer=1)
    assert "No hand has been played." in RENTZ.score_sheet(state)
    chance = random.Random(9)
    while len(state.rows) < 5:
        sensibly(state, chance)
    lines = RENTZ.score_sheet(state, NAMES).splitlines()
    assert lines[1].split() == ["hand", "chosen", "by", "subgame", *NAMES]
    assert [line for line in lines if line.startswith("Round")] == ["Round 1", "Round 2"]
    last = state.rows[-1]
    words = lines[-3].split()
    assert words[:2] == ["5", "Bogdan"]
    assert " ".join(words[2:-8]) == last.subgame.value
    assert [int(word) for word in words[-8:]] == [
        number for seat in range(4) for number in (last.points[seat], state.scores()[seat])
    ]
    assert lines[-1] == "The match is not over."


def test_what_is_no_action_of_rentz_is_refused() -> None:
    state = playing("whist", ["AS"])
    with pytest.raises(IllegalAction) as caught:
        state.apply(0, "play AS")
    assert (caught.value.reason, caught.value.rule) == ("UNKNOWN_ACTION", "RZ-1")
    for card in (-1, 56):
        with pytest.raises(IllegalAction) as caught:
            state.apply(0, Play(card))
        assert caught.value.reason == "CARD_NOT_IN_HAND"
    assert "hand 1/32, dealer 0, whist, to play" in str(caught.value)


def test_the_rule_of_thumb_chooses_what_the_hand_promises_most_for() -> None:
    """High cards for whist, low ones for Totale, jacks and their neighbours for the layout."""
    for hand, subgame in (
        ("AS KS QS AH KH AD KD AC", "whist"),
        ("7S 8S 9S 7H 8H 7D 7C 8C", "totale"),
        ("JS QS TS JH QH TH JD JC", "rentz"),
    ):
        state = new(dealer=0)
        state.apply(None, chosen_deal(state, [hand]))
        assert RENTZ.rule_of_thumb(state) == RENTZ.parse_action(f"choose {subgame}")
        best = max(SUBGAMES, key=lambda choice: promise(choice, state.hand(0)))
        assert best.value == subgame


def test_the_rule_of_thumb_plays_better_than_chance() -> None:
    """Seat by seat in turn one plays by rule of thumb and the others at random."""
    gains = []
    for match in range(12):
        chance = random.Random(f"better {match}")
        state = new()
        while not state.is_over():
            decision = state.decision()
            if decision is not None and decision.seat == match % 4:
                state.apply(decision.seat, RENTZ.rule_of_thumb(state))
            else:
                step(state, chance)
        gains.append(state.scores()[match % 4] + 700)
    assert sum(gains) > 12 * 300


def test_without_a_decision_there_is_no_rule_of_thumb() -> None:
    with pytest.raises(ValueError, match="no seat"):
        RENTZ.rule_of_thumb(new(dealer=0))
