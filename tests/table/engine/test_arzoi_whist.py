"""Whist Arzoi: deal and trump, bidding, play, score, burning together, the early end."""

import random
from collections.abc import Sequence

import pytest

from services.table.engine.arzoi import (
    Bid,
    BiddingEnded,
    Dealt,
    OrbitEnded,
    Part,
    Phase,
    Play,
    Scored,
    State,
    TrickTaken,
)
from services.table.engine.arzoi.whist import points
from services.table.engine.cards import TEXT, cards_of, cards_text, mask_of, parse_card, parse_cards
from services.table.engine.game import Deal, IllegalAction
from services.table.engine.tricks import FollowSuit
from tests.support.arzoi import ARZOI, changes, chosen_deal, do, new, whist_round
from tests.support.steps import random_deal, step


def bids_allowed(state: State) -> list[int]:
    return [action.tricks for action in state.legal_actions() if isinstance(action, Bid)]


def at_play(state: State, hands: Sequence[str], trump: str, bids: str | None = None) -> None:
    """Deals these hands and lets everybody bid: all 0, or as written in bidding order."""
    state.apply(None, chosen_deal(state, hands, trump))
    do(state, *[f"bid {bid}" for bid in (bids.split() if bids else "0" * state.seats)])


# Deal and trump


@pytest.mark.rule("AZ-12")
@pytest.mark.parametrize("seats", range(3, 10))
def test_everybody_gets_as_many_cards_as_were_chosen(seats: int) -> None:
    for cards in range(2, new(seats).size.whist_max + 1):
        state = new(seats)
        do(state, f"whist {cards}")
        deal = random_deal(state, random.Random(cards))
        state.apply(None, deal)
        assert state.hand_sizes() == (cards,) * seats
        for index in range(cards * seats):
            assert state.hand((state.dealer + 1 + index) % seats) >> deal.pack[index] & 1
        decision = state.decision()
        assert decision is not None
        assert decision.cards == cards


@pytest.mark.rule("AZ-13", "EX-A11", "GAP-A28")
@pytest.mark.parametrize("seats", range(3, 10))
def test_the_next_card_is_turned_for_trump_unless_all_are_dealt(seats: int) -> None:
    for cards in range(2, new(seats).size.whist_max + 1):
        state = new(seats)
        do(state, f"whist {cards}")
        deal = random_deal(state, random.Random(cards))
        (event,) = state.apply(None, deal)
        assert isinstance(event, Dealt)
        play = state.play
        assert isinstance(play, FollowSuit)
        all_dealt = (seats, cards) in ((3, 8), (4, 8), (5, 8), (6, 8), (8, 6))
        assert all_dealt == (seats * cards == len(state.pack()))
        if all_dealt:
            assert event.trump_card == state.trump_card == -1
            assert play.trump == 0
        else:
            trump = deal.pack[seats * cards]
            assert event.trump_card == state.trump_card == trump
            assert {TEXT[card][1] for card in cards_of(play.trump)} == {TEXT[trump][1]}
            assert not any(hand >> trump & 1 for hand in play.hands)
            assert state.set_aside == 0


@pytest.mark.rule("AZ-12", "AZ-4")
@pytest.mark.parametrize("spoil", ["short", "long", "twice", "foreign", "empty"])
def test_a_deal_has_to_be_the_whole_pack_with_each_card_once(spoil: str) -> None:
    state = new(4)
    do(state, "whist 3")
    pack = state.pack()
    packs = {
        "short": pack[:-1],
        "long": (*pack, parse_card("6C")),
        "twice": (*pack[:-1], pack[0]),
        "foreign": (*pack[:-1], parse_card("6C")),
        "empty": (),
    }
    before = state.copy()
    with pytest.raises(IllegalAction, match="BAD_PACK") as refusal:
        state.apply(None, Deal(packs[spoil]))
    assert refusal.value.rule == "AZ-4"
    assert state == before


# Bidding


@pytest.mark.rule("AZ-14", "GAP-A3")
@pytest.mark.parametrize("seats", range(3, 10))
def test_bidding_starts_right_of_the_dealer_who_bids_last_and_play_starts_there_too(seats: int) -> None:
    state = new(seats)
    do(state, "whist 4")
    state.dealer = seats - 2
    state.apply(None, random_deal(state, random.Random(seats)))
    bidders: list[int] = []
    for _ in range(seats):
        decision = state.decision()
        assert decision is not None
        assert (decision.kind, state.phase) == ("bid", Phase.BID)
        if len(bidders) < seats - 1:
            assert bids_allowed(state) == [0, 1, 2, 3, 4]
        bidders.append(decision.seat)
        do(state, "bid 0")
    assert bidders[0] == seats - 1
    assert bidders[-1] == seats - 2
    decision = state.decision()
    assert decision is not None
    assert (decision.kind, decision.seat, state.leader) == ("play", seats - 1, seats - 1)


