"""Bots at Remi: always legal, only by what their seat sees, in whole turns, and club stronger than novice."""

import random
from collections import Counter
from collections.abc import Iterator
from functools import partial

import pytest

from services.bot.arena import compete
from services.bot.deciding import decide, rule_of_thumb
from services.bot.errors import UnreadableViewError
from services.bot.players.game import Player
from services.bot.players.games import GAMES
from services.bot.players.levels import generator, name_of
from services.bot.players.remi.discarding import choose_discard, danger
from services.bot.players.remi.game import PLAYERS, RemiBots
from services.bot.players.remi.memory import remembered
from services.bot.players.remi.observing import observed
from services.bot.players.remi.prospects import Prospects, penalties
from services.bot.players.remi.view import RemiView
from services.bot.players.remi.writing import written
from services.table.engine.remi import (
    ANNOUNCE_ATU,
    ANNOUNCE_TWO_TILES,
    DRAW,
    UNDO_TAKE,
    Action,
    CloseWithAtu,
    Discard,
    Discarded,
    Drawn,
    Event,
    Laid,
    LaidMeld,
    Lay,
    Phase,
    State,
    Take,
    Taken,
    TakeUndone,
    Turn,
    meld_of,
)
from services.table.engine.remi.tiles import hand_of, parse_tile, parse_tiles
from services.table.requests import action_of
from services.table.wire import wires
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import remi_pb2, table_pb2
from tests.support import bot_turns
from tests.support.remi import lively, lucky_deal, new, set_up
from tests.support.remi_attempts import attempt

SIZES = range(2, 5)
WIRE = wires()["remi"]
BOTS = GAMES["remi"]
turn_of = partial(bot_turns.turn_of, WIRE)


def decisions(seats: int, rng: random.Random, player: Player | None = None) -> Iterator[State]:
    """Every decision of one match with many Jokers: `player` plays the even seats, the others try everything."""
    state = new(seats, rounds=2)
    while not state.is_over():
        if state.needs_deal():
            state.apply(None, lucky_deal(state, rng))
            continue
        yield state
        if player is not None and state.seat % 2 == 0:
            state.apply(state.seat, player.decide(observed(state), rng))
        else:
            state.apply(state.seat, lively(state, rng))


def view_of_turn(turn: bot_pb2.BotTurn) -> RemiView:
    view = BOTS.read(turn.table.game, turn.private, list(turn.private.legal_actions), turn.history)
    assert isinstance(view, RemiView)
    return view


def club(state: State, seed: int = 1) -> Action:
    """What club does, which has to be legal."""
    action: Action = PLAYERS["club"].decide(observed(state), random.Random(seed))
    state.verify(state.seat, action)
    return action


def test_remi_is_a_game_that_bots_play() -> None:
    assert type(BOTS) is RemiBots


@pytest.mark.parametrize("level", [table_pb2.BOT_LEVEL_NOVICE, table_pb2.BOT_LEVEL_CLUB])
@pytest.mark.parametrize("seats", SIZES)
def test_every_answer_at_remi_is_legal_and_the_same_each_time(level: table_pb2.BotLevel.ValueType, seats: int) -> None:
    """Against players that try everything, so that what there is to be seen has been made by no bot."""
    kinds: Counter[str] = Counter()
    made_up = 0
    rng = random.Random(f"legal {seats} {level}")
    while kinds.total() < 250:
        for revision, state in enumerate(decisions(seats, rng, PLAYERS[name_of(level)])):
            turn = turn_of(state, revision)
            answers = [
                decide(turn.table, turn.private, turn.history, level, generator(turn.table_id, revision, turn.seat))
                for _ in range(2 if revision % 7 == 0 else 1)
            ]
            assert answers[0] == answers[-1]
            assert not answers[0].failed
            assert answers[0].own == (answers[0].action not in turn.private.legal_actions)
            assert rule_of_thumb(turn.table, list(turn.private.legal_actions)) in turn.private.legal_actions
            kinds[answers[0].kind] += 1
            made_up += answers[0].own
            state.verify(state.seat, action_of(answers[0].action, "remi"))
    assert kinds["draw"] > 10
    assert kinds["turn"] > 10
    assert made_up > 10


@pytest.mark.parametrize("seats", SIZES)
def test_what_a_bot_of_remi_reads_from_its_turn_is_what_the_engine_shows_its_seat(seats: int) -> None:
    rng = random.Random(seats)
    count = 0
    while count < 60:
        for state in decisions(seats, rng):
            if rng.random() < 0.3:
                assert view_of_turn(turn_of(state)) == observed(state)
                count += 1


@pytest.mark.parametrize("seats", SIZES)
def test_whatever_is_legal_is_written_as_the_table_reads_it(seats: int) -> None:
    rng = random.Random(f"written {seats}")
    kinds: set[type] = set()
    for state in decisions(seats, rng, PLAYERS["club"]):
        for action in (*state.legal_actions(), club(state), *[attempt(state, rng) for _ in range(5)]):
            assert WIRE.action_to_proto(action) == BOTS.write(action)
            kinds.add(type(action))
    assert len(kinds) >= 8


