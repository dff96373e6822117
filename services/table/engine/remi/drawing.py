"""Getting a tile: from the pile, or by taking from the discard row; and undoing a take (RM-16 to RM-21)."""

from services.table.engine.remi.events import Drawn, Event, PileExhausted, Taken, TakeUndone
from services.table.engine.remi.position import NO_TILE, BeforeTake, Phase, Position
from services.table.engine.remi.solver import Spot, Stage, can_use
from services.table.engine.remi.tiles import TEXT

CLOSED_HAND = 2
"""With so many tiles or fewer the row is closed (RM-20)."""


class Drawing(Position):
    """What may be done to get a tile."""

    __slots__ = ()

    def stage(self) -> Stage:
        """What the player at turn may do with combinations: see `Spot`."""
        return "opening" if self.opening else "open" if self.melded[self.seat] else "closed"

    def spot(self) -> Spot:
        """What the solver needs to know of the turn of the player who melds."""
        return Spot(self.hands[self.seat], self.melds, self.seat, self.stage(), self.duty, self.barred)

    def spot_after_take(self, place: int) -> Spot:
        """The same as if the player at turn had taken the tile of that place and all above it."""
        hand = self.hands[self.seat].copy()
        for tile in self.row[place:]:
            hand.add(tile)
        target = self.row[place]
        return Spot(
            hand,
            self.melds,
            self.seat,
            self.stage(),
            target if self.binds(place) else NO_TILE,
            target if self.bars(place) else NO_TILE,
        )

    def binds(self, place: int) -> bool:
        """Whether the tile of that place has to be used by who takes it (RM-18, RM-21)."""
        return place < len(self.row) - 1 or not self.melded[self.seat]

    def bars(self, place: int) -> bool:
        """Whether no tile like that of the place may be discarded in the turn in which it is taken (GAP-R12)."""
        return place == len(self.row) - 1

    def _verify_draw(self) -> None:
        if self.phase is not Phase.DRAW:
            raise self._wrong_phase("RM-16")

    def _draw(self) -> tuple[Event, ...]:
        self._draw_from_pile()
        return self._exhausted((Drawn(self.seat),))

    def _draw_from_pile(self) -> None:
        self.hands[self.seat].add(self.stock[self.drawn])
        self.drawn += 1
        self.moved = True
        self.phase = Phase.MELD

    def _exhausted(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        return events if self.pile else (*events, PileExhausted())

    def _verify_take(self, place: int) -> None:
        if self.phase is not Phase.DRAW:
            raise self._wrong_phase("RM-16")
        if not 0 <= place < len(self.row):
            raise self._illegal("NO_SUCH_PLACE", "RM-16", f"the row has no place {place}")
        if place == 0:
            raise self._illegal("DEAD_TILE", "RM-17", f"{TEXT[self.row[0]]} is dead and never taken")
        if self.hands[self.seat].size() <= CLOSED_HAND:
            raise self._illegal("ROW_CLOSED", "RM-20", f"with {CLOSED_HAND} tiles or fewer the row is closed")
        melded = self.melded[self.seat]
        if not melded and place < len(self.row) - 1:
            raise self._illegal("TOP_TILE_ONLY", "RM-18", "who has not melded may take the top tile only")
        if self.binds(place) and not can_use(self.spot_after_take(place)):
            tile = TEXT[self.row[place]]
            if melded:
                raise self._illegal("TAKE_WITHOUT_USE", "GAP-R34", f"{tile} cannot be used in this turn")
            raise self._illegal("TAKE_WITHOUT_MELD", "GAP-R13", f"there is no first meld with {tile}")

    def _take(self, place: int) -> tuple[Event, ...]:
        tiles = self.row[place:]
        hand = self.hands[self.seat]
        if self.binds(place):
            self.duty = tiles[0]
            self.before_take = BeforeTake(hand.copy(), self.row, self.melds, self.two_tiles_announced)
        if self.bars(place):
            self.barred = tiles[0]
        for tile in tiles:
            hand.add(tile)
        self.row = self.row[:place]
        self.phase = Phase.MELD
        return (Taken(self.seat, tiles),)

    def _verify_undo(self) -> None:
        if self.phase is not Phase.MELD:
            raise self._wrong_phase("GAP-R34")
        if self.before_take is None:
            raise self._illegal("NOTHING_TO_UNDO", "GAP-R34", "there is no tile that was taken and has yet to be used")

    def _undo(self) -> tuple[Event, ...]:
        before = self.before_take
        assert before is not None
        tiles = before.row[len(self.row) :]
        self.hands[self.seat] = before.hand.copy()
        self.row = before.row
        self.melds = before.melds
        self.two_tiles_announced = before.two_tiles_announced
        self._use(self.duty)
        self.barred = NO_TILE
        self._draw_from_pile()
        return self._exhausted((TakeUndone(self.seat, tiles),))

    def _use(self, tile: int) -> None:
        """Notes that a tile like this one went from hand to table: a duty to use it is done (GAP-R34)."""
        if tile == self.duty:
            self.duty = NO_TILE
            self.before_take = None
