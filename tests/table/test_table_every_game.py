"""What a table needs of a game, of every game that there is: its forms on the wire, its clock, its refusals."""

import random
from collections import Counter
from itertools import islice

import pytest

from services.table import errors, requests, views
from services.table.engine.game import DecisionKind, IllegalAction
from services.table.engine.games import GAMES
from services.table.state import TableState
from shared.errors import ErrorTable, LevataError, failure
from shared.gen.levata.table.v1 import game_pb2
from shared.messages import TEXTS
from shared.rpc.validation import validate
from tests.support.any_game import EVERY_GAME, EVERY_SIZE, random_match, usual_options
from tests.support.scramble import mangled, scrambled

DECISIONS_TRIED = 150
"""Of each match, so many at the most."""
WILD_PER_DECISION = 8
REFUSALS = ErrorTable()
REFUSALS.add(requests.ERRORS)
KINDS: tuple[DecisionKind, ...] = ("choose", "bid", "play", "turn")


def test_a_game_that_this_server_does_not_have_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    message = usual_options("arzoi", 4)
    others = {name: game for name, game in GAMES.items() if name != "arzoi"}
    monkeypatch.setattr(requests, "GAMES", others)  # a newer client, or an older server
    with pytest.raises(errors.BadOptionsError) as caught:
        requests.options_of(message)
    assert caught.value.metadata["field"] == "options.game"
    assert "arzoi is not played here" in caught.value.metadata["problem"]


def test_every_oneof_of_the_contract_has_every_game_and_only_those() -> None:
    assert set(views.WIRES) == set(EVERY_GAME)
    for kind in ("GameOptions", "GameAction", "GameTable", "GameHand", "GameEvent", "GameScoreSheet"):
        named = {field.name for field in game_pb2.DESCRIPTOR.message_types_by_name[kind].oneofs_by_name["game"].fields}
        assert named >= set(EVERY_GAME), kind


@pytest.mark.parametrize(("game", "seats"), EVERY_SIZE)
def test_the_usual_options_of_a_game_pass_the_door_and_come_back_the_same(game: str, seats: int) -> None:
    message = usual_options(game, seats)
    validate(message)
    options = requests.options_of(message)
    assert (options.game, options.seats) == (game, seats)
    assert views.options_message(options) == message


@pytest.mark.parametrize(("game", "seats"), EVERY_SIZE)
def test_every_legal_action_passes_the_door_and_is_taken_for_what_it_is(game: str, seats: int) -> None:
    rules = GAMES[game]
    tried = 0
    for paper in islice(random_match(game, seats), DECISIONS_TRIED):
        decision = paper.state.decision
        assert decision is not None
        assert decision.kind in KINDS
        legal = paper.legal()
        assert legal
        for action in legal:
            message = views.WIRES[game].action_to_proto(action)
            validate(message)
            assert requests.action_of(message, game) == action
            assert rules.parse_action(rules.action_text(action)) == action
            tried += 1
        messages = views.private_message(paper.state, decision.seat).legal_actions
        assert len({one.SerializeToString(deterministic=True) for one in messages}) == len(legal)
    assert tried > seats


def outcome_of(message: game_pb2.GameAction, state: TableState) -> str:
    """What an action by the seat to decide leads to: the reason of a refusal, or "legal" if the log can hold it."""
    rules = GAMES[state.options.game]
    assert state.decision is not None
    try:
        validate(message)
        action = requests.action_of(message, rules.name)
        state.position().verify(state.decision.seat, action)
    except (LevataError, errors.MalformedActionError, IllegalAction) as error:
        return failure(error, table=REFUSALS).reason
    assert rules.parse_action(rules.action_text(action)) == action
    return "legal"


@pytest.mark.parametrize("game", EVERY_GAME)
def test_wild_actions_are_refused_in_the_ways_that_the_contract_knows_and_change_nothing(game: str) -> None:
    chance = random.Random(f"wild {game}")
    outcomes: Counter[str] = Counter()
    sizes = GAMES[game].sizes
    for paper in islice(random_match(game, sizes[len(sizes) // 2], seed=2), DECISIONS_TRIED):
        state = paper.state
        assert state.decision is not None
        match = state.position()
        before = match.knowledge(state.decision.seat)
        for _ in range(WILD_PER_DECISION):
            base = views.WIRES[game].action_to_proto(chance.choice(paper.legal()))
            wild = game_pb2.GameAction()
            if chance.random() < 0.1:
                try:
                    wild.ParseFromString(mangled(base.SerializeToString(), chance))
                except Exception:
                    continue  # no message at all
            else:
                wild.CopyFrom(scrambled(base, chance, ["R7", "K13", "*"]))  # type: ignore[arg-type]
            outcomes[outcome_of(wild, state)] += 1
        assert match.knowledge(state.decision.seat) == before
    assert min(outcomes["BAD_REQUEST"], outcomes["legal"]) > 10, outcomes
    assert {reason for reason in outcomes if reason != "legal"} <= set(TEXTS)
