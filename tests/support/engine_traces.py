"""Traces of random matches, line by line, for comparing two builds of the engine.

    LEVATA_ENGINE=compiled python -m tests.support.engine_traces > compiled.txt

Each line is one action of a match of some game and size, with digests of what it brought about: the events; all that
spectators and each seat know; the scores; the legal actions; and how actions of other positions are refused. Equal
lines from two builds mean that they did the same. What random actions are taken depends on what the engine says is
legal, so where two builds part, everything after that line differs: the first different line is the one to look at.
"""

import hashlib
import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from services.table import engine
from services.table.engine.game import Deal, IllegalAction, State
from services.table.engine.games import GAMES

MOST_ACTIONS = 400
"""A match is followed so far: to its end in games whose random matches are not much longer."""
REFUSALS = 2
"""So many actions of other positions are tried at each step."""
OPTIONS = {"arzoi": ("", "no-whist-of-2"), "whist": ("", "8-1-8 premium 5")}
"""Options as text, for games that have any; sizes take them in turn."""


def digest(*what: object) -> str:
    """A few characters that differ where the texts of the values do."""
    return hashlib.blake2b(repr(what).encode(), digest_size=5).hexdigest()


def tried(state: State, seat: int | None, action: object) -> str:
    """What the engine says to an action: nothing, or the refusal with its reason and its message."""
    try:
        state.verify(seat, action)
    except IllegalAction as refusal:
        return f"{refusal.reason} {refusal.rule} {refusal}"
    return ""


def shuffled(state: State, chance: random.Random) -> Deal:
    """A random deal."""
    pack = list(state.pack())
    chance.shuffle(pack)
    return Deal(tuple(pack))


def trace(name: str, seats: int, options: str) -> Iterator[str]:
    """The lines of one random match."""
    game = GAMES[name]
    state = game.new(game.parse_options(options), seats)
    label = f"{name} {seats} {options or '-'}"
    chance = random.Random(label)
    seen: list[object] = ["no action at all"]
    for number in range(MOST_ACTIONS):
        if state.is_over():
            break
        decision = state.decision()
        legal: Sequence[Any] = state.legal_actions()
        seat = None if decision is None else decision.seat
        action = shuffled(state, chance) if decision is None else legal[chance.randrange(len(legal))]
        refused = [
            tried(state, chance.choice((None, seat, chance.randrange(seats))), chance.choice(seen))
            for _ in range(REFUSALS)
        ]
        copied = state.copy()
        events = state.apply(seat, action)
        known = [state.knowledge(viewer) for viewer in (None, *range(seats))]
        yield (
            f"{label} {number} {game.action_text(action)[:40]} decision {digest(decision)} legal {digest(legal)} "
            f"refused {digest(refused)} events {digest(events)} known {digest(known)} scores {state.scores()} "
            f"progress {state.progress()} sheet {digest(game.score_sheet(state))} thumb {thumb(game, state)}"
        )
        if number % 7 == 0:
            assert copied.apply(seat, action) == events
            assert [copied.knowledge(viewer) for viewer in (None, *range(seats))] == known
            state = copied
        seen.append(action)
    yield f"{label} {'over' if state.is_over() else 'unfinished'} {state.scores()}"


def thumb(game: Any, state: State) -> str:
    """What a table would play by itself."""
    return game.action_text(game.rule_of_thumb(state)) if state.decision() is not None else "-"


def traces(names: Sequence[str] = ()) -> Iterator[str]:
    """The lines of random matches of the games named, or of all: one at every size."""
    for name in names or GAMES:
        game = GAMES[name]
        for seats in game.sizes:
            options = OPTIONS.get(name, ("",))
            yield from trace(name, seats, options[seats % len(options)])


def main() -> None:
    """Prints the build, then the lines of the games named in the arguments."""
    print(f"engine: {engine.build()}")
    for line in traces(sys.argv[1:]):
        print(line)


if __name__ == "__main__":
    main()
