"""The generator for play-outs, and the counting of bits that it picks cards by."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.table.engine.cards import ALL_CARDS, BIT, CARD_COUNT, SUIT_OF, card_of, cards_of, count, mask_of, suit_of
from services.table.engine.chance import Generator

every_set = st.integers(0, ALL_CARDS)


def test_a_seed_gives_the_same_numbers_for_ever() -> None:
    generator = Generator(1)
    assert [generator.below(100) for _ in range(10)] == [32, 9, 68, 64, 14, 54, 94, 22, 64, 65]
    assert (Generator(-5).below(2**30), Generator(2**70).below(2**30)) == (359920563, 32103164)
    assert Generator(7).shuffled(range(8)) == Generator(7).shuffled(range(8))


@given(st.integers(-(2**80), 2**80), st.integers(1, 2**30))
def test_numbers_are_below_their_bound(seed: int, bound: int) -> None:
    generator = Generator(seed)
    assert all(0 <= generator.below(bound) < bound for _ in range(20))


@pytest.mark.parametrize("bound", [2, 3, 7, 56])
def test_numbers_are_equally_likely(bound: int) -> None:
    generator = Generator(bound)
    drawn = Counter(generator.below(bound) for _ in range(1000 * bound))
    assert set(drawn) == set(range(bound))
    # Chi-square with bound - 1 degrees of freedom: its mean, and six standard deviations.
    assert sum((times - 1000) ** 2 / 1000 for times in drawn.values()) < bound - 1 + 6 * (2 * bound) ** 0.5


def test_successive_numbers_do_not_hang_together() -> None:
    generator = Generator(4)
    pairs = Counter((generator.below(4), generator.below(4)) for _ in range(16_000))
    assert all(850 < times < 1150 for times in pairs.values())
    assert len(pairs) == 16


@given(every_set.filter(bool), st.integers(0, 2**32))
def test_a_card_is_picked_out_of_the_set(cards: int, seed: int) -> None:
    assert BIT[Generator(seed).pick(cards)] & cards


def test_every_card_of_a_set_is_picked_equally_often() -> None:
    cards = mask_of((0, 13, 14, 31, 32, 55))
    generator = Generator(3)
    picked = Counter(generator.pick(cards) for _ in range(6000))
    assert set(picked) == set(cards_of(cards))
    assert all(850 < times < 1150 for times in picked.values())


@given(st.lists(st.integers(0, CARD_COUNT - 1)), st.integers(0, 2**32))
def test_shuffling_keeps_every_card(cards: list[int], seed: int) -> None:
    assert sorted(Generator(seed).shuffled(cards)) == sorted(cards)


def test_every_order_comes_up_equally_often() -> None:
    generator = Generator(9)
    orders = Counter(generator.shuffled((1, 2, 3)) for _ in range(6000))
    assert len(orders) == 6
    assert all(850 < times < 1150 for times in orders.values())


@given(every_set)
def test_sets_are_counted(cards: int) -> None:
    assert count(cards) == len(cards_of(cards))


@pytest.mark.parametrize("card", range(CARD_COUNT))
def test_a_set_of_one_card_is_that_card(card: int) -> None:
    assert card_of(BIT[card]) == card
    assert suit_of(BIT[card]) == SUIT_OF[card]
    assert BIT[card] & ALL_CARDS
