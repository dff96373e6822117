"""Announcing, discarding, closing, and the end of a round (RM-10, RM-11, RM-25 to RM-31)."""

from services.table.engine.remi import scoring
from services.table.engine.remi.actions import Announcement, CloseWithAtu, Lay
from services.table.engine.remi.events import (
    Announced,
    AtuTaken,
    Discarded,
    Ending,
    Event,
    FewTiles,
    Scored,
    ScoreRow,
    TwoTilesMissed,
)
from services.table.engine.remi.melding import Melding, marked
from services.table.engine.remi.position import NO_TILE, NOBODY, Phase
from services.table.engine.remi.tiles import JOKER, TEXT

FEW_TILES = 3
"""Everybody is told when a player comes down to so many tiles (RM-27)."""
TWO_TILES = 2
"""With so many tiles a player has to announce it before discarding (RM-25)."""
IDLE_TURNS = 10
"""Turns for each player in which nothing moves, after which the round ends (GAP-R35)."""


class Closing(Melding):
    """What may be done towards the end of a turn or a round."""

    __slots__ = ()

    def may_announce_atu(self) -> bool:
        """Whether the player at turn may announce the Atu now (GAP-R11)."""
        return self._atu_is_in_time() and self._has_twin_of_atu() and not self.atu_announced[self.seat]

    def may_announce_two_tiles(self) -> bool:
        """Whether the player at turn may announce two tiles now (GAP-R37)."""
        return (
            self.phase is Phase.MELD
            and self.hands[self.seat].size() == TWO_TILES
            and not self.two_tiles_announced[self.seat]
        )

    def _atu_is_in_time(self) -> bool:
        """In one's own first turn before one draws, or before the opening discard (GAP-R11)."""
        return self.turns == 0 or (self.turns < self.seats and self.phase is Phase.DRAW)

    def _has_twin_of_atu(self) -> bool:
        return self.atu != NO_TILE and self.hands[self.seat].count(self.atu) > 0

    def _verify_announce(self, what: Announcement) -> None:
        if what == "atu":
            if self.atu == NO_TILE:
                raise self._illegal("NO_ATU", "GAP-R6", "the Atu was a Joker")
            if self.atu_announced[self.seat]:
                raise self._illegal("ALREADY_ANNOUNCED", "GAP-R11", "the Atu has been announced")
            if not self._atu_is_in_time():
                raise self._illegal("ATU_TOO_LATE", "GAP-R11", "the Atu is announced in one's first turn before a draw")
            if not self._has_twin_of_atu():
                raise self._illegal("TILE_NOT_IN_HAND", "RM-10", f"seat {self.seat} does not hold {TEXT[self.atu]}")
        elif what == "two_tiles":
            if self.phase is not Phase.MELD:
                raise self._wrong_phase("GAP-R37")
            if self.two_tiles_announced[self.seat]:
                raise self._illegal("ALREADY_ANNOUNCED", "GAP-R16", "two tiles have been announced, and that holds")
            if not self.may_announce_two_tiles():
                size = self.hands[self.seat].size()
                raise self._illegal("NOT_TWO_TILES", "GAP-R37", f"seat {self.seat} has {size} tiles")
        else:
            raise self._illegal("UNKNOWN_ACTION", "RM-25", f"{what!r} is not announced in Remi")

    def _announce(self, what: Announcement) -> tuple[Event, ...]:
        if what == "atu":
            self.atu_announced = marked(self.atu_announced, self.seat)
        else:
            self.two_tiles_announced = marked(self.two_tiles_announced, self.seat)
        return (Announced(self.seat, what),)

    def _verify_discard(self, tile: int) -> None:
        if self.phase is not Phase.MELD:
            raise self._wrong_phase("RM-16")
        self._without((tile,))
        if self.duty != NO_TILE:
            rule = "RM-21" if self.melded[self.seat] else "GAP-R13"
            raise self._illegal("TAKEN_TILE_UNUSED", rule, f"{TEXT[self.duty]} was taken and has to be used first")
        if tile == self.barred:
            raise self._illegal("TILE_BARRED", "GAP-R12", f"{TEXT[tile]} was taken in this turn")

    def _discard(self, tile: int) -> tuple[Event, ...]:
        seat = self.seat
        hand = self.hands[seat]
        events: tuple[Event, ...] = (Discarded(seat, tile),)
        if hand.size() == TWO_TILES and not self.two_tiles_announced[seat] and not self.two_tiles_missed[seat]:
            self.two_tiles_missed = marked(self.two_tiles_missed, seat)
            events += (TwoTilesMissed(seat),)
        hand.remove(tile)
        self.row += (tile,)
        return events

    def _few_tiles(self, before: int) -> tuple[Event, ...]:
        """The notice of RM-27, if the player at turn had more tiles and has few now.

        Args:
            before: How many the player had.
        """
        now = self.hands[self.seat].size()
        return (FewTiles(self.seat, now),) if now <= FEW_TILES < before else ()

    # Closing with the Atu

    def _verify_close_with_atu(self, action: CloseWithAtu) -> None:
        if self.phase is not Phase.DRAW:
            raise self._wrong_phase("RM-11")
        if self.atu == NO_TILE:
            raise self._illegal("NO_ATU", "GAP-R6", "the Atu was a Joker and does not lie on the table")
        if not any(self.atu in tiles for tiles in action.melds):
            raise self._illegal("ATU_NOT_LAID", "GAP-R15", f"{TEXT[self.atu]} has to be in a new combination")
        trial = self.copy()
        trial._play_atu(action)
        left = trial.hands[self.seat].size()
        if left:
            raise self._illegal("NOT_CLOSED", "GAP-R15", f"{left} tiles would be left")

    def _close_with_atu(self, action: CloseWithAtu) -> tuple[Event, ...]:
        """Closes, which was verified. The last tile is that discarded, or else that added last (GAP-R36)."""
        events = self._play_atu(action)
        last = NO_TILE
        if action.discard is not None:
            last = action.discard
        elif action.additions:
            last = action.additions[-1].tile
        return (*events, self._end_closed(last))

    def _play_atu(self, action: CloseWithAtu) -> tuple[Event, ...]:
        """Takes the Atu and lays, adds and discards. Raises `IllegalAction` at what is not allowed, with half done."""
        seat = self.seat
        hand = self.hands[seat]
        hand.add(self.atu)
        self.phase = Phase.MELD
        events: tuple[Event, ...] = (AtuTaken(seat, self.atu),)
        lay = Lay(action.melds)
        self._verify_lay(lay)
        before = hand.size()
        events += (*self._lay(lay), *self._few_tiles(before))
        for addition in action.additions:
            self._verify_add(addition)
            before = hand.size()
            events += (*self._add(addition), *self._few_tiles(before))
        if action.discard is not None:
            self._verify_discard(action.discard)
            before = hand.size()
            events += (*self._discard(action.discard), *self._few_tiles(before))
        return events

    # The end of turns and rounds

    def _end_turn(self) -> tuple[Event, ...]:
        """After a discard that did not close: the next player, or the end of the round (GAP-R26, GAP-R35)."""
        self.turns += 1
        self.idle_turns = 0 if self.moved else self.idle_turns + 1
        if not self.pile:
            return (self._end_round(NOBODY, Ending.PILE_EXHAUSTED),)
        if self.idle_turns >= IDLE_TURNS * self.seats:
            return (self._end_round(NOBODY, Ending.NOTHING_MOVED),)
        self._clear_turn()
        self.seat = (self.seat + 1) % self.seats
        self.phase = Phase.DRAW
        return ()

    def _end_closed(self, last: int) -> Scored:
        """The player at turn has got rid of all tiles; `last` is the last of them, `NO_TILE` if none was (GAP-R19)."""
        return self._end_round(self.seat, Ending.CLOSED_WITH_JOKER if last == JOKER else Ending.CLOSED)

    def _end_round(self, closer: int, ending: Ending) -> Scored:
        """Books the round (RM-30, RM-31); then the next one is due (GAP-R27), or the match is over."""
        cells = tuple(
            [
                scoring.cell(
                    laid=self.laid_points(seat),
                    hand=self.hands[seat],
                    turned=self.turned,
                    ending=ending if seat == closer else None,
                    melded=self.melded[seat],
                    atu_announced=self.atu_announced[seat],
                    two_tiles_announced=self.two_tiles_announced[seat],
                    two_tiles_missed=self.two_tiles_missed[seat],
                )
                for seat in range(self.seats)
            ]
        )
        row = ScoreRow(self.number, self.first, self.turned, ending, closer, cells)
        self.rows += (row,)
        for seat in range(self.seats):
            self.points_so_far[seat] += cells[seat].points
        if self.number == self.options.rounds:
            self.phase = Phase.OVER
        else:
            self.phase = Phase.DEAL
            self.number += 1
            self.first = (self.first + 1) % self.seats
        self._clear_round()
        return Scored(row)
