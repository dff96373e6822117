"""A match on the engine that somebody at a terminal has a seat in; the others go on by themselves."""

from collections.abc import Callable
from typing import Any

from services.table.wire import GameWire
from shared.gen.levata.table.v1 import game_pb2, table_pb2
from tests.support.match_tables import update_of
from tests.support.terminal_club import TerminalClub


class PlayedSeat:
    """Seat 0 of a match; `step` makes one step of any other seat, or deals."""

    def __init__(self, wire: GameWire, state: Any, step: Callable[[Any], tuple[Any, ...]]) -> None:
        self._wire = wire
        self._state = state
        self._step = step
        self._revision = 1

    def open(self, club: TerminalClub) -> None:
        """The club shows the match as it stands when it is the turn of seat 0, and goes on after every action."""
        self._others()
        club.shown = update_of(self._wire, self._state, revision=self._revision)
        club.on_action = self._answer

    def _others(self) -> table_pb2.Update:
        events: list[Any] = []
        while not self._state.is_over():
            decision = self._state.decision()
            if decision is not None and decision.seat == 0:
                break
            events.extend(self._step(self._state))
        return self._news(events)

    def _answer(self, done: game_pb2.GameAction) -> list[table_pb2.Update]:
        mine = self._news(self._state.apply(0, self._wire.action_from_proto(done)))
        return [mine, self._others()]

    def _news(self, events: Any) -> table_pb2.Update:
        self._revision += 1
        news = update_of(self._wire, self._state, revision=self._revision, events=events)
        news.snapshot = False
        return news
