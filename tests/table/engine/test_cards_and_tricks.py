"""Cards, masks, notation, and the trick play that games share."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.table.engine.cards import (
    BIT,
    CARD_COUNT,
    HIGHER,
    RANK_OF,
    RANKS,
    SUIT_CARDS,
    SUIT_OF,
    TEXT,
    cards_of,
    cards_text,
    mask_of,
    pack_of,
    parse_card,
    parse_cards,
)
from services.table.engine.game import NotationError
from services.table.engine.tricks import Trick, follow_suit
from tests.support.arzoi_judge import allowed_cards, winning_card

every_card = st.integers(0, CARD_COUNT - 1)


def test_cards_are_numbered_highest_first_suit_by_suit() -> None:
    assert TEXT[:3] == ("AS", "KS", "QS")
    assert (TEXT[4], TEXT[13], TEXT[14], TEXT[28], TEXT[42], TEXT[55]) == ("TS", "1S", "AH", "AD", "AC", "1C")
    assert len(set(TEXT)) == CARD_COUNT


@given(every_card)
def test_a_card_is_read_back_from_its_text(card: int) -> None:
    assert parse_card(TEXT[card]) == card


@given(st.lists(every_card, unique=True))
def test_cards_and_sets_of_cards_convert_into_each_other(cards: list[int]) -> None:
    assert cards_of(mask_of(cards)) == sorted(cards)
    assert list(parse_cards(cards_text(cards))) == cards


@pytest.mark.parametrize("text", ["", "A", "SA", "10S", "as", "AS ", "0S", "AX", "A♠", "ASKS"])
def test_what_is_no_card_is_refused_with_what_is_expected(text: str) -> None:
    with pytest.raises(NotationError, match="expected a rank of"):
        parse_card(text)


@given(every_card)
def test_tables_of_suits_ranks_and_higher_cards_agree_with_the_text(card: int) -> None:
    others = [other for other in range(CARD_COUNT) if TEXT[other][1] == TEXT[card][1]]
    assert cards_of(SUIT_OF[card]) == others
    assert cards_of(HIGHER[card]) == [o for o in others if RANKS.index(TEXT[o][0]) < RANKS.index(TEXT[card][0])]
    assert cards_of(RANK_OF[card]) == [other for other in range(CARD_COUNT) if TEXT[other][0] == TEXT[card][0]]
    assert BIT[card] == 1 << card


def test_a_pack_has_its_ranks_in_all_suits() -> None:
    assert cards_text(pack_of(2)) == "AS KS AH KH AD KD AC KC"
    assert pack_of(14) == tuple(range(56))


@given(
    st.integers(2, 9).flatmap(
        lambda seats: st.tuples(
            st.just(seats),
            st.integers(0, seats - 1),
            st.sampled_from([0, *SUIT_CARDS]),
            st.permutations(range(CARD_COUNT)).map(lambda pack: pack[: seats * (CARD_COUNT // seats)]),
            st.randoms(use_true_random=False),
        )
    )
)
def test_follow_suit_plays_as_the_judge_says(
    case: tuple[int, int, int, list[int], random.Random],
) -> None:
    seats, leader, trump, pack, chance = case
    trump_text = TEXT[cards_of(trump)[0]][1] if trump else ""
    play = follow_suit([mask_of(pack[seat::seats]) for seat in range(seats)], leader, trump)
    tricks = 0
    while play.hands[play.seat]:
        trick = [TEXT[card] for card in play.trick]
        hand = [TEXT[card] for card in cards_of(play.hands[play.seat])]
        assert [TEXT[card] for card in cards_of(play.legal())] == allowed_cards(hand, trick, trump_text)
        seat = play.seat
        card = chance.choice(cards_of(play.legal()))
        copied = play.copy()
        taker = play.play(card)
        trick.append(TEXT[card])
        assert (taker >= 0) == (len(trick) == seats)
        holder = (leader + winning_card(trick, trump_text)) % seats
        if taker < 0:
            assert (play.holder, play.seat) == (holder, (seat + 1) % seats)
        else:
            tricks += 1
            assert taker == holder == play.seat == play.leader
            assert play.history[-1] == Trick(leader, parse_cards(" ".join(trick)), taker)
            leader = taker
        assert copied.play(card) == taker
        assert (copied.hands, copied.trick, copied.history) == (play.hands, play.trick, play.history)
    assert sum(play.taken) == tricks == CARD_COUNT // seats


def test_a_copy_goes_its_own_way() -> None:
    play = follow_suit([mask_of(parse_cards("AS KS")), mask_of(parse_cards("QS JS"))], 0, 0)
    copy = play.copy()
    copy.play(parse_card("AS"))
    copy.play(parse_card("QS"))
    assert play.trick == []
    assert play.taken == [0, 0]
    assert play.hands[0] == mask_of(parse_cards("AS KS"))
    assert play.history == ()
