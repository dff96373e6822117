"""The layout game of Rentz, statement by statement and example by example."""

import random
from collections import Counter

import pytest

from services.table.engine.cards import TEXT, cards_of, mask_of, parse_cards
from services.table.engine.game import IllegalAction
from services.table.engine.rentz import (
    PACK,
    PASSED,
    WAITED,
    Chosen,
    Event,
    Finished,
    LayoutHand,
    Move,
    MovesAgain,
    Passed,
    Phase,
    Placed,
    Play,
    Scored,
    State,
    Subgame,
    Waited,
    layout_hand,
)
from services.table.engine.rentz.layout import OPENED_BY
from services.table.engine.rentz.telling import since_deal
from tests.support.rentz import RENTZ, chosen_deal, do, finish_hand, new, playing
from tests.support.steps import step

JACKS = "JS JH JD JC"


def cards(state: State) -> list[str]:
    return [TEXT[action.card] for action in state.legal_actions() if isinstance(action, Play)]


def card(text: str) -> int:
    return parse_cards(text)[0]


def table(hands: list[str], laid: str, seat: int = 0) -> LayoutHand:
    """A layout game in which these cards are held, and these lie already; every run must be whole."""
    play = LayoutHand()
    play.begin([mask_of(parse_cards(hand)) for hand in hands], seat)
    for placed in parse_cards(laid):
        assert play.valid >> placed & 1, f"{TEXT[placed]} is not valid yet"
        play.laid |= 1 << placed
        play.valid = play.valid & ~(1 << placed) | OPENED_BY[placed]
    return play


def refused(state: State, move: str) -> tuple[str, str]:
    before = state.copy()
    decision = state.decision()
    assert decision is not None
    with pytest.raises(IllegalAction) as caught:
        state.apply(decision.seat, RENTZ.parse_action(move))
    assert state == before
    return caught.value.reason, caught.value.rule


EVERYTHING_BUT_ENDS = "JS QS KS TS 9S 8S JH QH KH TH 9H 8H JD QD KD TD 9D 8D JC QC KC TC 9C 8C"
"""On the table so that only aces and sevens are left, all of them valid."""


@pytest.mark.rule("RZ-13", "RZ-15", "GAP-Z13", "GAP-Z11")
@pytest.mark.parametrize("suit", "SHDC")
def test_every_suit_grows_from_its_jack_to_both_sides(suit: str) -> None:
    opened = {rank: {TEXT[other] for other in cards_of(OPENED_BY[card(rank + suit)])} for rank in "AKQJT987"}
    assert opened == {
        "J": {f"Q{suit}", f"T{suit}"},
        "Q": {f"K{suit}"},
        "K": {f"A{suit}"},
        "A": set(),
        "T": {f"9{suit}"},
        "9": {f"8{suit}"},
        "8": {f"7{suit}"},
        "7": set(),
    }


@pytest.mark.rule("RZ-13")
def test_at_first_only_the_jacks_are_valid_and_the_dealer_begins() -> None:
    state = playing("rentz", ["JS JD QS TS 7H", "JH", "JC"], dealer=0)
    assert state.decider() == 0
    assert cards(state) == ["JS", "JD"]
    assert refused(state, "play QS") == ("CARD_NOT_VALID", "RZ-13")
    assert refused(state, "play JH") == ("CARD_NOT_IN_HAND", "RZ-13")
    assert refused(state, "play 6S") == ("CARD_NOT_IN_HAND", "RZ-13")
    assert do(state, "play JS") == [Placed(0, card("JS"))]
    assert state.decider() == 1
    assert cards(state) == ["JH"]


@pytest.mark.rule("RZ-13", "RZ-14", "GAP-Z8")
def test_a_dealer_without_a_jack_passes_at_once() -> None:
    state = new(dealer=2)
    state.apply(None, chosen_deal(state, ["AS", "JS JH JD JC", "AH", "AD"]))
    events = do(state, "choose rentz")
    assert events == [Chosen(2, Subgame.RENTZ), Passed(2), Passed(3), Passed(0)]
    assert state.decider() == 1
    assert since_deal(state)[1:] == events


@pytest.mark.rule("RZ-14", "GAP-Z8")
def test_who_has_no_valid_card_passes_by_himself_and_nobody_else_may() -> None:
    state = playing("rentz", [JACKS, "AS AH AD AC 7S 7H 7D 7C", "QS KH KD KC 8S 8H 8D 8C"])
    assert do(state, "play JS") == [Placed(0, card("JS")), Passed(1)]
    assert state.decider() == 2
    assert cards(state) == ["QS"]
    decision = state.decision()
    assert decision is not None
    assert decision.kind == "play"
    # Who can move has no other action than placing one of the valid cards.
    assert state.legal_actions() == [Play(card("QS"))]