@pytest.mark.rule("AZ-14")
@pytest.mark.parametrize("tricks", [-1, 6, 9, 100])
def test_a_bid_out_of_range_is_refused(tricks: int) -> None:
    state = new(4)
    do(state, "whist 5")
    state.apply(None, random_deal(state, random.Random(0)))
    before = state.copy()
    with pytest.raises(IllegalAction) as refusal:
        state.apply(1, Bid(tricks))
    assert (refusal.value.reason, refusal.value.rule) == ("BID_OUT_OF_RANGE", "AZ-14")
    assert state == before


@pytest.mark.rule("AZ-15", "EX-A1", "EX-A2")
@pytest.mark.parametrize(
    ("earlier", "legal"),
    [
        ((2, 1, 1), [0, 2, 3, 4, 5]),
        ((3, 2, 2), [0, 1, 2, 3, 4, 5]),
        ((0, 0, 0), [0, 1, 2, 3, 4]),
        ((5, 0, 0), [1, 2, 3, 4, 5]),
        ((5, 5, 5), [0, 1, 2, 3, 4, 5]),
    ],
)
def test_the_last_bidder_may_not_make_the_sum_equal(earlier: Sequence[int], legal: list[int]) -> None:
    state = new(4)
    do(state, "whist 5")
    state.apply(None, random_deal(state, random.Random(0)))
    do(state, *[f"bid {bid}" for bid in earlier])
    assert bids_allowed(state) == legal
    for bid in set(range(6)) - set(legal):
        with pytest.raises(IllegalAction) as refusal:
            state.apply(0, Bid(bid))
        assert (refusal.value.reason, refusal.value.rule) == ("BID_FORBIDDEN", "AZ-15")


@pytest.mark.rule("AZ-16", "EX-A1", "EX-A2")
@pytest.mark.parametrize(
    ("bids", "overbid"), [((2, 1, 1, 0), False), ((3, 2, 2, 0), True), ((0, 0, 0, 0), False), ((2, 1, 1, 2), True)]
)
def test_the_table_shows_over_and_underbid(bids: Sequence[int], overbid: bool) -> None:
    state = new(4)
    do(state, "whist 5")
    state.apply(None, random_deal(state, random.Random(0)))
    do(state, *[f"bid {bid}" for bid in bids[:3]])
    assert state.overbid is None
    assert do(state, f"bid {bids[3]}") == [BiddingEnded(sum(bids), overbid)]
    assert state.overbid is overbid


# Play


@pytest.mark.rule("AZ-17")
def test_the_leader_may_play_anything() -> None:
    state = new(4)
    do(state, "whist 3")
    at_play(state, ["7S 8S 9S", "AH 7D KC", "9H 9D 9C", "TH TD TC"], "AS")
    assert [ARZOI.action_text(action) for action in state.legal_actions()] == ["play AH", "play 7D", "play KC"]


@pytest.mark.rule("AZ-18", "EX-A12", "GAP-A27")
@pytest.mark.parametrize(
    ("hand", "legal", "refused"),
    [
        ("AC 2S", "2S", {"AC": "MUST_TRUMP"}),
        ("AC KD", "KD AC", {}),
        ("3H AS", "3H", {"AS": "MUST_FOLLOW_SUIT"}),
        ("3H KH", "KH 3H", {}),
        ("AS 2S", "AS 2S", {}),
        ("7D 3H", "3H", {"7D": "MUST_FOLLOW_SUIT"}),
    ],
)
def test_follow_suit_else_trump_else_anything(hand: str, legal: str, refused: dict[str, str]) -> None:
    """Trump is spades and the nine of hearts was led. Nobody has to beat what lies."""
    state = new(9)
    do(state, "whist 2")
    at_play(state, ["", "9H 1C", hand], "KS")
    do(state, "play 9H")
    assert cards_text([a.card for a in state.legal_actions() if isinstance(a, Play)]) == legal
    before = state.copy()
    for card, reason in refused.items():
        with pytest.raises(IllegalAction) as refusal:
            state.apply(2, Play(parse_card(card)))
        assert (refusal.value.reason, refusal.value.rule) == (reason, "AZ-18")
    assert state == before


