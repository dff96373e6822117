"""Septica Arzoi: teams, cutting, going on, refilling, score, ties."""

import random
from collections.abc import Sequence

import pytest

from services.table.engine.arzoi import SIZES, Leave, OrbitEnded, Part, Phase, Play, Scored, State, TrickTaken
from services.table.engine.arzoi.septica import SepticaPlay, changes, points_in, team_sums, winner
from services.table.engine.cards import cards_text, mask_of, parse_card, parse_cards
from services.table.engine.game import IllegalAction
from tests.support import arzoi
from tests.support.arzoi import chosen_deal, do, new, skip_round
from tests.support.steps import random_deal, step

SIZES_WITH_SEPTICA = (4, 6, 8, 9)


def septica(seats: int, hands: Sequence[str] = (), stock: str = "") -> State:
    """A hand of Septica just dealt by seat 0: seat 1 opens."""
    state = new(seats)
    do(state, "septica")
    state.apply(None, chosen_deal(state, hands, stock))
    return state


def legal(state: State) -> str:
    return " ".join(arzoi.ARZOI.action_text(action).removeprefix("play ") for action in state.legal_actions())


def play_of(state: State) -> SepticaPlay:
    assert isinstance(state.play, SepticaPlay)
    return state.play


@pytest.mark.rule("AZ-36", "GAP-A13")
@pytest.mark.parametrize("seats", SIZES_WITH_SEPTICA)
def test_septica_is_one_orbit_of_rounds_scored_one_by_one(seats: int) -> None:
    state = new(seats)
    do(state, "septica")
    assert (state.part, state.rounds, state.cards_each) == (Part.SEPTICA, seats, 4)
    chance = random.Random(seats)
    dealers = []
    events: list[object] = []
    while state.phase is not Phase.CHOOSE:
        if state.needs_deal() and state.attempt == 1:
            dealers.append(state.dealer)
        if state.needs_deal():
            state.apply(None, random_deal(state, chance))
            decision = state.decision()
            assert decision is not None
            assert decision.seat == (state.dealer + 1) % seats
        events = list(step(state, chance))
    assert dealers == list(range(seats))
    assert events[-1] == OrbitEnded(9, False, (), 0, 0)
    decided = [row for row in state.rows if not row.replayed]
    assert [row.round for row in decided] == list(range(1, seats + 1))
    assert {row.part for row in state.rows} == {Part.SEPTICA}
    assert state.chooser == 1


@pytest.mark.rule("AZ-37")
@pytest.mark.parametrize(
    ("seats", "teams"),
    [
        (4, [(0, 2), (1, 3)]),
        (6, [(0, 2, 4), (1, 3, 5)]),
        (8, [(0, 2, 4, 6), (1, 3, 5, 7)]),
        (9, [(0, 3, 6), (1, 4, 7), (2, 5, 8)]),
    ],
)
def test_teams_sit_on_alternate_seats(seats: int, teams: Sequence[Sequence[int]]) -> None:
    state = septica(seats)
    assert state.teams == len(teams)
    for number, team in enumerate(teams):
        points = [1 if seat in team else 0 for seat in range(seats)]
        assert team_sums(state.teams, points)[number] == len(team)
        assert changes(state.teams, points, points, 1) == [10 if seat in team else -1 for seat in range(seats)]


@pytest.mark.rule("AZ-38", "GAP-A14", "GAP-A16")
@pytest.mark.parametrize(
    ("seats", "cutters", "points", "in_pack"),
    [
        (4, "7S 7H 7D 7C", "A T", 8),
        (6, "7S 8S 7H 8H 7D 8D 7C 8C", "A K T", 12),
        (8, "7S 8S 7H 8H 7D 8D 7C 8C", "A K T", 12),
        (9, "7S 8S 7H 8H 7D 8D 7C 8C", "A K T", 12),
    ],
)
def test_cutting_and_point_cards(seats: int, cutters: str, points: str, in_pack: int) -> None:
    size = SIZES[seats]
    assert size.cutters == mask_of(parse_cards(cutters))
    for card in size.pack:
        text = cards_text([card])
        assert points_in(size, 1 << card) == (1 if text[0] in points else 0)
    assert points_in(size, mask_of(size.pack)) == in_pack
    if seats == 9:
        ones = mask_of(parse_cards("1S 1H 1D 1C"))
        assert not ones & (size.cutters | size.septica_points)


