"""Bots at whist: always legal, only by what their seat sees, and club stronger than novice."""

import random
from collections.abc import Iterator
from functools import partial

import pytest

from services.bot.arena import compete
from services.bot.chatter.chatter import Chatter
from services.bot.chatter.occasions import Occasion
from services.bot.chatter.whist import Standing, occasions, standing
from services.bot.deciding import decide, rule_of_thumb
from services.bot.errors import UnreadableViewError
from services.bot.players.game import Player
from services.bot.players.games import GAMES
from services.bot.players.levels import generator
from services.bot.players.whist.game import PLAYERS
from services.bot.players.whist.levels import stakes
from services.bot.players.whist.view import WhistView, observed
from services.table.engine.cards import cards_of, mask_of
from services.table.engine.games import GAMES as RULES
from services.table.engine.whist import PATTERNS, PREMIUMS, Options, Phase, State, Streak
from services.table.wire import wires
from shared.gen.levata.bot.v1 import bot_pb2
from shared.gen.levata.table.v1 import table_pb2, whist_pb2
from tests.support import bot_turns
from tests.support.steps import random_deal
from tests.support.whist import WHIST, at_hand, chosen_deal, do

SIZES = range(3, 7)
WIRE = wires()["whist"]
BOTS = GAMES["whist"]
turn_of = partial(bot_turns.turn_of, WIRE)


def decisions(seats: int, rng: random.Random, player: Player | None = None) -> Iterator[State]:
    """Every decision of one match: `player` plays the even seats, the others play at random."""
    options = Options(rng.choice(PATTERNS), rng.choice(PREMIUMS))
    return bot_turns.decisions(BOTS, WHIST.new(options, seats), rng, player)


def view_of_turn(turn: bot_pb2.BotTurn) -> WhistView:
    view = BOTS.read(turn.table.game, turn.private, list(turn.private.legal_actions), turn.history)
    assert isinstance(view, WhistView)
    return view


def test_bots_play_every_game_that_there_is() -> None:
    assert set(GAMES) == set(RULES)
    for name, game in GAMES.items():
        assert game.name == name
        assert game.sizes == RULES[name].sizes
        assert {"novice", "club", "random"} <= set(game.players)


@pytest.mark.parametrize("level", ["novice", "club"])
@pytest.mark.parametrize("seats", SIZES)
def test_every_decision_at_whist_is_legal(seats: int, level: str) -> None:
    rng = random.Random(f"legal {seats} {level}")
    count = 0
    for _ in range(3):
        for state in decisions(seats, rng, PLAYERS["club"]):
            assert PLAYERS[level].decide(observed(state), random.Random(count)) in state.legal_actions()
            count += 1
    assert count > 900


@pytest.mark.parametrize("seats", SIZES)
def test_a_turn_of_whist_and_the_state_it_was_made_of_give_the_same_view(seats: int) -> None:
    rng = random.Random(seats)
    count = 0
    for state in decisions(seats, rng, PLAYERS["club"]):
        if rng.random() < 0.3:
            assert view_of_turn(turn_of(state)) == observed(state)
            count += 1
    assert count > 50


@pytest.mark.parametrize("level", ["novice", "club"])
@pytest.mark.parametrize("seats", [3, 6])
def test_no_decision_at_whist_depends_on_a_hidden_card(seats: int, level: str) -> None:
    rng = random.Random(f"hidden {seats}")
    player = PLAYERS[level]
    changed = 0
    for number, state in enumerate(decisions(seats, rng, player)):
        other = state.copy()
        decision, play = other.decision(), other.play
        assert decision is not None
        assert play is not None
        others = [seat for seat in range(seats) if seat != decision.seat]
        cards = [card for seat in others for card in cards_of(play.hands[seat])] + list(other.aside)
        rng.shuffle(cards)
        for seat in others:
            count = play.hands[seat].bit_count()
            play.hands[seat] = mask_of(cards[:count])
            del cards[:count]
        other.aside = tuple(cards)
        changed += other != state
        assert observed(other) == observed(state)
        decided = player.decide(observed(state), random.Random(number))
        assert player.decide(observed(other), random.Random(number)) == decided
        assert turn_of(other) == turn_of(state)
    assert changed > 100


@pytest.mark.parametrize("level", [table_pb2.BOT_LEVEL_NOVICE, table_pb2.BOT_LEVEL_CLUB])
def test_a_turn_of_whist_is_decided_alike_each_time_and_by_its_player(level: table_pb2.BotLevel.ValueType) -> None:
    for revision, state in enumerate(decisions(5, random.Random(3))):
        if revision % 5:
            continue
        turn = turn_of(state, revision)
        first, second = (
            decide(turn.table, turn.private, turn.history, level, generator(turn.table_id, turn.revision, turn.seat))
            for _ in range(2)
        )
        assert first == second
        assert not first.failed
        assert first.kind in ("bid", "play")
        assert rule_of_thumb(turn.table, list(turn.private.legal_actions)) in turn.private.legal_actions


