"""A match of Rentz as it stands: what there is, who may know what of it, and copying."""

from collections.abc import Hashable
from enum import Enum
from typing import ClassVar, Final, Self

from services.table.engine.game import Decision
from services.table.engine.match import Statements, TrickMatch
from services.table.engine.rentz.events import Event, ScoreRow
from services.table.engine.rentz.layout import LayoutHand
from services.table.engine.rentz.options import Options
from services.table.engine.rentz.subgames import HAND, PACK, SEATS, SUBGAMES, Subgame
from services.table.engine.rentz.tricks import TrickHand
from services.table.engine.tricks import TrickPlay

HANDS: Final = SEATS * len(SUBGAMES)
"""Hands in a match: every player chooses every subgame once (RZ-2, GAP-Z3)."""


class Phase(Enum):
    """What a match waits for."""

    DRAW = "draw"
    """Chance: a card for everybody, for the first choice (GAP-Z4)."""
    DEAL = "deal"
    """Chance deals."""
    CHOOSE = "choose"
    """The dealer chooses a subgame (RZ-3, GAP-Z2)."""
    PLAY = "play"
    """A player plays a card (RZ-5, RZ-13)."""
    OVER = "over"
    """Nothing: the match has been played to the end (RZ-19)."""


class Position(TrickMatch[Event]):
    """The data of a match. `State` adds the rules.

    Everything is public except `dealt` and `play.hands`.

    Attributes:
        options: The options.
        phase: What is waited for.
        drawn: The card that each seat drew for the first choice (GAP-Z4); empty before.
        number: Number of the hand that is played, or is due, from 1; that of the last when the match is over.
        dealer: The player who chooses and leads in it (GAP-Z2); -1 before the first is drawn.
        dealt: The cards that each seat holds before the choice, as masks; empty otherwise. Hidden.
        subgame: What is played; None before the choice.
        play: The play of the hand; None before the choice.
        rows: The score sheet.
    """

    STATEMENTS: ClassVar[Statements] = Statements(
        "Rentz", "cards", unknown="RZ-1", over="RZ-19", turn="GAP-Z18", deal="RZ-2", pack="RZ-1"
    )

    __slots__ = ("dealer", "dealt", "drawn", "number", "options", "phase", "play", "rows", "subgame")

    def __init__(self, options: Options, seats: int) -> None:
        if seats != SEATS:
            raise ValueError(f"Rentz is for {SEATS} players, not {seats} (RZ-1)")
        self.options: Options = options
        self.phase: Phase = Phase.DRAW
        self.drawn: tuple[int, ...] = ()
        self.number: int = 1
        self.dealer: int = -1
        self.dealt: tuple[int, ...] = ()
        self.subgame: Subgame | None = None
        self.play: TrickHand | LayoutHand | None = None
        self.points_so_far = [0] * seats
        self.rows: tuple[ScoreRow, ...] = ()

    def copy(self) -> Self:
        """An independent copy."""
        copy = type(self)(self.options, SEATS)
        copy.phase = self.phase
        copy.drawn = self.drawn
        copy.number = self.number
        copy.dealer = self.dealer
        copy.dealt = self.dealt
        copy.subgame = self.subgame
        play = self.play
        copy.play = None if play is None else play.copy()
        copy.points_so_far = self.points_so_far[:]
        copy.rows = self.rows
        return copy

    @property
    def seats(self) -> int:
        """Number of players."""
        return SEATS

    def trick_play(self) -> TrickPlay | None:
        """The play of tricks; None in the layout game, and before the choice."""
        play = self.play
        return play if isinstance(play, TrickHand) else None

    @property
    def layout(self) -> LayoutHand | None:
        """The layout game; None in the other subgames, and before the choice."""
        play = self.play
        return play if isinstance(play, LayoutHand) else None

    def first_leader(self) -> int:
        """The dealer: who chooses also leads (RZ-5, GAP-Z2)."""
        return self.dealer

    @property
    def points(self) -> tuple[int, ...]:
        """Points that this hand has brought each seat so far."""
        return (0,) * SEATS if self.play is None else tuple(self.play.points)

    def captured(self, seat: int) -> tuple[int, ...]:
        """The cards that `seat` has taken in this hand and that score in its subgame, in the order taken."""
        play = self.play
        if not isinstance(play, TrickHand):
            return ()
        counting = play.scoring.counting
        return tuple(
            [card for trick in play.history if trick.taker == seat for card in trick.cards if counting >> card & 1]
        )

    def chosen(self, seat: int) -> tuple[Subgame, ...]:
        """The subgames that `seat` has chosen before this hand, in the order of the match."""
        return tuple([row.subgame for row in self.rows if row.dealer == seat])

    def choices_left(self) -> tuple[Subgame, ...]:
        """The subgames that the dealer has not chosen before this hand, in the order of choices (GAP-Z3)."""
        chosen = self.chosen(self.dealer)
        return tuple([subgame for subgame in SUBGAMES if subgame not in chosen])

    def hand(self, seat: int) -> int:
        """The cards that `seat` holds, as a mask. Only that seat may know them."""
        if self.play is not None:
            return self.play.hands[seat]
        return self.dealt[seat] if self.dealt else 0

    def decider(self) -> int:
        """The seat that has to decide; -1 when a deal is due or the match is over."""
        if self.play is not None:
            return self.play.seat
        return self.dealer if self.phase is Phase.CHOOSE else -1

    def awaited(self) -> str:
        """What the seat to decide has to do, as a verb."""
        return self.phase.value

    def decision(self) -> Decision | None:
        """What is waited for from a player; None when a deal is due or the match is over."""
        if self.play is not None:
            return Decision(self.play.seat, "play", HAND)
        return Decision(self.dealer, "choose", HAND) if self.phase is Phase.CHOOSE else None

    def needs_deal(self) -> bool:
        """Whether the next action has to be a `Deal`: the draw for the first choice is one too (GAP-Z4)."""
        return self.phase is Phase.DEAL or self.phase is Phase.DRAW

    def pack(self) -> tuple[int, ...]:
        """The cards to be shuffled for a deal (RZ-1)."""
        return PACK

    def is_over(self) -> bool:
        """Whether the match has been played to the end (RZ-19)."""
        return self.phase is Phase.OVER

    def progress(self) -> tuple[int, int]:
        """Hands finished, and hands of a match (RZ-2, GAP-Z16)."""
        return (len(self.rows), HANDS)

    def public(self) -> tuple[Hashable, ...]:
        """All that everybody knows, as a comparable value; of earlier hands what stands on the score sheet."""
        play = self.play
        course: tuple[Hashable, ...] = ()
        if isinstance(play, TrickHand):
            course = play.course()
        elif play is not None:
            course = (play.seat, play.again, play.finished, play.history)
        return (
            self.options,
            self.phase,
            self.drawn,
            self.number,
            self.dealer,
            self.subgame,
            tuple(self.points_so_far),
            self.rows,
            course,
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
        hidden: tuple[Hashable, ...] = ()
        if play is not None:
            hidden = (tuple(play.hands), tuple(play.points))
            if isinstance(play, TrickHand):
                hidden = (*hidden, tuple(play.taken), play.holder, play.led, play.beats, play.outstanding)
            else:
                hidden = (*hidden, play.laid, play.valid)
        return (*self.public(), self.dealt, hidden)