@pytest.mark.rule("GAP-A27")
def test_over_trumping_is_not_required() -> None:
    """The trick was trumped with the queen: king and seven of trumps are both allowed."""
    state = new(4)
    do(state, "whist 2")
    at_play(state, ["8H 9H", "KH AH", "QS 7C", "KS 7S"], "AS")
    do(state, "play KH", "play QS")
    assert cards_text(cards_of(state.legal_cards())) == "KS 7S"
    do(state, "play 7S")
    assert state.holder == 2


@pytest.mark.rule("AZ-18", "AZ-13")
def test_without_trump_a_void_hand_may_play_anything() -> None:
    state = new(4)
    do(state, "whist 8")
    at_play(
        state,
        [
            "AS KS QS JS TS 9S 8S 7S",
            "AH KH QH JH TH 9H 8H 7H",
            "AD KD QD JD TD 9D 8D 7D",
            "AC KC QC JC TC 9C 8C 7C",
        ],
        "",
    )
    do(state, "play 7H")
    assert state.legal_cards() == state.hand(2)
    do(state, "play AD", "play AC", "play AS")
    assert state.tricks[-1].taker == 1


@pytest.mark.rule("AZ-19", "AZ-20")
@pytest.mark.parametrize(
    ("trick", "taker"),
    [
        ("9H TH 8H QH", 0),  # the highest of the suit led
        ("9H 8H TD 7H", 1),  # another suit does not count
        ("9H AD AC KD", 1),  # even the highest of them
        ("AH 7S KH QH", 2),  # trumped
        ("AH 7S 9S 8S", 3),  # trumped and over-trumped
        ("7S 8S KH 9S", 0),  # trumps led
    ],
)
def test_the_highest_trump_or_else_the_highest_of_the_suit_takes_the_trick_and_leads(trick: str, taker: int) -> None:
    """Seats 1, 2, 3, 0 play in this order; trump is spades."""
    state = new(4)
    do(state, "whist 2")
    cards = trick.split()
    at_play(state, [cards[3], cards[0], cards[1], cards[2]], "AS")
    play = state.play
    assert play is not None
    for seat, card in zip((1, 2, 3, 0), cards, strict=True):
        play.hands[seat] = mask_of(parse_cards(f"{card} AC" if card != "AC" else "AC KC"))
    do(state, *[f"play {card}" for card in cards[:3]])
    (event,) = do(state, f"play {cards[3]}")
    assert event == TrickTaken(taker, 1, 4, parse_cards(trick), 0)
    decision = state.decision()
    assert decision is not None
    assert decision.seat == taker
    assert state.leader == taker


@pytest.mark.rule("AZ-12")
def test_only_a_card_in_hand_can_be_played() -> None:
    state = new(4)
    do(state, "whist 2")
    at_play(state, ["7H 8H", "KH AH", "QS 7C", "KS 7S"], "AS")
    for card in (parse_card("7C"), parse_card("1C"), -1, 56, 1000):
        with pytest.raises(IllegalAction, match="CARD_NOT_IN_HAND"):
            state.apply(1, Play(card))


# Score


@pytest.mark.rule("AZ-21", "AZ-22", "AZ-23", "EX-A3", "EX-A4", "EX-A7", "GAP-A6")
@pytest.mark.parametrize(
    ("bid", "tricks", "cards", "multiplier", "expected"),
    [
        (2, 2, 5, 1, 7),  # AZ-21
        (3, 1, 5, 1, -2),  # AZ-22, EX-A3
        (0, 2, 5, 1, -2),
        (0, 0, 5, 1, 5),
        (3, 3, 3, 1, 18),  # AZ-23, EX-A4
        (8, 8, 8, 1, 23),
        (8, 0, 8, 1, -8),
        (0, 8, 8, 1, -8),
        (2, 2, 2, 1, 17),
        (4, 4, 4, 2, 38),  # EX-A7
        (0, 0, 4, 8, 40),
        (1, 4, 4, 4, -12),
    ],
)
def test_points_of_a_bid(bid: int, tricks: int, cards: int, multiplier: int, expected: int) -> None:
    assert points(bid, tricks, cards, multiplier) == expected