@pytest.mark.rule("AZ-39")
@pytest.mark.parametrize("seats", SIZES_WITH_SEPTICA)
def test_everybody_holds_four_cards_and_may_play_any(seats: int) -> None:
    state = septica(seats)
    assert state.hand_sizes() == (4,) * seats
    for _ in range(seats):
        decision = state.decision()
        assert decision is not None
        assert state.legal_cards() == state.hand(decision.seat)
        do(state, arzoi.ARZOI.action_text(state.legal_actions()[-1]))


@pytest.mark.rule("AZ-40", "AZ-41", "AZ-42", "EX-A21", "GAP-A19", "GAP-A32")
def test_the_example_trick_of_two_circles() -> None:
    """EX-A21 with A, B, C, D on the seats 1, 2, 3, 0."""
    state = septica(
        4,
        ["KC 9H 8D 8H", "9S 7C QS QD", "7D 8S JS JD", "TH AD JC JH"],
        "AS AH AC TS KS KH KD TD",
    )
    do(state, "play 9S", "play 7D", "play TH", "play KC")
    assert state.holder == 2
    assert (state.phase, legal(state)) == (Phase.CONTINUE, "7C leave")
    decision = state.decision()
    assert decision is not None
    assert (decision.seat, decision.kind) == (1, "play")
    do(state, "play 7C")
    assert state.holder == 1
    do(state, "play 8S", "play AD", "play 9H")
    # A has neither a nine nor a seven left: the trick ends by itself.
    assert state.tricks[-1].taker == 0
    assert state.tricks[-1].cards == parse_cards("9S 7D TH KC 7C 8S AD 9H")
    assert state.points == [2, 0, 0, 0]
    assert state.taken == (1, 0, 0, 0)
    # D draws first, and each draws two: D AS KS, A AH KH, B AC KD, C TS TD.
    assert [cards_text(play_of(state).drawn_by(seat)) for seat in (0, 1, 2, 3)] == ["AS KS", "AH KH", "AC KD", "TS TD"]
    assert state.hand_sizes() == (4, 4, 4, 4)
    decision = state.decision()
    assert decision is not None
    assert (decision.seat, state.leader) == (0, 0)


@pytest.mark.rule("AZ-41", "EX-A21")
def test_the_opener_may_leave_the_trick_although_he_could_go_on() -> None:
    state = septica(
        4,
        ["KC 9H 8D 8H", "9S 7C 9C QD", "7D 8S JS JD", "TH AD JC JH"],
        "AS AH AC TS KS KH KD TD",
    )
    do(state, "play 9S", "play 7D", "play TH", "play KC", "play 7C", "play 8S", "play AD", "play 9H")
    assert (state.phase, legal(state), state.holder) == (Phase.CONTINUE, "9C leave", 0)
    (event,) = do(state, "leave")
    assert event == TrickTaken(0, 1, 4, parse_cards("9S 7D TH KC 7C 8S AD 9H"), 2)
    assert state.hand_sizes() == (4, 4, 4, 4)


@pytest.mark.rule("AZ-40", "GAP-A17", "EX-A31", "GAP-A18")
def test_an_opener_whom_nobody_matched_takes_the_trick_and_may_not_go_on() -> None:
    """EX-A31: the opener holds another queen and a seven, and is not asked."""
    state = septica(4, ["KC 9H 8D 8H", "QC QS 7C AD", "KD 8S JS JD", "TH AH JC JH"])
    do(state, "play QC", "play KD", "play TH")
    (event,) = do(state, "play KC")
    assert event == TrickTaken(1, 1, 4, parse_cards("QC KD TH KC"), 1)
    assert state.phase is Phase.PLAY
    decision = state.decision()
    assert decision is not None
    assert decision.seat == 1


