"""A game whose turns have several decisions, made up for tests of what a table does with time."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

from services.table.engine.game import Decision, Game, IllegalAction

STEP, END = "step", "end"
"""The two actions: another step of the turn, and the end of it."""

TURNS = 8
"""Turns of a match, all players' together."""


class Steps:
    """A match: players take turns of as many steps as they like, a point for each step."""

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.turn = 0
        self.steps = 0
        self.points = [0] * seats

    def decision(self) -> Decision | None:
        if self.is_over():
            return None
        return Decision(self.turn % self.seats, "turn", 0, continues=self.steps > 0)

    def needs_deal(self) -> bool:
        return False

    def pack(self) -> tuple[int, ...]:
        return ()

    def is_over(self) -> bool:
        return self.turn == TURNS

    def progress(self) -> tuple[int, int]:
        return (self.turn, TURNS)

    def scores(self) -> tuple[int, ...]:
        return tuple(self.points)

    def legal_actions(self) -> Sequence[str]:
        return () if self.is_over() else (STEP, END)

    def verify(self, seat: int | None, action: str) -> None:
        decision = self.decision()
        if decision is None or decision.seat != seat or action not in (STEP, END):
            raise IllegalAction("NOT_HERE", "X-1", f"{action} by {seat}")

    def apply(self, seat: int | None, action: str) -> tuple[str, ...]:
        self.verify(seat, action)
        if action == END:
            self.turn += 1
            self.steps = 0
        else:
            self.points[self.turn % self.seats] += 1
            self.steps += 1
        return (action,)

    def knowledge(self, seat: int | None) -> Hashable:
        return (self.turn, self.steps, *self.points)

    def copy(self) -> Self:
        other = type(self)(self.seats)
        other.turn, other.steps, other.points = self.turn, self.steps, list(self.points)
        return other


def _none(text: str) -> None:
    return None


STEPS: Game[Steps, None, Any] = Game(
    name="steps",
    sizes=range(2, 5),
    decisions=("turn",),
    new=lambda options, seats: Steps(seats),
    options_text=lambda options: "",
    parse_options=_none,
    action_text=str,
    parse_action=str,
    sheet=lambda state, names: " ".join(map(str, state.points)),
    rule_of_thumb=lambda state: END,
)
"""The game of `Steps`; it has no options."""
