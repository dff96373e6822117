"""Which options make a table: above all, a clock that its game has a use for."""

import random

import pytest

from services.table import commands as c
from services.table import errors
from services.table import facts as f
from services.table.engine.game import DecisionKind
from services.table.engine.games import GAMES
from services.table.options import check_options
from tests.support.any_game import EVERY_GAME, EVERY_SIZE
from tests.support.steps import step
from tests.support.tables import ANA, BOGDAN, PaperTable, table

TIMES = {"bid": "bid", "play": "play", "choose": "choose", "turn": "turn"}
"""For each kind of decision the time of a clock that is for it."""


def options(game: str, clock: f.Clock) -> f.Options:
    return f.Options(game=game, seats=GAMES[game].sizes.start, clock=clock)


def refused(chosen: f.Options) -> tuple[str, str]:
    """Field and problem of options that make no table."""
    with pytest.raises(errors.BadOptionsError) as caught:
        check_options(chosen)
    with pytest.raises(errors.BadOptionsError):
        PaperTable().do(c.CreateTable("t" * 24, chosen, host=ANA))
    return caught.value.metadata["field"], caught.value.metadata["problem"]


@pytest.mark.parametrize(("game", "seats"), EVERY_SIZE)
def test_a_game_names_all_kinds_of_decisions_that_there_are_in_it_and_no_others(game: str, seats: int) -> None:
    chance = random.Random(f"kinds {game} {seats}")
    state = GAMES[game].new(GAMES[game].parse_options(""), seats)
    kinds: set[DecisionKind] = set()
    while not state.is_over():
        if (decision := state.decision()) is not None:
            kinds.add(decision.kind)
        step(state, chance)
    assert kinds == set(GAMES[game].decisions)


@pytest.mark.parametrize("kind", TIMES)
@pytest.mark.parametrize("game", EVERY_GAME)
def test_a_time_is_for_a_decision_of_the_game_or_refused_with_those_that_are(game: str, kind: DecisionKind) -> None:
    chosen = options(game, f.Clock(**{TIMES[kind]: 20}))
    if kind in GAMES[game].decisions:
        check_options(chosen)
        return
    field, problem = refused(chosen)
    assert field == f"options.clock.{TIMES[kind]}_seconds"
    assert problem.startswith(f"is for nothing in {game}")
    assert all(f"{TIMES[one]}_seconds" in problem for one in GAMES[game].decisions)
    assert "bank_seconds" in problem


def test_the_first_time_without_use_is_named_whatever_else_fits() -> None:
    field, problem = refused(options("remi", f.Clock(bid=20, play=15, turn=60, bank=120)))
    assert (field, problem) == (
        "options.clock.bid_seconds",
        "is for nothing in remi, whose clock has turn_seconds, bank_seconds",
    )


@pytest.mark.parametrize(
    ("clock", "field"),
    [(f.Clock(bid_extra=2, play=15), "bid_extra_seconds"), (f.Clock(bank=60), "bank_seconds")],
)
def test_a_time_that_only_adds_to_others_wants_them(clock: f.Clock, field: str) -> None:
    assert refused(options("arzoi", clock))[0] == f"options.clock.{field}"


@pytest.mark.parametrize("game", EVERY_GAME)
def test_no_clock_fits_every_game(game: str) -> None:
    check_options(options(game, f.Clock()))


def test_an_action_decided_on_a_revision_to_come_is_malformed_and_changes_nothing() -> None:
    paper = table(ANA, BOGDAN)
    before = paper.state
    action = paper.legal()[0]
    with pytest.raises(errors.UnknownRevisionError) as caught:
        paper.do(c.SubmitAction(ANA.player, action, revision=before.revision + 1))
    assert caught.value.metadata == {
        "field": "revision",
        "problem": f"is to come: the last one is {before.revision}",
    }
    assert paper.state == before
    paper.do(c.SubmitAction(ANA.player, action, revision=before.revision))
