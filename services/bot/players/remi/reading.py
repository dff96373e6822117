"""Reading Remi from messages, and refusing what contradicts itself."""

from collections.abc import Iterable, Sequence
from typing import Final

from services.bot.errors import UnreadableViewError
from services.bot.players.remi.memory import remembered
from services.bot.players.remi.view import RemiView
from services.table.engine.game import IllegalAction, NotationError
from services.table.engine.remi import (
    ANNOUNCE_ATU,
    ANNOUNCE_TWO_TILES,
    DRAW,
    NO_TILE,
    UNDO_TAKE,
    Action,
    Add,
    Added,
    CloseWithAtu,
    Discard,
    Discarded,
    End,
    Event,
    Laid,
    LaidMeld,
    Lay,
    Phase,
    Step,
    SwapJoker,
    Swapped,
    Take,
    Taken,
    TakeUndone,
    Tiles,
    Turn,
    meld_of,
)
from services.table.engine.remi.options import SIZES
from services.table.engine.remi.tiles import hand_of, parse_tile
from shared.gen.levata.table.v1 import remi_pb2, table_pb2

_PHASES: Final = {remi_pb2.REMI_PHASE_DRAW: Phase.DRAW, remi_pb2.REMI_PHASE_MELD: Phase.MELD}
_ENDS: Final[dict[int, End]] = {
    remi_pb2.REMI_END_UNSPECIFIED: "",
    remi_pb2.REMI_END_LOW: "low",
    remi_pb2.REMI_END_HIGH: "high",
}
_LEGAL: Final = "private.legal_actions"
_MELDS: Final = "table.game.remi.melds"


def told(
    table: remi_pb2.RemiTable,
    private: table_pb2.Private,
    legal: Sequence[remi_pb2.RemiAction],
    history: Iterable[table_pb2.Event],
) -> RemiView:
    """What the seat of `private`, which has to decide, was told.

    Raises:
        UnreadableViewError: The messages do not make sense together.
    """
    seats = len(table.seats)
    if seats not in SIZES:
        raise UnreadableViewError("table.game.remi.seats", f"{seats} seats; Remi is for 2 to 4")
    if private.seat >= seats:
        raise UnreadableViewError("private.seat", f"seat {private.seat} of {seats}")
    phase = _PHASES.get(table.phase)
    if phase is None:
        raise UnreadableViewError("table.game.remi.phase", "nothing is to be decided")
    hand = private.hand.remi
    view = RemiView(
        seat=private.seat,
        seats=seats,
        phase=phase,
        number=table.number,
        rounds=table.rounds,
        first=table.first,
        turned=_tile(table.turned, "table.game.remi.turned"),
        pile=table.pile,
        row=_tiles(table.row, "table.game.remi.row"),
        melds=tuple([_laid_meld(one, _MELDS) for one in table.melds]),
        tiles=tuple([other.tiles for other in table.seats]),
        melded=tuple([other.melded for other in table.seats]),
        scores=tuple([other.score for other in table.seats]),
        two_tiles_announced=tuple([other.two_tiles_announced for other in table.seats]),
        duty=_tile(table.duty, "table.game.remi.duty") if table.duty else NO_TILE,
        opening=table.opening,
        hand=hand_of(_tiles(hand.tiles, "private.hand.remi.tiles")),
        barred=_tile(hand.barred, "private.hand.remi.barred") if hand.barred else NO_TILE,
        legal=tuple([_action(action) for action in legal]),
        memory=remembered(_events(history, seats), seats),
    )
    _check(view)
    return view


def _check(view: RemiView) -> None:
    """Refuses a view whose tiles contradict each other, so that players need not distrust it."""
    if view.hand.size() != view.tiles[view.seat]:
        raise UnreadableViewError("private.hand.remi.tiles", "not as many as the table says")
    seen = view.hand.tiles() + list(view.row)
    if view.atu != NO_TILE:
        seen.append(view.atu)
    for one in view.melds:
        seen.extend(one.meld.tiles)
    if any(seen.count(tile) > 2 for tile in set(seen)):
        raise UnreadableViewError("table.game.remi", "the same tile lies in three places")
    for action in view.legal:
        if isinstance(action, Take) and not 0 < action.place < len(view.row):
            raise UnreadableViewError(_LEGAL, "a place that the row has not")
        if isinstance(action, Discard) and not view.hand.count(action.tile):
            raise UnreadableViewError(_LEGAL, "a tile that is not in hand")


