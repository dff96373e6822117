"""Rentz on the wire and in text."""

import random

import protovalidate
import pytest

from services.table.engine.cards import TEXT, cards_of
from services.table.engine.game import Deal, NotationError
from services.table.engine.rentz import PACK, SUBGAMES, Action, Choose, Options, Play, State
from services.table.wire import MalformedActionError, wires
from shared.gen.levata.table.v1 import game_pb2
from shared.gen.levata.table.v1 import rentz_pb2 as pb
from tests.support.rentz import RENTZ, do, new, play_tricks, playing, sensibly

WIRE = wires()["rentz"]


def table(state: State) -> pb.RentzTable:
    return WIRE.table(state).rentz


def test_options_of_rentz_go_there_and_back() -> None:
    message = WIRE.options_to_proto(Options())
    assert message.WhichOneof("game") == "rentz"
    assert WIRE.options_from_proto(game_pb2.GameOptions.FromString(message.SerializeToString())) == Options()


def test_every_action_of_rentz_goes_there_and_back() -> None:
    every: list[Action] = [*[Choose(subgame) for subgame in SUBGAMES], *[Play(card) for card in range(56)]]
    for action in every:
        data = WIRE.action_to_proto(action).SerializeToString()
        assert WIRE.action_from_proto(game_pb2.GameAction.FromString(data)) == action
        assert RENTZ.parse_action(RENTZ.action_text(action)) == action
        if isinstance(action, Choose) or action.card in PACK:
            protovalidate.validate(WIRE.action_to_proto(action))
    deal = Deal(new().pack())
    assert RENTZ.parse_action(RENTZ.action_text(deal)) == deal


def test_every_subgame_of_the_contract_is_one_of_the_engine() -> None:
    values = [value for value in pb.RentzSubgame.values() if value]
    seen = [WIRE.action_from_proto(game_pb2.GameAction(rentz=pb.RentzAction(choose=value))) for value in values]
    assert seen == [Choose(subgame) for subgame in SUBGAMES]
    names = [pb.RentzSubgame.Name(value).removeprefix("RENTZ_SUBGAME_") for value in values]
    assert names == [subgame.name for subgame in SUBGAMES]


@pytest.mark.parametrize("text", ["", "choose", "choose hearts", "choose Queens", "play", "play 10H", "bid 1", "deal"])
def test_what_is_no_action_of_rentz_in_text_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        RENTZ.parse_action(text)


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (game_pb2.GameAction(), "rentz"),
        (game_pb2.GameAction(rentz=pb.RentzAction()), "rentz"),
        (game_pb2.GameAction(rentz=pb.RentzAction(play="10H")), "rentz.play"),
        (game_pb2.GameAction(rentz=pb.RentzAction(choose=pb.RENTZ_SUBGAME_UNSPECIFIED)), "rentz.choose"),
        (game_pb2.GameAction.FromString(b"\x1a\x02\x08\x09"), "rentz.choose"),
    ],
)
def test_a_malformed_action_of_rentz_is_refused_with_its_field(message: game_pb2.GameAction, field: str) -> None:
    with pytest.raises(MalformedActionError) as refusal:
        WIRE.action_from_proto(message)
    assert refusal.value.field == field


@pytest.mark.parametrize(
    "action",
    [
        pb.RentzAction(),
        pb.RentzAction(choose=pb.RENTZ_SUBGAME_UNSPECIFIED),
        pb.RentzAction.FromString(b"\x08\x09"),
        pb.RentzAction(play="6S"),
        pb.RentzAction(play="AS "),
        pb.RentzAction(play="10C"),
    ],
)
def test_the_contract_lets_no_action_in_that_could_never_be_one_of_rentz(action: pb.RentzAction) -> None:
    with pytest.raises(protovalidate.ValidationError):
        protovalidate.validate(game_pb2.GameAction(rentz=action))


@pytest.mark.rule("RZ-3", "GAP-Z2", "GAP-Z4")
def test_the_table_of_rentz_from_the_draw_to_the_choice() -> None:
    state = new()
    message = table(state)
    assert (message.phase, message.number, message.hands) == (pb.RENTZ_PHASE_UNSPECIFIED, 1, 32)
    assert not message.drawn
    state = new(dealer=2)
    message = table(state)
    assert [(card.seat, card.card) for card in message.drawn] == [(0, "QS"), (1, "KS"), (2, "AS"), (3, "JS")]
    assert (message.phase, message.dealer) == (pb.RENTZ_PHASE_UNSPECIFIED, 2)
    assert WIRE.history(state) == []
    sensibly(state, random.Random(1))
    message = table(state)
    assert (message.phase, message.dealer, message.subgame) == (pb.RENTZ_PHASE_CHOOSE, 2, 0)
    assert [seat.cards for seat in message.seats] == [8] * 4
    assert len(WIRE.hand(state, 2).rentz.cards) == 8


