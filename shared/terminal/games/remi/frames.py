"""What is to be seen of an update of Remi, and for how long."""

from collections.abc import Sequence

from shared.gen.levata.table.v1 import remi_pb2, table_pb2
from shared.terminal.games.remi.melds import Combination
from shared.terminal.games.remi.words import kind_of
from shared.terminal.games.view import Frame

BEATS = {"draw": 0.5, "announce": 0.5, "discard": 1.0, "take": 1.5}
LAID_BEATS = 3.0
"""How long a turn with combinations stays to be seen."""
ROUND_BEATS = 12.0
"""How long the end of a round stays."""


def frames(before: table_pb2.Table | None, update: table_pb2.Update) -> Sequence[Frame]:
    """A turn stays the longer the more was done in it, and a round that ended longest, before the next is seen."""
    if not update.HasField("table"):
        return []
    beats = 0.0
    ended = False
    for event in update.events:
        kind = event.WhichOneof("event")
        if kind == "action_taken":
            beats = max(beats, BEATS.get(kind_of(event.action_taken.action.remi), LAID_BEATS))
        elif kind == "game":
            ended = ended or event.game.remi.HasField("scored")
    if ended:
        return [Frame(_at_its_end(before, update), ROUND_BEATS), Frame(update.table, 0.0)]
    return [Frame(update.table, beats)]


def _at_its_end(before: table_pb2.Table | None, update: table_pb2.Update) -> table_pb2.Table:
    """The table as the round ended: what was laid last lies on it, and the new points stand."""
    ended = table_pb2.Table()
    ended.CopyFrom(before if before is not None and before.HasField("game") else update.table)
    ended.ClearField("decision")
    game = ended.game.remi
    for event in update.events:
        _follow(game, event.game.remi)
    for facts, after in zip(game.seats, update.table.game.remi.seats, strict=False):
        facts.score = after.score
    return ended


def _follow(table: remi_pb2.RemiTable, event: remi_pb2.RemiEvent) -> None:
    """Does to a table what an event tells."""
    match event.WhichOneof("event"):
        case "laid":
            table.melds.extend(event.laid.melds)
        case "added" if event.added.meld < len(table.melds):
            _add(table.melds[event.added.meld], event.added)
        case "swapped" if event.swapped.meld < len(table.melds):
            _swap(table.melds[event.swapped.meld], event.swapped)
            table.melds.append(event.swapped.new_meld)
        case "discarded":
            table.row.append(event.discarded.tile)
        case "atu_taken":
            table.atu = ""
        case "scored":
            for facts, cell in zip(table.seats, event.scored.cells, strict=False):
                facts.laid, facts.melded = cell.laid, cell.melded
            if event.scored.HasField("closer") and event.scored.closer < len(table.seats):
                table.seats[event.scored.closer].tiles = 0


def _combination(meld: remi_pb2.RemiMeld) -> Combination:
    return Combination(tuple(tile.tile for tile in meld.tiles), meld.run)


def _add(meld: remi_pb2.RemiMeld, added: remi_pb2.RemiAdded) -> None:
    ends = _combination(meld).ends_for(added.tile)
    tile = remi_pb2.RemiLaidTile(tile=added.tile, seat=added.seat)
    tiles = [tile, *meld.tiles] if ends == ("low",) else [*meld.tiles, tile]
    del meld.tiles[:]
    meld.tiles.extend(tiles)


def _swap(meld: remi_pb2.RemiMeld, swapped: remi_pb2.RemiSwapped) -> None:
    for place in _combination(meld).jokers_for(swapped.tile)[:1]:
        meld.tiles[place].CopyFrom(remi_pb2.RemiLaidTile(tile=swapped.tile, seat=swapped.seat))
