"""The contract that every game keeps.

A match is exactly its options, its number of seats and its list of actions. Chance is an action too: when a match needs
cards it waits for a `Deal`, whose argument is the whole shuffled pack; who shuffles, and how, is none of the engine's
business. There is no clock, no I/O and no randomness in here.

Cards and tiles are small integers, sets of cards are bit masks (bit c for card c); each game documents its numbering.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, Protocol, Self, TypeAlias, TypeVar

DecisionKind = Literal["choose", "bid", "play", "turn"]
"""Which time on the clock a decision has: to choose what is played, to bid, to play a card, or for a whole turn."""


class IllegalAction(Exception):  # noqa: N818 - the domain's own word
    """An action that the rules do not allow here. Nothing has changed.

    Attributes:
        reason: Stable and machine-readable, such as `MUST_FOLLOW_SUIT`.
        rule: The statement that forbids it, such as `AZ-18`.
        message: What was wrong and in which position, in one English line that can be pasted into a bug report. It is
            made of what the acting seat may see and nothing else.
    """

    def __init__(self, reason: str, rule: str, message: str) -> None:
        super().__init__(f"{reason} ({rule}): {message}")
        self.reason = reason
        self.rule = rule
        self.message = message


class NotationError(ValueError):
    """A text that should be a card, an action, options or a record and is not; the message says what is expected."""


@dataclass(frozen=True, slots=True)
class Deal:
    """Chance acts: the whole shuffled pack, in the deal order of the game's rules.

    Attributes:
        pack: Every card of the pack that the match asked for (`State.pack()`), as often as it is in it.
    """

    pack: tuple[int, ...]


class Decision(NamedTuple):
    """What a match waits for from a player.

    Attributes:
        seat: Who decides.
        kind: Which time on the clock applies.
        cards: Cards each of the present deal; 0 before one.
        continues: It belongs to the turn of the same seat's decision before it: that turn's time runs on.
    """

    seat: int
    kind: DecisionKind
    cards: int
    continues: bool = False


class State(Protocol):
    """One match in progress. It changes only by `apply`, and `apply` changes all or nothing."""

    @property
    def seats(self) -> int:
        """Number of players."""

    def decision(self) -> Decision | None:
        """What is waited for from a player; None when a deal is due or the match is over."""

    def needs_deal(self) -> bool:
        """Whether the next action has to be a `Deal`."""

    def pack(self) -> tuple[int, ...]:
        """The cards to be shuffled for the deal that is due, in the order of the pack. Meaningful if `needs_deal()`."""

    def is_over(self) -> bool:
        """Whether the match has been played to the end."""

    def progress(self) -> tuple[int, int]:
        """Hands finished, and hands of a whole match: the two are equal when the match is over, and only then.

        A hand that is being played counts for nothing yet. A game whose number of hands is not known beforehand counts
        the parts whose number is.
        """

    def scores(self) -> tuple[int, ...]:
        """Points so far, one for each seat; final when the match is over."""

    def legal_actions(self) -> Sequence[Any]:
        """Every legal action of the seat to decide, in the game's documented order; empty when no seat decides.

        Where there are too many to list, as with the combinations of Remi, the game says which are there: all that are
        simple, and of the others the best. `verify` is then the complete judge of what else is legal.
        """

    def verify(self, seat: int | None, action: Any) -> None:
        """Raises `IllegalAction` if `seat` (None for chance) may not do `action` now. Never changes anything."""

    def apply(self, seat: int | None, action: Any) -> tuple[Any, ...]:
        """Verifies and does `action`, and returns what happened by the rules as the game's events, in order."""

    def knowledge(self, seat: int | None) -> Hashable:
        """All that `seat` (None for a spectator) may know, as one value: equal for positions it cannot tell apart."""

    def copy(self) -> Self:
        """An independent copy; cheap enough for searching."""


StateT = TypeVar("StateT", bound=State)
OptionsT = TypeVar("OptionsT")
ActionT = TypeVar("ActionT")


class Game(Generic[StateT, OptionsT, ActionT]):
    """The rules of one game: makes matches, and reads and writes its options and actions as text.

    Attributes:
        name: As in records and on the wire: `arzoi`.
        sizes: Numbers of players it can be played by.
        decisions: The kinds of decision that there are in it; the times of a clock that are for others are idle.
        new: A match at its start, by these options and so many. Raises `ValueError` if it cannot be played by so many,
            or with these options.
        options_text: Options as one line of text; empty for the defaults.
        parse_options: The options that `options_text` wrote. Raises `NotationError`.
        action_text: An action, deals included, as text without line breaks.
        parse_action: The action that `action_text` wrote. Raises `NotationError`.
        sheet: The score sheet so far; `score_sheet` says it with names or without.
        rule_of_thumb: A sensible legal action, from what the seat to decide may know: what a table plays when no bot
            answers.
    """

    def __init__(
        self,
        *,
        name: str,
        sizes: range,
        decisions: tuple[DecisionKind, ...],
        new: Callable[[OptionsT, int], StateT],
        options_text: Callable[[OptionsT], str],
        parse_options: Callable[[str], OptionsT],
        action_text: Callable[[ActionT | Deal], str],
        parse_action: Callable[[str], ActionT | Deal],
        sheet: Callable[[StateT, Sequence[str]], str],
        rule_of_thumb: Callable[[StateT], ActionT],
    ) -> None:
        self.name: str = name
        self.sizes: range = sizes
        self.decisions: tuple[DecisionKind, ...] = decisions
        self.new: Callable[[OptionsT, int], StateT] = new
        self.options_text: Callable[[OptionsT], str] = options_text
        self.parse_options: Callable[[str], OptionsT] = parse_options
        self.action_text: Callable[[ActionT | Deal], str] = action_text
        self.parse_action: Callable[[str], ActionT | Deal] = parse_action
        self.sheet: Callable[[StateT, Sequence[str]], str] = sheet
        self.rule_of_thumb: Callable[[StateT], ActionT] = rule_of_thumb

    def score_sheet(self, state: StateT, names: Sequence[str] = ()) -> str:
        """The score sheet so far, for people: lines of text, orbit by orbit or round by round.

        Args:
            state: The match.
            names: The players in seat order; they are numbered if there are none.
        """
        return self.sheet(state, names)


AnyGame: TypeAlias = Game[Any, Any, Any]
"""One of the games, whichever it is."""