@pytest.mark.parametrize("level", ["novice", "club"])
@pytest.mark.parametrize("seats", SIZES)
def test_no_decision_at_remi_depends_on_a_hidden_tile(seats: int, level: str) -> None:
    rng = random.Random(f"hidden {seats}")
    player = PLAYERS[level]
    changed = 0
    for number, state in enumerate(decisions(seats, rng)):
        if rng.random() < 0.6:
            continue
        other = state.copy()
        others = [seat for seat in range(seats) if seat != state.seat]
        tiles = [tile for seat in others for tile in other.hands[seat].tiles()] + list(other.stock[other.drawn :])
        rng.shuffle(tiles)
        for seat in others:
            size = other.hands[seat].size()
            other.hands[seat] = hand_of(tiles[:size])
            del tiles[:size]
        other.stock = (*other.stock[: other.drawn], *tiles)
        changed += other != state
        decided = player.decide(observed(state), random.Random(number))
        assert player.decide(observed(other), random.Random(number)) == decided
        assert turn_of(other) == turn_of(state)
    assert changed > 10


def test_the_rule_of_thumb_without_a_view_plays_a_match_to_its_end() -> None:
    state = new(2)
    rng = random.Random(5)
    for _ in range(2_000):
        if state.is_over():
            break
        if state.needs_deal():
            state.apply(None, lucky_deal(state, rng))
            continue
        turn = turn_of(state)
        chosen = rule_of_thumb(turn.table, list(turn.private.legal_actions))
        state.apply(state.seat, WIRE.action_from_proto(chosen))
    assert state.is_over()


@pytest.mark.parametrize("seats", SIZES)
def test_at_remi_club_beats_novice_and_novice_beats_chance(seats: int) -> None:
    best, second = compete(["novice", "club"], seats, 12, "fixed", game=BOTS)
    assert (best.level, second.level) == ("club", "novice")
    assert best.mean > 10
    best, second = compete(["random", "novice"], seats, 3, "fixed", game=BOTS)
    assert (best.level, second.level) == ("novice", "random")
    assert best.mean - best.half_width > 0


@pytest.mark.rule("RM-14", "RM-18")
def test_club_takes_the_tile_that_opens_and_lays_it_in_the_same_action() -> None:
    state = set_up(["R5 R6 R7 R10 Y10 K2 B4", "K1 K3"], row="Y1 B10")
    action = club(state)
    assert isinstance(action, Turn)
    assert action.steps[0] == Take(1)
    assert any(isinstance(step, Lay) for step in action.steps)
    assert isinstance(action.steps[-1], Discard)


@pytest.mark.rule("RM-25", "RM-30", "GAP-R37")
def test_club_announces_two_tiles_before_it_discards_and_on_the_way_to_closing() -> None:
    state = set_up(["R2 B9", "K1 K3 K9"], ["1:K4 K5 K6"], seat=0, melded=[0, 1], phase=Phase.MELD)
    action = club(state)
    assert isinstance(action, Turn)
    assert action.steps[0] == ANNOUNCE_TWO_TILES
    closes = set_up(["R2 R3 R4 R5 B9", "K1 K3 K9"], ["1:K4 K5 K6"], seat=0, melded=[0, 1], phase=Phase.MELD)
    action = club(closes)
    assert isinstance(action, Turn)
    assert ANNOUNCE_TWO_TILES in action.steps
    closes.apply(0, action)
    assert closes.rows[0].closer == 0
    assert closes.rows[0].cells[0].two_tiles == 25


@pytest.mark.rule("RM-10", "RM-11")
def test_club_announces_the_atu_and_closes_with_it() -> None:
    rng = random.Random(1)
    announced = False
    for _ in range(60):
        state = new(2)
        state.apply(None, lucky_deal(state, rng))
        if ANNOUNCE_ATU in state.legal_actions():
            assert club(state) == ANNOUNCE_ATU
            announced = True
            break
    assert announced
    state = set_up(["K3 K4 B9", "K1 R3 R9"], turned="K5", seat=0, melded=[0, 1])
    assert club(state) == CloseWithAtu((parse_tiles("K3 K4 K5"),), (), parse_tile("B9"))


@pytest.mark.rule("GAP-R13", "GAP-R34")
def test_club_uses_what_somebody_else_took_for_it() -> None:
    state = set_up(["R5 R6 K2 B4 B9", "K1 K3 K9"], row="Y1 R7 Y3", seat=0, melded=[0, 1])
    state.apply(0, Take(1))
    action = club(state)
    state.apply(0, action)
    assert any(parse_tile("R7") in one.meld.tiles for one in state.melds)
    assert action != UNDO_TAKE


