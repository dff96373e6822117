"""The seam of the games: all that the terminal asks of one game. It shows and names; what is legal the table says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from rich.text import Text

from shared.gen.levata.table.v1 import game_pb2, table_pb2
from shared.terminal.texts import Texts
from shared.terminal.widgets.canvas import Canvas


@dataclass(frozen=True, slots=True)
class HandCard:
    """A card of the player's hand; `action` plays it, None when it may not be played now."""

    card: str
    action: game_pb2.GameAction | None


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose that is not a card: a bid, a variant. `key` picks it."""

    key: str
    label: str
    action: game_pb2.GameAction


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """What the game has to say of a seat.

    Attributes:
        score: Points of the match so far.
        detail: Bid and tricks, or points; short.
        brief: The same, shorter, for narrow tables.
        note: What else is to be remembered of the seat; shown while there is room.
        taken: What it has taken that counts, or did last, in fewer and fewer words; the first that fits is shown.
        card: The card it has last put on the trick; empty when none.
        holds: The trick is this seat's as it lies.
        dealer: It deals.
        chooser: It chose, or chooses, what is played.
        group: Number of its team; None without teams.
    """

    score: int
    detail: Text
    brief: Text = field(default_factory=Text)
    note: Text = field(default_factory=Text)
    taken: Sequence[Text] = ()
    card: str = ""
    holds: bool = False
    dealer: bool = False
    chooser: bool = False
    group: int | None = None


@dataclass(frozen=True, slots=True)
class Lying:
    """A card on the table and whose it is; `strong` when it holds the trick."""

    seat: int
    card: str
    strong: bool = False


class Spread(Protocol):
    """What lies in the middle of a table and is no trick; how it makes use of the room, the game knows."""

    def draw(self, canvas: Canvas, x: int, y: int, width: int, height: int) -> None:
        """Draws itself into `height` lines of `width` cells from cell `x` of line `y` on, and nowhere else."""


@dataclass(frozen=True, slots=True)
class Middle:
    """What lies in the middle of the table.

    Attributes:
        head: Lines above the trick: trump, how the bids stand, teams and points.
        trick: The cards of the trick, in rows that are read from left to right.
        past_title: Whose the last trick was; empty when there is none.
        past: The cards of the last trick, in rows.
        spread: What lies there in place of a trick; None where tricks are played.
    """

    head: Sequence[Text]
    trick: Sequence[Sequence[Lying]] = ()
    past_title: Text = field(default_factory=Text)
    past: Sequence[Sequence[Lying]] = ()
    spread: Spread | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """One thing to be seen before the next: a table, and for how many beats it stays."""

    table: table_pb2.Table
    beats: float


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A line of the score sheet: a heading over an orbit, a row of results, or a total."""

    kind: Literal["heading", "row", "total"]
    label: str
    cells: Sequence[Text] = ()


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """An option of the game that whoever makes a table may set: values and their names, the usual first."""

    name: str
    label: str
    values: Sequence[tuple[str, str]]


class GameView(Protocol):
    """One game in the terminal: its name, its options, its words, its score sheet."""

    name: str
    """As on the wire: `arzoi`."""
    sizes: range
    """Seats that a table may have."""
    usual_seats: int
    """Seats that are offered first."""

    def title(self, texts: Texts) -> str:
        """The game's name for people."""

    def options(self, texts: Texts) -> Sequence[OptionSpec]:
        """The options of a new table."""

    def game_options(self, values: Mapping[str, str]) -> game_pb2.GameOptions:
        """The message for the values chosen of `options`."""

    def clock(self) -> table_pb2.Clock:
        """The recommended clock."""

    def headline(self, table: table_pb2.Table, texts: Texts) -> str:
        """Where the match stands: orbit, what is played, round."""

    def subline(self, table: table_pb2.Table, texts: Texts) -> str | Text:
        """What is still to come, who chooses."""

    def prompt(self, table: table_pb2.Table, private: table_pb2.Private, texts: Texts) -> str:
        """What the viewer is asked for, who is at turn."""

    def action_words(self, action: game_pb2.GameAction, texts: Texts) -> str:
        """An action as one would say it: `10♥`, `bid 3`."""

    def action_sentence(self, name: str, action: game_pb2.GameAction, texts: Texts) -> Text:
        """That somebody did it; empty when the events that follow tell it."""

    def event_sentences(self, table: table_pb2.Table, event: game_pb2.GameEvent, texts: Texts) -> Sequence[Text]:
        """Something that followed by the rules, in plain words."""

    def told(self, table: table_pb2.Table, event: table_pb2.Event, texts: Texts) -> Sequence[Text]:
        """An event of a match for whoever reads it afterwards: whole tricks, not card by card."""

    def frames(self, before: table_pb2.Table | None, update: table_pb2.Update) -> Sequence[Frame]:
        """What is to be seen of an update, the state it ends in last; a trick that was taken is still shown whole."""

    def sheet(self, table: table_pb2.Table, sheet: game_pb2.GameScoreSheet, texts: Texts) -> Sequence[SheetRow]:
        """The score sheet, oldest first; cells in seat order."""

    def help(self, texts: Texts) -> str:
        """The rules in short."""


@runtime_checkable
class CardGameView(GameView, Protocol):
    """A game of cards, laid out on `CardDesk`: seats around what lies in the middle, one thing picked at a time."""

    def seat(self, table: table_pb2.Table, seat: int, texts: Texts) -> SeatFacts:
        """What is to be shown at a seat."""

    def middle(self, table: table_pb2.Table, texts: Texts) -> Middle:
        """What lies in the middle."""

    def hand(self, private: table_pb2.Private) -> Sequence[HandCard]:
        """The viewer's cards."""

    def choices(self, private: table_pb2.Private, texts: Texts) -> Sequence[Choice]:
        """What may be chosen besides cards."""
