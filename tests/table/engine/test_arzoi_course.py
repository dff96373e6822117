"""The course of a match: players and pack, choosing, orbits, dealers, the end."""

import random
from itertools import pairwise

import pytest

from services.table.engine.arzoi import SEPTICA, SIZES, Choose, Part, Phase, State
from services.table.engine.arzoi.actions import CHOICES
from services.table.engine.cards import BIT, cards_text, parse_cards
from services.table.engine.game import Deal, IllegalAction
from services.table.engine.tricks import follow_suit
from tests.support.arzoi import ARZOI, do, new, play_match, skip_round, whist_round
from tests.support.steps import random_deal, step


def choices(state: State) -> list[str]:
    return [ARZOI.action_text(action) for action in state.legal_actions()]


def finish_orbit(state: State, seed: int = 0) -> None:
    chance = random.Random(seed)
    while state.part is not None or state.needs_deal():
        step(state, chance)


@pytest.mark.rule("AZ-1")
def test_three_to_nine_can_play_and_nobody_else() -> None:
    assert list(ARZOI.sizes) == [3, 4, 5, 6, 7, 8, 9]
    assert list(SIZES) == list(ARZOI.sizes)
    for seats in (0, 1, 2, 10):
        with pytest.raises(ValueError, match="3 to 9 players"):
            new(seats)


@pytest.mark.rule("AZ-1")
def test_an_evening_has_whist_totale_and_septica() -> None:
    parts: set[Part] = set()
    for seed in range(20):
        state = new(4)
        chance = random.Random(seed)
        while not state.is_over():
            decision = state.decision()
            if decision is None or chance.random() < 0.2:
                step(state, chance)
            else:
                state.apply(decision.seat, ARZOI.rule_of_thumb(state))
        parts |= {row.part for row in state.rows}
        if parts == set(Part):
            return
    raise AssertionError(f"in twenty matches only {parts} were played")


@pytest.mark.rule("AZ-2")
def test_ranks_go_from_the_ace_down_to_the_card_of_1() -> None:
    """Rank by rank, the higher card of the suit led takes the trick, whoever plays it."""
    ranks = ["A", "K", "Q", "J", "T", "9", "8", "7", "6", "5", "4", "3", "2", "1"]
    for higher, lower in pairwise(ranks):
        for suit in "SHDC":
            high, low = parse_cards(f"{higher}{suit} {lower}{suit}")
            for cards, taker in (((high, low), 0), ((low, high), 1)):
                play = follow_suit([BIT[card] for card in cards], 0, 0)
                assert play.play(cards[0]) == -1
                assert play.play(cards[1]) == taker


@pytest.mark.rule("AZ-3")
def test_only_nine_players_have_the_card_of_1() -> None:
    for seats in ARZOI.sizes:
        ones = [card for card in new(seats).pack() if card in parse_cards("1S 1H 1D 1C")]
        assert len(ones) == (4 if seats == 9 else 0)


@pytest.mark.rule("AZ-4", "AZ-5", "GAP-A1")
@pytest.mark.parametrize(
    ("seats", "lowest", "cards", "whists", "totale", "septica"),
    [
        (3, "9", 24, range(2, 9), 8, False),
        (4, "7", 32, range(2, 9), 8, True),
        (5, "5", 40, range(2, 9), 8, False),
        (6, "3", 48, range(2, 9), 8, True),
        (7, "3", 48, range(2, 7), 6, False),
        (8, "3", 48, range(2, 7), 6, True),
        (9, "1", 56, range(2, 7), 6, True),
    ],
)
def test_pack_whists_totale_and_septica_are_those_of_the_table(
    seats: int, lowest: str, cards: int, whists: range, totale: int, septica: bool
) -> None:
    state = new(seats)
    pack = state.pack()
    assert len(pack) == len(set(pack)) == cards
    text = cards_text(pack).split()
    assert text[0] == "AS"
    assert text[-1] == f"{lowest}C"
    assert {card[1] for card in text} == set("SHDC")
    assert choices(state) == [f"whist {k}" for k in whists] + (["septica"] if septica else [])
    assert SIZES[seats].totale_cards == totale
    assert seats * totale <= cards
    assert seats * max(whists) <= cards