@pytest.mark.rule("RZ-10")
def test_the_table_of_a_hand_in_tricks() -> None:
    state = playing("totale", ["AS AD", "QS 7D", "7S QD", "8S 8D"], dealer=0)
    play_tricks(state, "AS QS 7S 8S")
    do(state, "play AD", "play 7D")
    message = table(state)
    assert (message.phase, message.subgame) == (pb.RENTZ_PHASE_PLAY, pb.RENTZ_SUBGAME_TOTALE)
    assert [(card.seat, card.card) for card in message.trick] == [(0, "AD"), (1, "7D")]
    assert (message.holder, message.last_taker) == (0, 0)
    assert [(card.seat, card.card) for card in message.last_trick] == [(0, "AS"), (1, "QS"), (2, "7S"), (3, "8S")]
    taker = message.seats[0]
    assert (taker.tricks, taker.points, list(taker.captured), taker.cards) == (1, -90, ["QS"], 6)
    assert not message.layout
    assert all(seat.WhichOneof("last_move") is None and not seat.HasField("finished") for seat in message.seats)
    taken = WIRE.history(state)[-1].rentz.trick_taken
    assert (taken.seat, taken.points) == (0, -90)


@pytest.mark.rule("RZ-14", "RZ-15")
def test_the_table_of_the_layout_game() -> None:
    state = playing("rentz", ["JS JH JD JC", "AS AH AD AC 7S 7H 7D 7C", "QS KH KD KC 8S 8H 8D 8C"])
    do(state, "play JS")
    assert [seat.WhichOneof("last_move") for seat in table(state).seats] == ["placed", "passed", None, None]
    do(state, "play QS")
    message = table(state)
    runs = [(run.suit, run.low, run.high) for run in message.layout]
    assert runs == [("S", "JS", "QS"), ("H", "", ""), ("D", "", ""), ("C", "", "")]
    moves = [(seat.WhichOneof("last_move"), seat.placed) for seat in message.seats]
    assert moves == [("placed", "JS"), ("passed", ""), ("placed", "QS"), ("passed", "")]
    assert [event.rentz.WhichOneof("event") for event in WIRE.history(state)] == [
        "dealt",
        "chosen",
        "placed",
        "passed",
        "placed",
        "passed",
    ]
    assert not message.trick
    assert not message.HasField("holder")


@pytest.mark.rule("RZ-17", "RZ-18", "RZ-16")
def test_second_moves_waits_and_places_are_shown() -> None:
    shown: set[str] = set()
    state = new()
    chance = random.Random(5)
    while not state.is_over():
        layout = state.layout
        if layout is not None:
            message = table(state)
            assert message.again == layout.again
            assert sum(seat.HasField("finished") for seat in message.seats) == len(layout.finished)
            for place, seat in enumerate(layout.finished, 1):
                assert (message.seats[seat].finished, message.seats[seat].cards) == (place, 0)
                assert message.seats[seat].points == (400, 200, 100)[place - 1]
            shown |= {str(seat.WhichOneof("last_move")) for seat in message.seats}
            shown |= {"again"} if message.again else set()
        sensibly(state, chance)
    assert shown >= {"placed", "passed", "waited", "again"}


def test_messages_of_rentz_agree_with_the_match_all_the_way() -> None:
    """The history is the events since the deal, the rows of the sheet are those that were scored, and the rest fits."""
    chance = random.Random(3)
    state = new()
    since_deal: list[game_pb2.GameEvent] = []
    scored: list[pb.RentzScoreRow] = []
    kinds: set[str] = set()
    while not state.is_over():
        messages = [WIRE.event(event) for event in sensibly(state, chance)]
        for message in messages:
            kind = message.rentz.WhichOneof("event")
            assert kind is not None
            kinds.add(kind)
            if kind == "scored":
                scored.append(message.rentz.scored)
            if kind == "dealt":
                since_deal = []
        since_deal.extend(messages)
        if state.decision() is not None:
            assert WIRE.history(state) == since_deal
        else:
            assert WIRE.history(state) == []
        seen = table(state)
        assert [seat.score for seat in seen.seats] == list(state.scores())
        assert [seat.cards for seat in seen.seats] == list(state.hand_sizes())
        assert [len(seat.chosen) for seat in seen.seats] == [len(state.chosen(seat)) for seat in range(4)]
        assert (seen.phase == pb.RENTZ_PHASE_UNSPECIFIED) == state.needs_deal()
        for seat in range(4):
            assert list(WIRE.hand(state, seat).rentz.cards) == [TEXT[card] for card in cards_of(state.hand(seat))]
    assert list(WIRE.score_sheet(state).rentz.rows) == scored
    assert [sum(row.points[seat] for row in scored) for seat in range(4)] == list(state.scores())
    assert table(state).phase == pb.RENTZ_PHASE_OVER
    assert kinds == {field.name for field in pb.RentzEvent.DESCRIPTOR.fields}
