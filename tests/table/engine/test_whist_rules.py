"""The rules of whist, statement by statement and example by example."""

import random
from collections import Counter
from itertools import permutations

import pytest

from services.table.engine.cards import TEXT, cards_of, parse_cards
from services.table.engine.first_dealer import draw_dealer
from services.table.engine.game import Deal, IllegalAction
from services.table.engine.whist import (
    DEALS,
    PACKS,
    Bid,
    BiddingEnded,
    DealerDrawn,
    Dealt,
    Phase,
    Play,
    State,
    Streak,
    TrickTaken,
    scoring,
)
from tests.support.steps import random_deal, step
from tests.support.whist import WHIST, at_hand, chosen_deal, do, draw, new, play_hand, sensibly, to_hand

SIZES = range(3, 7)


def refused(state: State, seat: int | None, move: str) -> tuple[str, str]:
    """Reason and rule of a refusal, after which nothing has changed."""
    before = state.copy()
    with pytest.raises(IllegalAction) as caught:
        state.apply(seat, WHIST.parse_action(move))
    assert state == before
    return caught.value.reason, caught.value.rule


def bids(state: State) -> list[int]:
    return [action.tricks for action in state.legal_actions() if isinstance(action, Bid)]


def cards(state: State) -> list[str]:
    return [TEXT[action.card] for action in state.legal_actions() if isinstance(action, Play)]


@pytest.mark.rule("RW-1", "GAP-W6")
@pytest.mark.parametrize("seats", [0, 1, 2, 7, 8])
def test_it_is_for_three_to_six(seats: int) -> None:
    with pytest.raises(ValueError, match="3 to 6"):
        new(seats)
    assert list(WHIST.sizes) == [3, 4, 5, 6]


@pytest.mark.rule("RW-2")
@pytest.mark.parametrize(("seats", "cards_in_pack", "lowest"), [(3, 24, "9"), (4, 32, "7"), (5, 40, "5"), (6, 48, "3")])
def test_the_pack_has_the_eight_highest_cards_for_each(seats: int, cards_in_pack: int, lowest: str) -> None:
    texts = [TEXT[card] for card in PACKS[seats]]
    assert len(texts) == len(set(texts)) == cards_in_pack == 8 * seats
    assert {text[1] for text in texts} == set("SHDC")
    assert {text[0] for text in texts} == set("AKQJT987654321"[: 2 * seats])
    assert texts[2 * seats - 1] == f"{lowest}S"


@pytest.mark.rule("EX-W1", "RW-3")
def test_four_players_1_8_1() -> None:
    assert " ".join(map(str, DEALS["1-8-1", 4])) == "1 1 1 1 2 3 4 5 6 7 8 8 8 8 7 6 5 4 3 2 1 1 1 1"
    assert (len(DEALS["1-8-1", 4]), sum(DEALS["1-8-1", 4])) == (24, 94)


@pytest.mark.rule("EX-W2", "RW-3")
def test_three_players_8_1_8() -> None:
    assert " ".join(map(str, DEALS["8-1-8", 3])) == "8 8 8 7 6 5 4 3 2 1 1 1 2 3 4 5 6 7 8 8 8"
    assert (len(DEALS["8-1-8", 3]), sum(DEALS["8-1-8", 3])) == (21, 105)


@pytest.mark.rule("RW-3")
@pytest.mark.parametrize(("seats", "hands"), [(3, 21), (4, 24), (5, 27), (6, 30)])
def test_a_match_has_so_many_hands(seats: int, hands: int) -> None:
    assert len(DEALS["1-8-1", seats]) == len(DEALS["8-1-8", seats]) == hands


