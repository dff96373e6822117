"""Arzoi on the wire."""

import random

import pytest

from services.table.engine.arzoi import SEPTICA, Bid, Choose, Event, Leave, Options, Part, Phase, Play, State
from services.table.engine.cards import TEXT, cards_of
from services.table.wire import MalformedActionError, wires
from shared.gen.levata.table.v1 import arzoi_pb2 as pb
from shared.gen.levata.table.v1 import game_pb2
from tests.support.arzoi import ARZOI, chosen_deal, do, new, skip_round, whist_round
from tests.support.steps import step

WIRE = wires()["arzoi"]


def table(state: State) -> pb.ArzoiTable:
    return WIRE.table(state).arzoi


@pytest.mark.parametrize("options", [Options(), Options(no_whist_of_2=True)])
def test_options_go_there_and_back(options: Options) -> None:
    message = WIRE.options_to_proto(options)
    assert message.WhichOneof("game") == "arzoi"
    assert WIRE.options_from_proto(game_pb2.GameOptions.FromString(message.SerializeToString())) == options


def test_every_action_goes_there_and_back() -> None:
    actions = [
        *[Choose(variant) for variant in (2, 3, 4, 5, 6, 7, 8, SEPTICA)],
        *[Bid(tricks) for tricks in range(9)],
        *[Play(card) for card in range(56)],
        Leave(),
    ]
    for action in actions:
        data = WIRE.action_to_proto(action).SerializeToString()
        assert WIRE.action_from_proto(game_pb2.GameAction.FromString(data)) == action


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (game_pb2.GameAction(), "arzoi"),
        (game_pb2.GameAction(arzoi=pb.ArzoiAction()), "arzoi"),
        (game_pb2.GameAction(arzoi=pb.ArzoiAction(play="10H")), "arzoi.play"),
        (game_pb2.GameAction(arzoi=pb.ArzoiAction(play="")), "arzoi.play"),
        (game_pb2.GameAction(arzoi=pb.ArzoiAction(bid=9)), "arzoi.bid"),
        (game_pb2.GameAction(arzoi=pb.ArzoiAction(leave=False)), "arzoi.leave"),
        (game_pb2.GameAction(arzoi=pb.ArzoiAction(choose=pb.ArzoiVariant())), "arzoi.choose"),
        (game_pb2.GameAction(arzoi=pb.ArzoiAction(choose=pb.ArzoiVariant(whist=1))), "arzoi.choose.whist"),
        (game_pb2.GameAction(arzoi=pb.ArzoiAction(choose=pb.ArzoiVariant(whist=9))), "arzoi.choose.whist"),
        (game_pb2.GameAction(arzoi=pb.ArzoiAction(choose=pb.ArzoiVariant(septica=False))), "arzoi.choose.septica"),
    ],
)
def test_a_malformed_action_is_refused_with_its_field(message: game_pb2.GameAction, field: str) -> None:
    with pytest.raises(MalformedActionError) as refusal:
        WIRE.action_from_proto(message)
    assert refusal.value.field == field


def test_the_table_before_the_first_choice() -> None:
    message = table(new(4))
    assert (message.phase, message.part, message.orbit, message.round) == (pb.ARZOI_PHASE_CHOOSE, 0, 1, 0)
    assert not message.HasField("variant")
    assert [left.whist or "septica" for left in message.variants_left] == [2, 3, 4, 5, 6, 7, 8, "septica"]
    assert (message.chooser, message.dealer, message.cards_each, message.trump_card) == (0, 0, 0, "")
    assert (message.attempt, message.multiplier) == (1, 1)
    assert [seat.cards for seat in message.seats] == [0, 0, 0, 0]
    assert not message.HasField("holder")
    assert not message.HasField("last_taker")
    assert WIRE.hand(new(4), 0).arzoi.cards == []
    assert WIRE.history(new(4)) == []


@pytest.mark.rule("AZ-16")
def test_the_table_in_a_whist() -> None:
    state = new(4)
    do(state, "whist 2")
    assert table(state).phase == pb.ARZOI_PHASE_UNSPECIFIED
    assert (table(state).round, table(state).rounds, table(state).cards_each) == (1, 4, 2)
    state.apply(None, chosen_deal(state, ["8H 9H", "KH AH", "QS 7C", "KS 7S"], "AS"))
    message = table(state)
    assert (message.phase, message.part) == (pb.ARZOI_PHASE_BID, pb.ARZOI_PART_WHIST)
    assert (message.variant.whist, message.trump_card, message.bidding) == (2, "AS", 0)
    assert not message.seats[1].HasField("bid")
    do(state, "bid 0")
    message = table(state)
    assert message.seats[1].HasField("bid")
    assert message.seats[1].bid == 0
    assert not message.seats[2].HasField("bid")
    do(state, "bid 2", "bid 1", "bid 0")
    message = table(state)
    assert (message.bid_sum, message.bidding, message.phase) == (3, pb.ARZOI_BIDDING_OVERBID, pb.ARZOI_PHASE_PLAY)
    do(state, "play KH", "play QS")
    message = table(state)
    assert [(played.seat, played.card) for played in message.trick] == [(1, "KH"), (2, "QS")]
    assert message.holder == 2
    assert [seat.cards for seat in message.seats] == [2, 1, 1, 2]
    assert list(WIRE.hand(state, 3).arzoi.cards) == ["KS", "7S"]
    do(state, "play 7S", "play 8H")
    message = table(state)
    assert list(message.trick) == []
    assert not message.HasField("holder")
    assert [played.card for played in message.last_trick] == ["KH", "QS", "7S", "8H"]
    assert [played.seat for played in message.last_trick] == [1, 2, 3, 0]
    assert message.last_taker == 2
    assert [seat.tricks for seat in message.seats] == [0, 0, 1, 0]
    assert (message.teams, message.stock, message.set_aside) == (0, 0, 0)
    assert len(message.variants_left) == 7


