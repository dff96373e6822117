"""The subgames of Rentz that are played in tricks, statement by statement and example by example."""

import random
from itertools import pairwise

import pytest

from services.table.engine.cards import TEXT, mask_of, parse_cards
from services.table.engine.game import IllegalAction
from services.table.engine.rentz import (
    TRICK_SCORINGS,
    Phase,
    Play,
    Scored,
    ScoreRow,
    State,
    Subgame,
    TrickTaken,
    trick_hand,
)
from tests.support.rentz import RENTZ, do, new, play_tricks, playing
from tests.support.steps import step


def cards(state: State) -> list[str]:
    return [TEXT[action.card] for action in state.legal_actions() if isinstance(action, Play)]


def refused(state: State, seat: int, move: str) -> tuple[str, str]:
    before = state.copy()
    with pytest.raises(IllegalAction) as caught:
        state.apply(seat, RENTZ.parse_action(move))
    assert state == before
    return caught.value.reason, caught.value.rule


def worth(subgame: Subgame, trick: str) -> int:
    return TRICK_SCORINGS[subgame].points_in(mask_of(parse_cards(trick)))


SUITS_APART = [
    "AS KS QS JS TS 9S 8S 7S",
    "AH KH QH JH TH 9H 8H 7H",
    "AD KD QD JD TD 9D 8D 7D",
    "AC KC QC JC TC 9C 8C 7C",
]
"""Each seat holds one suit: whoever leads takes everything."""


@pytest.mark.rule("RZ-5")
def test_suit_is_followed_and_without_the_suit_anything_may_be_played() -> None:
    state = playing("tricks", ["AH 8H 7H", "KH 9H AS KS QS JS TS 9S", "AD KD QD JD TD 9D 8D 7D", "QH JH TH"])
    assert len(cards(state)) == 8
    do(state, "play 8H")
    assert cards(state) == ["KH", "9H"]
    assert refused(state, 1, "play AS") == ("MUST_FOLLOW_SUIT", "RZ-5")
    assert refused(state, 1, "play 7H") == ("CARD_NOT_IN_HAND", "RZ-5")
    assert refused(state, 1, "play 6H") == ("CARD_NOT_IN_HAND", "RZ-5")
    do(state, "play 9H")
    assert cards(state) == ["AD", "KD", "QD", "JD", "TD", "9D", "8D", "7D"]
    do(state, "play AD")
    assert cards(state) == ["QH", "JH", "TH"]
    assert refused(state, 2, "play KD") == ("NOT_YOUR_TURN", "GAP-Z18")


@pytest.mark.rule("RZ-5", "GAP-Z1")
def test_the_highest_card_of_the_suit_led_takes_the_trick_and_leads_next() -> None:
    state = playing("whist", ["8H 7S", "9H AS", "AD KD QD JD TD 9D 8D 7D", "TH 7H 8S"], dealer=0)
    assert do(state, "play 8H", "play 9H", "play AD", "play TH") == [
        TrickTaken(3, 0, parse_cards("8H 9H AD TH"), 50),
    ]
    assert (state.leader, state.decider()) == (3, 3)
    assert do(state, "play 8S", "play 7S", "play AS", "play KD") == [
        TrickTaken(1, 3, parse_cards("8S 7S AS KD"), 50),
    ]
    assert state.leader == 1
    assert state.taken == (0, 1, 0, 1)
    assert state.points == (0, 50, 0, 50)


@pytest.mark.rule("GAP-Z1")
def test_cards_rank_from_the_ace_down_to_the_seven() -> None:
    ranks = "AKQJT987"
    for higher, lower in pairwise(ranks):
        hand = trick_hand(Subgame.WHIST, [mask_of(parse_cards(f"{card}S")) for card in (lower, higher)], 0)
        hand.play(parse_cards(f"{lower}S")[0])
        assert hand.play(parse_cards(f"{higher}S")[0]) == 1


@pytest.mark.rule("GAP-Z6")
@pytest.mark.parametrize("subgame", [subgame.value for subgame in TRICK_SCORINGS])
def test_hearts_may_be_led_at_once_and_the_king_kept(subgame: str) -> None:
    state = playing(subgame, ["KH QH AS", "AH", "AD KD QD JD TD 9D 8D 7D"])
    assert {"KH", "QH"} <= set(cards(state))
    # Without the suit led nobody has to throw the king.
    state = playing(subgame, ["AS KS QS JS TS 9S 8S 7S", "KH 7C 8C 9C"])
    do(state, "play 7S")
    assert len(cards(state)) == 8