@pytest.mark.rule("RW-4")
def test_who_draws_the_highest_card_deals_first() -> None:
    state = new(4)
    assert (state.phase, state.needs_deal(), state.dealer) == (Phase.DRAW, True, -1)
    pack = list(parse_cards("KD AH AC 7S"))
    pack += [card for card in state.pack() if card not in pack]
    assert state.apply(None, Deal(tuple(pack))) == (DealerDrawn(parse_cards("KD AH AC 7S"), 1),)
    assert (state.phase, state.dealer, state.number, state.cards_each) == (Phase.DEAL, 1, 1, 1)
    assert state.play is None
    events = state.apply(None, Deal(state.pack()))
    assert events == (Dealt(1, 1, 1, parse_cards("TS")[0]),)
    decision = state.decision()
    assert decision is not None
    assert (decision.seat, decision.kind, decision.cards) == (2, "bid", 1)


@pytest.mark.rule("RW-4")
@pytest.mark.parametrize("seats", SIZES)
def test_every_seat_has_the_same_chance_to_deal_first(seats: int) -> None:
    """Whatever cards are drawn, every order of them is as likely as any other."""
    chance = random.Random(seats)
    for _ in range(20):
        drawn = chance.sample(PACKS[seats], seats)
        dealers = Counter(draw_dealer(order, seats).dealer for order in permutations(drawn))
        assert set(dealers) == set(range(seats))
        assert len(set(dealers.values())) == 1


@pytest.mark.rule("RW-4", "GAP-W7")
@pytest.mark.parametrize("seats", SIZES)
def test_the_deal_moves_one_seat_on_after_each_hand(seats: int) -> None:
    state = new(seats, dealer=seats - 1)
    chance = random.Random(1)
    for number in range(1, 6):
        assert state.dealer == (seats - 2 + number) % seats
        to_hand(state, number + 1)
        assert len(state.rows) == number
    assert step(state, chance)[0] is not None


@pytest.mark.rule("RW-4")
def test_cards_are_dealt_by_chance_when_they_are_due_and_whole() -> None:
    state = new(3)
    assert refused(state, 0, "bid 1") == ("DEAL_DUE", "RW-4")
    whole = WHIST.action_text(Deal(state.pack()))
    assert refused(state, 1, whole) == ("NOT_YOUR_TURN", "RW-4")
    assert refused(state, None, whole.rsplit(" ", 1)[0]) == ("BAD_PACK", "RW-2")
    assert refused(state, None, whole.replace("KS", "AS")) == ("BAD_PACK", "RW-2")
    assert refused(state, None, whole.replace("9C", "8C")) == ("BAD_PACK", "RW-2")
    draw(state, 2)
    assert refused(state, 0, "play AS") == ("DEAL_DUE", "RW-4")
    do(state, whole)
    assert refused(state, None, whole) == ("DEAL_NOT_DUE", "RW-4")


@pytest.mark.rule("RW-5", "GAP-W9")
@pytest.mark.parametrize("seats", SIZES)
def test_the_next_card_shows_the_trump_suit_and_stays_out_of_play(seats: int) -> None:
    state = new(seats, dealer=0)
    chance = random.Random(seats)
    kinds: set[int] = set()
    while not state.is_over():
        if state.phase is Phase.DEAL:
            deal = random_deal(state, chance)
            state.apply(None, deal)
            kinds.add(state.cards_each)
            dealt = seats * state.cards_each
            assert state.play is not None
            if state.cards_each == 8:
                assert (state.trump_card, state.play.trump, state.aside) == (-1, 0, ())
            else:
                assert state.trump_card == deal.pack[dealt]
                assert state.play.trump >> state.trump_card & 1
                assert state.aside == deal.pack[dealt + 1 :]
            held = [card for seat in range(seats) for card in cards_of(state.hand(seat))]
            assert sorted(held) == sorted(deal.pack[:dealt])
            first = (state.dealer + 1) % seats
            assert state.hand(first) >> deal.pack[0] & 1
            assert state.hand(state.dealer) >> deal.pack[seats - 1] & 1
        sensibly(state, chance)
    assert kinds == set(range(1, 9))


