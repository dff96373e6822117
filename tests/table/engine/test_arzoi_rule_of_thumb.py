"""The rule-of-thumb move is legal, comes from what the seat may know, and is sensible."""

import random
from collections.abc import Sequence

import pytest

from services.table.engine.arzoi import Bid, Part, State
from tests.support.arzoi import ARZOI, chosen_deal, do, new
from tests.support.steps import random_deal, step


def thumb(state: State) -> str:
    return ARZOI.action_text(ARZOI.rule_of_thumb(state))


def against_chance(seats: int, sensible: Sequence[int], seed: int) -> State:
    """A match in which some seats follow the rule of thumb and the others play at random."""
    chance = random.Random(seed)
    state = new(seats)
    while not state.is_over():
        decision = state.decision()
        if decision is not None and decision.seat in sensible:
            before = state.copy()
            action = ARZOI.rule_of_thumb(state)
            assert state == before
            assert action in state.legal_actions()
            state.apply(decision.seat, action)
        else:
            step(state, chance)
    return state


@pytest.mark.parametrize("seats", range(3, 10))
def test_it_is_always_legal_and_beats_chance(seats: int) -> None:
    """The sensible seat comes out well above the average of the random ones, match after match together."""
    ahead = 0.0
    for seed in range(4):
        seat = seed % seats
        scores = against_chance(seats, [seat], seed).scores()
        others = [score for other, score in enumerate(scores) if other != seat]
        ahead += scores[seat] - sum(others) / len(others)
    assert ahead > 0


@pytest.mark.parametrize(
    ("whist", "hand", "trump", "bid"),
    [
        ("whist 3", "AS KS QS", "JS", 3),
        ("whist 3", "AS AH KS", "QS", 2),  # the ace of hearts may be trumped
        ("whist 3", "7H 8D 7C", "QS", 0),
        ("whist 5", "7H 8D 7C 9H 8C", "QS", 0),
        ("whist 8", "AS KS QS JS TS 9S 8S 7S", "", 8),
        ("whist 2", "AS 7D", "KS", 1),
    ],
)
def test_it_bids_what_the_hand_is_worth(whist: str, hand: str, trump: str, bid: int) -> None:
    state = new(4)
    do(state, whist)
    state.apply(None, chosen_deal(state, ["", hand], trump))
    assert thumb(state) == f"bid {bid}"


def test_it_does_not_bid_zero_by_default() -> None:
    """Over many hands the bids come near to the tricks there are, and most hands of eight are not bid 0."""
    chance = random.Random(3)
    total = tricks = zeros = hands = 0
    for _ in range(60):
        state = new(4)
        do(state, "whist 8")
        state.apply(None, random_deal(state, chance))
        for _ in range(4):
            action = ARZOI.rule_of_thumb(state)
            assert isinstance(action, Bid)
            total += action.tricks
            zeros += action.tricks == 0
            hands += 1
            do(state, ARZOI.action_text(action))
        tricks += 8
    assert 0.75 < total / tricks < 1.25
    assert zeros < hands / 4


def test_it_makes_most_of_its_bids_at_a_table_of_its_kind() -> None:
    made = rounds = 0
    for seed in range(6):
        state = against_chance(4, range(4), seed)
        for row in state.rows:
            if row.part is Part.WHIST and row.round:
                made += sum(not cell.burned for cell in row.cells)
                rounds += 4
    assert made / rounds > 0.5


@pytest.mark.parametrize(
    ("bids", "move"),
    [
        ("0 0 0 0", "play 9S"),  # nothing is wanted: under the king that lies, but high
        ("0 1 0 0", "play AS"),  # a trick is wanted
    ],
)
def test_it_takes_tricks_only_as_long_as_they_are_wanted(bids: str, move: str) -> None:
    state = new(4)
    do(state, "whist 4")
    state.apply(None, chosen_deal(state, ["", "KS 7H 8H 9H", "AS 9S 8S 7D"], "TD"))
    do(state, *[f"bid {bid}" for bid in bids.split()])
    do(state, "play KS")
    assert thumb(state) == move


@pytest.mark.parametrize(
    ("part", "moves"),
    [
        # The last player holds the ace and a low spade, and six points lie.
        (Part.TOTALE_MINUS, "play 8S"),
        (Part.TOTALE_PLUS, "play AS"),
    ],
)
def test_it_dodges_points_in_totale_minus_and_hunts_them_in_totale_plus(part: Part, moves: str) -> None:
    state = new(4)
    do(state, "whist 2")
    state.dealer = 3
    state.totale_minus_left = int(part is Part.TOTALE_MINUS)
    state.totale_plus_left = int(part is Part.TOTALE_PLUS)
    state._next_totale()
    hands = ["AS 8S 7D 7C 8C 9C TC JC", "QS 9D", "KH 7H 8H 9H TH JH QH AH", "TD JD QD KD AD AC KC QC"]
    state.apply(None, chosen_deal(state, hands))
    do(state, "play QS", "play KH", "play QD")
    assert thumb(state) == moves


@pytest.mark.parametrize(
    ("second", "move"),
    [
        ("AD", "play 9C"),  # a point lies: take it, with the cheaper of seven and nine
        ("JD", "play JS"),  # nothing lies: give the cheapest card that does not fit
    ],
)
def test_in_septica_it_takes_points_and_not_for_nothing(second: str, move: str) -> None:
    state = new(4)
    do(state, "septica")
    state.apply(None, chosen_deal(state, ["7S KD 9C JS", "9H QS QH QD", f"{second} KS KH 8D", "TH TC AC JC"]))
    do(state, "play 9H", f"play {second}", "play JC")
    assert thumb(state) == move


def test_in_septica_it_gives_points_to_its_own_team_and_goes_on_only_for_points() -> None:
    state = new(4)
    do(state, "septica")
    state.apply(None, chosen_deal(state, ["TS 8S QC JS", "9H 9S QH QD", "9D KS KH KD", "JH TC AC JC"]))
    do(state, "play 9H", "play 9D", "play JH")
    assert thumb(state) == "play TS"
    do(state, "play TS")
    assert thumb(state) == "play 9S"


def test_it_has_no_move_when_nobody_decides() -> None:
    state = new(4)
    do(state, "whist 2")
    with pytest.raises(ValueError, match="no seat has to decide"):
        ARZOI.rule_of_thumb(state)
