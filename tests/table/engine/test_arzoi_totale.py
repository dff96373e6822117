"""Totale- and Totale+: when they are played, how, and what they bring."""

import random
from collections.abc import Sequence

import pytest

from services.table.engine.arzoi import SIZES, Dealt, OrbitEnded, Part, Phase, Play, State
from services.table.engine.arzoi.totale import POINT_CARDS, changes, points_in
from services.table.engine.cards import cards_of, mask_of, pack_of, parse_card, parse_cards
from services.table.engine.game import IllegalAction
from tests.support import arzoi
from tests.support.arzoi import chosen_deal, do, new, skip_round, whist_round
from tests.support.steps import random_deal


@pytest.mark.rule("AZ-28", "AZ-29", "AZ-30", "EX-A19", "GAP-A9")
def test_one_perfect_and_two_always_burned_bring_one_totale_minus_then_two_totale_plus() -> None:
    """EX-A19. The deal goes on rotating, and the right to choose moves on only after the last Totale."""
    state = new(4)
    do(state, "whist 2")
    whist_round(state, [0, 0, 1, 0], [1, 1, 0, 0])
    for _ in range(2):
        whist_round(state, [0, 0, 0, 0], [1, 1, 0, 0])
    events = whist_round(state, [0, 0, 0, 0], [1, 1, 0, 0])
    assert events[-1] == OrbitEnded(2, False, (3,), 1, 2)
    played = []
    while state.phase is Phase.DEAL:
        played.append((state.part, state.round, state.rounds, state.dealer, state.chooser))
        played_left = (state.totale_minus_left, state.totale_plus_left)
        assert played_left == {1: (1, 2), 2: (0, 2), 3: (0, 1)}[len(played)]
        (dealt,) = state.apply(None, random_deal(state, random.Random(len(played))))
        assert dealt == Dealt(played[-1][0] or Part.WHIST, state.round, 1, state.dealer, 8, -1)
        decision = state.decision()
        assert decision is not None
        assert decision.seat == (state.dealer + 1) % 4
        skip_round(state)
    assert played == [
        (Part.TOTALE_MINUS, 1, 1, 0, 0),
        (Part.TOTALE_PLUS, 1, 2, 1, 0),
        (Part.TOTALE_PLUS, 2, 2, 2, 0),
    ]
    assert (state.phase, state.chooser, state.dealer) == (Phase.CHOOSE, 1, 1)


@pytest.mark.rule("AZ-29")
@pytest.mark.parametrize("perfect", [1, 2, 3])
def test_totale_minus_is_played_once_for_each_perfect_orbit(perfect: int) -> None:
    state = new(4)
    do(state, "whist 2")
    for number in range(4):
        bids = [0, 0, 0, 0]
        if number == 0:
            for seat in range(1, 4 - perfect):
                bids[seat] = 1
        if sum(bids) == 2:
            bids[1] = 2
        whist_round(state, bids, [2, 0, 0, 0])
    assert (state.part, state.totale_minus_left, state.rounds) == (Part.TOTALE_MINUS, perfect, perfect)
    assert state.totale_plus_left == 1
    parts = []
    while state.phase is Phase.DEAL:
        parts.append(state.part)
        skip_round(state)
    assert parts == [Part.TOTALE_MINUS] * perfect + [Part.TOTALE_PLUS]


@pytest.mark.rule("AZ-28", "AZ-30", "EX-A20", "GAP-A8")
def test_without_a_perfect_orbit_there_is_no_totale_even_if_somebody_burned_always() -> None:
    state = new(3)
    do(state, "whist 2")
    whist_round(state, [0, 0, 0], [1, 1, 0])
    whist_round(state, [0, 0, 0], [2, 0, 0])
    whist_round(state, [0, 0, 0], [1, 0, 1])
    assert state.phase is Phase.CHOOSE
    assert {row.part for row in state.rows} == {Part.WHIST}


@pytest.mark.rule("AZ-30")
def test_no_totale_plus_without_a_seat_that_burned_every_time() -> None:
    state = new(3)
    do(state, "whist 2")
    whist_round(state, [0, 0, 0], [2, 0, 0])
    whist_round(state, [0, 0, 0], [0, 2, 0])
    assert state.burned_always == 0
    events = whist_round(state, [0, 0, 0], [0, 2, 0])
    assert events[-1] == OrbitEnded(2, False, (2,), 1, 0)


