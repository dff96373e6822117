"""A match of whist as it stands: what there is, who may know what of it, and copying."""

from collections.abc import Hashable
from enum import Enum
from typing import ClassVar, Self

from services.table.engine.bidding import BiddingMatch, BiddingPlay, BidStatements
from services.table.engine.game import Decision
from services.table.engine.match import Statements
from services.table.engine.tricks import TrickPlay
from services.table.engine.whist.course import DEALS, PACKS, SIZES
from services.table.engine.whist.events import Event, ScoreRow
from services.table.engine.whist.options import PATTERNS, PREMIUMS, Options
from services.table.engine.whist.scoring import NONE, Streak


class Phase(Enum):
    """What a match waits for."""

    DRAW = "draw"
    """Chance: a card for everybody, for the first deal (RW-4)."""
    DEAL = "deal"
    """Chance deals."""
    BID = "bid"
    """A player bids (RW-6)."""
    PLAY = "play"
    """A player plays a card (RW-7)."""
    OVER = "over"
    """Nothing: the match has been played to the end."""


class Position(BiddingMatch[Event]):
    """The data of a match. `State` adds the rules.

    Everything is public except `play.hands` and `aside`.

    Attributes:
        options: The options.
        deals: Cards each in every deal of the match, in order (RW-3).
        phase: What is waited for.
        drawn: The card that each seat drew for the first deal (RW-4); empty before.
        number: Number of the deal that is played, or is due, from 1; that of the last when the match is over.
        dealer: Its dealer; -1 before the first is drawn.
        trump_card: The turned card; -1 when there is none.
        play: The hands, bids and tricks; None between deals.
        aside: Cards that were not dealt, the turned card not counted. Hidden.
        streaks: The streak of each seat (RW-9).
        rows: The score sheet.
    """

    STATEMENTS: ClassVar[Statements] = Statements(
        "whist", "cards", unknown="RW-1", over="RW-3", turn="GAP-W7", deal="RW-4", pack="RW-2"
    )
    BID_STATEMENTS: ClassVar[BidStatements] = BidStatements(bid="RW-6", last="RW-6")

    __slots__ = (
        "aside",
        "dealer",
        "deals",
        "drawn",
        "number",
        "options",
        "phase",
        "play",
        "rows",
        "streaks",
        "trump_card",
    )

    def __init__(self, options: Options, seats: int) -> None:
        if seats not in SIZES:
            raise ValueError(f"whist is for 3 to 6 players, not {seats} (RW-1)")
        if options.pattern not in PATTERNS or options.premium not in PREMIUMS:
            raise ValueError(f"no options of whist: {options}")
        self.options: Options = options
        self.deals: tuple[int, ...] = DEALS[options.pattern, seats]
        self.phase: Phase = Phase.DRAW
        self.drawn: tuple[int, ...] = ()
        self.number: int = 1
        self.dealer: int = -1
        self.trump_card: int = -1
        self.play: BiddingPlay | None = None
        self.aside: tuple[int, ...] = ()
        self.streaks: list[Streak] = [NONE] * seats
        self.points_so_far = [0] * seats
        self.rows: tuple[ScoreRow, ...] = ()

    def copy(self) -> Self:
        """An independent copy."""
        copy = type(self)(self.options, self.seats)
        copy.phase = self.phase
        copy.drawn = self.drawn
        copy.number = self.number
        copy.dealer = self.dealer
        copy.trump_card = self.trump_card
        play = self.play
        copy.play = None if play is None else play.copy()
        copy.aside = self.aside
        copy.streaks = self.streaks[:]
        copy.points_so_far = self.points_so_far[:]
        copy.rows = self.rows
        return copy

    @property
    def seats(self) -> int:
        """Number of players."""
        return len(self.points_so_far)

    @property
    def cards_each(self) -> int:
        """Cards each in the deal that is played, or is due."""
        return self.deals[self.number - 1]

    def trick_play(self) -> TrickPlay | None:
        """The play of tricks; None between deals."""
        return self.play

    def first_leader(self) -> int:
        """The dealer's neighbour (RW-7)."""
        return (self.dealer + 1) % self.seats

    def bidding_play(self) -> BiddingPlay | None:
        """The hand that is bid or played; None between deals."""
        return self.play

    def decider(self) -> int:
        """The seat that has to decide; -1 when a deal is due or the match is over."""
        return -1 if self.play is None else self.play.seat

    def awaited(self) -> str:
        """What the seat to decide has to do, as a verb."""
        return self.phase.value

    def decision(self) -> Decision | None:
        """What is waited for from a player; None when a deal is due or the match is over."""
        play = self.play
        return None if play is None else Decision(play.seat, "bid" if play.bidding() else "play", self.cards_each)

    def needs_deal(self) -> bool:
        """Whether the next action has to be a `Deal`: the draw for the first dealer is one too (RW-4)."""
        return self.phase is Phase.DEAL or self.phase is Phase.DRAW

    def pack(self) -> tuple[int, ...]:
        """The cards to be shuffled for a deal (RW-2)."""
        return PACKS[self.seats]

    def is_over(self) -> bool:
        """Whether the match has been played to the end."""
        return self.phase is Phase.OVER

    def progress(self) -> tuple[int, int]:
        """Deals finished, and deals of a match (RW-3)."""
        return (len(self.rows), len(self.deals))

    def public(self) -> tuple[Hashable, ...]:
        """All that everybody knows, as a comparable value; of earlier deals what stands on the score sheet."""
        play = self.play
        return (
            self.options,
            self.seats,
            self.phase,
            self.drawn,
            self.number,
            self.dealer,
            self.trump_card,
            self.bids,
            tuple(self.streaks),
            tuple(self.points_so_far),
            self.rows,
            None if play is None else play.course(),
        )

    def knowledge(self, seat: int | None) -> tuple[Hashable, ...]:
        """All that `seat` (None for a spectator) may know, as one comparable value: what is public, and its hand."""
        return self.public() if seat is None else (*self.public(), seat, self.hand(seat))

    def __eq__(self, other: object) -> bool:
        """Whether both are the same position, hidden cards included."""
        if not isinstance(other, Position):
            return NotImplemented
        return self._everything() == other._everything()

    def _everything(self) -> tuple[Hashable, ...]:
        play = self.play
        hidden = () if play is None else (tuple(play.hands), tuple(play.taken), play.holder, play.led, play.beats)
        return (*self.public(), self.aside, hidden)
