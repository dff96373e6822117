"""Whist on the wire and in text."""

import random

import pytest

from services.table.engine.cards import TEXT, cards_of
from services.table.engine.game import Deal, NotationError
from services.table.engine.games import GAMES
from services.table.engine.whist import PATTERNS, PREMIUMS, Action, Bid, Options, Play, State
from services.table.wire import MalformedActionError, wires
from shared.gen.levata.table.v1 import game_pb2
from shared.gen.levata.table.v1 import whist_pb2 as pb
from tests.support.whist import NAMES, WHIST, at_hand, chosen_deal, do, new, play_hand, sensibly

WIRE = wires()["whist"]
EVERY_OPTIONS = [Options(pattern, premium) for pattern in PATTERNS for premium in PREMIUMS]


def table(state: State) -> pb.WhistTable:
    return WIRE.table(state).whist


def test_every_game_of_the_engine_has_a_wire_form() -> None:
    assert set(wires()) == set(GAMES)


@pytest.mark.rule("GAP-W1")
@pytest.mark.parametrize("options", EVERY_OPTIONS)
def test_options_of_whist_go_there_and_back(options: Options) -> None:
    message = WIRE.options_to_proto(options)
    assert message.WhichOneof("game") == "whist"
    assert WIRE.options_from_proto(game_pb2.GameOptions.FromString(message.SerializeToString())) == options
    assert WHIST.parse_options(WHIST.options_text(options)) == options


def test_options_that_are_not_set_are_the_usual_ones() -> None:
    assert WIRE.options_from_proto(game_pb2.GameOptions(whist=pb.WhistOptions())) == Options("1-8-1", 10)
    assert WHIST.options_text(Options()) == ""
    assert WHIST.parse_options("") == Options()
    assert WHIST.options_text(Options("8-1-8", 5)) == "8-1-8 premium 5"
    assert WHIST.options_text(Options("1-8-1", 0)) == "premium 0"
    for text in ("1-8-1", "premium 10", "premium 7", "premium 5 8-1-8", "x"):
        with pytest.raises(NotationError):
            WHIST.parse_options(text)


def test_every_action_of_whist_goes_there_and_back() -> None:
    every: list[Action] = [*[Bid(tricks) for tricks in range(9)], *[Play(card) for card in range(56)]]
    for action in every:
        data = WIRE.action_to_proto(action).SerializeToString()
        assert WIRE.action_from_proto(game_pb2.GameAction.FromString(data)) == action
        assert WHIST.parse_action(WHIST.action_text(action)) == action
    deal = Deal(new(3).pack())
    assert WHIST.parse_action(WHIST.action_text(deal)) == deal


@pytest.mark.parametrize("text", ["", "bid", "bid 9", "bid -1", "bid 10", "bid x", "play", "play 10H", "leave", "deal"])
def test_what_is_no_action_of_whist_in_text_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        WHIST.parse_action(text)


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (game_pb2.GameAction(), "whist"),
        (game_pb2.GameAction(whist=pb.WhistAction()), "whist"),
        (game_pb2.GameAction(whist=pb.WhistAction(play="10H")), "whist.play"),
        (game_pb2.GameAction(whist=pb.WhistAction(bid=9)), "whist.bid"),
    ],
)
def test_a_malformed_action_of_whist_is_refused_with_its_field(message: game_pb2.GameAction, field: str) -> None:
    with pytest.raises(MalformedActionError) as refusal:
        WIRE.action_from_proto(message)
    assert refusal.value.field == field


@pytest.mark.rule("RW-4", "RW-5", "RW-6")
def test_the_table_of_a_hand_of_whist() -> None:
    state = new(4, dealer=3)
    message = table(state)
    assert (message.phase, message.number, message.cards_each, message.dealer) == (0, 1, 1, 3)
    assert list(message.deals) == list(state.deals)
    assert [(card.seat, card.card) for card in message.drawn] == [(0, "JS"), (1, "KS"), (2, "QS"), (3, "AS")]
    assert WIRE.history(state) == []
    state.apply(None, chosen_deal(state, ["AH", "KH", "QH", "7S"], "8S"))
    message = table(state)
    assert (message.phase, message.trump_card, message.premium) == (pb.WHIST_PHASE_BID, "8S", 10)
    do(state, "bid 0", "bid 0")
    message = table(state)
    assert [seat.HasField("bid") for seat in message.seats] == [True, True, False, False]
    do(state, "bid 0", "bid 0", "play AH", "play KH")
    message = table(state)
    assert (message.bidding, message.bid_sum, message.holder) == (pb.WHIST_BIDDING_UNDERBID, 0, 0)
    assert [(card.seat, card.card) for card in message.trick] == [(0, "AH"), (1, "KH")]
    assert list(WIRE.hand(state, 3).whist.cards) == ["7S"]


@pytest.mark.rule("RW-9")
def test_streaks_and_premiums_are_told() -> None:
    state = at_hand(3, 4)
    for _ in range(5):
        play_hand(state, (True, False, False))
    row = WIRE.score_sheet(state).whist.rows[-1]
    assert [cell.premium for cell in row.cells] == [10, -10, -10]
    play_hand(state, (True, False, True))
    streaks = [(seat.streak.exact, seat.streak.missed) for seat in table(state).seats]
    assert streaks == [(1, 0), (0, 1), (1, 0)]
    sheet = WHIST.score_sheet(state, NAMES[:3])
    assert "[+10]" in sheet
    assert "[-10]" in sheet
    assert "Ana" in sheet


@pytest.mark.parametrize("seats", range(3, 7))
def test_messages_of_whist_agree_with_the_match_all_the_way(seats: int) -> None:
    """The history is the events since the deal, the rows of the sheet are those that were scored, and the rest fits."""
    chance = random.Random(seats)
    state = new(seats, PATTERNS[seats % 2])
    since_deal: list[game_pb2.GameEvent] = []
    scored: list[pb.WhistScoreRow] = []
    kinds: set[str] = set()
    while not state.is_over():
        messages = [WIRE.event(event) for event in sensibly(state, chance)]
        for message in messages:
            kind = message.whist.WhichOneof("event")
            assert kind is not None
            kinds.add(kind)
            if kind == "scored":
                scored.append(message.whist.scored)
            if kind == "dealt":
                since_deal = []
        since_deal.extend(messages)
        if chance.random() > 0.2:
            continue
        if state.play is not None:
            assert WIRE.history(state) == since_deal
        seen = table(state)
        assert [seat.score for seat in seen.seats] == list(state.scores())
        assert [seat.cards for seat in seen.seats] == list(state.hand_sizes())
        assert (seen.phase == pb.WHIST_PHASE_UNSPECIFIED) == state.needs_deal()
        for seat in range(seats):
            assert list(WIRE.hand(state, seat).whist.cards) == [TEXT[card] for card in cards_of(state.hand(seat))]
    assert list(WIRE.score_sheet(state).whist.rows) == scored
    assert table(state).phase == pb.WHIST_PHASE_OVER
    assert {"dealer_drawn", "dealt", "bidding_ended", "trick_taken", "scored"} == kinds
