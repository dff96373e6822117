"""The tiles of Remi and how they are dealt: RM-1 to RM-3, RM-12, RM-13, and the decisions that go with them."""

import random
from collections import Counter

import pytest

from services.table.engine.game import Deal, Decision, IllegalAction
from services.table.engine.remi import JOKER, NO_TILE, Dealt, Options, Phase, State
from services.table.engine.remi.options import SIZES
from services.table.engine.remi.tiles import PACK, TEXT, parse_tiles
from tests.support.remi import REMI, deal_of, dealt, do, held, new, refusal
from tests.support.steps import random_deal


def numbered(state: State, turned: int) -> tuple[int, ...]:
    """The pack in ascending order but for the tile that is turned up, which is the last."""
    pack = list(state.pack())
    pack.remove(turned)
    return (*pack, turned)


@pytest.mark.rule("RM-1", "GAP-R30")
def test_there_are_106_tiles_each_kind_twice() -> None:
    kinds = Counter(PACK)
    assert len(PACK) == 106
    assert set(kinds.values()) == {2}
    assert {TEXT[tile] for tile in kinds} == {f"{colour}{number}" for colour in "RYBK" for number in range(1, 14)} | {
        "*"
    }


@pytest.mark.rule("RM-2", "RM-3", "EX-R18", "GAP-R30")
@pytest.mark.parametrize(("seats", "pile"), [(2, 76), (3, 62), (4, 48)])
def test_the_first_gets_fifteen_tiles_everybody_else_fourteen(seats: int, pile: int) -> None:
    state = new(seats)
    pack = numbered(state, JOKER - 1)
    assert state.apply(None, Deal(pack)) == (Dealt(1, 0, JOKER - 1),)
    assert state.hand_sizes() == (15, *[14] * (seats - 1))
    assert state.pile == pile == 104 - 14 * seats
    assert TEXT[state.turned] == TEXT[state.atu] == "K13"
    assert sum(state.hand_sizes()) + state.pile + 1 == 106
    for seat in range(1, seats):
        assert held(state, seat) == sorted(pack[14 * seat : 14 * seat + 14])
    assert held(state, 0) == sorted([*pack[:14], pack[14 * seats]])
    assert state.stock == pack[14 * seats + 1 : 105]
    assert (state.row, state.melds) == ((), ())


@pytest.mark.rule("RM-13", "GAP-R6", "EX-R17", "RM-3")
@pytest.mark.parametrize(("seats", "pile"), [(2, 78), (3, 64), (4, 50)])
def test_a_joker_as_atu_goes_to_the_first_player_with_thirteen_tiles(seats: int, pile: int) -> None:
    state = new(seats)
    pack = numbered(state, JOKER)
    state.apply(None, Deal(pack))
    assert state.hand_sizes() == (14,) * seats
    assert held(state, 0) == sorted([*pack[:13], JOKER])
    for seat in range(1, seats):
        assert held(state, seat) == sorted(pack[14 * seat - 1 : 14 * seat + 13])
    assert state.stock == pack[14 * seats - 1 : 105]
    assert state.pile == pile == 106 - 14 * seats
    assert state.turned == JOKER
    assert state.atu == NO_TILE
    assert not state.doubled
    assert state.phase is Phase.MELD
    first = TEXT[held(state, 0)[0]]
    assert refusal(state, "draw") == ("WRONG_PHASE", "RM-16")
    do(state, f"discard {first}")
    assert [TEXT[tile] for tile in state.row] == [first]
    assert refusal(state, "announce atu") == ("NO_ATU", "GAP-R6")
    assert refusal(state, "close_with_atu R5 R6 R7") == ("NO_ATU", "GAP-R6")


@pytest.mark.rule("RM-12", "GAP-R6")
@pytest.mark.parametrize("turned", ["R1", "Y1", "B1", "K1", "R2", "B13", "*"])
def test_an_ace_as_atu_doubles_the_game_and_nothing_else_does(turned: str) -> None:
    state = dealt(turned=turned)
    assert state.doubled == (turned[1:] == "1")


