"""Tables of Remi as the table service would send them, made up of what stands in them, without an engine."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from shared.gen.levata.table.v1 import game_pb2, remi_pb2, table_pb2
from tests.support.arzoi_positions import MATCH_ID, OWN, TABLE_ID, seat_list

DRAW, MELD, OVER = remi_pb2.REMI_PHASE_DRAW, remi_pb2.REMI_PHASE_MELD, remi_pb2.REMI_PHASE_OVER
ATU, TWO_TILES = remi_pb2.REMI_ANNOUNCEMENT_ATU, remi_pb2.REMI_ANNOUNCEMENT_TWO_TILES


def tiles_of(text: str) -> list[str]:
    return text.split()


def melds(*texts: str) -> list[remi_pb2.RemiTiles]:
    return [remi_pb2.RemiTiles(tiles=tiles_of(text)) for text in texts]


def lay(*texts: str) -> remi_pb2.RemiAction:
    return remi_pb2.RemiAction(lay=remi_pb2.RemiLay(melds=melds(*texts)))


def add(meld: int, tile: str, end: "remi_pb2.RemiEnd.ValueType" = remi_pb2.REMI_END_UNSPECIFIED) -> remi_pb2.RemiAction:
    return remi_pb2.RemiAction(add=remi_pb2.RemiAdd(meld=meld, tile=tile, end=end))


def swap(meld: int, place: int, tile: str, new_meld: str) -> remi_pb2.RemiAction:
    (made,) = melds(new_meld)
    return remi_pb2.RemiAction(swap_joker=remi_pb2.RemiSwapJoker(meld=meld, place=place, tile=tile, new_meld=made))


def announce(what: "remi_pb2.RemiAnnouncement.ValueType") -> remi_pb2.RemiAction:
    return remi_pb2.RemiAction(announce=what)


def discard(tile: str) -> remi_pb2.RemiAction:
    return remi_pb2.RemiAction(discard=tile)


def take(place: int) -> remi_pb2.RemiAction:
    return remi_pb2.RemiAction(take=place)


def from_pile() -> remi_pb2.RemiAction:
    return remi_pb2.RemiAction(draw=remi_pb2.RemiDraw())


def undo_take() -> remi_pb2.RemiAction:
    return remi_pb2.RemiAction(undo_take=remi_pb2.RemiUndoTake())


def close_with_atu(*texts: str, additions: Iterable[remi_pb2.RemiAction] = (), left: str = "") -> remi_pb2.RemiAction:
    closing = remi_pb2.RemiCloseWithAtu(melds=melds(*texts), additions=[each.add for each in additions], discard=left)
    return remi_pb2.RemiAction(close_with_atu=closing)


def turn(*actions: remi_pb2.RemiAction) -> remi_pb2.RemiAction:
    """Several actions at once; each is a step of the same name."""
    steps = [
        remi_pb2.RemiStep(**{kind: getattr(action, kind)})
        for action in actions
        if (kind := action.WhichOneof("action")) is not None
    ]
    return remi_pb2.RemiAction(turn=remi_pb2.RemiTurn(steps=steps))


def sent(action: remi_pb2.RemiAction) -> game_pb2.GameAction:
    return game_pb2.GameAction(remi=action)


def meld(text: str, seat: int = 1, seats: Sequence[int] = (), stands_for: str = "") -> remi_pb2.RemiMeld:
    """A combination on the table; all of it laid by `seat`, or tile by tile by `seats`."""
    tiles = tiles_of(text)
    owners = list(seats) or [seat] * len(tiles)
    real = [tile for tile in tiles if tile != "*"]
    return remi_pb2.RemiMeld(
        seat=seat,
        run=len({tile[0] for tile in real}) == 1,
        tiles=[
            remi_pb2.RemiLaidTile(tile=tile, seat=owner, stands_for=stands_for.split() if tile == "*" else ())
            for tile, owner in zip(tiles, owners, strict=True)
        ],
    )


@dataclass(slots=True)
class Scene:
    """A moment of a round, seen from seat `own`."""

    hand: str = "R4 R5 R6 Y7 B7 K7 B1 B2 K10 K11 K12 K13 Y10 *"
    legal: Sequence[remi_pb2.RemiAction] = ()
    phase: "remi_pb2.RemiPhase.ValueType" = MELD
    seats: int = 4
    own: int | None = 0
    acting: int = 0
    row: str = "K3 R5 Y9 K11 B2"
    lying: Sequence[remi_pb2.RemiMeld] = ()
    atu: str = "R9"
    turned: str = "R9"
    pile: int = 34
    number: int = 1
    rounds: int = 3
    melded: Sequence[int] = ()
    tiles: Sequence[int] = (14, 14, 14, 14)
    scores: Sequence[int] = (0, 0, 0, 0)
    duty: str = ""
    barred: str = ""
    few: dict[str, Sequence[int]] = field(default_factory=dict)
    status: "table_pb2.TableStatus.ValueType" = table_pb2.TABLE_STATUS_PLAYING
    rows: Sequence[remi_pb2.RemiScoreRow] = ()
    idle_turns: int = 0
    opening: bool = False

    def table(self) -> remi_pb2.RemiTable:
        """What everybody sees."""
        return remi_pb2.RemiTable(
            phase=self.phase,
            number=self.number,
            rounds=self.rounds,
            atu=self.atu,
            turned=self.turned,
            doubled=self.turned[1:] == "1",
            pile=self.pile,
            row=tiles_of(self.row),
            melds=self.lying,
            duty=self.duty,
            idle_turns=self.idle_turns,
            opening=self.opening,
            seats=[
                remi_pb2.RemiSeat(
                    score=self.scores[seat],
                    tiles=self.tiles[seat],
                    melded=seat in self.melded,
                    laid=60 if seat in self.melded else 0,
                    atu_announced=seat in self.few.get("atu", ()),
                    two_tiles_announced=seat in self.few.get("two", ()),
                    two_tiles_missed=seat in self.few.get("missed", ()),
                )
                for seat in range(self.seats)
            ],
        )

    def update(self, revision: int = 1, events: Iterable[table_pb2.Event] = ()) -> table_pb2.Update:
        """What the viewer is sent; a snapshot unless there are events."""
        happened = list(events)
        table = table_pb2.Table(
            table_id=TABLE_ID,
            status=self.status,
            options=table_pb2.TableOptions(
                game=game_pb2.GameOptions(remi=remi_pb2.RemiOptions(rounds=self.rounds)),
                seats=self.seats,
                bot_level=table_pb2.BOT_LEVEL_CLUB,
                bot_talk=table_pb2.BOT_TALK_POLITE,
                visibility=table_pb2.VISIBILITY_PUBLIC,
            ),
            seats=seat_list(self.seats, names=["Ana"], own=self.own),
            host_player_id=OWN,
            match_id=MATCH_ID,
            game=game_pb2.GameTable(remi=self.table()),
        )
        if self.status == table_pb2.TABLE_STATUS_PLAYING:
            table.decision.seat = self.acting
            table.decision.by_bot = self.acting != self.own
        private = table_pb2.Private()
        if self.own is not None:
            private.seat = self.own
            private.hand.remi.tiles.extend(tiles_of(self.hand))
            private.hand.remi.barred = self.barred
            private.legal_actions.extend(sent(action) for action in self.legal)
        update = table_pb2.Update(
            revision=revision, table=table, private=private, events=happened, snapshot=not happened
        )
        if update.snapshot:
            update.score_sheet.remi.rows.extend(self.rows)
        return update


def discards(hand: str, barred: str = "") -> list[remi_pb2.RemiAction]:
    """Every tile of a hand may be discarded."""
    return [discard(tile) for tile in dict.fromkeys(tiles_of(hand)) if tile != barred]
