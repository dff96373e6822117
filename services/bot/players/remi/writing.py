"""Writing actions of Remi as messages: a turn of a bot's own making is among no legal actions that it was sent."""

from typing import Any, Final

from services.table.engine.remi import (
    Action,
    Add,
    Announce,
    CloseWithAtu,
    Discard,
    Draw,
    End,
    Lay,
    Step,
    SwapJoker,
    Take,
    Tiles,
    Turn,
    UndoTake,
)
from services.table.engine.remi.tiles import TEXT
from shared.gen.levata.table.v1 import remi_pb2

_ENDS: Final[dict[End, remi_pb2.RemiEnd.ValueType]] = {
    "": remi_pb2.REMI_END_UNSPECIFIED,
    "low": remi_pb2.REMI_END_LOW,
    "high": remi_pb2.REMI_END_HIGH,
}
_ANNOUNCEMENTS: Final = {
    "atu": remi_pb2.REMI_ANNOUNCEMENT_ATU,
    "two_tiles": remi_pb2.REMI_ANNOUNCEMENT_TWO_TILES,
}


def written(action: Action) -> remi_pb2.RemiAction:
    """The message for an action."""
    match action:
        case Draw():
            return remi_pb2.RemiAction(draw=remi_pb2.RemiDraw())
        case UndoTake():
            return remi_pb2.RemiAction(undo_take=remi_pb2.RemiUndoTake())
        case Turn(steps):
            return remi_pb2.RemiAction(
                turn=remi_pb2.RemiTurn(steps=[remi_pb2.RemiStep(**_field(step)) for step in steps])
            )
        case _:
            return remi_pb2.RemiAction(**_field(action))


def _field(step: Step) -> dict[str, Any]:
    """The field that a step is, alike in an action and in a step of a turn."""
    match step:
        case Take(place):
            return {"take": place}
        case Lay(melds):
            return {"lay": remi_pb2.RemiLay(melds=_melds(melds))}
        case Add():
            return {"add": _addition(step)}
        case SwapJoker(meld, place, tile, new_meld):
            swap = remi_pb2.RemiSwapJoker(meld=meld, place=place, tile=TEXT[tile], new_meld=_melds((new_meld,))[0])
            return {"swap_joker": swap}
        case Announce(what):
            return {"announce": _ANNOUNCEMENTS[what]}
        case Discard(tile):
            return {"discard": TEXT[tile]}
        case CloseWithAtu(melds, additions, discard):
            close = remi_pb2.RemiCloseWithAtu(
                melds=_melds(melds),
                additions=[_addition(addition) for addition in additions],
                discard="" if discard is None else TEXT[discard],
            )
            return {"close_with_atu": close}


def _melds(melds: tuple[Tiles, ...]) -> list[remi_pb2.RemiTiles]:
    return [remi_pb2.RemiTiles(tiles=[TEXT[tile] for tile in tiles]) for tiles in melds]


def _addition(addition: Add) -> remi_pb2.RemiAdd:
    return remi_pb2.RemiAdd(meld=addition.meld, tile=TEXT[addition.tile], end=_ENDS[addition.end])