@pytest.mark.rule("AZ-40", "GAP-A17")
@pytest.mark.parametrize(
    ("seats", "trick", "taker"),
    [
        (4, "9S 9H KD AC", 2),  # the same rank
        (4, "9S 9H 9D AC", 3),  # the last of them
        (4, "9S 7H 9D 8C", 3),  # the rank of the first card after a cutter
        (4, "9S 9H 7D 8C", 3),  # a cutter after it
        (4, "8S 7H KD AC", 2),
        (4, "7S KD AC 7D", 0),  # a led cutter is taken over by a cutter
        (4, "7S 8D AC TD", 1),  # with four players the eight does not cut
        (6, "7S 8D AC TD KS KD", 2),  # with more it does
        (6, "8S 7D AC TD KS 8H", 0),
        (9, "1S 1D AC TD KS KD KC QS QD", 2),  # the card of 1 has no special role
        (9, "KS 1D AC TD QC QH QD QS JS", 1),
    ],
)
def test_the_last_of_the_first_rank_or_cutting_takes_the_trick(seats: int, trick: str, taker: int) -> None:
    """Seat 1 opens. Everybody's other cards are of a kind that fits nothing, so that the trick ends here."""
    cards = trick.split()
    state = septica(seats)
    play = play_of(state)
    filler = mask_of(parse_cards("JH JC JD"))
    for place, card in enumerate(cards):
        play.hands[(1 + place) % seats] = mask_of([parse_card(card)]) | filler
    events = do(state, *[f"play {card}" for card in cards])
    assert isinstance(events[0], TrickTaken)
    assert events[0].seat == taker


@pytest.mark.rule("AZ-41", "GAP-A18")
def test_the_opener_may_go_on_also_against_a_teammate() -> None:
    state = septica(4, ["KC KH 8D 8H", "9S 9C QS QD", "TD 8S JS JD", "9H AD JC JH"])
    do(state, "play 9S", "play TD", "play 9H", "play KC")
    assert state.holder == 3
    assert legal(state) == "9C leave"


@pytest.mark.rule("AZ-41", "GAP-A18", "GAP-A32")
def test_only_a_fitting_card_continues_and_only_the_opener_may() -> None:
    state = septica(4, ["KC KH 8D 8H", "9S 9C QS 7D", "7C 8S JS JD", "TH AD JC JH"])
    with pytest.raises(IllegalAction) as refusal:
        state.apply(1, Leave())
    assert (refusal.value.reason, refusal.value.rule) == ("CANNOT_LEAVE", "AZ-41")
    do(state, "play 9S", "play 7C", "play TH", "play KC")
    assert legal(state) == "7D 9C leave"
    before = state.copy()
    with pytest.raises(IllegalAction) as refusal:
        state.apply(1, Play(parse_card("QS")))
    assert (refusal.value.reason, refusal.value.rule) == ("CANNOT_CONTINUE", "AZ-41")
    with pytest.raises(IllegalAction, match="CARD_NOT_IN_HAND"):
        state.apply(1, Play(parse_card("7C")))
    with pytest.raises(IllegalAction, match="NOT_YOUR_TURN"):
        state.apply(2, Leave())
    assert state == before


@pytest.mark.rule("GAP-A18")
def test_leaving_is_automatic_without_a_fitting_card() -> None:
    state = septica(4, ["KC KH 8D 8H", "9S AC QS QD", "7C 8S JS JD", "TH AD JC JH"])
    events = do(state, "play 9S", "play 7C", "play TH", "play KC")
    assert [type(event) for event in events] == [TrickTaken]
    assert state.tricks[-1].taker == 2
    assert state.phase is Phase.PLAY


@pytest.mark.rule("GAP-A18")
def test_a_trick_of_four_circles_ends_by_itself_because_hands_are_empty() -> None:
    state = septica(4, ["8S 7S 7H 9D", "9S 9H 7D 7C", "TS TH TD TC", "AS AH AD AC"])
    state.apply(1, Play(parse_card("9S")))
    do(state, "play TS", "play AS", "play 7S")
    do(state, "play 9H", "play TH", "play AH", "play 7H")
    do(state, "play 7C", "play TD", "play AD", "play 9D")
    do(state, "play 7D", "play TC", "play AC")
    (event,) = do(state, "play 8S")
    assert isinstance(event, TrickTaken)
    # The opener's last seven holds the trick, and nobody has a card left.
    assert (event.seat, len(event.cards), event.points) == (1, 16, 8)
    assert state.hand_sizes() == (4, 4, 4, 4)


@pytest.mark.rule("GAP-A19")
def test_the_first_card_of_all_sets_the_rank_in_later_circles() -> None:
    """The trick was opened with a nine and goes on with a seven: a nine still takes it."""
    state = septica(4, ["9D KH 8D 8H", "9S 7C QS QD", "7D 8S JS JD", "TH AD JC JH"])
    do(state, "play 9S", "play 7D", "play TH", "play KH", "play 7C", "play JS", "play JC")
    assert state.holder == 1
    (event,) = do(state, "play 9D")
    assert isinstance(event, TrickTaken)
    assert event.seat == 0


