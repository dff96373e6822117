"""Tables of whist as the table service would send them, made of the engine's own positions."""

from functools import partial

from services.table.wire import wires
from shared.gen.levata.table.v1 import game_pb2, whist_pb2
from tests.support import match_tables

WIRE = wires()["whist"]
told = partial(match_tables.told, WIRE)
update_of = partial(match_tables.update_of, WIRE)
waiting = partial(match_tables.waiting, WIRE)


def bid(tricks: int) -> game_pb2.GameAction:
    return game_pb2.GameAction(whist=whist_pb2.WhistAction(bid=tricks))


def play(card: str) -> game_pb2.GameAction:
    return game_pb2.GameAction(whist=whist_pb2.WhistAction(play=card))