def _tile(text: str, field: str) -> int:
    try:
        return parse_tile(text)
    except NotationError as error:
        raise UnreadableViewError(field, "not a tile") from error


def _tiles(texts: Iterable[str], field: str) -> Tiles:
    return tuple([_tile(text, field) for text in texts])


def _laid_meld(message: remi_pb2.RemiMeld, field: str) -> LaidMeld:
    try:
        meld = meld_of(_tiles([laid.tile for laid in message.tiles], field))
    except IllegalAction as error:
        raise UnreadableViewError(field, "not a combination") from error
    return LaidMeld(meld, message.seat, tuple([laid.seat for laid in message.tiles]))


def _action(message: remi_pb2.RemiAction) -> Action:
    match message.WhichOneof("action"):
        case "draw":
            return DRAW
        case "undo_take":
            return UNDO_TAKE
        case "turn":
            return Turn(tuple([_step(step.WhichOneof("step"), step) for step in message.turn.steps]))
        case kind:
            return _step(kind, message)


def _step(kind: str | None, message: remi_pb2.RemiAction | remi_pb2.RemiStep) -> Step:
    match kind:
        case "take":
            return Take(message.take)
        case "lay":
            return Lay(_melds(message.lay.melds))
        case "add":
            return _addition(message.add)
        case "swap_joker":
            swap = message.swap_joker
            return SwapJoker(swap.meld, swap.place, _tile(swap.tile, _LEGAL), _tiles(swap.new_meld.tiles, _LEGAL))
        case "announce" if message.announce:
            atu = message.announce == remi_pb2.REMI_ANNOUNCEMENT_ATU
            return ANNOUNCE_ATU if atu else ANNOUNCE_TWO_TILES
        case "discard":
            return Discard(_tile(message.discard, _LEGAL))
        case "close_with_atu":
            close = message.close_with_atu
            additions = tuple([_addition(addition) for addition in close.additions])
            discard = _tile(close.discard, _LEGAL) if close.discard else None
            return CloseWithAtu(_melds(close.melds), additions, discard)
    raise UnreadableViewError(_LEGAL, "not an action of Remi")


def _melds(messages: Iterable[remi_pb2.RemiTiles]) -> tuple[Tiles, ...]:
    return tuple([_tiles(message.tiles, _LEGAL) for message in messages])


def _addition(message: remi_pb2.RemiAdd) -> Add:
    if message.end not in _ENDS:
        raise UnreadableViewError(_LEGAL, "not an end of a run")
    return Add(message.meld, _tile(message.tile, _LEGAL), _ENDS[message.end])


def _events(history: Iterable[table_pb2.Event], seats: int) -> list[Event]:
    """What a seat remembers by, out of the history since the deal."""
    events: list[Event] = []
    for event in history:
        if event.WhichOneof("event") == "game" and event.game.WhichOneof("game") == "remi":
            happened = _event(event.game.remi)
            if happened is not None:
                if happened.seat >= seats:
                    raise UnreadableViewError("history", "a seat that there is not")
                events.append(happened)
    return events


def _event(message: remi_pb2.RemiEvent) -> Taken | TakeUndone | Laid | Added | Swapped | Discarded | None:
    match message.WhichOneof("event"):
        case "taken":
            return Taken(message.taken.seat, _tiles(message.taken.tiles, "history"))
        case "take_undone":
            return TakeUndone(message.take_undone.seat, _tiles(message.take_undone.tiles, "history"))
        case "laid":
            return Laid(message.laid.seat, tuple([_laid_meld(one, "history") for one in message.laid.melds]))
        case "added":
            return Added(message.added.seat, message.added.meld, _tile(message.added.tile, "history"))
        case "swapped":
            swapped = message.swapped
            tile = _tile(swapped.tile, "history")
            return Swapped(swapped.seat, swapped.meld, tile, _laid_meld(swapped.new_meld, "history"))
        case "discarded":
            return Discarded(message.discarded.seat, _tile(message.discarded.tile, "history"))
    return None