@pytest.mark.rule("AZ-42", "GAP-A15")
@pytest.mark.parametrize(("seats", "each", "unseen"), [(4, 8, 0), (6, 8, 0), (8, 6, 0), (9, 6, 2)])
def test_hands_are_refilled_in_complete_circles_and_everybody_has_the_same_in_all(
    seats: int, each: int, unseen: int
) -> None:
    chance = random.Random(seats)
    for _ in range(20):
        state = new(seats)
        do(state, "septica")
        deal = random_deal(state, chance)
        state.apply(None, deal)
        assert state.set_aside == unseen
        assert state.stock == (each - 4) * seats
        had = [state.hand(seat) for seat in range(seats)]
        trial = state.copy()
        rows = len(trial.rows)
        tricks: tuple[object, ...] = ()
        while len(trial.rows) == rows:
            assert len(set(trial.hand_sizes())) <= 2
            if not trial.trick:
                assert len(set(trial.hand_sizes())) == 1
                assert trial.hand_sizes()[0] == 4 or trial.stock == 0
            for seat in range(seats):
                had[seat] |= trial.hand(seat)
            tricks = trial.tricks
            step(trial, chance)
        assert len(tricks) >= 1
        assert [hand.bit_count() for hand in had] == [each] * seats
        aside = mask_of(deal.pack[len(deal.pack) - unseen :])
        assert not any(hand & aside for hand in had)


@pytest.mark.rule("GAP-A15")
def test_nine_players_with_too_little_stock_refill_the_circles_there_are_and_leave_two_cards() -> None:
    """A first trick of three circles leaves hands of one; the stock of twenty gives two circles, no more."""
    state = septica(9)
    play = play_of(state)
    for seat in range(9):
        play.hands[seat] = mask_of(parse_cards("JS JH JD JC"))
    play.hands[1] = mask_of(parse_cards("QS 7S 7H JS"))
    play.hands[2] = mask_of(parse_cards("8S 8H QD JS"))
    do(state, "play QS", "play 8S", *["play JS"] * 7)
    assert state.phase is Phase.CONTINUE
    do(state, "play 7S", "play 8H", *["play JH"] * 7)
    assert state.phase is Phase.CONTINUE
    do(state, "play 7H", "play QD", *["play JD"] * 7)
    assert state.tricks[-1].taker == 2
    assert state.hand_sizes() == (3,) * 9
    assert (state.stock, state.set_aside) == (0, 2)
    assert play.refills == ((2, 2),)


# Score


@pytest.mark.rule("AZ-43", "AZ-44", "EX-A22", "EX-A25", "EX-A27", "EX-A28", "GAP-A20")
@pytest.mark.parametrize(
    ("teams", "points", "tricks", "multiplier", "expected"),
    [
        (2, [3, 2, 2, 1], [2, 2, 2, 2], 1, [5, -1, 5, -1]),  # EX-A22
        (2, [4, 1, 2, 1], [2, 2, 2, 2], 2, [10, -2, 10, -2]),  # EX-A23
        (2, [8, 0, 0, 0], [8, 0, 0, 0], 1, [10, -1, 10, -1]),  # EX-A25
        (2, [0, 5, 0, 3], [0, 4, 0, 4], 1, [-1, 10, -1, 10]),
        (2, [8, 0, 0, 0], [7, 1, 0, 0], 1, [5, -1, 5, -1]),  # EX-A27
        (2, [3, 2, 3, 2, 1, 1], [2, 2, 1, 1, 1, 1], 1, [5, -1, 5, -1, 5, -1]),  # EX-A28
        (2, [2, 2, 2, 2, 2, 2], [2, 2, 1, 1, 1, 1], 1, [0] * 6),  # EX-A28
        (2, [8, 0, 0, 0], [8, 0, 0, 0], 8, [80, -8, 80, -8]),
    ],
)
def test_what_a_hand_in_two_teams_brings(
    teams: int, points: Sequence[int], tricks: Sequence[int], multiplier: int, expected: list[int]
) -> None:
    assert changes(teams, points, tricks, multiplier) == expected