@pytest.mark.rule("GAP-R13")
def test_what_a_person_took_goes_back_when_the_time_is_out_and_a_bot_keeps_what_it_took_itself() -> None:
    found = 0
    for seed in range(40):
        rng = random.Random(seed)
        for state in decisions(3, rng, PLAYERS["club"]):
            takes = [action for action in state.legal_actions() if isinstance(action, Take)]
            if not takes or state.melded[state.seat]:
                continue
            taken = state.copy()
            taken.apply(state.seat, takes[0])
            turn = turn_of(taken)
            assert turn.table.game.remi.duty
            chance = generator(turn.table_id, turn.revision, turn.seat)
            late = decide(turn.table, turn.private, turn.history, 0, chance, out_of_time=True)
            assert action_of(late.action, "remi") == UNDO_TAKE
            own = decide(turn.table, turn.private, turn.history, 0, chance)
            assert isinstance(action_of(own.action, "remi"), Turn)
            found += 1
        if found >= 3:
            return
    pytest.fail("nobody could ever take the top tile to open")


def test_a_tile_that_goes_with_nothing_is_discarded_before_one_that_is_waited_for() -> None:
    state = set_up(["R5 R6 Y5 B13 K9", "K1 K3 K7"], turned="Y9", seat=0, melded=[0, 1], phase=Phase.MELD)
    view = observed(state)
    samples = Prospects(view, random.Random(1), 3, 24).samples(view.hand, 3, 3)
    assert choose_discard(view, view.hand, samples, penalties(view)) == parse_tile("B13")


def test_a_tile_that_fits_the_table_is_dangerous_before_a_player_who_may_take_it() -> None:
    melds = ["1:K4 K5 K6"]
    open_view = observed(set_up(["R5 R6 K7", "K1 K3 K9"], melds, seat=0, melded=[0, 1], phase=Phase.MELD))
    assert danger(open_view, parse_tile("K7")) > danger(open_view, parse_tile("R5")) == 0
    closed = observed(set_up(["R5 R6 K7", "K1 K3 K9"], melds, seat=0, melded=[0], phase=Phase.MELD))
    assert danger(closed, parse_tile("K7")) == 0


def test_tiles_taken_from_the_row_are_remembered_until_they_are_shown() -> None:
    run = LaidMeld(meld_of(parse_tiles("R5 R6 R7")), 1, (1, 1, 1))
    taken: list[Event] = [Drawn(0), Discarded(0, 3), Taken(1, parse_tiles("R5 B9 *"))]
    assert remembered(taken, 2).held == ((), parse_tiles("R5 B9 *"))
    assert remembered([*taken, Laid(1, (run,)), Discarded(1, parse_tile("B9"))], 2).held == ((), parse_tiles("*"))
    assert remembered([*taken, TakeUndone(1, parse_tiles("R5 B9 *"))], 2).held == ((), ())
    assert remembered(taken, 2).discards == ((3,), ())


def test_a_view_of_remi_that_contradicts_itself_is_refused_with_its_field() -> None:
    state = set_up(["R5 R6 K2 B4 B9", "K1 K3 K9"], ["1:K4 K5 K6"], row="Y1 R7 Y3", seat=0, melded=[0, 1])
    whole = turn_of(state)
    assert view_of_turn(whole) == observed(state)

    def refused(change: str) -> str:
        turn = bot_pb2.BotTurn()
        turn.CopyFrom(whole)
        table, hand = turn.table.game.remi, turn.private.hand.remi
        match change:
            case "tile":
                hand.tiles[0] = "X9"
            case "count":
                del hand.tiles[0]
            case "seats":
                del table.seats[1:]
            case "seat":
                turn.private.seat = 3
            case "phase":
                table.phase = remi_pb2.REMI_PHASE_OVER
            case "meld":
                table.melds[0].tiles[0].tile = "R9"
            case "twins":
                table.row[:] = ["Y1", "Y1", "Y1"]
            case "row":
                del table.row[1:]
            case "legal":
                turn.private.legal_actions[0].remi.Clear()
        with pytest.raises(UnreadableViewError) as caught:
            decide(turn.table, turn.private, turn.history, 0, random.Random(1))
        return caught.value.field

    assert refused("tile") == "private.hand.remi.tiles"
    assert refused("count") == "private.hand.remi.tiles"
    assert refused("seats") == "table.game.remi.seats"
    assert refused("seat") == "private.seat"
    assert refused("phase") == "table.game.remi.phase"
    assert refused("meld") == "table.game.remi.melds"
    assert refused("twins") == "table.game.remi"
    assert refused("row") == "private.legal_actions"
    assert refused("legal") == "private.legal_actions"


def test_every_kind_of_message_is_written() -> None:
    assert written(DRAW).HasField("draw")
    assert written(UNDO_TAKE).HasField("undo_take")
    assert written(Turn((Take(3), Discard(0)))).turn.steps[1].discard == "R1"