@pytest.mark.rule("AZ-5")
@pytest.mark.parametrize("seats", [3, 5, 7])
def test_septica_is_refused_with_three_five_and_seven(seats: int) -> None:
    with pytest.raises(IllegalAction) as refusal:
        new(seats).apply(0, Choose(SEPTICA))
    assert (refusal.value.reason, refusal.value.rule) == ("VARIANT_UNKNOWN", "AZ-5")


@pytest.mark.rule("AZ-6")
def test_who_made_the_table_chooses_first() -> None:
    state = new(5)
    assert (state.phase, state.chooser, state.orbit) == (Phase.CHOOSE, 0, 1)
    with pytest.raises(IllegalAction, match="NOT_YOUR_TURN"):
        state.apply(1, Choose(2))
    state.apply(0, Choose(2))


@pytest.mark.rule("AZ-7", "AZ-8")
def test_any_variant_that_was_not_played_may_be_chosen_and_each_is_played_once() -> None:
    state = new(4)
    do(state, "whist 7")
    finish_orbit(state)
    assert choices(state) == ["whist 2", "whist 3", "whist 4", "whist 5", "whist 6", "whist 8", "septica"]
    do(state, "septica")
    finish_orbit(state)
    assert choices(state) == ["whist 2", "whist 3", "whist 4", "whist 5", "whist 6", "whist 8"]
    for played in (7, SEPTICA):
        with pytest.raises(IllegalAction) as refusal:
            state.apply(2, Choose(played))
        assert (refusal.value.reason, refusal.value.rule) == ("VARIANT_PLAYED", "AZ-8")


@pytest.mark.rule("AZ-7")
@pytest.mark.parametrize(("seats", "variant"), [(4, 1), (4, 0), (4, 10), (4, -2), (8, 7), (9, 8)])
def test_a_variant_that_there_is_not_is_refused(seats: int, variant: int) -> None:
    state = new(seats)
    with pytest.raises(IllegalAction, match="VARIANT_UNKNOWN"):
        state.apply(0, Choose(variant))
    assert state == new(seats)


@pytest.mark.rule("AZ-9", "GAP-A4")
@pytest.mark.parametrize("seats", range(3, 10))
def test_the_right_to_choose_passes_to_the_next_seat(seats: int) -> None:
    state = new(seats)
    chance = random.Random(seats)
    choosers: list[int] = []
    while not state.is_over():
        if state.phase is Phase.CHOOSE:
            choosers.append(state.chooser)
        step(state, chance)
    assert choosers == [orbit % seats for orbit in range(len(choosers))]


@pytest.mark.rule("AZ-10")
@pytest.mark.parametrize(
    ("seats", "no_whist_of_2", "variants"),
    [(n, False, v) for n, v in zip(range(3, 10), (7, 8, 7, 8, 5, 6, 6), strict=True)]
    + [(n, True, v) for n, v in zip(range(3, 10), (6, 7, 6, 7, 4, 5, 5), strict=True)],
)
def test_the_match_ends_when_all_variants_are_played(seats: int, no_whist_of_2: bool, variants: int) -> None:
    state = play_match(new(seats, no_whist_of_2=no_whist_of_2), random.Random(7))
    assert state.orbit == variants == len({row.variant for row in state.rows})
    assert state.variants_left == ()
    assert state.decision() is None
    assert not state.needs_deal()
    for seat, action in ((0, Choose(2)), (None, Deal(state.pack()))):
        with pytest.raises(IllegalAction) as refusal:
            state.apply(seat, action)
        assert (refusal.value.reason, refusal.value.rule) == ("MATCH_OVER", "AZ-10")


@pytest.mark.rule("AZ-10")
def test_no_score_ends_the_match() -> None:
    state = new(4)
    state.points_so_far = [10**9, -(10**9), 0, 0]
    do(state, "whist 2")
    finish_orbit(state)
    assert not state.is_over()


@pytest.mark.rule("AZ-11", "GAP-A2", "GAP-A4")
@pytest.mark.parametrize("seats", range(3, 10))
def test_an_orbit_is_a_round_for_every_player_and_the_dealer_moves_on_each_time(seats: int) -> None:
    """The chooser deals the first round. A round that only seat 0 burns keeps the orbit going to the end."""
    state = new(seats)
    do(state, "whist 2")
    dealers: list[int] = []
    assert state.rounds == seats
    while state.part is Part.WHIST:
        dealers.append(state.dealer)
        assert state.round == len(dealers)
        whist_round(state, [0] * seats, [2] + [0] * (seats - 1))
    assert dealers == list(range(seats))
    finish_orbit(state)
    assert (state.chooser, state.dealer) == (1, 1)
    do(state, "whist 3")
    assert state.dealer == 1
    whist_round(state, [0] * seats, [3] + [0] * (seats - 1))
    assert state.dealer == 2


