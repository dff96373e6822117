"""A match of Remi as it stands: what there is, who may know what of it, and copying."""

from collections.abc import Hashable
from enum import Enum
from typing import ClassVar, NamedTuple, Self

from services.table.engine.game import Decision
from services.table.engine.match import Match, Statements
from services.table.engine.remi.events import Event, ScoreRow
from services.table.engine.remi.melds import LaidMeld
from services.table.engine.remi.options import MOST_ROUNDS, SIZES, Options
from services.table.engine.remi.scoring import is_doubled, laid_points
from services.table.engine.remi.tiles import JOKER, PACK, TEXT, Hand, tiles_text

TILES_EACH = 14
"""Tiles that everybody is dealt; the first player gets one more to discard (RM-3)."""
NOBODY = -1
NO_TILE = -1

_NOTHING = Hand()
"""What everybody holds between rounds; a deal brings hands that can change."""


class Phase(Enum):
    """What a match waits for."""

    DEAL = "deal"
    """Chance deals."""
    DRAW = "draw"
    """The player at turn gets a tile: from the pile or the row, or the Atu to close (RM-16)."""
    MELD = "meld"
    """The player at turn lays, adds and discards (RM-16)."""
    OVER = "over"
    """Nothing: the match has been played to the end."""


class BeforeTake(NamedTuple):
    """What undoing a take brings back (GAP-R34).

    Attributes:
        hand: The tiles of the player. Only that player may know them.
        row: The discard row.
        melds: The combinations on the table.
        two_tiles_announced: Who had announced two tiles.
    """

    hand: Hand
    row: tuple[int, ...]
    melds: tuple[LaidMeld, ...]
    two_tiles_announced: tuple[bool, ...]