@pytest.mark.rule("RW-6", "EX-W3")
def test_the_dealer_may_not_make_the_bids_come_to_the_tricks() -> None:
    state = at_hand(3, 6)
    assert state.cards_each == 4
    state.apply(None, chosen_deal(state, [], "9C"))
    assert bids(state) == [0, 1, 2, 3, 4]
    do(state, "bid 2")
    assert bids(state) == [0, 1, 2, 3, 4]
    do(state, "bid 1")
    assert bids(state) == [0, 2, 3, 4]
    assert refused(state, 0, "bid 1") == ("BID_FORBIDDEN", "RW-6")
    assert refused(state, 0, "bid 5") == ("BID_OUT_OF_RANGE", "RW-6")
    assert refused(state, 0, "play AS") == ("WRONG_PHASE", "RW-7")
    assert refused(state, 1, "bid 0") == ("NOT_YOUR_TURN", "GAP-W7")
    assert do(state, "bid 0") == [BiddingEnded(3, False)]
    assert refused(state, 1, "bid 0") == ("WRONG_PHASE", "RW-6")


@pytest.mark.rule("RW-6")
def test_with_more_bid_already_every_bid_is_free() -> None:
    state = at_hand(3, 6)
    state.apply(None, chosen_deal(state, [], "9C"))
    do(state, "bid 3", "bid 2")
    assert bids(state) == [0, 1, 2, 3, 4]
    assert do(state, "bid 0") == [BiddingEnded(5, True)]


@pytest.mark.rule("EX-W5", "RW-6")
def test_one_card_and_three_noughts_leave_the_dealer_one_bid() -> None:
    state = new(4, dealer=3)
    state.apply(None, chosen_deal(state, []))
    do(state, "bid 0", "bid 0", "bid 0")
    assert bids(state) == [0]
    assert refused(state, 3, "bid 1") == ("BID_FORBIDDEN", "RW-6")
    do(state, "bid 0")
    assert state.bid_sum == 0
    assert state.phase is Phase.PLAY


@pytest.mark.rule("RW-7", "GAP-W10")
def test_suit_is_followed_else_trumped_and_nothing_need_be_beaten() -> None:
    state = at_hand(4, 6)
    assert state.cards_each == 3
    state.apply(None, chosen_deal(state, ["7H 8S KC", "AH KH 9D", "8H QH 9S", "KS QC JC"], "TS"))
    do(state, "bid 1", "bid 1", "bid 0", "bid 0")
    assert cards(state) == ["AH", "KH", "9D"]
    do(state, "play KH")
    assert cards(state) == ["QH", "8H"]
    assert refused(state, 2, "play 9S") == ("MUST_FOLLOW_SUIT", "RW-7")
    assert refused(state, 2, "play 7H") == ("CARD_NOT_IN_HAND", "RW-7")
    do(state, "play QH")
    assert cards(state) == ["KS"]
    assert refused(state, 3, "play QC") == ("MUST_TRUMP", "RW-7")
    do(state, "play KS")
    assert state.holder == 3
    assert do(state, "play 7H") == [TrickTaken(3, 1, parse_cards("KH QH KS 7H"))]
    assert cards(state) == ["QC", "JC"]
    do(state, "play QC")
    assert cards(state) == ["KC"]
    do(state, "play KC")
    assert cards(state) == ["AH", "9D"]
    do(state, "play AH")
    assert cards(state) == ["9S"]
    assert do(state, "play 9S") == [TrickTaken(2, 3, parse_cards("QC KC AH 9S"))]
    assert cards(state) == ["8H"]


@pytest.mark.rule("RW-7", "RW-5")
def test_without_trump_the_highest_of_the_suit_led_takes_the_trick() -> None:
    state = new(3, "8-1-8", dealer=2)
    assert state.cards_each == 8
    state.apply(None, chosen_deal(state, ["9S TS", "AH KH", "AS JS"]))
    do(state, "bid 0", "bid 0", "bid 0", "play 9S")
    follow = cards(state)
    assert all(card[1] == "S" for card in follow) or not any(card[1] == "S" for card in follow)
    do(state, f"play {follow[-1]}", "play AS")
    assert (state.leader, state.tricks[-1].taker) == (2, 2)


