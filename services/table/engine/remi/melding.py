"""Laying combinations, adding to them, and swapping their Jokers (RM-4 to RM-9, RM-14, RM-22 to RM-24)."""

from collections.abc import Iterable

from services.table.engine.game import IllegalAction
from services.table.engine.remi.actions import Add, Lay, SwapJoker, Tiles
from services.table.engine.remi.drawing import Drawing
from services.table.engine.remi.events import Added, Event, Laid, Opened, Swapped
from services.table.engine.remi.melds import LaidMeld, Meld, laid, meld_of
from services.table.engine.remi.position import NO_TILE, Phase
from services.table.engine.remi.tiles import JOKER, KIND_COUNT, TEXT, Hand, tiles_text

FIRST_MELD = 45
"""Points that a first meld is worth at least (RM-14)."""


class Melding(Drawing):
    """What may be done with combinations."""

    __slots__ = ()

    def _verify_lay(self, action: Lay) -> None:
        if self.phase is not Phase.MELD:
            raise self._wrong_phase("RM-16")
        if not action.melds:
            raise self._illegal("NO_MELD", "RM-16", "nothing is laid")
        melds = [self._read(tiles) for tiles in action.melds]
        rest = self._without([tile for meld in melds for tile in meld.tiles])
        if not self.melded[self.seat]:
            self._verify_first_meld(melds)
        self._verify_rest(rest, (*self.melds, *[laid(meld, self.seat) for meld in melds]))

    def _verify_first_meld(self, melds: list[Meld]) -> None:
        points = sum([meld.points() for meld in melds])
        if points < FIRST_MELD:
            raise self._illegal("FIRST_MELD_TOO_LOW", "RM-14", f"the first meld is worth {points}, not {FIRST_MELD}")
        if not any(meld.run for meld in melds):
            raise self._illegal("FIRST_MELD_WITHOUT_RUN", "RM-14", "the first meld has no run")
        if self.duty != NO_TILE and not any(self.duty in meld.tiles for meld in melds):
            raise self._illegal(
                "TAKEN_TILE_UNUSED", "GAP-R33", f"{TEXT[self.duty]} was taken and has to be in the first meld"
            )

    def _lay(self, action: Lay) -> tuple[Event, ...]:
        seat = self.seat
        hand = self.hands[seat]
        new = tuple([laid(meld_of(tiles), seat) for tiles in action.melds])
        for tiles in action.melds:
            for tile in tiles:
                hand.remove(tile)
                self._use(tile)
        self.melds += new
        self.moved = True
        events: tuple[Event, ...] = (Laid(seat, new),)
        if not self.melded[seat]:
            self.melded = marked(self.melded, seat)
            self.opening = True
            events += (Opened(seat, sum([one.meld.points() for one in new])),)
        return events

    def _verify_add(self, action: Add) -> None:
        old = self._verify_reaches(action.meld, "RM-22")
        rest = self._without((action.tile,))
        try:
            new = old.added(self.seat, action.tile, action.end)
        except IllegalAction as error:
            raise self._illegal(error.reason, error.rule, error.message) from None
        self._verify_rest(rest, replaced(self.melds, action.meld, new))

    def _add(self, action: Add) -> tuple[Event, ...]:
        seat = self.seat
        new = self.melds[action.meld].added(seat, action.tile, action.end)
        self.melds = replaced(self.melds, action.meld, new)
        self.hands[seat].remove(action.tile)
        self._use(action.tile)
        self.moved = True
        return (Added(seat, action.meld, action.tile),)

    def _verify_swap(self, action: SwapJoker) -> None:
        old = self._verify_reaches(action.meld, "GAP-R10")
        new_meld = self._read(action.new_meld)
        if JOKER not in action.new_meld:
            raise self._illegal("JOKER_NOT_LAID", "RM-9", "the new combination has no Joker")
        rest = self._without(_from_hand(action))
        try:
            new = old.swapped(self.seat, action.place, action.tile)
        except IllegalAction as error:
            raise self._illegal(error.reason, error.rule, error.message) from None
        self._verify_rest(rest, (*replaced(self.melds, action.meld, new), laid(new_meld, self.seat)))

    def _swap(self, action: SwapJoker) -> tuple[Event, ...]:
        seat = self.seat
        new = laid(meld_of(action.new_meld), seat)
        changed = self.melds[action.meld].swapped(seat, action.place, action.tile)
        self.melds = (*replaced(self.melds, action.meld, changed), new)
        for tile in _from_hand(action):
            self.hands[seat].remove(tile)
            self._use(tile)
        self.moved = True
        return (Swapped(seat, action.meld, action.tile, new),)

    def _read(self, tiles: Tiles) -> Meld:
        """The combination that the tiles are. Raises `IllegalAction` if they are none."""
        for tile in tiles:
            self._verify_tile(tile)
        try:
            return meld_of(tiles)
        except IllegalAction as error:
            raise self._illegal(error.reason, error.rule, error.message) from None

    def _verify_tile(self, tile: int) -> None:
        if not 0 <= tile < KIND_COUNT:
            raise self._illegal("TILE_NOT_IN_HAND", "RM-1", f"{tile} is no tile")

    def _without(self, tiles: Iterable[int]) -> Hand:
        """The hand of the player at turn without these tiles. Raises `IllegalAction` if they are not all in it."""
        hand = self.hands[self.seat].copy()
        for tile in tiles:
            self._verify_tile(tile)
            if not hand.count(tile):
                held = "does not hold" if not self.hands[self.seat].count(tile) else "does not hold another"
                raise self._illegal("TILE_NOT_IN_HAND", "RM-16", f"seat {self.seat} {held} {TEXT[tile]}")
            hand.remove(tile)
        return hand

    def _verify_reaches(self, index: int, rule: str) -> LaidMeld:
        """A combination on the table that the player at turn may change. Raises `IllegalAction` if there is none."""
        if self.phase is not Phase.MELD:
            raise self._wrong_phase("RM-16")
        if not self.melded[self.seat]:
            raise self._illegal("NOT_MELDED", rule, f"seat {self.seat} has not melded")
        if not 0 <= index < len(self.melds):
            raise self._illegal("NO_SUCH_MELD", rule, f"there is no combination {index}")
        meld = self.melds[index]
        if self.opening and meld.seat != self.seat:
            raise self._illegal("MELD_OF_ANOTHER", "RM-24", f"in the turn of the first meld {meld.meld} is closed")
        return meld

    def _verify_rest(self, rest: Hand, melds: tuple[LaidMeld, ...]) -> None:
        """Refuses what would leave only barred tiles that cannot be added at once (GAP-R12).

        Args:
            rest: What would be left in hand.
            melds: The combinations as they would lie.
        """
        barred = self.barred
        if barred == NO_TILE:
            return
        count = rest.count(barred)
        if not count or count < rest.size():
            return
        opening = self.opening or not self.melded[self.seat]
        if not _can_add_all(barred, count, [one.meld for one in melds if not opening or one.seat == self.seat]):
            raise self._illegal(
                "BARRED_TILE_LEFT", "GAP-R12", f"only {tiles_text([barred] * count)} would be left, taken in this turn"
            )


def _from_hand(action: SwapJoker) -> list[int]:
    """The tiles that a swap takes from the hand: all but the Joker that it brings."""
    tiles = [action.tile, *action.new_meld]
    tiles.remove(JOKER)
    return tiles


def _can_add_all(tile: int, count: int, melds: list[Meld]) -> bool:
    """Whether so many of a tile can be added to these combinations, one after the other."""
    if not count:
        return True
    for index, meld in enumerate(melds):
        for end in meld.ends_for(tile):
            if _can_add_all(tile, count - 1, [*melds[:index], meld.added(tile, end), *melds[index + 1 :]]):
                return True
    return False


def replaced(melds: tuple[LaidMeld, ...], index: int, meld: LaidMeld) -> tuple[LaidMeld, ...]:
    """The combinations with another one at this place."""
    return (*melds[:index], meld, *melds[index + 1 :])


def marked(flags: tuple[bool, ...], seat: int) -> tuple[bool, ...]:
    """The flags with that of a seat set."""
    return (*flags[:seat], True, *flags[seat + 1 :])
