"""Remi on the wire: the engine's values as the messages of remi.proto, and back.

Only `hand` reads hidden tiles, and only those of the seat it is asked for; everything else is made of what is public.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

from services.table.engine.game import NotationError
from services.table.engine.remi import (
    ANNOUNCE_ATU,
    ANNOUNCE_TWO_TILES,
    DRAW,
    NO_TILE,
    UNDO_TAKE,
    Action,
    Add,
    Added,
    Announce,
    Announced,
    Announcement,
    AtuTaken,
    Cell,
    CloseWithAtu,
    Dealt,
    Discard,
    Discarded,
    Draw,
    Drawn,
    End,
    Ending,
    Event,
    FewTiles,
    Laid,
    LaidMeld,
    Lay,
    Opened,
    Options,
    Phase,
    PileExhausted,
    Scored,
    ScoreRow,
    State,
    Step,
    SwapJoker,
    Swapped,
    Take,
    Taken,
    TakeUndone,
    Tiles,
    Turn,
    TwoTilesMissed,
    UndoTake,
)
from services.table.engine.remi.tiles import JOKER, TEXT, parse_tile
from services.table.wire import MalformedActionError
from shared.gen.levata.table.v1 import game_pb2
from shared.gen.levata.table.v1 import remi_pb2 as pb

_PHASES: Final = {
    Phase.DEAL: pb.REMI_PHASE_UNSPECIFIED,
    Phase.DRAW: pb.REMI_PHASE_DRAW,
    Phase.MELD: pb.REMI_PHASE_MELD,
    Phase.OVER: pb.REMI_PHASE_OVER,
}
_ENDS: Final[dict[End, pb.RemiEnd.ValueType]] = {
    "": pb.REMI_END_UNSPECIFIED,
    "low": pb.REMI_END_LOW,
    "high": pb.REMI_END_HIGH,
}
_ENDS_BACK: Final[dict[int, End]] = {message: end for end, message in _ENDS.items()}
_ANNOUNCEMENTS: Final[dict[Announcement, pb.RemiAnnouncement.ValueType]] = {
    "atu": pb.REMI_ANNOUNCEMENT_ATU,
    "two_tiles": pb.REMI_ANNOUNCEMENT_TWO_TILES,
}
_ANNOUNCEMENTS_BACK: Final[dict[int, Announce]] = {
    pb.REMI_ANNOUNCEMENT_ATU: ANNOUNCE_ATU,
    pb.REMI_ANNOUNCEMENT_TWO_TILES: ANNOUNCE_TWO_TILES,
}
_ENDINGS: Final = {
    Ending.CLOSED: pb.REMI_ENDING_CLOSED,
    Ending.CLOSED_WITH_JOKER: pb.REMI_ENDING_CLOSED_WITH_JOKER,
    Ending.PILE_EXHAUSTED: pb.REMI_ENDING_PILE_EXHAUSTED,
    Ending.NOTHING_MOVED: pb.REMI_ENDING_NOTHING_MOVED,
}


HANDS_KEPT: Final = 1 << 14
"""Messages of so many hands are kept for the next update; each hand goes out many times before it changes."""
MELDS_KEPT: Final = 1 << 12
"""The same of combinations, which seldom change once they lie."""


EVENTS_KEPT: Final = 1 << 13
"""The same of events, which are told again to whoever comes to a table later and with every turn of a bot."""


class RemiWire:
    """The wire form of Remi."""

    def options_from_proto(self, message: game_pb2.GameOptions) -> Options:
        """The engine's options."""
        return Options(message.remi.rounds or 1)

    def options_to_proto(self, options: Options) -> game_pb2.GameOptions:
        """The message for the engine's options."""
        return game_pb2.GameOptions(remi=pb.RemiOptions(rounds=options.rounds))

    def action_from_proto(self, message: game_pb2.GameAction) -> Action:
        """The engine's action. Raises `MalformedActionError`."""
        if message.WhichOneof("game") != "remi":
            raise MalformedActionError("remi", "expected an action of Remi")
        action = message.remi
        kind = action.WhichOneof("action")
        if kind == "draw":
            return DRAW
        if kind == "undo_take":
            return UNDO_TAKE
        if kind == "turn":
            if not action.turn.steps:
                raise MalformedActionError("remi.turn.steps", "expected one step or more")
            return Turn(
                tuple(
                    [
                        _step_back(f"remi.turn.steps[{index}]", step.WhichOneof("step"), step)
                        for index, step in enumerate(action.turn.steps)
                    ]
                )
            )
        return _step_back("remi", kind, action)

    def action_to_proto(self, action: Action) -> game_pb2.GameAction:
        """The message for an action of a player (never a deal)."""
        if isinstance(action, Draw):
            message = pb.RemiAction(draw=pb.RemiDraw())
        elif isinstance(action, UndoTake):
            message = pb.RemiAction(undo_take=pb.RemiUndoTake())
        elif isinstance(action, Turn):
            steps = [pb.RemiStep(**_step(step)) for step in action.steps]
            message = pb.RemiAction(turn=pb.RemiTurn(steps=steps))
        else:
            message = pb.RemiAction(**_step(action))
        return game_pb2.GameAction(remi=message)

    def table(self, state: State) -> game_pb2.GameTable:
        """What everybody sees of a match."""
        sizes = state.hand_sizes()
        table = pb.RemiTable(
            phase=_PHASES[state.phase],
            number=state.number if state.rows or state.turned != NO_TILE else 0,
            rounds=state.options.rounds,
            first=state.first,
            atu=_tile(state.atu),
            turned=_tile(state.turned),
            doubled=state.doubled,
            pile=state.pile,
            row=_tiles(state.row),
            melds=[_meld(meld) for meld in state.melds],
            seats=[
                pb.RemiSeat(
                    score=state.points_so_far[seat],
                    tiles=sizes[seat],
                    melded=state.melded[seat],
                    laid=state.laid_points(seat),
                    atu_announced=state.atu_announced[seat],
                    two_tiles_announced=state.two_tiles_announced[seat],
                    two_tiles_missed=state.two_tiles_missed[seat],
                )
                for seat in range(state.seats)
            ],
            duty=_tile(state.duty),
            idle_turns=state.idle_turns,
            opening=state.opening,
        )
        return game_pb2.GameTable(remi=table)

    def hand(self, state: State, seat: int) -> game_pb2.GameHand:
        """What only the player of `seat` sees. Shared, not to be changed: the same object as long as the hand is."""
        barred = state.barred if state.decider() == seat else NO_TILE
        return _hand(tuple(state.hand(seat).tiles()), barred)

    def event(self, event: Event) -> game_pb2.GameEvent:
        """The message for an event of the engine. The same for all viewers. It is shared: not to be changed."""
        return _event(event)

    def history(self, state: State) -> list[game_pb2.GameEvent]:
        """What has happened by the rules since the last deal, from the deal on; empty before a deal."""
        return [self.event(event) for event in state.happened]

    def score_sheet(self, state: State) -> game_pb2.GameScoreSheet:
        """The whole score sheet so far."""
        return game_pb2.GameScoreSheet(remi=pb.RemiScoreSheet(rows=[_row(row) for row in state.rows]))


