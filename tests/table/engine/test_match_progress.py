"""How far a match is: what every game promises of `State.progress`."""

import random

import pytest

from services.table.engine.arzoi.options import Options as ArzoiOptions
from services.table.engine.game import Deal, State
from services.table.engine.games import GAMES


def step(game: str, state: State, chance: random.Random) -> None:
    """The next deal, or a sensible action."""
    if state.needs_deal():
        pack = list(state.pack())
        chance.shuffle(pack)
        state.apply(None, Deal(tuple(pack)))
        return
    decision = state.decision()
    assert decision is not None
    state.apply(decision.seat, GAMES[game].rule_of_thumb(state))


@pytest.mark.parametrize(("game", "seats"), [(name, seats) for name, game in GAMES.items() for seats in game.sizes])
def test_a_match_is_finished_when_all_its_hands_are_and_not_before(game: str, seats: int) -> None:
    chance = random.Random(f"progress {game} {seats}")
    state = GAMES[game].new(GAMES[game].parse_options(""), seats)
    finished, hands = state.progress()
    assert finished == 0 < hands
    while not state.is_over():
        assert finished < hands
        step(game, state, chance)
        now, whole = state.progress()
        assert whole == hands
        assert now in (finished, finished + 1)
        finished = now
    assert finished == hands


def test_a_hand_of_whist_counts_when_it_is_scored() -> None:
    chance = random.Random(5)
    state = GAMES["whist"].new(GAMES["whist"].parse_options(""), 3)
    seen = {state.progress()}
    while not state.is_over():
        step("whist", state, chance)
        seen.add(state.progress())
    assert seen == {(finished, 21) for finished in range(22)}


@pytest.mark.parametrize(
    ("seats", "no_whist_of_2", "orbits"), [(3, False, 7), (4, False, 8), (4, True, 7), (9, True, 5)]
)
def test_arzoi_counts_orbits_one_for_each_variant(seats: int, no_whist_of_2: bool, orbits: int) -> None:
    assert GAMES["arzoi"].new(ArzoiOptions(no_whist_of_2), seats).progress() == (0, orbits)
