"""What bots decide: always legal, only by what their seat sees, and the same for the same turn."""

import random

import pytest

from services.bot.deciding import decide, rule_of_thumb
from services.bot.players.arzoi import observing, reading
from services.bot.players.arzoi.game import PLAYERS
from services.bot.players.arzoi.view import ArzoiView
from services.bot.players.levels import generator
from services.table.engine.arzoi.actions import Choose
from services.table.engine.arzoi.events import Part
from services.table.engine.arzoi.packs import SEPTICA
from services.table.engine.arzoi.position import Phase
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import table_pb2
from tests.support.arzoi_turns import TABLE_ID, decisions, turn_of, with_other_hidden_cards

SIZES = range(3, 10)
PARTS = {Part.WHIST, Part.TOTALE_MINUS, Part.TOTALE_PLUS}


def view_of_turn(turn: bot_pb2.BotTurn) -> ArzoiView:
    legal = [action.arzoi for action in turn.private.legal_actions]
    return reading.view_of(turn.table.game.arzoi, turn.seat, turn.private.hand.arzoi, legal, turn.history)


@pytest.mark.parametrize("level", ["novice", "club"])
@pytest.mark.parametrize("seats", SIZES)
def test_every_decision_of_whole_matches_is_legal(seats: int, level: str) -> None:
    rng = random.Random(f"legal {seats} {level}")
    player = PLAYERS[level]
    parts: set[Part] = set()
    phases: set[Phase] = set()
    count = 0
    for _ in range(30):
        for state, legal in decisions(seats, rng, PLAYERS["club"]):
            assert player.decide(observing.view_of(state), random.Random(count)) in legal
            count += 1
            phases.add(state.phase)
            if state.part is not None:
                parts.add(state.part)
        if parts >= PARTS and count > 2000:
            break
    assert count > 2000
    assert parts >= PARTS
    assert phases >= {Phase.CHOOSE, Phase.BID, Phase.PLAY}
    if seats in (4, 6, 8, 9):
        assert Part.SEPTICA in parts
        assert Phase.CONTINUE in phases


@pytest.mark.parametrize("seats", SIZES)
def test_a_turn_and_the_state_it_was_made_of_give_the_same_view(seats: int) -> None:
    rng = random.Random(seats)
    count = 0
    for state, _ in decisions(seats, rng, PLAYERS["club"]):
        if rng.random() < 0.2:
            assert view_of_turn(turn_of(state)) == observing.view_of(state)
            count += 1
    assert count > 50


@pytest.mark.parametrize("level", ["novice", "club"])
@pytest.mark.parametrize("seats", SIZES)
def test_no_decision_depends_on_a_hidden_card(seats: int, level: str) -> None:
    rng = random.Random(f"hidden {seats}")
    player = PLAYERS[level]
    changed = 0
    for number, (state, _) in enumerate(decisions(seats, rng, player)):
        if state.phase is Phase.CHOOSE or rng.random() < 0.7:
            continue
        other = with_other_hidden_cards(state, rng)
        changed += other != state
        assert observing.view_of(other) == observing.view_of(state)
        decided = player.decide(observing.view_of(state), random.Random(number))
        assert player.decide(observing.view_of(other), random.Random(number)) == decided
        assert turn_of(other) == turn_of(state)
    assert changed > 100


@pytest.mark.parametrize("level", [table_pb2.BOT_LEVEL_NOVICE, table_pb2.BOT_LEVEL_CLUB])
def test_a_redelivered_turn_is_decided_alike(level: table_pb2.BotLevel.ValueType) -> None:
    rng = random.Random(3)
    for revision, (state, _) in enumerate(decisions(5, rng)):
        if revision % 3:
            continue
        turn = turn_of(state, revision, level)
        first, second = (
            decide(
                turn.table, turn.private, turn.history, level, generator(turn.table_id, turn.revision, turn.seat)
            ).action
            for _ in range(2)
        )
        assert first == second


def test_a_novice_errs_differently_at_different_turns() -> None:
    rng = random.Random(4)
    different = 0
    for state, legal in decisions(4, rng):
        if state.phase is not Phase.PLAY or len(legal) < 3:
            continue
        view = observing.view_of(state)
        chosen = {PLAYERS["novice"].decide(view, generator(TABLE_ID, revision, view.seat)) for revision in range(20)}
        different += len(chosen) > 1
    assert different > 100


def test_a_bot_chooses_the_lowest_whist_and_septica_last_gap_a29() -> None:
    for level in ("novice", "club"):
        chosen = []
        rng = random.Random(1)
        for state, _ in decisions(4, rng, PLAYERS[level], everywhere=True):
            if state.phase is Phase.CHOOSE:
                action = PLAYERS[level].decide(observing.view_of(state), rng)
                assert isinstance(action, Choose)
                assert action.variant == min(state.variants_left)
                chosen.append(action.variant)
        assert chosen[-1] == SEPTICA
        assert chosen == sorted(chosen)


def test_without_history_the_last_trick_is_still_counted() -> None:
    rng = random.Random(9)
    for state, _ in decisions(4, rng):
        if len(state.tricks) < 3:
            continue
        turn = turn_of(state)
        del turn.history[:]
        view = view_of_turn(turn)
        assert view.past == state.tricks[-1:]
        chosen = decide(turn.table, turn.private, turn.history, 0, rng).action
        assert chosen in turn.private.legal_actions
        return
    pytest.fail("no position with three tricks")


@pytest.mark.parametrize("seats", SIZES)
def test_the_rule_of_thumb_is_legal_everywhere(seats: int) -> None:
    for number, (state, _) in enumerate(decisions(seats, random.Random(seats))):
        if number % 3:
            continue
        turn = turn_of(state)
        assert rule_of_thumb(turn.table, list(turn.private.legal_actions)) in turn.private.legal_actions


def test_the_rule_of_thumb_bids_a_fair_share_and_never_nought_by_default() -> None:
    for state, _ in decisions(4, random.Random(5)):
        if state.phase is Phase.BID and state.cards_each == 8 and state.bids_made < 3:
            turn = turn_of(state)
            assert rule_of_thumb(turn.table, list(turn.private.legal_actions)).arzoi.bid == 2
