"""Two tables at which the same is played in public, while the cards that one viewer cannot see are others."""

import random
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from services.table.engine.arzoi import State
from services.table.engine.game import Deal, IllegalAction
from tests.support.arzoi import ARZOI, new

Viewer = int | None
SWAPS_TRIED = 400


@dataclass(frozen=True)
class Script:
    """What is played at a table.

    Attributes:
        seats: How many play.
        packs: The pack of each deal.
        actions: Who does what, deals left out.
        last: Index of the first action after the last deal.
    """

    seats: int
    packs: tuple[tuple[int, ...], ...]
    actions: tuple[tuple[int, Any], ...]
    last: int

    def positions(self) -> list[State]:
        """The match after the start and after each action, all deals that are due made."""
        state, packs = new(self.seats), iter(self.packs)
        found = [state.copy()]
        for seat, action in self.actions:
            state.apply(seat, action)
            while state.needs_deal():
                state.apply(None, Deal(next(packs)))
            found.append(state.copy())
        return found


def scripted(seats: int, variant: str, wanted: Callable[[State], bool], chance: random.Random) -> Script:
    """A script that begins with a variant and ends in the first position that is wanted.

    Seat 0 bids as much as it may, which it cannot keep, and the others sensibly: so both kinds of Totale are reached.
    """
    state = new(seats)
    packs: list[tuple[int, ...]] = []
    actions: list[tuple[int, Any]] = []
    last = 0
    while not (actions and wanted(state)):
        if state.is_over() or state.orbit > 1:
            raise LookupError("this match has no such position")
        decision = state.decision()
        if decision is None:
            pack = list(state.pack())
            chance.shuffle(pack)
            packs.append(tuple(pack))
            state.apply(None, Deal(packs[-1]))
            last = len(actions)
            continue
        if not actions:
            action = ARZOI.parse_action(variant)
        elif decision.kind == "bid" and decision.seat == 0:
            action = state.legal_actions()[-1]
        else:
            action = ARZOI.rule_of_thumb(state) if chance.random() < 0.8 else chance.choice(state.legal_actions())
        actions.append((decision.seat, action))
        state.apply(decision.seat, action)
    return Script(seats, tuple(packs), tuple(actions), last)


def any_script(seats: int, variant: str, wanted: Callable[[State], bool]) -> Script:
    """The first script that reaches what is wanted."""
    for seed in range(500):
        try:
            return scripted(seats, variant, wanted, random.Random(f"{seats} {variant} {seed}"))
        except LookupError:
            continue
    raise AssertionError(f"no match of {seats} reaches that by way of {variant}")


def known_to(script: Script, viewer: Viewer) -> list[Hashable] | None:
    """What a viewer knows at each step; None when the script breaks the rules."""
    try:
        return [state.knowledge(viewer) for state in script.positions()]
    except IllegalAction:
        return None


def twin(script: Script, viewer: Viewer, chance: random.Random) -> Script:
    """The same script with another last pack: the viewer knows the same at every step, and as many cards as can be lie
    elsewhere."""
    pack = list(script.packs[-1])
    known = known_to(script, viewer)
    assert known is not None
    for _ in range(SWAPS_TRIED):
        one, two = chance.sample(range(len(pack)), 2)
        pack[one], pack[two] = pack[two], pack[one]
        other = Script(script.seats, (*script.packs[:-1], tuple(pack)), script.actions, script.last)
        if known_to(other, viewer) != known:
            pack[one], pack[two] = pack[two], pack[one]
    return Script(script.seats, (*script.packs[:-1], tuple(pack)), script.actions, script.last)


def hands_that_differ(one: Script, two: Script) -> int:
    """How many seats hold other cards in the end."""
    first, second = one.positions()[-1].play, two.positions()[-1].play
    assert first is not None
    assert second is not None
    return sum(mine != theirs for mine, theirs in zip(first.hands, second.hands, strict=True))