@pytest.mark.rule("RW-7")
def test_the_dealers_neighbour_leads_and_the_taker_leads_next() -> None:
    state = at_hand(4, 8)
    chance = random.Random(6)
    state.apply(None, random_deal(state, chance))
    while state.phase is Phase.BID:
        step(state, chance)
    assert state.leader == 1
    while len(state.tricks) < 4:
        step(state, chance)
        if state.tricks and not state.trick:
            assert state.leader == state.tricks[-1].taker


@pytest.mark.rule("RW-8", "EX-W4")
@pytest.mark.parametrize(
    ("bid", "tricks", "points"), [(0, 0, 5), (8, 8, 13), (3, 5, -2), (5, 3, -2), (1, 1, 6), (0, 8, -8)]
)
def test_points_of_a_hand(bid: int, tricks: int, points: int) -> None:
    assert scoring.points(bid, tricks) == points


def streaks(results: str, cards_each: int = 4, premium: int = 10) -> tuple[Streak, list[int]]:
    """The streak after hands that were hit (`+`) or missed (`-`); `1` before one is a hand of one card."""
    streak, premiums = scoring.NONE, []
    each = cards_each
    for result in results:
        if result == "1":
            each = 1
            continue
        streak, won = scoring.after(streak, result == "+", each, premium)
        premiums.append(won)
        each = cards_each
    return streak, premiums


@pytest.mark.rule("RW-9", "GAP-W4")
def test_five_in_a_row_bring_or_cost_a_premium_and_the_count_begins_again() -> None:
    assert streaks("++++") == (Streak(4, 0), [0] * 4)
    assert streaks("+++++") == (Streak(0, 0), [0] * 4 + [10])
    assert streaks("+" * 9) == (Streak(4, 0), [0] * 4 + [10] + [0] * 4)
    assert streaks("+" * 10)[1] == [0, 0, 0, 0, 10] * 2
    assert streaks("-----") == (Streak(0, 0), [0] * 4 + [-10])
    assert streaks("-" * 10)[1] == [0, 0, 0, 0, -10] * 2


@pytest.mark.rule("GAP-W1")
@pytest.mark.parametrize("premium", [10, 5, 0])
def test_a_premium_is_worth_what_the_table_says(premium: int) -> None:
    assert streaks("+++++", premium=premium)[1][-1] == premium
    assert streaks("-----", premium=premium)[1][-1] == -premium
    if premium == 0:
        assert streaks("+++", premium=0)[0] == scoring.NONE


@pytest.mark.rule("GAP-W2", "GAP-W3")
def test_hands_of_one_card_are_passed_over_and_those_of_eight_count() -> None:
    assert streaks("++1-1+++") == (Streak(4, 0), [0] * 6)
    assert streaks("++++1+") == (Streak(4, 0), [0] * 5)
    assert streaks("++++1-+")[1][-1] == 10
    assert streaks("1+1+1+1+1+") == (scoring.NONE, [0] * 5)
    assert streaks("+++++", cards_each=8)[1][-1] == 10
    assert streaks("++++-", cards_each=8)[0] == Streak(0, 1)


@pytest.mark.rule("GAP-W5", "EX-W9")
def test_a_miss_ends_the_exact_hands_and_the_other_way_round() -> None:
    assert streaks("++++-+") == (Streak(1, 0), [0] * 6)
    assert streaks("----+-") == (Streak(0, 1), [0] * 6)