@pytest.mark.rule("RZ-13")
def test_cards_next_to_the_ends_of_a_run_are_valid_and_no_others() -> None:
    play = table(["AS KS QS 9S 8S 7S KH QH", "", "", ""], "JS TS JH QH")
    assert {TEXT[legal] for legal in cards_of(play.legal())} == {"QS", "9S", "KH"}
    play = table(["AS KS 9S 8S 7S AH QD", "7C", "", ""], "JS TS QS JH QH JD TD KS")
    assert {TEXT[legal] for legal in cards_of(play.legal())} == {"AS", "9S", "QD"}


@pytest.mark.rule("RZ-16", "EX-Z7", "GAP-Z12")
def test_the_order_of_finishing_brings_400_200_100_and_0() -> None:
    """B finishes first, then D, then A; C is last and keeps its cards."""
    laid = EVERYTHING_BUT_ENDS.replace(" 9C 8C", "")
    play = table(["AS 9C", "AH", "8C 7C", "AD"], laid, seat=1)
    for placed, points in (
        ("AH", [0, 400, 0, 0]),
        ("AD", [0, 400, 0, 200]),
        ("AS", [0, 400, 0, 200]),
        ("9C", [100, 400, 0, 200]),
    ):
        assert not play.is_over()
        play.play(card(placed))
        assert play.points == points
    assert play.is_over()
    assert play.finished == (1, 3, 0)
    assert play.hands == [0, 0, mask_of(parse_cards("8C 7C")), 0]


@pytest.mark.rule("RZ-17", "EX-Z8", "GAP-Z9")
def test_who_places_an_ace_moves_again_if_he_can() -> None:
    play = table(["AC TH 7S", "9H", "8S", "QD"], "JC QC KC JH JS TS")
    play.play(card("AC"))
    assert (play.seat, play.again) == (0, True)
    assert [TEXT[legal] for legal in cards_of(play.legal())] == ["TH"]
    play.play(card("TH"))
    assert (play.seat, play.again) == (1, False)


@pytest.mark.rule("EX-Z8", "GAP-Z9")
def test_without_a_valid_card_the_second_move_lapses() -> None:
    play = table(["AC 7S", "TH", "8S", "QD"], "JC QC KC JH JS TS")
    play.play(card("AC"))
    assert (play.seat, play.again) == (1, False)
    assert play.history == (Move(0, card("AC")),)


@pytest.mark.rule("GAP-Z9")
def test_an_ace_after_an_ace_gives_another_move() -> None:
    play = table(["AC AD TH 8S", "9H", "9S", "QH"], "JC QC KC JD QD KD JH JS TS")
    for placed in ("AC", "AD"):
        play.play(card(placed))
        assert (play.seat, play.again) == (0, True)
    play.play(card("TH"))
    assert (play.seat, play.again) == (1, False)


@pytest.mark.rule("GAP-Z9", "RZ-18")
def test_a_seven_as_the_second_move_makes_the_next_player_wait() -> None:
    play = table(["AC 7D 9S", "AH", "AS", "QH"], "JC QC KC JD TD 9D 8D JH QH KH JS QS KS")
    play.play(card("AC"))
    play.play(card("7D"))
    assert play.seat == 2
    assert play.history[-1] == Move(1, WAITED)


@pytest.mark.rule("GAP-Z9")
def test_an_ace_as_the_last_card_gives_nothing() -> None:
    play = table(["AC", "7D 8S", "AS 9S", "AH 9H"], EVERYTHING_BUT_ENDS.replace(" 9S 8S", "").replace(" 9H 8H", ""))
    play.play(card("AC"))
    assert (play.seat, play.again, play.finished) == (1, False, (0,))


@pytest.mark.rule("RZ-18", "GAP-Z10")
def test_the_next_player_waits_one_turn_after_a_seven() -> None:
    play = table(["7S 8H", "AH 9C", "AD 9D", "AC 9H"], "JS TS 9S 8S JH QH KH JD QD KD JC QC KC")
    play.play(card("7S"))
    assert play.history[-1] == Move(1, WAITED)
    assert play.seat == 2
    play.play(card("AD"))
    # One turn only: afterwards seat 1 moves like anybody.
    while play.seat != 1:
        play.play(cards_of(play.legal())[0])
    assert play.hands[1] == mask_of(parse_cards("AH 9C"))


@pytest.mark.rule("GAP-Z10")
def test_players_who_have_finished_do_not_wait_for_others() -> None:
    play = table(["7S 8H", "", "AD 9D", "AC 9H"], "JS TS 9S 8S JH QH KH JD QD KD JC QC KC")
    play.finished = (1,)
    play.play(card("7S"))
    assert play.history[-1] == Move(2, WAITED)
    assert play.seat == 3