@pytest.mark.rule("AZ-11", "GAP-A4")
def test_turns_go_round_by_one_seat() -> None:
    state = new(5)
    do(state, "whist 8")
    state.apply(None, random_deal(state, random.Random(3)))
    turns = []
    for _ in range(5):
        decision = state.decision()
        assert decision is not None
        turns.append((decision.kind, decision.seat))
        do(state, ARZOI.action_text(state.legal_actions()[0]))
    for _ in range(5):
        decision = state.decision()
        assert decision is not None
        turns.append((decision.kind, decision.seat))
        do(state, ARZOI.action_text(state.legal_actions()[0]))
    assert turns == [(kind, seat) for kind in ("bid", "play") for seat in (1, 2, 3, 4, 0)]


@pytest.mark.rule("AZ-47", "GAP-A23")
@pytest.mark.parametrize(
    ("points", "winners"),
    [([1, 5, 3], (1,)), ([5, -1, 5], (0, 2)), ([-7, -7, -7], (0, 1, 2)), ([-7, -6, -9], (1,))],
)
def test_the_highest_score_wins_and_equal_ones_win_together(points: list[int], winners: tuple[int, ...]) -> None:
    state = play_match(new(3), random.Random(1))
    state.points_so_far = points
    assert state.winners() == winners


@pytest.mark.rule("AZ-47")
def test_the_score_sheet_names_the_winner() -> None:
    state = play_match(new(3), random.Random(5))
    best = max(state.scores())
    names = ["Ana", "Bogdan", "Dana"]
    won = " and ".join(names[seat] for seat in range(3) if state.scores()[seat] == best)
    assert f"Won by {won} with {best} points." in ARZOI.score_sheet(state, names)


@pytest.mark.rule("AZ-52", "GAP-A22")
def test_without_the_whist_of_2_that_variant_is_gone_and_the_chooser_stays_free() -> None:
    state = new(4, no_whist_of_2=True)
    assert choices(state) == [f"whist {k}" for k in range(3, 9)] + ["septica"]
    with pytest.raises(IllegalAction) as refusal:
        state.apply(0, Choose(2))
    assert (refusal.value.reason, refusal.value.rule) == ("VARIANT_UNKNOWN", "AZ-52")
    do(state, "whist 6")
    assert state.variant == 6


@pytest.mark.rule("GAP-A29")
def test_a_choice_made_for_a_player_is_the_lowest_whist_and_septica_at_the_very_end() -> None:
    state = new(4, no_whist_of_2=True)
    chosen = []
    while not state.is_over():
        if state.phase is Phase.CHOOSE:
            action = ARZOI.rule_of_thumb(state)
            chosen.append(ARZOI.action_text(action))
            state.apply(state.chooser, action)
        else:
            skip_round(state, len(state.rows))
    assert chosen == [f"whist {k}" for k in range(3, 9)] + ["septica"]


@pytest.mark.rule("GAP-A29", "AZ-7")
def test_the_last_variant_left_is_still_chosen() -> None:
    state = new(3)
    chance = random.Random(4)
    while len(state.variants_left) > 1 or state.phase is not Phase.CHOOSE:
        step(state, chance)
    assert state.legal_actions() == [CHOICES[state.variants_left[0]]]
    decision = state.decision()
    assert decision is not None
    assert decision.kind == "choose"


@pytest.mark.rule("GAP-A33")
def test_multipliers_have_no_cap() -> None:
    """Sixteen attempts burned by everybody: the seventeenth counts 65536 times, and scores follow."""
    state = new(3)
    do(state, "whist 2")
    for attempt in range(16):
        assert state.multiplier == 2**attempt
        whist_round(state, [1, 2, 0], [0, 1, 1])
    assert state.scores() == (-(2**16 - 1),) * 3
    whist_round(state, [2, 2, 0], [0, 1, 1])
