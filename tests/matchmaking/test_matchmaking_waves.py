"""Who plays with whom."""

from collections.abc import Sequence
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.matchmaking.queues import QUEUES
from services.matchmaking.tickets import Ticket
from services.matchmaking.waves import TERMS, Group, Member, Term, Waiting, Wave, choose, due_at, group_id
from services.table import requests
from services.table.options import check_options
from tests.support.any_game import EVERY_SIZE, random_match

LIMIT = 30_000
DECISIONS_TIMED = 60
"""Of a match, so many at the most."""


def waiting(name: str, created: int) -> Waiting:
    return Waiting(name, name.upper(), Ticket(id=f"t-{name}", request_id=name, queue_id="arzoi-4", created=created))


def names(groups: Sequence[Sequence[Waiting]]) -> list[str]:
    return ["".join(one.player for one in group) for group in groups]


@pytest.mark.parametrize(
    ("arrivals", "now", "expected"),
    [
        ("", 0, []),
        ("abc", 10, []),
        ("abcd", 10, ["abcd"]),
        ("abcde", 10, ["abcd"]),
        ("abcdefgh", 10, ["abcd", "efgh"]),
        ("abc", LIMIT - 1, []),
        ("abc", LIMIT, ["abc"]),
        ("a", LIMIT, ["a"]),
        ("abcde", LIMIT + 3, ["abcd"]),
        ("abcde", LIMIT + 4, ["abcd", "e"]),
    ],
)
def test_full_groups_are_due_at_once_and_others_when_the_longest_wait_reaches_the_limit(
    arrivals: str, now: int, expected: list[str]
) -> None:
    queue = [waiting(name, moment) for moment, name in enumerate(arrivals)]
    assert names(choose(queue, 4, LIMIT, now, 10)) == expected
    assert names(choose(queue[::-1], 4, LIMIT, now, 10)) == expected


def test_those_who_came_at_once_have_a_fixed_order() -> None:
    queue = [waiting(name, 5) for name in "dcba"]
    assert names(choose(queue, 3, LIMIT, 10, 10)) == ["abc"]


def test_no_more_groups_than_asked_for() -> None:
    queue = [waiting(name, moment) for moment, name in enumerate("abcdefghi")]
    assert names(choose(queue, 3, LIMIT, 10, 2)) == ["abc", "def"]


def test_a_term_outweighs_the_wait_until_it_has_been_made_good() -> None:
    """A rating 20 points away costs 20 s of waiting."""
    ratings = {"a": 0, "b": 20, "c": 0, "d": 0}
    distance = Term("distance", "", lambda seed, other, now: -abs(ratings[seed.player] - ratings[other.player]))
    terms = (*TERMS, distance)

    def seated(c_waits_after_b: int) -> str:
        queue = [waiting("a", 0), waiting("b", 100), waiting("c", 100 + c_waits_after_b)]
        return names(choose(queue, 2, LIMIT, 25_000, 1, terms))[0]

    assert seated(1_000) == "ac"
    assert seated(19_000) == "ac"
    assert seated(21_000) == "ab"


def test_every_term_says_why() -> None:
    assert all(len(term.reason) > 40 for term in TERMS)
    assert len({term.name for term in TERMS}) == len(TERMS)


@given(
    arrivals=st.lists(st.integers(0, 100_000), max_size=40),
    seats=st.integers(2, 9),
    now=st.integers(100_000, 200_000),
)
def test_nobody_is_seated_twice_and_whoever_is_left_is_not_due(arrivals: list[int], seats: int, now: int) -> None:
    queue = [waiting(f"p{number}", moment) for number, moment in enumerate(arrivals)]
    groups = choose(queue, seats, LIMIT, now, 100)
    chosen = [one.ticket.id for group in groups for one in group]
    assert len(chosen) == len(set(chosen))
    assert all(0 < len(group) <= seats for group in groups)
    left = [one for one in queue if one.ticket.id not in set(chosen)]
    assert len(left) < seats
    assert all(now < one.ticket.created + LIMIT for one in left)
    if chosen and left:
        assert max(one.order for group in groups for one in group) < min(one.order for one in left)


def test_the_next_group_is_due_when_the_longest_wait_is_over() -> None:
    assert due_at([], LIMIT) is None
    assert due_at([waiting("a", 7), waiting("b", 3)], LIMIT) == LIMIT + 3


def test_a_group_is_named_after_its_tickets_and_its_plan() -> None:
    members = [waiting(name, 0).member() for name in "abc"]
    name = group_id("arzoi-3", members, 5)
    assert name == group_id("arzoi-3", members[::-1], 5)
    assert (
        len({name, group_id("arzoi-3", members, 6), group_id("arzoi-3", members[:2], 5), group_id("x", members, 5)})
        == 4
    )
    assert 8 <= len(name) <= 64


def test_claims_are_good_while_the_wave_has_their_group() -> None:
    member = Member(player="a", name="A", ticket="t", created=0)
    wave = Wave(groups=(Group(id="g", members=(member,), request=b"", planned=0),))
    assert wave.has("g")
    assert not wave.has("h")


def test_there_is_a_queue_for_every_size_of_every_game_with_a_clock_for_all_its_decisions() -> None:
    assert sorted((queue.id, queue.seats) for queue in QUEUES) == sorted(
        (f"{game}-{seats}", seats) for game, seats in EVERY_SIZE
    )
    for queue in QUEUES:
        game, seats = str(queue.options.game.WhichOneof("game")), queue.options.seats
        assert queue.id == f"{game}-{seats}"
        options = requests.options_of(queue.options)
        check_options(options)
        clock = options.clock
        assert clock.bank
        for paper in islice(random_match(game, seats), DECISIONS_TIMED):
            assert paper.state.decision is not None
            assert clock.seconds(paper.state.decision.kind, paper.state.decision.cards) > 0


def test_to_bid_at_a_large_table_takes_longer() -> None:
    clock = QUEUES[0].options.clock
    assert (clock.bid_seconds, clock.bid_extra_seconds, clock.play_seconds) == (20, 2, 15)
    assert (clock.choose_seconds, clock.bank_seconds) == (30, 60)