def _tile(tile: int) -> str:
    return TEXT[tile] if tile != NO_TILE else ""


def _tiles(tiles: Iterable[int]) -> list[str]:
    return [TEXT[tile] for tile in tiles]


@lru_cache(maxsize=HANDS_KEPT)
def _hand(tiles: tuple[int, ...], barred: int) -> game_pb2.GameHand:
    return game_pb2.GameHand(remi=pb.RemiHand(tiles=_tiles(tiles), barred=_tile(barred)))


# Actions


def _step(step: Step) -> dict[str, Any]:
    """The field of a message, with its value, that a step is: the same in an action and in a step of a turn."""
    if isinstance(step, Discard):
        return {"discard": TEXT[step.tile]}
    if isinstance(step, Add):
        return {"add": _addition(step)}
    if isinstance(step, Lay):
        return {"lay": pb.RemiLay(melds=[pb.RemiTiles(tiles=_tiles(tiles)) for tiles in step.melds])}
    if isinstance(step, Take):
        return {"take": step.place}
    if isinstance(step, SwapJoker):
        swap = pb.RemiSwapJoker(
            meld=step.meld,
            place=step.place,
            tile=TEXT[step.tile],
            new_meld=pb.RemiTiles(tiles=_tiles(step.new_meld)),
        )
        return {"swap_joker": swap}
    if isinstance(step, Announce):
        return {"announce": _ANNOUNCEMENTS[step.what]}
    close = pb.RemiCloseWithAtu(
        melds=[pb.RemiTiles(tiles=_tiles(tiles)) for tiles in step.melds],
        additions=[_addition(addition) for addition in step.additions],
        discard="" if step.discard is None else TEXT[step.discard],
    )
    return {"close_with_atu": close}