@pytest.mark.rule("AZ-31", "GAP-A1")
@pytest.mark.parametrize(("seats", "aside"), [(3, 0), (4, 0), (5, 0), (6, 0), (7, 6), (8, 0), (9, 2)])
def test_all_cards_are_dealt_and_what_does_not_divide_is_set_aside(seats: int, aside: int) -> None:
    state = at_totale(seats)
    deal = random_deal(state, random.Random(seats))
    state.apply(None, deal)
    assert state.hand_sizes() == (SIZES[seats].totale_cards,) * seats
    assert state.set_aside == aside
    assert state.aside == deal.pack[len(deal.pack) - aside :]
    assert not any(state.hand(seat) & mask_of(state.aside) for seat in range(seats))
    assert state.trump_card == -1


def at_totale(seats: int, plus: bool = False) -> State:
    """A match whose Totale is to be dealt by seat 0, as if the orbit before had brought one."""
    state = new(seats)
    do(state, "whist 2")
    if plus:
        state.totale_plus_left = 1
    else:
        state.totale_minus_left = 1
    state.dealer = seats - 1
    state._next_totale()
    return state


@pytest.mark.rule("AZ-32", "GAP-A31")
def test_suit_has_to_be_followed_there_is_no_trump_and_a_void_hand_is_free() -> None:
    state = at_totale(4)
    state.apply(None, chosen_deal(state, ["AS AH", "KS 7S", "QS KH", "AD"]))
    do(state, "play 7S")
    before = state.copy()
    with pytest.raises(IllegalAction) as refusal:
        state.apply(2, Play(parse_card("KH")))
    assert (refusal.value.reason, refusal.value.rule) == ("MUST_FOLLOW_SUIT", "AZ-32")
    assert state == before
    do(state, "play QS")
    play = state.play
    assert play is not None
    play.hands[3] = mask_of(parse_cards("AD 7H KC"))
    assert state.legal_cards() == play.hands[3]
    do(state, "play AD")
    assert state.holder == 2
    do(state, "play AS")
    assert state.tricks[-1].taker == 0
    decision = state.decision()
    assert decision is not None
    assert decision.seat == 0


@pytest.mark.rule("AZ-33", "EX-A13")
@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("KH QD 7D", 9),
        ("QS 8D", 3),
        ("QH QC", 4),
        ("9D TD JD KD AD", 5),
        ("KH", 5),
        ("QD", 3),
        ("QS", 2),
        ("AD", 1),
        ("AS KS AH JH KC AC TS", 0),
        ("", 0),
    ],
)
def test_points_of_cards(cards: str, points: int) -> None:
    assert points_in(mask_of(parse_cards(cards))) == points


@pytest.mark.rule("AZ-33", "EX-A17")
@pytest.mark.parametrize(("seats", "total"), [(3, 19), (4, 21), (5, 23), (6, 25), (7, 25), (8, 25), (9, 27)])
def test_points_in_the_whole_pack(seats: int, total: int) -> None:
    assert points_in(mask_of(new(seats).pack())) == total
    assert total == points_in(POINT_CARDS & mask_of(pack_of(SIZES[seats].ranks)))


@pytest.mark.rule("AZ-34", "AZ-35", "EX-A13", "EX-A14", "EX-A15", "EX-A16", "EX-A17", "GAP-A10", "GAP-A11")
@pytest.mark.parametrize(
    ("taken", "in_play", "plus", "expected"),
    [
        ([9, 3, 4, 5], 21, False, [-9, -3, -4, -5]),  # EX-A13
        ([9, 3, 4, 5], 21, True, [9, 3, 4, 5]),  # EX-A14
        ([0, 21, 0, 0], 21, False, [0, 10, 0, 0]),  # EX-A15
        ([0, 0, 21, 0], 21, True, [0, 0, 31, 0]),  # EX-A16
        ([3, 16, 0], 19, False, [-3, -16, 0]),  # EX-A17
        ([0] * 8 + [22], 22, False, [0] * 8 + [10]),  # 5 points lie aside
        ([0] * 8 + [22], 22, True, [0] * 8 + [32]),
        ([0] * 9, 0, False, [0] * 9),  # no point card was dealt
        ([0] * 9, 0, True, [0] * 9),
    ],
)
def test_what_a_totale_brings(taken: Sequence[int], in_play: int, plus: bool, expected: list[int]) -> None:
    assert changes(taken, in_play, plus) == expected


TAKES_ALL = ["7H 8H 9H TH 7C 8C 9C TC", "AS KS QS JS TS 9S 8S 7S", "AD KD QD JD TD 9D 8D 7D", "AH KH QH JH AC KC QC JC"]


