"""A match of Arzoi as it stands: what there is, who may know what of it, and copying."""

from collections.abc import Hashable
from enum import Enum
from typing import ClassVar, Self

from services.table.engine.arzoi.events import Event, Part, ScoreRow
from services.table.engine.arzoi.options import Options
from services.table.engine.arzoi.packs import SEPTICA, SIZES, Size
from services.table.engine.arzoi.septica import SepticaPlay
from services.table.engine.bidding import BiddingMatch, BiddingPlay, BidStatements
from services.table.engine.game import Decision
from services.table.engine.match import Statements
from services.table.engine.tricks import TrickPlay


class Phase(Enum):
    """What a match waits for."""

    CHOOSE = "choose"
    """The chooser chooses a variant (AZ-7)."""
    DEAL = "deal"
    """Chance deals."""
    BID = "bid"
    """A player bids (AZ-14)."""
    PLAY = "play"
    """A player plays a card."""
    CONTINUE = "continue"
    """The opener of a Septica trick goes on or leaves (AZ-41)."""
    OVER = "over"
    """Nothing: the match has been played to the end (AZ-10)."""


class Position(BiddingMatch[Event]):
    """The data of a match. `State` adds the rules.

    Everything is public except `play.hands`, the stock of `play` and `aside`.

    Attributes:
        options: The options.
        size: The row of AZ-4.
        phase: What is waited for.
        part: What is played in this round; None between orbits and at the end.
        variant: The variant of this orbit; 0 before it is chosen.
        variants_left: Variants that can still be chosen, whists ascending, Septica last.
        chooser: The seat that chose, or is to choose, the variant of this orbit.
        orbit: Orbit of the match, from 1.
        round: Round of the part, from 1; 0 before the first.
        rounds: Rounds that the part has at most.
        attempt: Attempt at the round, from 1.
        dealer: The dealer of the round; before a choice the chooser, who will deal (GAP-A2).
        cards_each: Cards each in this round; 0 between orbits.
        trump_card: The turned card; -1 when there is none.
        play: The hands, bids and tricks; None before the first deal of a round and between rounds.
        points: Points of the cards that each seat took in this round of Totale or Septica.
        in_play: Points of all cards dealt in this Totale (GAP-A11). Hidden where cards are set aside.
        aside: Cards that were not dealt in this round of whist or Totale, the turned card not counted. Hidden.
        burned: Seats that burned in a round of this orbit that counts (GAP-A5), as a mask of seats.
        burned_always: Seats that burned in all of those, as a mask; all seats before the first.
        totale_minus_left: Totale- rounds still to be played, this one included.
        totale_plus_left: Totale+ rounds still to be played, this one included.
        rows: The score sheet.
    """

    STATEMENTS: ClassVar[Statements] = Statements(
        "Arzoi", "cards", unknown="AZ-1", over="AZ-10", turn="AZ-11", deal="AZ-12", pack="AZ-4"
    )
    BID_STATEMENTS: ClassVar[BidStatements] = BidStatements(bid="AZ-14", last="AZ-15")

    __slots__ = (
        "aside",
        "attempt",
        "burned",
        "burned_always",
        "cards_each",
        "chooser",
        "dealer",
        "in_play",
        "options",
        "orbit",
        "part",
        "phase",
        "play",
        "points",
        "round",
        "rounds",
        "rows",
        "size",
        "totale_minus_left",
        "totale_plus_left",
        "trump_card",
        "variant",
        "variants_left",
    )

    def __init__(self, options: Options, seats: int) -> None:
        size = SIZES.get(seats)
        if size is None:
            raise ValueError(f"Arzoi is for 3 to 9 players, not {seats} (AZ-1)")
        self.options: Options = options
        self.size: Size = size
        self.phase: Phase = Phase.CHOOSE
        self.part: Part | None = None
        self.variant: int = 0
        self.variants_left: tuple[int, ...] = size.variants(options.no_whist_of_2)
        self.chooser: int = 0
        self.orbit: int = 1
        self.round: int = 0
        self.rounds: int = 0
        self.attempt: int = 1
        self.dealer: int = 0
        self.cards_each: int = 0
        self.trump_card: int = -1
        self.play: TrickPlay | None = None
        self.points: list[int] = [0] * seats
        self.in_play: int = 0
        self.aside: tuple[int, ...] = ()
        self.burned: int = 0
        self.burned_always: int = (1 << seats) - 1
        self.totale_minus_left: int = 0
        self.totale_plus_left: int = 0
        self.points_so_far = [0] * seats
        self.rows: tuple[ScoreRow, ...] = ()

    def copy(self) -> Self:
        """An independent copy."""
        copy = type(self)(self.options, self.size.seats)
        copy.phase = self.phase
        copy.part = self.part
        copy.variant = self.variant
        copy.variants_left = self.variants_left
        copy.chooser = self.chooser
        copy.orbit = self.orbit
        copy.round = self.round
        copy.rounds = self.rounds
        copy.attempt = self.attempt
        copy.dealer = self.dealer
        copy.cards_each = self.cards_each
        copy.trump_card = self.trump_card
        play = self.play
        copy.play = None if play is None else play.copy()
        copy.points = self.points[:]
        copy.in_play = self.in_play
        copy.aside = self.aside
        copy.burned = self.burned
        copy.burned_always = self.burned_always
        copy.totale_minus_left = self.totale_minus_left
        copy.totale_plus_left = self.totale_plus_left
        copy.points_so_far = self.points_so_far[:]
        copy.rows = self.rows
        return copy

    @property
    def seats(self) -> int:
        """Number of players."""
        return self.size.seats

    @property
    def multiplier(self) -> int:
        """What everything in this attempt is multiplied by: 2^(attempt-1), without a cap (AZ-25, AZ-45, GAP-A33)."""
        return 1 << (self.attempt - 1)

    def trick_play(self) -> TrickPlay | None:
        """The play of tricks; None before the first deal of a round and between rounds."""
        return self.play

    def first_leader(self) -> int:
        """The seat to the dealer's right (GAP-A3)."""
        return (self.dealer + 1) % self.size.seats

    def bidding_play(self) -> BiddingPlay | None:
        """The round of whist that is bid or played (AZ-14)."""
        play = self.play
        return play if isinstance(play, BiddingPlay) else None

    @property
    def stock(self) -> int:
        """Cards left to draw in Septica."""
        return self.play.to_draw() if isinstance(self.play, SepticaPlay) else 0

    @property
    def set_aside(self) -> int:
        """Number of cards that nobody will see: in a Totale (AZ-31), and at 9 players in Septica (GAP-A15)."""
        play = self.play
        if isinstance(play, SepticaPlay):
            return play.set_aside()
        return len(self.aside) if play is not None and self.part is not Part.WHIST else 0

    @property
    def teams(self) -> int:
        """Teams in Septica, seat i playing for team i modulo this; 0 outside Septica (AZ-37)."""
        return self.size.teams if self.part is Part.SEPTICA else 0

    def decider(self) -> int:
        """The seat that has to decide; -1 when a deal is due or the match is over."""
        if self.play is not None:
            return self.play.seat
        return self.chooser if self.phase is Phase.CHOOSE else -1

    def awaited(self) -> str:
        """What the seat to decide has to do, as a verb."""
        return self.phase.value

    def decision(self) -> Decision | None:
        """What is waited for from a player; None when a deal is due or the match is over."""
        play = self.play
        if play is not None:
            bidding = isinstance(play, BiddingPlay) and play.bidding()
            return Decision(play.seat, "bid" if bidding else "play", self.cards_each)
        return Decision(self.chooser, "choose", 0) if self.phase is Phase.CHOOSE else None

    def needs_deal(self) -> bool:
        """Whether the next action has to be a `Deal`."""
        return self.phase is Phase.DEAL

    def pack(self) -> tuple[int, ...]:
        """The cards to be shuffled for a deal (AZ-4)."""
        return self.size.pack

    def is_over(self) -> bool:
        """Whether the match has been played to the end (AZ-10)."""
        return self.phase is Phase.OVER

    def progress(self) -> tuple[int, int]:
        """Orbits finished, and orbits of a match: how many hands an orbit has is known only when it ends (AZ-10)."""
        orbits = len(self.size.variants(self.options.no_whist_of_2))
        return (orbits if self.phase is Phase.OVER else self.orbit - 1, orbits)

    def public(self) -> tuple[Hashable, ...]:
        """All that everybody knows, as a comparable value; of earlier rounds what stands on the score sheet."""
        play = self.play
        return (
            self.options,
            self.size.seats,
            self.phase,
            self.part,
            self.variant,
            self.variants_left,
            self.chooser,
            self.orbit,
            self.round,
            self.rounds,
            self.attempt,
            self.dealer,
            self.cards_each,
            self.trump_card,
            self.bids,
            tuple(self.points),
            self.set_aside,
            self.stock,
            self.burned,
            self.burned_always,
            self.totale_minus_left,
            self.totale_plus_left,
            tuple(self.points_so_far),
            self.rows,
            None if play is None else play.course(),
        )

    def knowledge(self, seat: int | None) -> tuple[Hashable, ...]:
        """All that `seat` (None for a spectator) may know, as one comparable value.

        A player knows beside what is public the cards in hand and, in Septica, in which order they were drawn. The
        cards played are public, so the hand that was dealt is known as well.
        """
        if seat is None:
            return self.public()
        play = self.play
        drawn = play.drawn_by(seat) if isinstance(play, SepticaPlay) else ()
        return (*self.public(), seat, self.hand(seat), drawn)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same position, hidden cards included."""
        if not isinstance(other, Position):
            return NotImplemented
        return self._everything() == other._everything()

    def _everything(self) -> tuple[Hashable, ...]:
        play = self.play
        hidden: tuple[Hashable, ...] = ()
        if play is not None:
            hidden = (tuple(play.hands), tuple(play.taken), play.holder)
            if isinstance(play, SepticaPlay):
                hidden = (*hidden, play.stock, play.drawn, play.fitting, play.continuing)
        return (*self.public(), self.in_play, self.aside, hidden)


def variant_text(variant: int) -> str:
    """A variant for people and records: `whist 5`, `septica`."""
    return "septica" if variant == SEPTICA else f"whist {variant}"
