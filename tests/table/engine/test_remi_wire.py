"""Remi on the wire and in text."""

import random

import pytest

from services.table.engine.game import Deal, NotationError
from services.table.engine.remi import NO_TILE, Action, Options, Phase, PileExhausted, State
from services.table.engine.remi.options import MOST_ROUNDS
from services.table.engine.remi.tiles import TEXT
from services.table.wire import MalformedActionError, wires
from shared.gen.levata.table.v1 import game_pb2
from shared.gen.levata.table.v1 import remi_pb2 as pb
from tests.support.remi import REMI, act, do, lively, lucky_deal, new, set_up
from tests.support.remi_attempts import attempt

WIRE = wires()["remi"]


def table(state: State) -> pb.RemiTable:
    return WIRE.table(state).remi


ACTIONS = [
    "draw",
    "take 0",
    "take 17",
    "undo_take",
    "lay R5 R6 R7",
    "lay R5 * R7 R8 / K10 Y10 B10 / R12 R13 R1",
    "add 2 R8",
    "add 13 * low",
    "add 0 K13 high",
    "swap_joker 2 1 R6 for * R9 R10",
    "swap_joker 11 0 K1 for R9 Y9 *",
    "announce atu",
    "announce two_tiles",
    "discard K1",
    "discard *",
    "close_with_atu B9 B10 B11",
    "close_with_atu B9 B10 B11 / R1 Y1 K1, add 0 R8, add 1 * low, discard *",
    "close_with_atu B9 B10 B11, discard K1",
    "turn discard K1",
    "turn take 4; announce two_tiles; lay R5 R6 R7 / R1 Y1 B1; add 0 R8; swap_joker 2 1 R6 for * R9 R10; discard K1",
    "turn announce atu; close_with_atu B9 B10 B11, discard K1",
]


@pytest.mark.rule("GAP-R38", "GAP-R10")
@pytest.mark.parametrize("text", ACTIONS)
def test_every_action_of_remi_goes_there_and_back(text: str) -> None:
    action = REMI.parse_action(text)
    assert REMI.action_text(action) == text
    data = WIRE.action_to_proto(action).SerializeToString()
    assert WIRE.action_from_proto(game_pb2.GameAction.FromString(data)) == action


def test_whatever_may_be_tried_goes_there_and_back() -> None:
    chance = random.Random(4)
    state = new(3)
    state.apply(None, lucky_deal(state, chance))
    for _ in range(25):
        tried: list[Action] = [attempt(state, chance) for _ in range(20)]
        for action in [*tried, *state.legal_actions()]:
            assert REMI.parse_action(REMI.action_text(action)) == action
            assert WIRE.action_from_proto(WIRE.action_to_proto(action)) == action
        if not state.is_over():
            state.apply(state.seat, lively(state, chance))


def test_a_deal_goes_there_and_back_in_text() -> None:
    deal = Deal(new(2).pack())
    assert REMI.parse_action(REMI.action_text(deal)) == deal


@pytest.mark.parametrize(
    "text",
    [
        "",
        "draw 1",
        "take",
        "take -1",
        "take x",
        "take 1 2",
        "undo",
        "lay",
        "lay R5 R6 R14",
        "lay R5 R6 R7 /",
        "lay / R5 R6 R7",
        "add R8",
        "add 0",
        "add 0 R8 top",
        "add -1 R8",
        "swap_joker 0 1 R6",
        "swap_joker 0 1 R6 for",
        "swap_joker 0 1 R6 to * R9 R10",
        "announce",
        "announce win",
        "discard",
        "discard R0",
        "discard r5",
        "discard K1 K2",
        "close_with_atu",
        "close_with_atu R5 R6 R7, draw",
        "close_with_atu R5 R6 R7, discard K1, add 0 R8",
        "turn",
        "turn ;",
        "turn draw",
        "turn undo_take",
        "turn turn draw",
        "deal",
        "deal R1 R0",
        "play R5",
    ],
)
def test_what_is_no_action_of_remi_in_text_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        REMI.parse_action(text)


@pytest.mark.rule("GAP-R27")
@pytest.mark.parametrize("rounds", range(1, MOST_ROUNDS + 1))
def test_options_of_remi_go_there_and_back(rounds: int) -> None:
    options = Options(rounds)
    message = WIRE.options_to_proto(options)
    assert message.WhichOneof("game") == "remi"
    assert WIRE.options_from_proto(game_pb2.GameOptions.FromString(message.SerializeToString())) == options
    assert REMI.parse_options(REMI.options_text(options)) == options


