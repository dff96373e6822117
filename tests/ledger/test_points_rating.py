"""The points rating of Rentz: every number of its rules and every example, and what holds of any match."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from services.ledger.points_rating import RULES, RatedSeat, nearest, rated_match, rating_changes
from tests.support.rentz_rating import by_hand

RENTZ = RULES["rentz"]
HANDS = 32
PEOPLE = ("ana", "ion", "radu", "maria")

Changes = list[int | None]


def changes(points: Sequence[int], left: Sequence[int] = (), finished: int = HANDS) -> Changes:
    """What a match adds for each seat."""
    seats = [RatedSeat(own, seat in left) for seat, own in enumerate(points)]
    return rating_changes(RENTZ, seats, finished, HANDS)


def test_everybody_begins_with_a_thousand_and_only_rentz_has_such_a_rating() -> None:
    assert RENTZ.initial == 1000
    assert set(RULES) == {"rentz"}


@pytest.mark.rule("RZ-20", "EX-Z10")
def test_the_worked_example() -> None:
    assert changes([200, -500, -1000, -1500]) == [20, 3, -7, -20]


@pytest.mark.rule("RZ-20")
@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([200, -500, -1000, -1500], [20, 3, -7, -20]),  # 4800/1700 = 2.82, -11200/1700 = -6.59
        ([-1500, 200, -1000, -500], [-20, 20, -7, 3]),  # seats do not matter, points do
        ([300, 100, -100, -300], [20, 5, -5, -20]),  # 16*200/600 = 5.33
        ([100, 99, 1, 0], [20, 16, -16, -20]),  # 16*98/100 = 15.68: nearly first is not first
        ([1000, 0, -1, -3799], [20, 9, 9, -20]),  # 16*2799/4799 = 9.33, 16*2797/4799 = 9.33
        ([0, -100, -150, -200], [20, 0, -8, -20]),  # right in the middle
        ([0, -1, -15, -16], [20, 14, -14, -20]),  # 16*14/16
        ([-700, -701, -699, -700], [0, -20, 20, 0]),
    ],
)
def test_first_and_last_have_fixed_points_and_those_between_are_measured(points: list[int], expected: Changes) -> None:
    assert changes(points) == expected


@pytest.mark.rule("RZ-22", "EX-Z12")
@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([100, 100, -1000, -2000], [20, 20, -1, -20]),  # (a): 16*(-100)/2100 = -0.76
        ([100, -1999, 100, -1001], [20, -20, 20, -1]),  # 16*(-103)/2099 = -0.79
        ([-200, -200, -1200, -1200], [20, 20, -20, -20]),  # (b)
        ([-500, -500, -500, -1300], [20, 20, 20, -20]),  # (c)
        ([-700, -700, -700, -700], [20, 20, 20, 20]),  # (d)
    ],
)
def test_ties_for_the_first_place_win_together(points: list[int], expected: Changes) -> None:
    assert changes(points) == expected


@pytest.mark.rule("GAP-Z14")
@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([500, 0, -1650, -1650], [20, 9, -20, -20]),  # 16*1150/2150 = 8.56
        ([500, -1100, -1100, -1100], [20, -20, -20, -20]),
        ([500, -300, -300, -2700], [20, 8, 8, -20]),  # 16*1600/3200 = 8
    ],
)
def test_ties_for_the_last_place_lose_together_and_those_between_are_measured_alike(
    points: list[int], expected: Changes
) -> None:
    assert changes(points) == expected


@pytest.mark.rule("GAP-Z15")
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Fraction(0), 0),
        (Fraction(1, 2), 1),
        (Fraction(-1, 2), -1),
        (Fraction(3, 2), 2),
        (Fraction(-3, 2), -2),
        (Fraction(5, 2), 3),
        (Fraction(-5, 2), -3),
        (Fraction(49, 100), 0),
        (Fraction(-49, 100), 0),
        (Fraction(10**18 + 1, 2), 5 * 10**17 + 1),
        (Fraction(-(10**18) + 1, 2), -(5 * 10**17)),
        (Fraction(4800, 1700), 3),
        (Fraction(-11200, 1700), -7),
    ],
)
def test_halves_are_rounded_away_from_zero(value: Fraction, expected: int) -> None:
    assert nearest(value) == expected


@pytest.mark.rule("GAP-Z15")
def test_it_is_rounded_after_the_part_was_taken_and_not_before() -> None:
    # 16*1150/2150 = 8.558 of a whole match; half of that is 4.279, while half of the rounded 9 would be 4.5.
    assert changes([500, 0, -1000, -1650], finished=16)[1] == 4
    assert changes([500, 0, -1000, -1650])[1] == 9


@pytest.mark.rule("RZ-19", "GAP-Z16")
@pytest.mark.parametrize("finished", range(16))
def test_a_match_stopped_before_four_rounds_changes_nothing_for_those_who_stayed(finished: int) -> None:
    assert changes([200, -500, -1000, -1500], finished=finished) == [None] * 4


@pytest.mark.rule("RZ-19", "RZ-21", "GAP-Z16")
@pytest.mark.parametrize(
    ("finished", "expected"),
    [
        (16, [10, 1, -3, -10]),  # 1.41, -3.29
        (17, [11, 2, -4, -11]),  # 10.625, 1.5, -3.5: exactly halves
        (20, [13, 2, -4, -13]),  # 12.5
        (24, [15, 2, -5, -15]),  # 2.12, -4.94
        (31, [19, 3, -6, -19]),  # 19.375, 2.74, -6.38
        (32, [20, 3, -7, -20]),
    ],
)
def test_a_match_stopped_after_four_rounds_counts_in_proportion(finished: int, expected: Changes) -> None:
    assert changes([200, -500, -1000, -1500], finished=finished) == expected


@pytest.mark.rule("RZ-21", "GAP-Z16", "EX-Z15")
def test_stopped_after_15_hands_only_the_one_who_disconnected_loses() -> None:
    assert changes([200, -500, -1000, -1500], left=[0], finished=15) == [-20, None, None, None]
    assert changes([0, 0, 0, 0], left=[2], finished=0) == [None, None, -20, None]


@pytest.mark.rule("RZ-21", "GAP-Z16", "GAP-Z19")
@pytest.mark.parametrize(
    ("points", "left", "finished", "expected"),
    [
        # Whoever left is last; the best of the others is first, and the worst is measured like one between.
        ([200, -500, -1000, -1500], [3], 32, [20, 3, -7, -20]),
        ([200, -500, -1000, -1500], [0], 32, [-20, 20, -7, -16]),  # 16*(-1700)/1700
        ([200, -500, -1000, -1500], [1], 32, [20, -20, -7, -16]),
        ([200, -500, -1000, -1500], [0, 1], 32, [-20, -20, 20, -16]),
        ([200, -500, -1000, -1500], [0, 3], 32, [-20, 20, -7, -20]),
        ([200, -500, -1000, -1500], [0, 1, 2], 32, [-20, -20, -20, 20]),  # alone, and first
        ([200, -500, -1000, -1500], [0, 1, 2, 3], 32, [-20, -20, -20, -20]),
        ([-500, -500, -1000, -800], [2], 32, [20, 20, -20, -3]),  # two joint first; 16*(-100)/500 = -3.2
        ([200, -1500, -1500, 0], [0], 32, [-20, -16, -16, 20]),  # two joint last
        ([-700, -700, -700, -700], [1], 32, [20, -20, 20, 20]),
        # Leaving is not taken in proportion, and costs what it costs after any number of hands.
        ([200, -500, -1000, -1500], [0], 16, [-20, 10, -3, -8]),
        ([200, -500, -1000, -1500], [3], 24, [15, 2, -5, -20]),
        ([200, -500, -1000, -1500], [0, 1, 2, 3], 20, [-20, -20, -20, -20]),
        ([200, -500, -1000, -1500], [1, 2], 1, [None, -20, -20, None]),
    ],
)
def test_leavers_lose_in_full_and_the_others_are_placed_among_themselves(
    points: list[int], left: list[int], finished: int, expected: Changes
) -> None:
    assert changes(points, left, finished) == expected


@pytest.mark.rule("GAP-Z19")
def test_who_left_a_match_that_was_finished_all_the_same_has_lost() -> None:
    assert changes([1000, -1000, -1300, -1500], left=[0])[0] == -20


@pytest.mark.rule("GAP-Z17")
def test_a_match_that_a_bot_began_is_not_rated_nor_is_a_game_without_the_rating() -> None:
    seats = [RatedSeat(200), RatedSeat(-500), RatedSeat(-1000, left=True), RatedSeat(-1500)]
    assert rated_match("rentz", PEOPLE, seats, 32, 32) == {"ana": 20, "ion": 3, "radu": -20, "maria": -16}
    assert rated_match("rentz", PEOPLE, seats, 15, 32) == {"radu": -20}
    for bot in range(4):
        with_a_bot = [None if seat == bot else player for seat, player in enumerate(PEOPLE)]
        assert rated_match("rentz", with_a_bot, seats, 32, 32) is None
    assert rated_match("arzoi", PEOPLE, seats, 32, 32) is None


@pytest.mark.parametrize(("finished", "hands"), [(-1, 32), (33, 32), (0, 0)])
def test_a_part_that_cannot_be_is_no_part(finished: int, hands: int) -> None:
    with pytest.raises(ValueError, match="hands"):
        rating_changes(RENTZ, [RatedSeat(1), RatedSeat(2)], finished, hands)


# What holds of any match

POINTS = st.lists(st.integers(-4000, 4000) | st.integers(-3, 3), min_size=4, max_size=4)
LEFT = st.sets(st.integers(0, 3))
FINISHED = st.integers(0, HANDS)


@pytest.mark.rule("RZ-19", "RZ-20", "RZ-21", "RZ-22", "GAP-Z14", "GAP-Z15", "GAP-Z16", "GAP-Z19")
@given(POINTS, LEFT, FINISHED)
def test_any_match_is_rated_as_the_rules_say(points: list[int], left: set[int], finished: int) -> None:
    assert changes(points, sorted(left), finished) == by_hand(points, left, finished)


@given(POINTS, LEFT, FINISHED, st.integers(-1000, 1000), st.integers(1, 50))
def test_only_differences_of_points_matter_and_not_their_size(
    points: list[int], left: set[int], finished: int, shift: int, scale: int
) -> None:
    moved = [scale * own + shift for own in points]
    assert changes(moved, sorted(left), finished) == changes(points, sorted(left), finished)


@given(POINTS, LEFT, FINISHED)
def test_seats_do_not_matter(points: list[int], left: set[int], finished: int) -> None:
    straight = changes(points, sorted(left), finished)
    for order in permutations(range(4)):
        moved = changes([points[seat] for seat in order], [n for n in range(4) if order[n] in left], finished)
        assert moved == [straight[seat] for seat in order]


@given(POINTS, LEFT, FINISHED)
def test_more_points_are_never_worth_less_and_nobody_gains_by_leaving(
    points: list[int], left: set[int], finished: int
) -> None:
    found = changes(points, sorted(left), finished)
    assert all(change is None or -20 <= change <= 20 for change in found)
    stayed = [(points[seat], found[seat] or 0) for seat in range(4) if seat not in left]
    for own, change in stayed:
        assert change >= -20
        for other, others in stayed:
            assert own < other or change >= others


@given(POINTS)
def test_places_turned_round_are_changes_turned_round(points: list[int]) -> None:
    assume(len(set(points)) > 1)
    assert changes([-own for own in points]) == [-(change or 0) for change in changes(points)]