@pytest.mark.rule("GAP-Z10")
def test_the_wait_uses_up_a_turn_in_which_nothing_could_have_been_placed() -> None:
    play = table(["7S 8H", "8C 9C", "9D", "AC 9H"], "JS TS 9S 8S JH QH KH JD QD KD JC QC KC")
    assert not play.hands[1] & play.valid
    play.play(card("7S"))
    assert play.history[1:] == (Move(1, WAITED), Move(2, PASSED))
    assert play.seat == 3


@pytest.mark.rule("GAP-Z10")
def test_of_two_players_left_the_one_who_placed_the_seven_moves_again() -> None:
    play = table(["7S AH", "", "AD 9D", ""], "JS TS 9S 8S JH QH KH JD QD KD")
    play.finished = (1, 3)
    play.play(card("7S"))
    assert play.history[-1] == Move(2, WAITED)
    assert (play.seat, play.again) == (0, False)
    # Without a valid card that turn passes on as any other.
    play = table(["7S AH", "", "AD 9D", ""], "JS TS 9S 8S JH QH JD QD KD")
    play.finished = (1, 3)
    play.play(card("7S"))
    assert play.history[1:] == (Move(2, WAITED), Move(0, PASSED))
    assert play.seat == 2


@pytest.mark.rule("GAP-Z10")
def test_a_seven_that_was_the_last_card_makes_the_next_player_wait_all_the_same() -> None:
    play = table(["7S", "AH 9C", "AD 9D", "AC 9H"], "JS TS 9S 8S JH QH KH JD QD KD JC QC KC")
    play.play(card("7S"))
    assert play.finished == (0,)
    assert play.history[-1] == Move(1, WAITED)
    assert play.seat == 2


@pytest.mark.rule("GAP-Z12", "RZ-16")
def test_when_three_have_finished_the_hand_is_over_with_the_last_cards_unplaced() -> None:
    state = playing("rentz")
    events = finish_hand(state, random.Random(7))
    finished = [event for event in events if isinstance(event, Finished)]
    assert [event.place for event in finished] == [1, 2, 3]
    row = events[-1]
    assert isinstance(row, Scored)
    assert [row.row.points[event.seat] for event in finished] == [400, 200, 100]
    assert sum(row.row.points) == 700
    assert len([event for event in events if isinstance(event, Placed)]) < 32
    assert state.phase is Phase.DEAL


@pytest.mark.rule("GAP-Z12", "GAP-Z11", "RZ-17", "RZ-18")
@pytest.mark.parametrize("seed", range(60))
def test_the_layout_never_gets_stuck_and_has_at_most_four_second_moves_and_waits(seed: int) -> None:
    chance = random.Random(f"layout {seed}")
    pack = list(PACK)
    chance.shuffle(pack)
    play = layout_hand([mask_of(pack[seat::4]) for seat in range(4)], seed % 4)
    second = 0
    while not play.is_over():
        legal = cards_of(play.legal())
        assert legal
        play.play(chance.choice(legal))
        second += play.again
        on_table = cards_of(play.laid)
        for suit in range(4):
            ranks = [placed % 14 for placed in on_table if placed // 14 == suit]
            assert not ranks or (3 in ranks and ranks == list(range(ranks[0], ranks[-1] + 1)))
    waits = Counter(move.card for move in play.history)[WAITED]
    assert second <= 4
    assert waits <= 4
    assert sorted(play.points) == [0, 100, 200, 400]


@pytest.mark.rule("RZ-14", "RZ-17", "RZ-18", "RZ-16")
@pytest.mark.parametrize("seed", range(30))
def test_what_happened_is_told_once_and_in_order(seed: int) -> None:
    """The events of all actions together are those that the history tells, whenever it is asked for."""
    chance = random.Random(f"told {seed}")
    state = new(dealer=seed % 4)
    told: list[Event] = list(step(state, chance))
    told.extend(do(state, "choose rentz"))
    kinds: set[type] = set()
    while True:
        assert since_deal(state) == told
        events = step(state, chance)
        kinds |= {type(event) for event in events}
        if state.phase is not Phase.PLAY:
            break
        told.extend(events)
    assert isinstance(events[-1], Scored)
    assert isinstance(events[-2], Finished)
    assert since_deal(state) == []
    assert {Placed, Finished, Scored} <= kinds <= {Placed, Passed, Waited, MovesAgain, Finished, Scored}


def test_the_second_move_after_an_ace_is_told() -> None:
    state = playing("rentz", ["JC KC AC JH JD", "QC"])
    do(state, "play JC")
    while "QC" not in cards(state):
        do(state, f"play {cards(state)[0]}")
    do(state, "play QC")
    while "KC" not in cards(state):
        do(state, f"play {cards(state)[0]}")
    do(state, "play KC")
    while "AC" not in cards(state):
        do(state, f"play {cards(state)[-1]}")
    assert MovesAgain(0) in do(state, "play AC")
    assert state.decider() == 0
    assert state.layout is not None
    assert state.layout.again