def test_options_that_are_not_set_are_the_usual_ones() -> None:
    assert WIRE.options_from_proto(game_pb2.GameOptions(remi=pb.RemiOptions())) == Options(1)
    assert REMI.options_text(Options()) == ""
    assert REMI.parse_options("") == Options()
    for text in ("rounds", "rounds 1", "rounds 21", "rounds x", "rounds 2 3", "5"):
        with pytest.raises(NotationError):
            REMI.parse_options(text)


def action(**fields: object) -> game_pb2.GameAction:
    return game_pb2.GameAction(remi=pb.RemiAction(**fields))  # type: ignore[arg-type]


RUN = pb.RemiTiles(tiles=["R5", "R6", "R7"])


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (game_pb2.GameAction(), "remi"),
        (action(), "remi"),
        (action(discard="R14"), "remi.discard"),
        (action(discard=""), "remi.discard"),
        (action(lay=pb.RemiLay()), "remi.lay.melds"),
        (action(lay=pb.RemiLay(melds=[RUN, pb.RemiTiles()])), "remi.lay.melds[1].tiles"),
        (action(lay=pb.RemiLay(melds=[RUN, pb.RemiTiles(tiles=["R5", "x"])])), "remi.lay.melds[1].tiles[1]"),
        (action(add=pb.RemiAdd(meld=1, tile="x")), "remi.add.tile"),
        (action(add=pb.RemiAdd(meld=1, tile="R5", end=9)), "remi.add.end"),  # type: ignore[arg-type]
        (action(swap_joker=pb.RemiSwapJoker(tile="x", new_meld=RUN)), "remi.swap_joker.tile"),
        (action(swap_joker=pb.RemiSwapJoker(tile="R5")), "remi.swap_joker.new_meld.tiles"),
        (action(announce=0), "remi.announce"),
        (action(announce=7), "remi.announce"),
        (action(close_with_atu=pb.RemiCloseWithAtu()), "remi.close_with_atu.melds"),
        (
            action(close_with_atu=pb.RemiCloseWithAtu(melds=[RUN], additions=[pb.RemiAdd(tile="x")])),
            "remi.close_with_atu.additions[0].tile",
        ),
        (action(close_with_atu=pb.RemiCloseWithAtu(melds=[RUN], discard="x")), "remi.close_with_atu.discard"),
        (action(turn=pb.RemiTurn()), "remi.turn.steps"),
        (action(turn=pb.RemiTurn(steps=[pb.RemiStep(take=1), pb.RemiStep()])), "remi.turn.steps[1]"),
        (action(turn=pb.RemiTurn(steps=[pb.RemiStep(discard="x")])), "remi.turn.steps[0].discard"),
    ],
)
def test_a_malformed_action_of_remi_is_refused_with_its_field(message: game_pb2.GameAction, field: str) -> None:
    with pytest.raises(MalformedActionError) as refusal:
        WIRE.action_from_proto(message)
    assert refusal.value.field == field


@pytest.mark.rule("GAP-R5", "GAP-R9", "RM-2", "RM-18")
def test_the_table_of_a_round_of_remi() -> None:
    state = set_up(
        ["Y7 Y8 Y9 R1 R3", "R2"],
        melds=["1: R5 * R7", "0: R8 Y8 *"],
        row="K3 Y10 K11",
        melded=(0, 1),
        turned="B1",
        rounds=3,
    )
    state.atu_announced = (False, True)
    message = table(state)
    assert (message.phase, message.number, message.rounds, message.first) == (pb.REMI_PHASE_DRAW, 1, 3, 0)
    assert (message.atu, message.turned, message.doubled, message.pile) == ("B1", "B1", True, state.pile)
    assert list(message.row) == ["K3", "Y10", "K11"]
    run, group = message.melds
    assert (run.seat, run.run, run.points) == (1, True, 15)
    assert [(tile.tile, tile.seat, list(tile.stands_for)) for tile in run.tiles] == [
        ("R5", 1, []),
        ("*", 1, ["R6"]),
        ("R7", 1, []),
    ]
    assert list(group.tiles[2].stands_for) == ["B8", "K8"]
    assert not group.run
    assert [(seat.tiles, seat.melded, seat.laid, seat.atu_announced) for seat in message.seats] == [
        (5, True, 15, False),
        (1, True, 15, True),
    ]
    assert message.duty == ""
    do(state, "take 1")
    assert (table(state).duty, table(state).phase) == ("Y10", pb.REMI_PHASE_MELD)
    assert list(WIRE.hand(state, 0).remi.tiles) == ["R1", "R3", "Y7", "Y8", "Y9", "Y10", "K11"]