@pytest.mark.rule("RZ-6", "RZ-7", "RZ-8", "RZ-9", "RZ-10", "RZ-11", "RZ-12")
@pytest.mark.parametrize(
    ("subgame", "trick", "points"),
    [
        (Subgame.KING_OF_HEARTS, "KH QH AH 7H", -200),
        (Subgame.KING_OF_HEARTS, "KS KD KC AH", 0),
        (Subgame.QUEENS, "QS QH QD QC", -160),
        (Subgame.QUEENS, "QS AS KH 7D", -40),
        (Subgame.DIAMONDS, "AD 7S KH 7D", -60),
        (Subgame.DIAMONDS, "AD KD QD JD", -120),
        (Subgame.TRICKS, "KH QD TC AS", -50),
        (Subgame.TOTALE, "7S 8S 9S TS", -50),
        (Subgame.TOTALE, "QD 8S 9S TC", -120),
        (Subgame.TOTALE, "QS 8S 9S TS", -90),
        (Subgame.TOTALE, "KH 8S 9S TS", -250),
        (Subgame.TEN_OF_CLUBS, "TC TS TH TD", 200),
        (Subgame.TEN_OF_CLUBS, "AC 9C TS TH", 0),
        (Subgame.WHIST, "KH QD TC AS", 50),
    ],
)
def test_what_a_trick_is_worth(subgame: Subgame, trick: str, points: int) -> None:
    assert worth(subgame, trick) == points


@pytest.mark.rule("RZ-6", "RZ-7", "RZ-8", "RZ-9", "RZ-10", "RZ-11", "RZ-12", "EX-Z4")
@pytest.mark.parametrize(
    ("subgame", "total"),
    [
        ("king of hearts", -200),
        ("queens", -160),
        ("diamonds", -240),
        ("tricks", -400),
        ("totale", -1000),
        ("ten of clubs", 200),
        ("whist", 400),
    ],
)
@pytest.mark.parametrize("leader", range(4))
def test_who_takes_everything_gets_the_sum_of_the_subgame(subgame: str, total: int, leader: int) -> None:
    state = playing(subgame, SUITS_APART, dealer=leader)
    while not state.rows:
        step(state, random.Random(leader))
    expected = [0, 0, 0, 0]
    expected[leader] = total
    assert state.rows[0].points == state.scores() == tuple(expected)


@pytest.mark.rule("EX-Z1", "RZ-7")
def test_the_queens_of_diamonds_and_spades_cost_eighty() -> None:
    assert worth(Subgame.QUEENS, "QD QS 7S 8S") == -80
    state = playing("queens", ["AS AD", "QS 7D", "7S QD", "8S 8D"])
    play_tricks(state, "AS QS 7S 8S", "AD 7D QD 8D")
    assert state.points == (-80, 0, 0, 0)
    assert state.phase is Phase.PLAY


@pytest.mark.rule("EX-Z2", "RZ-8")
def test_three_diamonds_cost_ninety() -> None:
    assert worth(Subgame.DIAMONDS, "AD 7D JD AS") == -90


@pytest.mark.rule("EX-Z3", "RZ-9")
def test_tricks_cost_fifty_each() -> None:
    assert points_for_tricks("tricks", (2, 3, 0, 3)) == (-100, -150, 0, -150)


@pytest.mark.rule("EX-Z6", "RZ-12")
def test_tricks_of_whist_bring_fifty_each() -> None:
    assert points_for_tricks("whist", (4, 2, 1, 1)) == (200, 100, 50, 50)


def points_for_tricks(subgame: str, wanted: tuple[int, ...]) -> tuple[int, ...]:
    """The points of the first hand found, of random ones, in which the seats take so many tricks."""
    for seed in range(10_000):
        chance = random.Random(seed)
        state = new(dealer=0)
        step(state, chance)
        do(state, f"choose {subgame}")
        taken = state.taken
        while not state.rows:
            taken = state.taken
            events = step(state, chance)
        last = events[0]
        assert isinstance(last, TrickTaken)
        if tuple(tricks + (seat == last.seat) for seat, tricks in enumerate(taken)) == wanted:
            return state.rows[0].points
    raise AssertionError("no such hand")


@pytest.mark.rule("EX-Z4", "RZ-10")
def test_in_totale_a_card_costs_all_that_it_is() -> None:
    assert worth(Subgame.TOTALE, "KH QD 7D AD") == -50 - 200 - 40 - 30 * 3 == -380
    assert worth(Subgame.TOTALE, "QD 7S 8C TH") == -50 - 40 - 30 == -120


