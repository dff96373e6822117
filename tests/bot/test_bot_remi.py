"""Bots at Remi: what they see, what they answer, and how well they play."""

import random
from collections import Counter

import pytest

from services.bot.arena import compete
from services.bot.deciding import decide, rule_of_thumb
from services.bot.players.games import GAMES
from services.bot.players.levels import generator
from services.bot.players.remi.game import RemiBots
from services.bot.players.remi.observing import observed
from services.table.engine.remi import Options, State
from services.table.engine.remi.actions import Take, Turn, UndoTake
from services.table.requests import action_of
from services.table.wire import wires
from shared.gen.levata.table.v1 import table_pb2
from tests.support.bot_turns import decisions, turn_of
from tests.support.steps import random_deal

BOTS = RemiBots()
WIRE = wires()["remi"]
SIZES = (2, 3, 4)


def test_remi_is_a_game_that_bots_play() -> None:
    assert type(GAMES["remi"]) is RemiBots


@pytest.mark.parametrize("seats", SIZES)
def test_what_a_bot_of_remi_reads_from_its_turn_is_what_the_engine_shows_its_seat(seats: int) -> None:
    compared = 0
    for state in decisions(BOTS, State(Options(), seats), random.Random(seats), BOTS.players["club"]):
        turn = turn_of(WIRE, state)
        read = BOTS.read(turn.table.game, turn.private, list(turn.private.legal_actions), turn.history)
        assert read == observed(state)
        compared += 1
    assert compared > 10


@pytest.mark.parametrize("level", [table_pb2.BOT_LEVEL_NOVICE, table_pb2.BOT_LEVEL_CLUB])
@pytest.mark.parametrize("seats", SIZES)
def test_every_answer_at_remi_is_legal_and_the_same_each_time(level: table_pb2.BotLevel.ValueType, seats: int) -> None:
    kinds: Counter[str] = Counter()
    for seed in range(3):
        rng = random.Random(f"{seats} {seed}")
        state = State(Options(), seats)
        revision = 0
        while not state.is_over():
            decision = state.decision()
            if decision is None:
                state.apply(None, random_deal(state, rng))
                continue
            revision += 1
            turn = turn_of(WIRE, state, revision)
            answers = [
                decide(turn.table, turn.private, turn.history, level, generator(turn.table_id, revision, turn.seat))
                for _ in range(2 if revision % 7 == 0 else 1)
            ]
            assert answers[0] == answers[-1]
            assert not answers[0].failed
            assert rule_of_thumb(turn.table, list(turn.private.legal_actions)) in turn.private.legal_actions
            kinds[answers[0].kind] += 1
            state.apply(decision.seat, action_of(answers[0].action, "remi"))
    assert kinds["draw"] > 10
    assert kinds["turn"] + kinds["lay"] + kinds["close_with_atu"] > 0


@pytest.mark.rule("GAP-R13")
def test_what_a_person_took_goes_back_when_the_time_is_out_and_a_bot_keeps_what_it_took_itself() -> None:
    found = 0
    for seed in range(40):
        rng = random.Random(seed)
        for state in decisions(BOTS, State(Options(), 3), rng, BOTS.players["club"]):
            takes = [action for action in state.legal_actions() if isinstance(action, Take)]
            decision = state.decision()
            if not takes or decision is None or state.melded[decision.seat]:
                continue
            taken = state.copy()
            taken.apply(decision.seat, takes[0])
            turn = turn_of(WIRE, taken)
            assert turn.table.game.remi.duty
            chance = generator(turn.table_id, turn.revision, turn.seat)
            late = decide(turn.table, turn.private, turn.history, 0, chance, out_of_time=True)
            assert action_of(late.action, "remi") == UndoTake()
            own = decide(turn.table, turn.private, turn.history, 0, chance)
            assert isinstance(action_of(own.action, "remi"), Turn)
            found += 1
        if found >= 3:
            return
    pytest.fail("nobody could ever take the top tile to open")


@pytest.mark.parametrize("seats", SIZES)
def test_at_remi_club_beats_novice_and_novice_beats_chance(seats: int) -> None:
    best, second = compete(["novice", "club"], seats, 12, "fixed", game=BOTS)
    assert (best.level, second.level) == ("club", "novice")
    best, second = compete(["random", "novice"], seats, 3, "fixed", game=BOTS)
    assert (best.level, second.level) == ("novice", "random")