@pytest.mark.rule("AZ-21", "AZ-22", "EX-A1")
def test_an_underbid_round_of_five_is_scored() -> None:
    state = new(4)
    do(state, "whist 5")
    events = whist_round(state, [0, 2, 1, 1], [0, 2, 2, 1])
    assert changes(state, 0) == [5, 7, -1, 6]
    assert state.scores() == (5, 7, -1, 6)
    assert [type(event) for event in events] == [*[TrickTaken] * 5, Scored]
    assert [cell.burned for cell in state.rows[0].cells] == [False, False, True, False]


@pytest.mark.rule("AZ-23", "EX-A4")
def test_all_in_brings_ten_more() -> None:
    state = new(4)
    do(state, "whist 3")
    whist_round(state, [0, 3, 0, 1], [0, 3, 0, 0])
    assert changes(state) == [5, 18, 5, -1]


@pytest.mark.rule("AZ-23", "EX-A7", "GAP-A6")
def test_all_in_in_a_replay_is_doubled_as_a_whole() -> None:
    state = new(4)
    do(state, "whist 4")
    whist_round(state, [1, 1, 1, 0], [0, 0, 0, 4])
    assert state.scores() == (-1, -1, -1, -4)
    whist_round(state, [0, 4, 1, 0], [0, 4, 0, 0])
    assert changes(state) == [10, 38, -2, 10]
    assert state.scores() == (9, 37, -3, 6)


@pytest.mark.rule("AZ-24", "GAP-A34")
def test_a_perfect_orbit_brings_twenty_before_its_totale() -> None:
    state = new(3)
    do(state, "whist 2")
    for _ in range(2):
        whist_round(state, [0, 0, 0], [2, 0, 0])
    before = state.scores()
    events = whist_round(state, [0, 0, 0], [1, 1, 0])
    ended = [event for event in events if isinstance(event, OrbitEnded)]
    assert ended == [OrbitEnded(2, False, (2,), 1, 1)]
    scored = [event.row for event in events if isinstance(event, Scored)]
    assert [row.round for row in scored] == [3, 0]
    assert [cell.change for cell in scored[1].cells] == [0, 0, 20]
    assert [type(event) for event in events] == [TrickTaken, TrickTaken, Scored, Scored, OrbitEnded]
    assert state.scores() == (before[0] - 1, before[1] - 1, before[2] + 5 + 20)
    assert state.part is Part.TOTALE_MINUS


@pytest.mark.rule("AZ-24", "GAP-A6")
def test_the_twenty_is_never_multiplied() -> None:
    state = new(3)
    do(state, "whist 2")
    for _ in range(2):
        whist_round(state, [0, 0, 0], [2, 0, 0])
    whist_round(state, [1, 2, 1], [0, 0, 2])
    assert state.multiplier == 2
    whist_round(state, [1, 0, 0], [2, 0, 0])
    assert changes(state, -2) == [-2, 10, 10]
    assert changes(state, -1) == [0, 20, 20]


# Burning together


@pytest.mark.rule("AZ-25", "EX-A5", "GAP-A5", "GAP-A6")
def test_all_burned_is_replayed_doubled_and_only_the_last_attempt_burns() -> None:
    """EX-A5; the example's first player is the dealer's right neighbour, seat 1 here."""
    state = new(3)
    do(state, "whist 3")
    whist_round(state, [2, 1, 1], [1, 0, 2])
    assert changes(state) == [-1, -1, -1]
    assert state.rows[-1].replayed
    assert state.burned == 0
    assert (state.round, state.attempt, state.multiplier, state.dealer) == (1, 2, 2, 0)
    assert state.needs_deal()
    whist_round(state, [2, 0, 2], [1, 0, 2])
    assert changes(state) == [-2, 10, 14]
    assert not state.rows[-1].replayed
    assert state.scores() == (-3, 9, 13)
    assert state.burned == state.burned_always == 0b001
    assert (state.round, state.attempt, state.multiplier, state.dealer) == (2, 1, 1, 1)


@pytest.mark.rule("AZ-25", "GAP-A6")
def test_each_replay_doubles_again_the_minuses_too() -> None:
    state = new(3)
    do(state, "whist 2")
    expected = [0, 0, 0]
    for attempt in range(5):
        assert (state.attempt, state.multiplier, state.dealer) == (attempt + 1, 2**attempt, 0)
        whist_round(state, [1, 2, 0], [0, 1, 1])
        assert changes(state) == [-(2**attempt)] * 3
        expected = [score - 2**attempt for score in expected]
        assert list(state.scores()) == expected
    whist_round(state, [0, 2, 1], [0, 2, 0])
    assert changes(state) == [5 * 32, 17 * 32, -32]
    assert state.attempt == 1