def _addition(addition: Add) -> pb.RemiAdd:
    return pb.RemiAdd(meld=addition.meld, tile=TEXT[addition.tile], end=_ENDS[addition.end])


def _step_back(field: str, kind: str | None, message: pb.RemiAction | pb.RemiStep) -> Step:
    """The step in a message, whose field of that kind is set. Raises `MalformedActionError`."""
    where = f"{field}.{kind}"
    if kind == "discard":
        return Discard(_tile_back(where, message.discard))
    if kind == "add":
        return _addition_back(where, message.add)
    if kind == "lay":
        return Lay(_melds_back(where, message.lay.melds))
    if kind == "take":
        return Take(message.take)
    if kind == "swap_joker":
        swap = message.swap_joker
        new_meld = _tiles_back(f"{where}.new_meld.tiles", swap.new_meld.tiles)
        return SwapJoker(swap.meld, swap.place, _tile_back(f"{where}.tile", swap.tile), new_meld)
    if kind == "announce":
        return _known(where, _ANNOUNCEMENTS_BACK, message.announce)
    if kind == "close_with_atu":
        close = message.close_with_atu
        additions = [
            _addition_back(f"{where}.additions[{index}]", addition) for index, addition in enumerate(close.additions)
        ]
        discard = _tile_back(f"{where}.discard", close.discard) if close.discard else None
        return CloseWithAtu(_melds_back(where, close.melds), tuple(additions), discard)
    raise MalformedActionError(field, "expected an action")


def _addition_back(field: str, message: pb.RemiAdd) -> Add:
    tile = _tile_back(f"{field}.tile", message.tile)
    return Add(message.meld, tile, _known(f"{field}.end", _ENDS_BACK, message.end))


def _melds_back(field: str, melds: Sequence[pb.RemiTiles]) -> tuple[Tiles, ...]:
    if not melds:
        raise MalformedActionError(f"{field}.melds", "expected one combination or more")
    return tuple([_tiles_back(f"{field}.melds[{index}].tiles", meld.tiles) for index, meld in enumerate(melds)])


def _tiles_back(field: str, tiles: Sequence[str]) -> Tiles:
    if not tiles:
        raise MalformedActionError(field, "expected three tiles or more")
    return tuple([_tile_back(f"{field}[{index}]", tile) for index, tile in enumerate(tiles)])


def _tile_back(field: str, text: str) -> int:
    try:
        return parse_tile(text)
    except NotationError as error:
        raise MalformedActionError(field, str(error)) from error


Value = TypeVar("Value")


def _known(field: str, values: Mapping[int, Value], number: int) -> Value:
    if number not in values:
        raise MalformedActionError(field, f"{number} is unknown")
    return values[number]


# Combinations, events and score sheets


@lru_cache(maxsize=MELDS_KEPT)
def _meld(one: LaidMeld) -> pb.RemiMeld:
    meld = one.meld
    return pb.RemiMeld(
        seat=one.seat,
        tiles=[
            pb.RemiLaidTile(
                tile=TEXT[tile],
                seat=one.placed[index],
                stands_for=_tiles(meld.stands_for(index)) if tile == JOKER else None,
            )
            for index, tile in enumerate(meld.tiles)
        ],
        run=meld.run,
        points=meld.points(),
    )


@lru_cache(maxsize=EVENTS_KEPT)
def _event(event: Event) -> game_pb2.GameEvent:
    return game_pb2.GameEvent(remi=_EVENTS[type(event)](event))