@pytest.mark.rule("EX-W8", "RW-9")
def test_five_misses_by_one_on_hands_of_2_to_6_cost_fifteen() -> None:
    state = at_hand(4, 5)
    assert [state.deals[number] for number in range(4, 9)] == [2, 3, 4, 5, 6]
    for _ in range(5):
        play_hand(state, (False, True, False, True), lambda row: row.cells[0].points == -1)
    cells = [row.cells[0] for row in state.rows[-5:]]
    assert [cell.points for cell in cells] == [-1] * 5
    assert [cell.premium for cell in cells] == [0, 0, 0, 0, -10]
    assert [cell.streak for cell in cells] == [Streak(0, missed) for missed in (1, 2, 3, 4, 0)]
    assert state.scores()[0] == -15
    assert state.rows[-1].cells[1].premium == 10


@pytest.mark.rule("GAP-W2", "RW-9")
def test_streaks_of_a_match_reach_over_hands_of_one_card() -> None:
    state = at_hand(3, 9, "8-1-8")
    assert state.cards_each == 2
    play_hand(state, (True, False, True))
    assert state.cards_each == 1
    for _ in range(3):
        step_streaks = list(state.streaks)
        play_hand(state, (False, True, True))
        assert state.streaks == step_streaks
    play_hand(state, (True, False, False))
    assert state.streaks == [Streak(2, 0), Streak(0, 2), Streak(0, 1)]


@pytest.mark.rule("RW-10", "GAP-W8")
def test_most_points_win_and_equal_ones_win_together() -> None:
    state = new(4, dealer=0)
    to_hand(state, 24)
    assert not state.is_over()
    while not state.is_over():
        step(state, random.Random(1))
    state.points_so_far = [3, 9, -2, 9]
    assert state.winners() == (1, 3)
    assert "Won by P2 and P4 with 9 points." in WHIST.score_sheet(state)
    state.points_so_far = [3, 9, -2, 10]
    assert state.winners() == (3,)
    for seat, move in ((0, "bid 1"), (None, WHIST.action_text(Deal(state.pack())))):
        assert refused(state, seat, move)[0] == "MATCH_OVER"


def test_what_is_no_action_is_refused() -> None:
    state = new(3, dealer=0)
    state.apply(None, chosen_deal(state, []))
    with pytest.raises(IllegalAction) as caught:
        state.apply(1, "bid 1")
    assert caught.value.reason == "UNKNOWN_ACTION"
    do(state, "bid 1", "bid 1", "bid 1")
    for card in (-1, 56):
        with pytest.raises(IllegalAction) as caught:
            state.apply(1, Play(card))
        assert caught.value.reason == "CARD_NOT_IN_HAND"
    assert "3 players, 1-8-1, deal 1/21, 1 cards each, dealer 0" in str(caught.value)


def test_nothing_but_legal_actions_is_accepted_and_what_is_refused_changes_nothing() -> None:
    chance = random.Random("illegal")
    everything = [f"bid {n}" for n in range(9)] + [f"play {text}" for text in TEXT]
    tried = 0
    for seats in SIZES:
        state = new(seats)
        while not state.is_over():
            decision = state.decision()
            if decision is not None and chance.random() < 0.1:
                legal = {WHIST.action_text(action) for action in state.legal_actions()}
                before = state.copy()
                for move in everything:
                    action = WHIST.parse_action(move)
                    if move in legal:
                        state.verify(decision.seat, action)
                    else:
                        tried += 1
                        refused(state, decision.seat, move)
                    with pytest.raises(IllegalAction):
                        state.verify((decision.seat + 1) % seats, action)
                assert state == before
            sensibly(state, chance)
    assert tried > 5000


def test_the_rule_of_thumb_makes_more_bids_than_chance() -> None:
    made = {0.0: 0, 1.0: 0}
    for share in made:
        chance = random.Random(11)
        state = new(4)
        while not state.is_over():
            sensibly(state, chance, share)
        made[share] = sum(cell.bid == cell.tricks for row in state.rows for cell in row.cells)
    assert made[1.0] > made[0.0] + 15
    with pytest.raises(ValueError, match="no seat"):
        WHIST.rule_of_thumb(state)