@pytest.mark.rule("AZ-35", "EX-A15", "EX-A16", "GAP-A10", "GAP-A12")
@pytest.mark.parametrize(("plus", "expected"), [(False, [0, 10, 0, 0]), (True, [0, 31, 0, 0])])
def test_who_takes_all_points_at_the_table_gets_ten(plus: bool, expected: list[int]) -> None:
    """Seat 1 leads eight spades, and nobody else has any. The round is played to the last card all the same."""
    state = at_totale(4, plus)
    state.apply(None, chosen_deal(state, TAKES_ALL))
    for trick in range(8):
        assert len(state.tricks) == trick
        assert state.hand_sizes() == (8 - trick,) * 4
        for _ in range(4):
            do(state, arzoi.ARZOI.action_text(state.legal_actions()[0]))
    assert arzoi.changes(state) == expected
    assert [cell.tricks for cell in state.rows[-1].cells] == [0, 8, 0, 0]


@pytest.mark.rule("GAP-A12")
def test_a_totale_is_played_to_the_last_card_after_the_last_point() -> None:
    """After three tricks all points are taken; five more are played."""
    state = at_totale(4)
    hands = ["AD KD QD JD AS KS 7S 8S", "TD 9D 8D 7D AC KC 7C 8C", "QH QC QS KH AH JH 7H 8H"]
    state.apply(None, chosen_deal(state, hands))
    chance = random.Random(1)
    while len(state.rows) == 0:
        decision = state.decision()
        assert decision is not None
        assert sum(state.points) <= 21
        state.apply(decision.seat, chance.choice(state.legal_actions()))
    assert sum(cell.tricks for cell in state.rows[0].cells) == 8
    assert sum(cell.points for cell in state.rows[0].cells) == 21


@pytest.mark.rule("GAP-A11", "AZ-31", "AZ-35")
@pytest.mark.parametrize(
    ("seats", "aside", "dealt"), [(9, "KH QD", 19), (9, "AS KS", 27), (7, "KH QS QH QD QC AD", 10)]
)
def test_points_set_aside_are_not_in_play(seats: int, aside: str, dealt: int) -> None:
    state = at_totale(seats)
    state.apply(None, chosen_deal(state, [], "", aside))
    assert sorted(state.aside) == sorted(parse_cards(aside))
    assert state.in_play == dealt
    skip_round(state)
    points = [cell.points for cell in state.rows[-1].cells]
    assert sum(points) == dealt


@pytest.mark.rule("GAP-A11", "AZ-35")
def test_taking_all_points_in_play_counts_as_all_although_some_are_set_aside() -> None:
    """Nine players; the king of hearts and the queen of diamonds lie aside. Seat 1 has every spade that matters."""
    state = at_totale(9)
    spades = "AS KS QS JS TS 9S"
    state.apply(None, chosen_deal(state, ["", spades], "", "KH QD"))
    play = state.play
    assert play is not None
    # All other points into tricks that seat 1 takes: everybody else gives up point cards first.
    while len(state.rows) == 0:
        decision = state.decision()
        assert decision is not None
        legal = cards_of(state.legal_cards())
        card = legal[0] if decision.seat == 1 else max(legal, key=lambda card: points_in(1 << card))
        state.apply(decision.seat, Play(card))
    row = state.rows[-1]
    assert [cell.tricks for cell in row.cells] == [0, 6, 0, 0, 0, 0, 0, 0, 0]
    assert row.cells[1].points == 19
    assert arzoi.changes(state) == [0, 10, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.rule("AZ-34", "EX-A13", "EX-A14")
@pytest.mark.parametrize("plus", [False, True])
def test_points_taken_at_the_table_are_subtracted_or_added(plus: bool) -> None:
    state = at_totale(4, plus)
    skip_round(state, 3)
    sign = 1 if plus else -1
    points = [cell.points for cell in state.rows[-1].cells]
    assert sum(points) == 21
    assert max(points) < 21
    assert arzoi.changes(state) == [sign * value for value in points]


@pytest.mark.rule("GAP-A9")
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_first_totale_is_dealt_by_the_first_dealer_of_the_orbit(seats: int) -> None:
    state = new(seats)
    do(state, "whist 2")
    for _ in range(seats):
        whist_round(state, [0] * seats, [2] + [0] * (seats - 1))
    dealers = []
    while state.phase is Phase.DEAL:
        dealers.append(state.dealer)
        skip_round(state)
    assert dealers == [number % seats for number in range(seats)]
    assert state.chooser == 1