def test_burns_are_shown_once_a_round_has_counted() -> None:
    state = new(3)
    do(state, "whist 2")
    assert not any(seat.burned or seat.burned_always for seat in table(state).seats)
    whist_round(state, [1, 2, 0], [0, 1, 1])
    assert not any(seat.burned for seat in table(state).seats)
    assert (table(state).attempt, table(state).multiplier) == (2, 2)
    whist_round(state, [0, 0, 0], [1, 1, 0])
    assert [(seat.burned, seat.burned_always) for seat in table(state).seats] == [(True, True)] * 2 + [(False, False)]
    whist_round(state, [0, 0, 0], [2, 0, 0])
    assert [(seat.burned, seat.burned_always) for seat in table(state).seats] == [
        (True, True),
        (True, False),
        (False, False),
    ]
    whist_round(state, [0, 0, 0], [2, 0, 0])
    message = table(state)
    assert (message.part, message.totale_minus_left, message.totale_plus_left) == (pb.ARZOI_PART_TOTALE_MINUS, 1, 1)


@pytest.mark.rule("AZ-31", "GAP-A15")
def test_the_table_in_totale_and_septica_counts_what_is_hidden() -> None:
    state = new(9)
    do(state, "septica")
    state.apply(None, chosen_deal(state, []))
    message = table(state)
    assert (message.part, message.variant.septica, message.teams) == (pb.ARZOI_PART_SEPTICA, True, 3)
    assert (message.stock, message.set_aside) == (18, 2)
    state = new(9)
    do(state, "whist 2")
    for _ in range(9):
        whist_round(state, [0] * 9, [2] + [0] * 8)
    state.apply(None, chosen_deal(state, []))
    message = table(state)
    assert (message.set_aside, message.cards_each, message.totale_minus_left) == (2, 6, 8)


def test_the_opener_of_a_septica_trick_is_asked_to_go_on() -> None:
    state = new(4)
    do(state, "septica")
    state.apply(None, chosen_deal(state, ["KC 9H 8D 8H", "9S 7C QS QD", "7D 8S JS JD", "TH AD JC JH"]))
    do(state, "play 9S", "play 7D", "play TH", "play KC")
    assert table(state).phase == pb.ARZOI_PHASE_CONTINUE
    do(state, "play 7C")
    assert [(played.seat, played.card) for played in table(state).trick][3:] == [(0, "KC"), (1, "7C")]
    assert table(state).holder == 1


@pytest.mark.parametrize("seats", range(3, 10))
def test_messages_agree_with_the_match_all_the_way(seats: int) -> None:
    """The history is the events since the deal, the rows of the sheet are those that were scored, and the rest fits."""
    chance = random.Random(seats)
    state = new(seats)
    since_deal: list[game_pb2.GameEvent] = []
    scored: list[pb.ArzoiScoreRow] = []
    kinds: set[str] = set()
    while not state.is_over():
        decision = state.decision()
        events: tuple[Event, ...]
        if decision is None or chance.random() < 0.03:
            events = step(state, chance)
        else:
            events = state.apply(decision.seat, ARZOI.rule_of_thumb(state))
        messages = [WIRE.event(event) for event in events]
        for message in messages:
            kind = message.arzoi.WhichOneof("event")
            assert kind is not None
            kinds.add(kind)
            if kind == "scored":
                scored.append(message.arzoi.scored)
            if kind == "dealt":
                since_deal = []
        since_deal.extend(messages)
        if chance.random() > 0.1:
            continue
        if state.play is not None:
            assert WIRE.history(state) == since_deal
        seen = table(state)
        assert [seat.score for seat in seen.seats] == list(state.scores())
        assert [seat.cards for seat in seen.seats] == list(state.hand_sizes())
        assert (seen.phase == pb.ARZOI_PHASE_UNSPECIFIED) == state.needs_deal()
        for seat in range(seats):
            assert list(WIRE.hand(state, seat).arzoi.cards) == [TEXT[card] for card in cards_of(state.hand(seat))]
    assert list(WIRE.score_sheet(state).arzoi.rows) == scored
    assert table(state).phase == pb.ARZOI_PHASE_OVER
    assert {"dealt", "bidding_ended", "trick_taken", "scored", "orbit_ended"} == kinds


@pytest.mark.rule("GAP-A33")
def test_scores_of_64_bits_and_multipliers_of_many_doublings_fit() -> None:
    state = new(3)
    state.points_so_far = [2**62, -(2**62), 0]
    state.attempt = 60
    message = pb.ArzoiTable.FromString(table(state).SerializeToString())
    assert [seat.score for seat in message.seats] == [2**62, -(2**62), 0]
    assert message.multiplier == 2**59


def test_a_bid_of_zero_is_on_the_score_sheet_and_none_is_outside_whist() -> None:
    state = new(3)
    do(state, "whist 2")
    for _ in range(3):
        whist_round(state, [0, 0, 0], [2, 0, 0])
    assert state.phase is Phase.DEAL
    skip_round(state)
    whist, *_, bonus, totale = WIRE.score_sheet(state).arzoi.rows
    assert [cell.HasField("bid") for cell in whist.cells] == [True] * 3
    assert [cell.burned for cell in whist.cells] == [True, False, False]
    assert (bonus.round, [cell.change for cell in bonus.cells]) == (0, [0, 20, 20])
    assert totale.part == pb.ARZOI_PART_TOTALE_MINUS
    assert not any(cell.HasField("bid") for cell in totale.cells)
    assert state.rows[-1].part is Part.TOTALE_MINUS