def _dealt(event: Dealt) -> pb.RemiEvent:
    return pb.RemiEvent(dealt=pb.RemiDealt(number=event.number, first=event.first, turned=TEXT[event.turned]))


def _drawn(event: Drawn) -> pb.RemiEvent:
    return pb.RemiEvent(drawn=pb.RemiDrawn(seat=event.seat))


def _taken(event: Taken) -> pb.RemiEvent:
    return pb.RemiEvent(taken=pb.RemiTaken(seat=event.seat, tiles=_tiles(event.tiles)))


def _take_undone(event: TakeUndone) -> pb.RemiEvent:
    return pb.RemiEvent(take_undone=pb.RemiTakeUndone(seat=event.seat, tiles=_tiles(event.tiles)))


def _opened(event: Opened) -> pb.RemiEvent:
    return pb.RemiEvent(opened=pb.RemiOpened(seat=event.seat, points=event.points))


def _laid(event: Laid) -> pb.RemiEvent:
    return pb.RemiEvent(laid=pb.RemiLaid(seat=event.seat, melds=[_meld(meld) for meld in event.melds]))


def _added(event: Added) -> pb.RemiEvent:
    return pb.RemiEvent(added=pb.RemiAdded(seat=event.seat, meld=event.meld, tile=TEXT[event.tile]))


def _swapped(event: Swapped) -> pb.RemiEvent:
    swapped = pb.RemiSwapped(seat=event.seat, meld=event.meld, tile=TEXT[event.tile], new_meld=_meld(event.new_meld))
    return pb.RemiEvent(swapped=swapped)


def _announced(event: Announced) -> pb.RemiEvent:
    return pb.RemiEvent(announced=pb.RemiAnnounced(seat=event.seat, announcement=_ANNOUNCEMENTS[event.what]))


def _discarded(event: Discarded) -> pb.RemiEvent:
    return pb.RemiEvent(discarded=pb.RemiDiscarded(seat=event.seat, tile=TEXT[event.tile]))


def _atu_taken(event: AtuTaken) -> pb.RemiEvent:
    return pb.RemiEvent(atu_taken=pb.RemiAtuTaken(seat=event.seat, tile=TEXT[event.tile]))


def _few_tiles(event: FewTiles) -> pb.RemiEvent:
    return pb.RemiEvent(few_tiles=pb.RemiFewTiles(seat=event.seat, tiles=event.tiles))


def _two_tiles_missed(event: TwoTilesMissed) -> pb.RemiEvent:
    return pb.RemiEvent(two_tiles_missed=pb.RemiTwoTilesMissed(seat=event.seat))


def _pile_exhausted(event: PileExhausted) -> pb.RemiEvent:
    return pb.RemiEvent(pile_exhausted=pb.RemiPileExhausted())


def _scored(event: Scored) -> pb.RemiEvent:
    return pb.RemiEvent(scored=_row(event.row))


_EVENTS: Final[dict[type[Event], Callable[[Any], pb.RemiEvent]]] = {
    Dealt: _dealt,
    Drawn: _drawn,
    Taken: _taken,
    TakeUndone: _take_undone,
    Opened: _opened,
    Laid: _laid,
    Added: _added,
    Swapped: _swapped,
    Announced: _announced,
    Discarded: _discarded,
    AtuTaken: _atu_taken,
    FewTiles: _few_tiles,
    TwoTilesMissed: _two_tiles_missed,
    PileExhausted: _pile_exhausted,
    Scored: _scored,
}


def _row(row: ScoreRow) -> pb.RemiScoreRow:
    return pb.RemiScoreRow(
        number=row.number,
        first=row.first,
        turned=TEXT[row.turned],
        ending=_ENDINGS[row.ending],
        closer=None if row.closer < 0 else row.closer,
        cells=[_cell(cell) for cell in row.cells],
    )


def _cell(cell: Cell) -> pb.RemiCell:
    return pb.RemiCell(
        laid=cell.laid,
        hand=cell.hand,
        atu=cell.atu,
        two_tiles=cell.two_tiles,
        closing=cell.closing,
        factor=cell.factor,
        penalty=cell.penalty,
        points=cell.points,
        melded=cell.melded,
    )