class Position(Match[Event]):
    """The data of a match. Classes derived from it add the rules.

    Everything is public except `hands`, `stock` and `before_take.hand`.

    Attributes:
        options: The options.
        phase: What is waited for.
        number: Number of the round that is played, or is due, from 1; that of the last when the match is over.
        first: Its first player (RM-3).
        turned: The tile that was turned up; `NO_TILE` between rounds.
        stock: The tiles of the pile, those drawn already among them. Hidden.
        drawn: Tiles drawn from the pile.
        hands: The tiles of each seat. Hidden.
        row: The discard row, oldest first (RM-17).
        melds: The combinations on the table in the order laid.
        melded: Whether each seat has laid its first meld.
        atu_announced: Whether each seat has announced the Atu (RM-10).
        two_tiles_announced: Whether each seat has announced two tiles; once done it holds (GAP-R16).
        two_tiles_missed: Whether each seat has missed to (RM-26).
        seat: The seat at turn.
        turns: Turns that are over in this round.
        idle_turns: Turns in a row in which nobody drew from the pile or laid a tile (GAP-R35).
        continues: Something has been done in this turn.
        moved: A tile was drawn from the pile or laid in this turn.
        opening: The player at turn laid the first meld in this turn (RM-24).
        duty: The tile that the player at turn took and has to use (RM-18, RM-21); `NO_TILE` without such a duty.
        barred: The tile that may not be discarded in this turn (GAP-R12); `NO_TILE` when there is none.
        before_take: What undoing brings back; None unless there is a duty.
        happened: The events of this round, from the deal on.
        rows: The score sheet.
    """

    STATEMENTS: ClassVar[Statements] = Statements(
        "Remi", "tiles", unknown="RM-16", over="GAP-R27", turn="GAP-R2", deal="RM-2", pack="RM-1"
    )

    __slots__ = (
        "atu_announced",
        "barred",
        "before_take",
        "continues",
        "drawn",
        "duty",
        "first",
        "hands",
        "happened",
        "idle_turns",
        "melded",
        "melds",
        "moved",
        "number",
        "opening",
        "options",
        "phase",
        "row",
        "rows",
        "seat",
        "stock",
        "turned",
        "turns",
        "two_tiles_announced",
        "two_tiles_missed",
    )

    def __init__(self, options: Options, seats: int) -> None:
        if seats not in SIZES:
            raise ValueError(f"Remi is for {SIZES[0]} to {SIZES[-1]} players, not {seats} (GAP-R1)")
        if not 1 <= options.rounds <= MOST_ROUNDS:
            raise ValueError(f"a match has 1 to {MOST_ROUNDS} rounds, not {options.rounds} (GAP-R27)")
        self.options: Options = options
        self.points_so_far: list[int] = [0] * seats
        self.phase: Phase = Phase.DEAL
        self.number: int = 1
        self.first: int = 0
        self.rows: tuple[ScoreRow, ...] = ()
        self._clear_round()

    def _clear_round(self) -> None:
        """Takes everything off the table."""
        nobody = (False,) * self.seats
        self.turned: int = NO_TILE
        self.stock: tuple[int, ...] = ()
        self.drawn: int = 0
        self.hands: list[Hand] = [_NOTHING] * self.seats
        self.row: tuple[int, ...] = ()
        self.melds: tuple[LaidMeld, ...] = ()
        self.melded: tuple[bool, ...] = nobody
        self.atu_announced: tuple[bool, ...] = nobody
        self.two_tiles_announced: tuple[bool, ...] = nobody
        self.two_tiles_missed: tuple[bool, ...] = nobody
        self.seat: int = self.first
        self.turns: int = 0
        self.idle_turns: int = 0
        self.happened: tuple[Event, ...] = ()
        self._clear_turn()

    def _clear_turn(self) -> None:
        """Nothing has been done yet in the turn that begins."""
        self.continues: bool = False
        self.moved: bool = False
        self.opening: bool = False
        self.duty: int = NO_TILE
        self.barred: int = NO_TILE
        self.before_take: BeforeTake | None = None

    def copy(self) -> Self:
        """An independent copy."""
        copy = type(self)(self.options, self.seats)
        copy.adopt(self)
        copy.points_so_far = self.points_so_far[:]
        copy.hands = [hand.copy() for hand in self.hands]
        return copy

    def adopt(self, other: "Position") -> None:
        """Becomes what `other` is, which is not to be used any more; options apart."""
        self.points_so_far = other.points_so_far
        self.rows = other.rows
        self.phase = other.phase
        self.number = other.number
        self.first = other.first
        self.turned = other.turned
        self.stock = other.stock
        self.drawn = other.drawn
        self.hands = other.hands
        self.row = other.row
        self.melds = other.melds
        self.melded = other.melded
        self.atu_announced = other.atu_announced
        self.two_tiles_announced = other.two_tiles_announced
        self.two_tiles_missed = other.two_tiles_missed
        self.seat = other.seat
        self.turns = other.turns
        self.idle_turns = other.idle_turns
        self.continues = other.continues
        self.moved = other.moved
        self.opening = other.opening
        self.duty = other.duty
        self.barred = other.barred
        self.before_take = other.before_take
        self.happened = other.happened

    @property
    def seats(self) -> int:
        """Number of players."""
        return len(self.points_so_far)

    @property
    def pile(self) -> int:
        """Tiles in the pile."""
        return len(self.stock) - self.drawn

    @property
    def atu(self) -> int:
        """The Atu as it lies on the table; `NO_TILE` when it was a Joker, which went to the first player (RM-13)."""
        return NO_TILE if self.turned == JOKER else self.turned

    @property
    def doubled(self) -> bool:
        """Whether the score of this round is doubled (RM-12)."""
        return self.turned != NO_TILE and is_doubled(self.turned)

    def hand(self, seat: int) -> Hand:
        """The tiles of a seat, not to be changed. Only that seat may know them."""
        return self.hands[seat]

    def hand_sizes(self) -> tuple[int, ...]:
        """How many tiles each seat holds."""
        return tuple([hand.size() for hand in self.hands])

    def laid_points(self, seat: int) -> int:
        """Value of what a seat has on the table (RM-15, GAP-R24)."""
        return laid_points(self.melds, seat)

    def decider(self) -> int:
        """The seat that has to decide; -1 when a deal is due or the match is over."""
        return self.seat if self.phase is Phase.MELD or self.phase is Phase.DRAW else NOBODY

    def decision(self) -> Decision | None:
        """What is waited for from a player; None when a deal is due or the match is over.

        All decisions of one turn are one for the clock.
        """
        seat = self.decider()
        return None if seat < 0 else Decision(seat, "turn", TILES_EACH, self.continues)

    def awaited(self) -> str:
        """What the seat to decide has to do, as a verb."""
        return self.phase.value

    def needs_deal(self) -> bool:
        """Whether the next action has to be a `Deal`."""
        return self.phase is Phase.DEAL

    def pack(self) -> tuple[int, ...]:
        """The tiles to be shuffled for a deal, each kind twice (RM-1)."""
        return PACK

    def is_over(self) -> bool:
        """Whether the match has been played to the end."""
        return self.phase is Phase.OVER

    def progress(self) -> tuple[int, int]:
        """Rounds finished, and rounds of the match (GAP-R27)."""
        return len(self.rows), self.options.rounds

    def headline(self) -> str:
        """The position in one line, of what everybody may see: for messages and logs."""
        words = [f"{self.seats} players, round {self.number}/{self.options.rounds}"]
        if self.turned != NO_TILE:
            words.append(f"turned {TEXT[self.turned]}")
            words.append("tiles " + " ".join([str(size) for size in self.hand_sizes()]))
            words.append(f"pile {self.pile}")
            words.append(f"row {tiles_text(self.row) or '-'}")
            words.extend([f"meld {index} {laid.meld}" for index, laid in enumerate(self.melds)])
        if self.duty != NO_TILE:
            words.append(f"to use {TEXT[self.duty]}")
        seat = self.decider()
        words.append(f"{'deal due' if seat < 0 else f'seat {seat} to {self.awaited()}'}")
        return ", ".join(words) if self.phase is not Phase.OVER else f"{words[0]}, over"

    def public(self) -> tuple[Hashable, ...]:
        """All that everybody knows, as a comparable value; of earlier rounds what stands on the score sheet."""
        return (
            self.options,
            self.seats,
            self.phase,
            self.number,
            self.first,
            self.turned,
            self.pile,
            self.hand_sizes(),
            self.row,
            self.melds,
            self.melded,
            self.atu_announced,
            self.two_tiles_announced,
            self.two_tiles_missed,
            self.seat,
            self.turns,
            self.idle_turns,
            self.continues,
            self.moved,
            self.opening,
            self.duty,
            self.barred,
            self.happened,
            tuple(self.points_so_far),
            self.rows,
        )

    def knowledge(self, seat: int | None) -> tuple[Hashable, ...]:
        """All that `seat` (None for a spectator) may know, as one comparable value: what is public, and its hand."""
        return self.public() if seat is None else (*self.public(), seat, self.hands[seat].key())

    def __eq__(self, other: object) -> bool:
        """Whether both are the same position, hidden tiles included."""
        if not isinstance(other, Position):
            return NotImplemented
        return self._everything() == other._everything()

    def _everything(self) -> tuple[Hashable, ...]:
        before = None if self.before_take is None else (self.before_take.hand.key(), self.before_take[1:])
        return (*self.public(), self.stock, self.drawn, tuple([hand.key() for hand in self.hands]), before)