@pytest.mark.rule("GAP-R3", "RM-16")
def test_the_opening_turn_has_no_draw() -> None:
    state = dealt()
    assert state.decision() == Decision(0, "turn", 14, continues=False)
    assert refusal(state, "draw") == ("WRONG_PHASE", "RM-16")
    assert refusal(state, "take 0") == ("WRONG_PHASE", "RM-16")
    do(state, f"discard {TEXT[held(state, 0)[0]]}")
    assert state.hand_sizes() == (14, 14)
    assert state.decision() == Decision(1, "turn", 14, continues=False)
    assert refusal(state, f"discard {TEXT[held(state, 1)[0]]}") == ("WRONG_PHASE", "RM-16")


@pytest.mark.rule("GAP-R1")
def test_two_to_four_play() -> None:
    assert list(SIZES) == [2, 3, 4]
    for seats in (0, 1, 5):
        with pytest.raises(ValueError, match="GAP-R1"):
            new(seats)


@pytest.mark.rule("GAP-R27")
@pytest.mark.parametrize("rounds", [0, -1, 21])
def test_a_match_has_one_to_twenty_rounds(rounds: int) -> None:
    with pytest.raises(ValueError, match="GAP-R27"):
        REMI.new(Options(rounds), 2)


@pytest.mark.rule("GAP-R2")
@pytest.mark.parametrize("seats", SIZES)
def test_turns_go_round_in_the_order_of_the_seats(seats: int) -> None:
    state = dealt(seats=seats)
    order = []
    for _ in range(2 * seats):
        order.append(state.decider())
        if state.phase is Phase.DRAW:
            assert refusal(state, "draw", seat=(state.seat + 1) % seats) == ("NOT_YOUR_TURN", "GAP-R2")
            do(state, "draw")
            assert state.decision() == Decision(state.seat, "turn", 14, continues=True)
        do(state, f"discard {TEXT[held(state, state.seat)[0]]}")
    assert order == [*range(seats), *range(seats)]


@pytest.mark.rule("RM-1", "RM-2")
def test_a_deal_is_the_whole_pack_and_comes_from_chance_when_it_is_due() -> None:
    state = new(3)
    assert state.needs_deal()
    assert state.decision() is None
    assert state.legal_actions() == []
    good = random_deal(state, random.Random(1))
    for pack in (good.pack[1:], (*good.pack[1:], good.pack[1]), (*good.pack[1:], 60), ()):
        with pytest.raises(IllegalAction) as caught:
            state.apply(None, Deal(pack))
        assert (caught.value.reason, caught.value.rule) == ("BAD_PACK", "RM-1")
    with pytest.raises(IllegalAction) as caught:
        state.apply(0, good)
    assert (caught.value.reason, caught.value.rule) == ("NOT_YOUR_TURN", "RM-2")
    assert refusal(state, "draw", seat=0) == ("DEAL_DUE", "RM-2")
    state.apply(None, good)
    with pytest.raises(IllegalAction) as caught:
        state.apply(None, good)
    assert (caught.value.reason, caught.value.rule) == ("DEAL_NOT_DUE", "RM-2")


@pytest.mark.rule("GAP-R31")
def test_there_is_no_exchange_and_no_new_deal_for_doubles() -> None:
    """A hand of seven doubles is played like any other, and nobody is offered anything else."""
    doubles = "R2 R2 Y4 Y4 B6 B6 K8 K8 R10 R10 Y12 Y12 B13 B13"
    state = dealt(hands=["", doubles])
    do(state, f"discard {TEXT[held(state, 0)[0]]}")
    assert held(state, 1) == sorted(parse_tiles(doubles))
    assert [type(action).__name__ for action in state.legal_actions()] == ["Draw"]


def test_a_deal_of_chosen_hands_is_what_it_says() -> None:
    state = new(3)
    deal = deal_of(state, ["R1 R2", "*"], turned="*", pile="K13 K12")
    state.apply(None, deal)
    assert set(parse_tiles("R1 R2 *")) <= set(held(state, 0))
    assert JOKER in held(state, 1)
    assert state.stock[:2] == parse_tiles("K13 K12")