@pytest.mark.rule("AZ-26", "GAP-A5")
def test_a_round_that_everybody_burned_counts_neither_for_the_early_end_nor_against_a_perfect_orbit() -> None:
    state = new(3)
    do(state, "whist 2")
    whist_round(state, [1, 2, 0], [0, 1, 1])
    assert state.needs_deal()
    for _ in range(3):
        whist_round(state, [0, 0, 0], [2, 0, 0])
    assert state.part is Part.TOTALE_MINUS
    assert (state.totale_minus_left, state.totale_plus_left) == (2, 1)


@pytest.mark.rule("AZ-27", "EX-A9", "GAP-A8")
def test_the_orbit_ends_when_everybody_has_burned_once() -> None:
    state = new(3)
    do(state, "whist 2")
    whist_round(state, [0, 0, 0], [2, 0, 0])
    events = whist_round(state, [0, 0, 0], [0, 1, 1])
    assert events[-1] == OrbitEnded(2, True, (), 0, 0)
    assert [row.round for row in state.rows] == [1, 2]
    assert (state.phase, state.chooser, state.orbit) == (Phase.CHOOSE, 1, 2)
    assert 2 not in state.variants_left
    assert state.scores() == (-2 + 5, 5 - 1, 5 - 1)


@pytest.mark.rule("AZ-27", "EX-A20", "GAP-A7", "GAP-A8")
def test_everybody_burned_only_in_the_last_round_means_no_bonus_and_no_totale() -> None:
    """Seat 0 burned in every round, but nobody was perfect: not even a Totale+ follows."""
    state = new(3)
    do(state, "whist 2")
    whist_round(state, [0, 0, 0], [1, 1, 0])
    whist_round(state, [0, 0, 0], [2, 0, 0])
    assert state.part is Part.WHIST
    assert state.burned_always == 0b001
    events = whist_round(state, [0, 0, 0], [1, 0, 1])
    assert events[-1] == OrbitEnded(2, False, (), 0, 0)
    assert state.phase is Phase.CHOOSE
    assert [row.round for row in state.rows] == [1, 2, 3]


@pytest.mark.rule("GAP-A7")
def test_the_early_end_is_looked_for_after_each_attempt_that_counts() -> None:
    """All burned in the second round, then in its replay the last player burns who had not: the orbit ends there."""
    state = new(3)
    do(state, "whist 2")
    whist_round(state, [0, 0, 0], [1, 1, 0])
    whist_round(state, [1, 2, 0], [0, 1, 1])
    assert (state.round, state.attempt) == (2, 2)
    events = whist_round(state, [0, 0, 0], [0, 0, 2])
    assert events[-1] == OrbitEnded(2, True, (), 0, 0)


@pytest.mark.rule("AZ-11", "AZ-14", "AZ-17")
def test_nobody_acts_out_of_turn_or_out_of_phase() -> None:
    state = new(4)
    for seat in (1, 2, 3, None):
        with pytest.raises(IllegalAction) as refusal:
            state.apply(seat, ARZOI.parse_action("whist 2"))
        assert (refusal.value.reason, refusal.value.rule) == ("NOT_YOUR_TURN", "AZ-11")
    with pytest.raises(IllegalAction, match="DEAL_NOT_DUE"):
        state.apply(None, Deal(state.pack()))
    for move in ("bid 0", "play AS"):
        with pytest.raises(IllegalAction, match="WRONG_PHASE"):
            do(state, move)
    do(state, "whist 2")
    with pytest.raises(IllegalAction, match="DEAL_DUE"):
        state.apply(0, ARZOI.parse_action("whist 3"))
    with pytest.raises(IllegalAction, match="NOT_YOUR_TURN"):
        state.apply(0, Deal(state.pack()))
    step(state, random.Random(0))
    for move in ("play AS", "whist 3", "septica"):
        with pytest.raises(IllegalAction, match="WRONG_PHASE"):
            do(state, move)
    with pytest.raises(IllegalAction, match="CANNOT_LEAVE"):
        do(state, "leave")
    do(state, *["bid 0"] * 4)
    with pytest.raises(IllegalAction, match="WRONG_PHASE"):
        do(state, "bid 1")
    with pytest.raises(IllegalAction, match="UNKNOWN_ACTION"):
        state.apply(1, "play AS")