@pytest.mark.rule("AZ-44", "AZ-46", "GAP-A20", "GAP-A21")
@pytest.mark.parametrize(
    ("by_team", "tricks_by_team", "expected"),
    [
        ([5, 4, 3], [3, 2, 1], [5, -1, -1]),
        ([3, 3, 5], [2, 2, 2], [-1, -1, 5]),  # a tie for the second place does not replay
        ([5, 5, 2], [2, 2, 2], [0, 0, 0]),
        ([4, 4, 4], [2, 2, 2], [0, 0, 0]),
        ([0, 12, 0], [0, 6, 0], [-1, 10, -1]),  # piele: the other teams took no trick
        ([0, 12, 0], [0, 5, 1], [-1, 5, -1]),
        ([0, 10, 0], [0, 6, 0], [-1, 10, -1]),
    ],
)
def test_what_a_hand_in_three_teams_brings(
    by_team: Sequence[int], tricks_by_team: Sequence[int], expected: Sequence[int]
) -> None:
    points = [*by_team, *[0] * 6]
    tricks = [*tricks_by_team, *[0] * 6]
    assert changes(3, points, tricks, 1) == [expected[seat % 3] for seat in range(9)]


@pytest.mark.rule("AZ-43")
def test_the_team_with_more_points_wins() -> None:
    assert [winner(points) for points in ([5, 3], [3, 5], [4, 4], [2, 3, 7], [6, 6, 0])] == [0, 1, -1, 2, -1]


@pytest.mark.rule("AZ-45", "EX-A23", "EX-A28", "GAP-A21")
@pytest.mark.parametrize("seats", SIZES_WITH_SEPTICA)
def test_a_tie_is_replayed_doubled_by_the_same_dealer_and_scores_nothing(seats: int) -> None:
    state = new(seats)
    do(state, "septica")
    ties = 0
    seed = 0
    while ties < 3:
        # Look for a deal and play that ties, as often in a row as is wanted.
        trial = state.copy()
        skip_round(trial, seed)
        seed += 1
        row = trial.rows[-1]
        if not row.replayed:
            continue
        ties += 1
        assert [cell.change for cell in row.cells] == [0] * seats
        assert trial.scores() == (0,) * seats
        assert (trial.round, trial.attempt, trial.multiplier, trial.dealer) == (1, ties + 1, 2**ties, 0)
        assert trial.needs_deal()
        state = trial
    while True:
        trial = state.copy()
        skip_round(trial, seed)
        seed += 1
        if not trial.rows[-1].replayed:
            break
    assert set(trial.scores()) in ({5 * 8, -8}, {10 * 8, -8})
    assert (trial.round, trial.attempt, trial.dealer) == (2, 1, 1)


@pytest.mark.rule("AZ-46", "GAP-A21")
def test_with_three_teams_only_a_tie_for_the_first_place_is_replayed() -> None:
    state = new(9)
    do(state, "septica")
    seen = set()
    for seed in range(200):
        trial = state.copy()
        skip_round(trial, seed)
        row = trial.rows[-1]
        by_team = sorted(team_sums(3, [cell.points for cell in row.cells]), reverse=True)
        assert row.replayed == (by_team[0] == by_team[1])
        seen.add((by_team[0] == by_team[1], by_team[1] == by_team[2]))
    assert {(True, False), (False, True), (False, False)} <= seen


@pytest.mark.rule("AZ-43", "AZ-44", "EX-A25", "GAP-A20")
def test_piele_at_the_table() -> None:
    """Seats 1 and 3 hold all the sevens and take trick after trick."""
    state = septica(4)
    for seed in range(5000):
        trial = state.copy()
        chance = random.Random(seed)
        while len(trial.rows) == 0:
            decision = trial.decision()
            assert decision is not None
            if decision.seat in (1, 3):
                trial.apply(decision.seat, arzoi.ARZOI.rule_of_thumb(trial))
            else:
                trial.apply(decision.seat, chance.choice(trial.legal_actions()))
        tricks = [cell.tricks for cell in trial.rows[0].cells]
        if tricks[0] + tricks[2] == 0:
            assert arzoi.changes(trial) == [-1, 10, -1, 10]
            return
        assert max(arzoi.changes(trial)) in (0, 5) or tricks[1] + tricks[3] == 0
    raise AssertionError("no deal with piele was found")


@pytest.mark.rule("AZ-42")
def test_the_end_of_a_hand_is_scored_at_once() -> None:
    state = septica(4)
    chance = random.Random(0)
    events: tuple[object, ...] = ()
    while len(state.rows) == 0:
        events = step(state, chance)
    assert [type(event) for event in events] == [TrickTaken, Scored]
    assert state.needs_deal()
