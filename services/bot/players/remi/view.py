"""What one seat sees of a match of Remi, as bots think about it."""

from dataclasses import dataclass, field, replace
from typing import Final

from services.bot.players.remi.memory import Memory
from services.table.engine.remi import JOKER, NO_TILE, Action, Hand, LaidMeld, Phase
from services.table.engine.remi.solver import Plan, Spot, Stage, laid_out
from services.table.engine.remi.tiles import PACK

POSITIONS: Final = 5_000
"""Positions that the solver searches for one answer; only hands of more than 30 tiles have as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemiView:
    """A decision to be made, and all that its seat may know.

    Attributes:
        seat: The seat that decides.
        seats: Number of players.
        phase: Which kind of decision.
        number: Number of the round, from 1.
        rounds: Rounds in the match.
        first: The first player of the round.
        turned: The tile that was turned up.
        pile: Tiles in the pile.
        row: The discard row, oldest first.
        melds: The combinations on the table.
        tiles: Tiles in each hand.
        melded: Whether each seat has laid its first meld.
        scores: Points of each seat in the match so far.
        two_tiles_announced: Whether each seat has announced two tiles.
        duty: The tile that the seat took and has to use; -1 without.
        opening: The seat laid its first meld in this turn.
        hand: The seat's tiles. Not to be changed.
        barred: The tile that may not be discarded in this turn; -1 without.
        legal: Every simple action that is legal, and the best of the others, in the game's order.
        memory: What the seat remembers of the round.
    """

    seat: int
    seats: int
    phase: Phase
    number: int
    rounds: int
    first: int
    turned: int
    pile: int
    row: tuple[int, ...]
    melds: tuple[LaidMeld, ...]
    tiles: tuple[int, ...]
    melded: tuple[bool, ...]
    scores: tuple[int, ...]
    two_tiles_announced: tuple[bool, ...]
    duty: int
    opening: bool
    hand: Hand
    barred: int
    legal: tuple[Action, ...]
    memory: Memory = field(default_factory=lambda: Memory((), ()))

    @property
    def atu(self) -> int:
        """The Atu on the table; -1 when a Joker was turned up, which went to the first player."""
        return NO_TILE if self.turned == JOKER else self.turned

    @property
    def stage(self) -> Stage:
        """What the seat may do with combinations."""
        return "opening" if self.opening else "open" if self.melded[self.seat] else "closed"

    def spot(self) -> Spot:
        """The turn as it stands, for the solver."""
        return Spot(self.hand, self.melds, self.seat, self.stage, self.duty, self.barred, POSITIONS)

    def spot_after_take(self, place: int) -> Spot:
        """The turn as it would stand if the tile of that place and all above it were taken."""
        hand = self.hand.copy()
        for tile in self.row[place:]:
            hand.add(tile)
        target = self.row[place]
        top = place == len(self.row) - 1
        duty = NO_TILE if top and self.melded[self.seat] else target
        barred = target if top else NO_TILE
        return Spot(hand, self.melds, self.seat, self.stage, duty, barred, POSITIONS)

    @property
    def unseen(self) -> list[int]:
        """The tiles of the pack that the seat cannot place, ascending: in the pile, or in the hands of others."""
        seen = self.hand.tiles() + list(self.row)
        if self.atu != NO_TILE:
            seen.append(self.atu)
        for one in self.melds:
            seen.extend(one.meld.tiles)
        for seat, tiles in enumerate(self.memory.held):
            if seat != self.seat:
                seen.extend(tiles)
        left = list(PACK)
        for tile in seen:
            if tile in left:
                left.remove(tile)
        return left

    def laid(self, plan: Plan, spot: Spot) -> "RemiView":
        """The view after a plan of the turn `spot` was carried out, as far as players look at it."""
        melds = tuple(laid_out(spot, plan.steps))
        melded = list(self.melded)
        melded[self.seat] = melded[self.seat] or bool(plan.steps)
        tiles = list(self.tiles)
        tiles[self.seat] = plan.left.size()
        return replace(self, melds=melds, hand=plan.left, melded=tuple(melded), tiles=tuple(tiles), barred=spot.barred)

    def after_seat(self, steps: int) -> int:
        """The seat so many turns after this one."""
        return (self.seat + steps) % self.seats
