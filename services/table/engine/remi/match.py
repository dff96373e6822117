"""The course of a match of Remi: what may be done, and what follows from it."""

from collections.abc import Sequence

from services.table.engine.remi.actions import (
    Action,
    Add,
    Announce,
    CloseWithAtu,
    Discard,
    Draw,
    Lay,
    Step,
    SwapJoker,
    Take,
    Turn,
    UndoTake,
)
from services.table.engine.remi.candidates import legal_actions
from services.table.engine.remi.closing import Closing
from services.table.engine.remi.events import Dealt, Event
from services.table.engine.remi.position import NO_TILE, TILES_EACH, Phase
from services.table.engine.remi.tiles import JOKER, hand_of


class State(Closing):
    """A match of Remi in progress. It changes only by `apply`, and `apply` changes all or nothing."""

    __slots__ = ()

    def legal_actions(self) -> Sequence[Action]:
        """The actions of the seat to decide; empty when no seat decides.

        Draws, takes, undoing, announcements, additions and discards are all there; an addition without its end, unless
        the tile fits at both. Combinations, swaps, closings and whole turns are far too many to list: those that the
        solver finds best are there, and `verify` says of any other whether it is legal.

        The order: announcements, drawing, taking from the top of the row downwards, closing with the Atu; or
        announcements, undoing, whole turns, combinations, swaps, additions by combination and tile, discards by tile.
        """
        return legal_actions(self)

    def apply(self, seat: int | None, action: object) -> tuple[Event, ...]:
        """Verifies and does `action`; returns what happened by the rules, in order. Raises `IllegalAction`."""
        if isinstance(action, Turn) and self.decider() >= 0 and seat == self.decider():
            trial, events = self._after_steps(action)
            self.adopt(trial)
            return events
        return super().apply(seat, action)

    # What is refused

    def _verify_action(self, action: object) -> None:
        if isinstance(action, Draw):
            self._verify_draw()
        elif isinstance(action, Discard):
            self._verify_discard(action.tile)
        elif isinstance(action, Add):
            self._verify_add(action)
        elif isinstance(action, Lay):
            self._verify_lay(action)
        elif isinstance(action, Take):
            self._verify_take(action.place)
        elif isinstance(action, SwapJoker):
            self._verify_swap(action)
        elif isinstance(action, Announce):
            self._verify_announce(action.what)
        elif isinstance(action, UndoTake):
            self._verify_undo()
        elif isinstance(action, CloseWithAtu):
            self._verify_close_with_atu(action)
        elif isinstance(action, Turn):
            self._after_steps(action)
        else:
            raise self._unknown(action)

    def _after_steps(self, turn: Turn) -> tuple["State", tuple[Event, ...]]:
        """A copy in which the steps of a turn have been done, and what happened. Raises `IllegalAction`."""
        if not turn.steps:
            raise self._illegal("NOTHING_TO_DO", "RM-16", "the turn has no steps")
        seat = self.seat
        trial = self.copy()
        events: tuple[Event, ...] = ()
        steps: Sequence[object] = turn.steps
        for number, step in enumerate(steps):
            if not isinstance(step, Step):
                raise self._illegal("NOT_A_STEP", "RM-16", f"{type(step).__name__} is no step of a turn")
            if trial.decider() != seat:
                # Whose turn it would be now, or that a round is over, is nothing to the one who asked too much.
                raise self._illegal("TURN_ENDED", "RM-16", f"the turn ends with its step {number} of {len(turn.steps)}")
            events += trial.apply(seat, step)
        return trial, events

    # What follows

    def _deal(self, pack: tuple[int, ...]) -> tuple[Event, ...]:
        """Deals as RULES.md says under "Deals" (RM-2, RM-3, RM-13)."""
        seats = self.seats
        self.turned = pack[-1]
        start = -1 if self.turned == JOKER else 0
        for index in range(seats):
            end = start + TILES_EACH
            self.hands[(self.first + index) % seats] = hand_of(pack[max(start, 0) : end])
            start = end
        if self.turned == JOKER:
            self.hands[self.first].add(JOKER)
            self.stock = pack[start:-1]
        else:
            self.hands[self.first].add(pack[start])
            self.stock = pack[start + 1 : -1]
        self.seat = self.first
        self.phase = Phase.MELD
        events: tuple[Event, ...] = (Dealt(self.number, self.first, self.turned),)
        self.happened = events
        return events

    def _act(self, action: object) -> tuple[Event, ...]:
        if isinstance(action, CloseWithAtu):
            return self._close_with_atu(action)
        before = self.hands[self.seat].size()
        events, last = self._do(action)
        events += self._few_tiles(before)
        self.continues = True
        self.happened += events
        if not self.hands[self.seat].size():
            return (*events, self._end_closed(last))
        return (*events, *self._end_turn()) if isinstance(action, Discard) else events

    def _do(self, action: object) -> tuple[tuple[Event, ...], int]:
        """Does an action; what happened, and the tile that it was done with, if it can be the last of all (GAP-R19)."""
        if isinstance(action, Draw):
            return self._draw(), NO_TILE
        if isinstance(action, Discard):
            return self._discard(action.tile), action.tile
        if isinstance(action, Add):
            return self._add(action), action.tile
        if isinstance(action, Lay):
            return self._lay(action), NO_TILE
        if isinstance(action, Take):
            return self._take(action.place), NO_TILE
        if isinstance(action, SwapJoker):
            return self._swap(action), NO_TILE
        if isinstance(action, Announce):
            return self._announce(action.what), NO_TILE
        assert isinstance(action, UndoTake)
        return self._undo(), NO_TILE
