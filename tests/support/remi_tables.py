"""Matches of Remi on the engine as a terminal is shown them, and the keys by which a person makes any move there."""

import random
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from services.table.engine.remi import Action, Event, State, Take, Turn
from services.table.wire import wires
from shared.gen.levata.table.v1 import game_pb2, remi_pb2, table_pb2
from shared.terminal.games.remi import keys
from shared.terminal.games.remi.composer import Composer
from shared.terminal.games.remi.offers import combination_of
from tests.support import match_tables
from tests.support.remi import REMI
from tests.support.steps import random_deal

WIRE = wires()["remi"]
told = partial(match_tables.told, WIRE)
update_of = partial(match_tables.update_of, WIRE)
waiting = partial(match_tables.waiting, WIRE)


def done(seat: int, action: game_pb2.GameAction) -> table_pb2.Event:
    """That somebody did something."""
    taken = table_pb2.ActionTaken(seat=seat, action=action, decided_by=table_pb2.DECIDED_BY_PLAYER)
    return table_pb2.Event(action_taken=taken)


class Match:
    """A match in which Ana, on seat 0, is played by whoever tests, and the others by rule of thumb.

    Attributes:
        state: The match.
        revision: The last revision that was sent.
    """

    def __init__(self, seats: int, rounds: int, seed: int) -> None:
        self.state: State = REMI.new(REMI.parse_options(f"rounds {rounds}" if rounds > 1 else ""), seats)
        self.revision = 1
        self._chance = random.Random(seed)

    def others_play(self) -> list[table_pb2.Update]:
        """Goes on until Ana decides or the match is over: an update for each action or deal."""
        updates = []
        while not self.state.is_over() and self.state.decider() != 0:
            if self.state.needs_deal():
                updates.append(self._update((), self.state.apply(None, random_deal(self.state, self._chance))))
            else:
                seat, action = self.state.decider(), REMI.rule_of_thumb(self.state)
                happened = self.state.apply(seat, action)
                updates.append(self._update([done(seat, WIRE.action_to_proto(action))], happened))
        return updates

    def answer(self, action: game_pb2.GameAction) -> list[table_pb2.Update]:
        """What follows an action of Ana's."""
        happened = self.state.apply(0, WIRE.action_from_proto(action))
        return [self._update([done(0, action)], happened), *self.others_play()]

    def shown(self) -> table_pb2.Update:
        """The snapshot of a newcomer."""
        return update_of(self.state, revision=self.revision)

    def sensible(self) -> Action:
        """What Ana does by rule of thumb, a take from the row as an action of its own."""
        action = REMI.rule_of_thumb(self.state)
        return action.steps[0] if isinstance(action, Turn) and isinstance(action.steps[0], Take) else action

    def _update(self, actions: Sequence[table_pb2.Event], happened: Iterable[Event]) -> table_pb2.Update:
        self.revision += 1
        update = update_of(self.state, revision=self.revision)
        update.snapshot = False
        update.events.extend([*actions, *told(happened)])
        update.ClearField("score_sheet")
        return update


class Hands:
    """Somebody at the keyboard, who looks at what is on the screen before pressing the next key.

    Attributes:
        composer: What is on the screen.
        pressed: The keys that were pressed.
        sent: What went to the table.
    """

    def __init__(self, composer: Composer) -> None:
        self.composer = composer
        self.pressed: list[str] = []
        self.sent: list[remi_pb2.RemiAction] = []

    def play(self, action: remi_pb2.RemiAction) -> None:
        """Makes a move, with the key that sends it last."""
        match action.WhichOneof("action"):
            case "draw":
                self._press("p")
            case "undo_take":
                self._press("r")
            case "take":
                self._take(action.take)
            case "announce":
                self._press("n")
            case "close_with_atu":
                self._press("w", "enter")
            case "turn":
                self._turn(action.turn.steps)
            case _:
                self._turn([action])

    def _turn(self, steps: Sequence[remi_pb2.RemiStep | remi_pb2.RemiAction]) -> None:
        for step in steps:
            if step.HasField("lay"):
                for each in step.lay.melds:
                    self._lay(list(each.tiles))
            elif step.HasField("add"):
                self._add(step.add)
            elif step.HasField("swap_joker"):
                self._swap(step.swap_joker)
            elif step.HasField("announce"):
                self._press("n")
            elif step.HasField("discard"):
                self._point(step.discard)
                self._press("enter")
                return
        self._press("escape", "enter")

    def _take(self, place: int) -> None:
        self._press("i")
        while self.composer.place_at != place:
            self._press("left")
        self._press("enter")

    def _lay(self, tiles: Sequence[str]) -> None:
        for tile in tiles:
            self._point(tile, marked=False)
            self._press("space")
        self._press("e")
        self._choose(lambda way: way == combination_of(tiles))

    def _add(self, addition: remi_pb2.RemiAdd) -> None:
        lying = {each.meld: each.combination for each in self.composer.lying()}
        meld = list(lying)[addition.meld]
        end = {remi_pb2.REMI_END_LOW: "low", remi_pb2.REMI_END_HIGH: "high"}.get(addition.end)
        wanted = lying[meld].added(addition.tile, end or lying[meld].ends_for(addition.tile)[0])  # type: ignore[arg-type]
        self._point(addition.tile)
        self._press("l")
        self._choose(lambda way: way == wanted, meld)

    def _swap(self, swap: remi_pb2.RemiSwapJoker) -> None:
        lying = {each.meld: each.combination for each in self.composer.lying()}
        meld = list(lying)[swap.meld]
        wanted = lying[meld].swapped(swap.place, swap.tile)
        self._point(swap.tile)
        self._press("j")
        self._choose(lambda way: way == wanted, meld)
        self._lay(list(swap.new_meld.tiles))

    def _choose(self, is_meant: Callable[[object], bool], meld: int | None = None) -> None:
        question = self.composer.question
        if question is None:
            return
        for index, way in enumerate(question.options):
            if is_meant(way.combination) and meld in (None, way.meld):
                for _ in range(index):
                    self._press("right")
                self._press("enter")
                return
        raise AssertionError("the way that is meant is not among those that are asked about")

    def _point(self, tile: str, *, marked: bool | None = None) -> None:
        """Goes to a tile by its digit; `marked` says which of twins is meant."""
        digit = "asterisk" if tile == "*" else tile[1:] if len(tile) == 2 else "0"
        for _ in self.composer.in_order():
            self._press(digit)
            number = self.composer.cursor
            assert number is not None
            here = self.composer.shown_rack.tile(number) == tile
            if here and marked in (None, number in self.composer.rack.marks):
                return
        raise AssertionError(f"no {tile} on the rack")

    def _press(self, *pressed: str) -> None:
        for key in pressed:
            self.pressed.append(key)
            result = keys.press(self.composer, key, {"asterisk": "*"}.get(key, key if len(key) == 1 else None))
            if result.action is not None:
                self.sent.append(result.action)