@pytest.mark.rule("RM-13", "GAP-R6")
def test_a_joker_that_was_turned_up_does_not_lie_on_the_table() -> None:
    state = set_up(["Y7 * R1", "R2"], turned="*")
    assert (table(state).atu, table(state).turned, table(state).doubled) == ("", "*", False)


def test_before_the_first_deal_there_is_nothing_to_see() -> None:
    message = table(new(2, rounds=4))
    assert (message.number, message.rounds, message.phase, message.turned) == (0, 4, pb.REMI_PHASE_UNSPECIFIED, "")
    assert WIRE.history(new()) == []


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_messages_of_remi_agree_with_the_match_all_the_way(seats: int) -> None:
    """The history is the events since the deal, the rows of the sheet are those that were scored, and the rest fits."""
    chance = random.Random(seats)
    since_deal: list[game_pb2.GameEvent] = []
    kinds: set[str] = set()
    for _ in range(10):
        state = new(seats, rounds=2)
        scored: list[pb.RemiScoreRow] = []
        while not state.is_over():
            if state.needs_deal():
                happened = state.apply(None, lucky_deal(state, chance))
            else:
                happened = state.apply(state.seat, lively(state, chance))
            for message in [WIRE.event(event) for event in happened]:
                kind = message.remi.WhichOneof("event")
                assert kind is not None
                kinds.add(kind)
                if kind == "scored":
                    scored.append(message.remi.scored)
                if kind == "dealt":
                    since_deal = []
                since_deal.append(message)
            if state.phase in (Phase.DRAW, Phase.MELD):
                assert WIRE.history(state) == since_deal
            else:
                assert WIRE.history(state) == []
            assert_agrees(state)
        assert list(WIRE.score_sheet(state).remi.rows) == scored
        assert [sum(row.cells[seat].points for row in scored) for seat in range(seats)] == list(state.scores())
        assert table(state).phase == pb.REMI_PHASE_OVER
    assert kinds >= {field.name for field in pb.RemiEvent.DESCRIPTOR.fields} - {"pile_exhausted", "atu_taken"}


def assert_agrees(state: State) -> None:
    seen = table(state)
    assert [seat.score for seat in seen.seats] == list(state.scores())
    assert [seat.tiles for seat in seen.seats] == list(state.hand_sizes())
    assert [sum(tile.seat == seat for meld in seen.melds for tile in meld.tiles) for seat in range(state.seats)] == [
        sum(owner == seat for one in state.melds for owner in one.placed) for seat in range(state.seats)
    ]
    assert seen.pile == state.pile
    assert seen.duty == ("" if state.duty == NO_TILE else TEXT[state.duty])
    assert seen.opening == state.opening
    for seat in range(state.seats):
        assert WIRE.hand(state, seat) is WIRE.hand(state.copy(), seat)
        assert list(WIRE.hand(state, seat).remi.tiles) == [TEXT[tile] for tile in state.hand(seat).tiles()]


def test_what_comes_up_rarely_is_told_as_well() -> None:
    assert WIRE.event(PileExhausted()).remi.WhichOneof("event") == "pile_exhausted"
    state = set_up(["K7 K8 R2", "R1"], melded=(0, 1), turned="K9")
    taken, laid, few, discarded, scored = [
        WIRE.event(event).remi for event in do(state, "close_with_atu K7 K8 K9, discard R2")
    ]
    assert (taken.atu_taken.seat, taken.atu_taken.tile) == (0, "K9")
    assert [tile.tile for tile in laid.laid.melds[0].tiles] == ["K7", "K8", "K9"]
    assert (few.few_tiles.seat, few.few_tiles.tiles) == (0, 1)
    assert (discarded.discarded.seat, discarded.discarded.tile) == (0, "R2")
    assert scored.scored.closer == 0
    assert [cell.points for cell in scored.scored.cells] == [115, -25]


def test_a_row_without_a_closer_names_none() -> None:
    state = set_up(["R3", "Y2"], melded=(0, 1), pile="R12", rounds=2)
    state.stock = state.stock[:1]
    do(state, "draw", "announce two_tiles", "discard R12")
    row = WIRE.score_sheet(state).remi.rows[0]
    assert not row.HasField("closer")
    assert row.ending == pb.REMI_ENDING_PILE_EXHAUSTED
    assert act("draw") == REMI.parse_action("draw")