@pytest.mark.rule("EX-Z5", "GAP-Z5", "RZ-6")
def test_the_hand_ends_when_the_king_of_hearts_is_taken() -> None:
    state = playing("king of hearts", ["AS KS AH", "7S 8S KH", "QS JS QH", "9S TS JH"])
    events = play_tricks(state, "AS 7S JS 9S", "KS 8S QS TS", "AH KH QH JH")
    row = ScoreRow(1, 0, Subgame.KING_OF_HEARTS, (-200, 0, 0, 0))
    assert events[-2:] == [TrickTaken(0, 0, parse_cards("AH KH QH JH"), -200), Scored(row)]
    assert (state.phase, state.number, state.dealer, state.play) == (Phase.DEAL, 2, 1, None)
    assert state.scores() == (-200, 0, 0, 0)


@pytest.mark.rule("EX-Z5", "GAP-Z5", "RZ-11")
def test_the_hand_ends_when_the_ten_of_clubs_is_taken() -> None:
    state = playing("ten of clubs", ["AC", "TC", "7C", "8C"])
    events = play_tricks(state, "AC TC 7C 8C")
    assert events[-1] == Scored(ScoreRow(1, 0, Subgame.TEN_OF_CLUBS, (200, 0, 0, 0)))
    assert state.phase is Phase.DEAL


@pytest.mark.rule("GAP-Z5", "RZ-7")
def test_the_hand_ends_with_the_trick_of_the_last_queen() -> None:
    state = playing("queens", ["AS KH KD KC", "QS 7H 7D 7C", "7S QH 8D QC", "8S 8H QD 8C"])
    play_tricks(state, "AS QS 7S 8S", "KH 7H QH 8H", "KD 7D 8D QD")
    assert (state.phase, state.points) == (Phase.PLAY, (-120, 0, 0, 0))
    events = play_tricks(state, "KC 7C QC 8C")
    assert events[-1] == Scored(ScoreRow(1, 0, Subgame.QUEENS, (-160, 0, 0, 0)))


@pytest.mark.rule("GAP-Z5", "RZ-8")
def test_the_hand_ends_with_the_trick_of_the_last_diamond() -> None:
    state = playing("diamonds", ["AD KD", "QD JD", "TD 9D", "8D 7D"])
    play_tricks(state, "AD QD TD 8D")
    assert state.phase is Phase.PLAY
    events = play_tricks(state, "KD JD 9D 7D")
    assert events[-1] == Scored(ScoreRow(1, 0, Subgame.DIAMONDS, (-240, 0, 0, 0)))


@pytest.mark.rule("GAP-Z5")
@pytest.mark.parametrize("subgame", ["tricks", "totale", "whist"])
@pytest.mark.parametrize("seed", range(10))
def test_tricks_totale_and_whist_are_played_to_the_last_card(subgame: str, seed: int) -> None:
    chance = random.Random(seed)
    state = new(dealer=0)
    step(state, chance)
    do(state, f"choose {subgame}")
    played = 0
    while not state.rows:
        step(state, chance)
        played += 1
    assert played == 32


@pytest.mark.rule("GAP-Z5")
@pytest.mark.parametrize("subgame", ["king of hearts", "queens", "diamonds", "ten of clubs"])
@pytest.mark.parametrize("seed", range(10))
def test_the_others_end_with_the_trick_that_decides_them_and_not_before(subgame: str, seed: int) -> None:
    chance = random.Random(seed)
    state = new(dealer=0)
    step(state, chance)
    do(state, f"choose {subgame}")
    counting = TRICK_SCORINGS[Subgame(subgame)].counting
    while not state.rows:
        taken = mask_of([card for trick in state.tricks for card in trick.cards])
        assert counting & ~taken
        step(state, chance)
    assert sum(state.rows[-1].points) == {"king of hearts": -200, "queens": -160, "diamonds": -240}.get(subgame, 200)


@pytest.mark.rule("RZ-10")
def test_what_was_captured_is_listed_in_the_order_taken() -> None:
    state = playing("totale", ["AS AD AH 7C", "QS 7D 7H QC", "7S QD KH 8C", "8S 8D JH 9C"])
    play_tricks(state, "AS QS 7S 8S", "AD 7D QD 8D", "AH 7H KH JH", "7C QC 8C 9C")
    assert [TEXT[card] for card in state.captured(0)] == ["QS", "AD", "7D", "QD", "8D", "KH"]
    assert [TEXT[card] for card in state.captured(1)] == ["QC"]
    assert state.captured(2) == ()
    assert state.points == (-90 - 210 - 250, -90, 0, 0)
    assert state.taken == (3, 1, 0, 0)


def test_where_only_tricks_count_nothing_is_captured() -> None:
    state = playing("whist", ["AS", "QS", "7S", "8S"])
    play_tricks(state, "AS QS 7S 8S")
    assert [state.captured(seat) for seat in range(4)] == [()] * 4