@pytest.mark.parametrize(("seats", "games"), [(3, 12), (4, 12), (6, 4)])
def test_at_whist_club_beats_novice_and_novice_beats_chance(seats: int, games: int) -> None:
    best, second = compete(["novice", "club"], seats, games, "fixed", game=BOTS)
    assert (best.level, second.level) == ("club", "novice")
    assert best.mean - best.half_width > 0
    best, second = compete(["random", "novice"], seats, 3, "fixed", game=BOTS)
    assert (best.level, second.level) == ("novice", "random")
    assert best.mean - best.half_width > 0


def test_a_view_that_contradicts_itself_is_refused_with_its_field() -> None:
    state = next(
        state for state in decisions(4, random.Random(1)) if state.phase is Phase.PLAY and len(state.trick) == 2
    )
    whole = turn_of(state)
    assert view_of_turn(whole) == observed(state)

    def refused(**changed: object) -> str:
        turn = bot_pb2.BotTurn()
        turn.CopyFrom(whole)
        game = turn.table.game.whist
        for name, value in changed.items():
            if name == "hand":
                turn.private.hand.whist.cards[0] = str(value)
            elif name == "seats":
                del game.seats[2:]
            elif name == "bid":
                game.seats[0].ClearField("bid")
            else:
                setattr(game, name, value)
        with pytest.raises(UnreadableViewError) as caught:
            decide(turn.table, turn.private, turn.history, 0, random.Random(1))
        return caught.value.field

    assert refused(hand="XX") == "private.hand.whist.cards"
    assert refused(hand=whole.table.game.whist.trick[0].card) == "history"
    assert refused(seats=2) == "table.game.whist.seats"
    assert refused(bid=None) == "table.game.whist.seats"
    assert refused(number=0) == "table.game.whist.number"
    assert refused(premium=7) == "table.game.whist.premium"
    assert refused(phase=whist_pb2.WHIST_PHASE_OVER) == "table.game.whist.phase"
    strange = bot_pb2.BotTurn()
    strange.CopyFrom(whole)
    strange.private.legal_actions[0].arzoi.bid = 1
    with pytest.raises(UnreadableViewError) as caught:
        decide(strange.table, strange.private, strange.history, 0, random.Random(1))
    assert caught.value.field == "private.legal_actions"


@pytest.mark.rule("RW-9", "GAP-W2")
def test_club_plays_for_more_where_a_premium_is_near() -> None:
    state = at_hand(4, 8)
    state.apply(None, random_deal(state, random.Random(1)))
    seat = observed(state).seat

    def worth(exact: int, missed: int) -> tuple[float, float]:
        state.streaks[seat] = Streak(exact, missed)
        found = stakes(observed(state))
        return found.made[0], found.missed

    assert worth(4, 0)[0] > worth(2, 0)[0] > 5.0
    assert worth(0, 4)[1] > worth(0, 2)[1] > 0.0
    ones = at_hand(4, 2)
    ones.apply(None, random_deal(ones, random.Random(1)))
    ones.streaks = [Streak(4, 0)] * 4
    assert (stakes(observed(ones)).made, stakes(observed(ones)).missed) == ([5, 6], 0.0)


def test_what_came_of_the_hand_before_is_talked_about() -> None:
    state = at_hand(4, 6)
    state.apply(None, chosen_deal(state, [], "7C"))
    turn = turn_of(state)
    table = turn.table.game.whist
    bid = whist_pb2.WhistAction(bid=0)
    assert occasions(table, 1, bid, Standing(5, 3, False))[0] is Occasion.BURNED
    assert occasions(table, 1, bid, Standing(5, -6, False))[0] is Occasion.MADE_IT
    assert occasions(table, 1, bid, Standing(5, -7, True))[0] is Occasion.ALL_IN_MADE
    assert occasions(table, 1, bid, Standing(4, 3, False))[0] is Occasion.BID_NOTHING
    assert occasions(table, 1, whist_pb2.WhistAction(bid=3), None)[0] is Occasion.BID_EVERYTHING
    assert standing(table, 1) == Standing(6, 0, False)
    do(state, "bid 3", "bid 0", "bid 0", "bid 1")
    table = turn_of(state).table.game.whist
    assert occasions(table, 1, whist_pb2.WhistAction(play="AS"), None)[0] is Occasion.OVERBID
    assert standing(table, 1) == Standing(6, 0, True)


def test_bots_say_something_at_whist() -> None:
    chatter = Chatter("ro", 0.0, 0.0)
    rng = random.Random(1)
    said = 0
    for revision, state in enumerate(decisions(4, random.Random(2), PLAYERS["club"])):
        turn = turn_of(state, revision)
        turn.table.options.bot_talk = table_pb2.BOT_TALK_POLITE
        said += bool(chatter.line(turn, turn.private.legal_actions[0], rng, float(revision)))
    assert said > 10
