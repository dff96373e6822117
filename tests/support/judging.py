"""Matches played beside a judge, a second and plainly written statement of the rules, and what it must agree with.

For the games whose actions can all be listed: Arzoi, Rentz, whist. A judge names what is legal in text; `Universe` is
everything that might be tried, legal or not.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from services.table.engine.game import AnyGame, Deal, IllegalAction
from tests.support.steps import random_deal
from tests.support.waits import Course, Waits


def beside_the_judge(game: AnyGame, state: Any, course: Course, chance: random.Random, share: float) -> Iterator[Waits]:
    """Plays a match to the end, the given share of it by rule of thumb: at every step what the judge waits for."""
    waits = next(course)
    while not state.is_over():
        yield waits
        decision = state.decision()
        if decision is None:
            action = random_deal(state, chance)
        elif chance.random() < share:
            action = game.rule_of_thumb(state)
        else:
            action = chance.choice(state.legal_actions())
        state.apply(None if decision is None else decision.seat, action)
        waits = course.send(game.action_text(action))
    yield waits


def agree(game: AnyGame, state: Any, waits: Waits) -> None:
    """Who acts, what is legal (in order) and the scores are as the judge says."""
    assert list(state.scores()) == waits.scores
    assert state.is_over() == waits.over
    decision = state.decision()
    if decision is None:
        assert waits.seat is None
        assert state.needs_deal() != waits.over
        assert state.legal_actions() == []
    else:
        assert decision.seat == waits.seat
        assert not state.needs_deal()
        assert [game.action_text(legal) for legal in state.legal_actions()] == waits.legal


class Universe:
    """Everything that might be tried in a game: each action that there is, from every seat and from chance, and deals.

    Attributes:
        tried: Positions in which all of it was tried, by phase.
    """

    def __init__(self, game: AnyGame, actions: Sequence[Any], nonsense: Sequence[object]) -> None:
        """What may be legal somewhere, and what is legal nowhere, not even a word of the game."""
        self._game = game
        self._texts: list[tuple[object, str]] = [(action, game.action_text(action)) for action in actions]
        self._texts.extend([(thing, "") for thing in nonsense])
        self.tried: Counter[Any] = Counter()

    def try_all(self, state: Any, waits: Waits, pack: Sequence[str], chance: random.Random) -> None:
        """Everything is taken or refused as the judge says, and what is refused leaves the match as it was.

        Args:
            state: The match.
            waits: What the judge waits for.
            pack: The pack by the judge, in any order.
            chance: Where the deals to be tried come from.
        """
        before = state.copy()
        for seat in (None, -1, *range(state.seats + 1)):
            legal = set(waits.legal) if seat is not None and seat == waits.seat else set()
            for action, text in self._texts:
                self._try(state, seat, action, text in legal)
        dealt = waits.seat is None and not waits.over
        for seat in (None, chance.randrange(state.seats)):
            for deal in deals(state, chance):
                whole = sorted(self._game.action_text(deal).split()[1:]) == sorted(pack)
                self._try(state, seat, deal, dealt and seat is None and whole)
        assert state == before, f"something that was refused changed the match: {before.headline()}"
        self.tried[state.phase] += 1

    def _try(self, state: Any, seat: int | None, action: object, legal: bool) -> None:
        if legal:
            state.verify(seat, action)
            state.copy().apply(seat, action)
            return
        try:
            state.apply(seat, action)
        except IllegalAction:
            return
        raise AssertionError(f"{action} of {seat} was accepted; now {state.headline()}")


def deals(state: Any, chance: random.Random) -> list[Deal]:
    """The whole pack shuffled; one card short; one card twice for another; one too many; nothing."""
    whole = random_deal(state, chance).pack
    if not whole:
        return [Deal((0,)), Deal(())]
    return [Deal(whole), Deal(whole[1:]), Deal((whole[1], *whole[1:])), Deal((*whole, whole[0])), Deal(())]
