"""The record of a match: one text form that people can read, diff and mail, and that replays on any machine for ever.

A record is UTF-8 text, one statement a line, in this order; empty lines and lines that start with `#` mean nothing:

    levata record 1
    match m5kq3v0c9xw2tz7a
    game arzoi
    options no-whist-of-2
    seat 0 human "Ana"
    seat 1 bot "Vasile"
    ...
    started 2026-11-30T19:02:11Z
    ended 2026-11-30T19:40:02.125000Z
    shuffle levata-shuffle-1
    commitment 5f2c...
    seed 09aa...
    salt 77...
    actions
    0 whist 5
    - deal AS TH 9D ...
    1 bid 2
    2 bid 1 by timeout
    3 play TH by bot
    ...
    result 12 -3 5 6
    end

- `options` is left out when they are the defaults; `ended` and `result` when the match was not played to the end;
  `shuffle`, `commitment`, `seed` and the `salt` lines when there is no proof of the shuffles.
- `seat` lines are in playing order, from 0: who had the seat in the end, `human` or `bot`, and the name as JSON.
- Times are UTC, with as many digits of the second as there are.
- An action line is the seat that acted (`-` for chance), a space, and the action in the notation of the game. ` by ...`
  says whose decision it was when it was not the player's own: `bot` (the bot that has the seat), `absent` (a bot,
  because the player was away), `timeout` (a bot, because the player's time was out).
- `seed`, `commitment` and `salt` are hex. What they prove is not the record's business: it only carries them.
- `result` has the final points of each seat.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal

from services.table.engine.game import AnyGame, IllegalAction, NotationError, State
from services.table.engine.games import GAMES

HEADING: Final = "levata record 1"

SeatKind = Literal["human", "bot"]
DecidedBy = Literal["player", "bot", "absent", "timeout"]
_OTHER_DECIDERS: Final[dict[str, DecidedBy]] = {"bot": "bot", "absent": "absent", "timeout": "timeout"}


class RecordError(NotationError):
    """A text that is no record, or a record that does not replay.

    Attributes:
        line: The line of the text, from 1; 0 if the record did not come from a text.
        problem: What is wrong with it and what is expected, without the line.
    """

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}" if line else problem)
        self.line = line
        self.problem = problem


class NotARecordError(RecordError):
    """The text does not begin as a record does: it is something else."""


@dataclass(frozen=True, slots=True)
class RecordSeat:
    """Who had a seat at the end of the match.

    Attributes:
        name: As shown at the table.
        kind: A person or a bot.
    """

    name: str
    kind: SeatKind


@dataclass(frozen=True, slots=True)
class RecordAction:
    """One action of a match.

    Attributes:
        seat: Who acted; None for chance.
        action: The action, of the record's game.
        decided_by: Whose decision it was; None for chance.
    """

    seat: int | None
    action: Any
    decided_by: DecidedBy | None


@dataclass(frozen=True, slots=True)
class ShuffleProof:
    """What the shuffles of a match were made from. All values are hex but the name.

    Attributes:
        derivation: Name of the way from seed to pack.
        seed: The secret, revealed.
        commitment: What was published before the first deal.
        salts: What players contributed, in order.
    """

    derivation: str
    seed: str
    commitment: str
    salts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A match: options, seats, actions, result and the proof of its shuffles.

    Attributes:
        match_id: Id of the match.
        game: Name of the game.
        options: The game's options.
        seats: One for each seat, in playing order.
        started: When it started, with a time zone.
        ended: When it ended; None if it was not played to the end.
        actions: Every action in order, deals included.
        result: Final points of each seat; None if it was not played to the end.
        shuffle: What the shuffles were made from, if that is to be published.
        lines: The line of each action in the text that the record was read from; empty otherwise.
        result_line: The line of the result, or of the end, in that text; 0 otherwise.
    """

    match_id: str
    game: str
    options: Any
    seats: tuple[RecordSeat, ...]
    started: datetime
    ended: datetime | None
    actions: tuple[RecordAction, ...]
    result: tuple[int, ...] | None
    shuffle: ShuffleProof | None = None
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)
    result_line: int = field(default=0, compare=False, repr=False)

    def to_text(self) -> str:
        """The record in text. Raises `ValueError` if something in it cannot be written so that it is read back."""
        game = _game(0, self.game)
        lines = [HEADING, f"match {_word(self.match_id)}", f"game {self.game}"]
        options = game.options_text(self.options)
        if options:
            lines.append(f"options {options}")
        for index, seat in enumerate(self.seats):
            lines.append(f"seat {index} {seat.kind} {json.dumps(seat.name, ensure_ascii=False)}")
        lines.append(f"started {_time_text(self.started)}")
        if self.ended is not None:
            lines.append(f"ended {_time_text(self.ended)}")
        if self.shuffle is not None:
            lines.append(f"shuffle {_word(self.shuffle.derivation)}")
            lines.append(f"commitment {_hex(self.shuffle.commitment)}")
            lines.append(f"seed {_hex(self.shuffle.seed)}")
            lines.extend([f"salt {_hex(salt)}" for salt in self.shuffle.salts])
        lines.append("actions")
        for step in self.actions:
            who = "-" if step.seat is None else str(step.seat)
            by = f" by {step.decided_by}" if step.decided_by in _OTHER_DECIDERS else ""
            lines.append(f"{who} {game.action_text(step.action)}{by}")
        if self.result is not None:
            lines.append("result " + " ".join([str(points) for points in self.result]))
        lines.append("end")
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str) -> "MatchRecord":
        """The record that `to_text` wrote. Raises `RecordError`."""
        return _Reader(text).record()

    def replay(self, watch: Callable[[int, State, tuple[Any, ...]], None] | None = None) -> State:
        """Plays the match again and checks it.

        Args:
            watch: Called after each action with its index, the match and what happened by the rules.

        Returns:
            The match after the last action.

        Raises:
            RecordError: If an action is not legal, or the result does not agree with the play.
        """
        game = _game(0, self.game)
        try:
            state: State = game.new(self.options, len(self.seats))
        except ValueError as error:
            raise RecordError(0, str(error)) from error
        for index, step in enumerate(self.actions):
            try:
                events = state.apply(step.seat, step.action)
            except IllegalAction as error:
                line = self.lines[index] if self.lines else 0
                raise RecordError(line, f"action {index + 1} is not legal: {error}") from error
            if watch is not None:
                watch(index, state, events)
        if self.result is None:
            if state.is_over():
                raise RecordError(self.result_line, "the match was played to the end, but the record has no result")
        elif not state.is_over():
            raise RecordError(
                self.result_line, "the record has a result, but the match is not over: actions are missing"
            )
        elif self.result != state.scores():
            raise RecordError(
                self.result_line,
                f"the result is {_numbers(self.result)}, but the play comes to {_numbers(state.scores())}",
            )
        return state


class _Reader:
    """Reads a record line by line."""

    def __init__(self, text: str) -> None:
        self._lines: list[tuple[int, str]] = []
        for number, raw in enumerate(text.split("\n"), 1):
            line = raw.strip()
            if line and not line.startswith("#"):
                self._lines.append((number, line))
        self._next = 0
        self._last = text.count("\n") + 1

    def record(self) -> MatchRecord:
        """The record."""
        number, line = self._line()
        if line != HEADING:
            raise NotARecordError(number, f"this is no record: expected {HEADING!r}")
        match_id = _word_of(*self._need("match"))
        number, name = self._need("game")
        game = _game(number, name)
        number, text = self._maybe("options")
        options = _checked(number, game.parse_options, text or "")
        seats = self._seats(game)
        started = _time(*self._need("started"))
        number, text = self._maybe("ended")
        ended = None if text is None else _time(number, text)
        shuffle = self._shuffle()
        number, text = self._need("actions")
        if text:
            raise RecordError(number, "expected nothing after 'actions'")
        actions: list[RecordAction] = []
        lines: list[int] = []
        while self._peek()[1].partition(" ")[0] not in ("result", "end"):
            number, line = self._line()
            actions.append(_action(number, line, game, len(seats)))
            lines.append(number)
        number, text = self._maybe("result")
        result = None if text is None else _points(number, text, len(seats))
        end, text = self._need("end")
        if text or self._next < len(self._lines):
            raise RecordError(end if text else self._lines[self._next][0], "expected nothing after 'end'")
        return MatchRecord(
            match_id,
            name,
            options,
            seats,
            started,
            ended,
            tuple(actions),
            result,
            shuffle,
            tuple(lines),
            end if result is None else number,
        )

    def _peek(self) -> tuple[int, str]:
        if self._next == len(self._lines):
            raise RecordError(self._last, "the record breaks off: expected more lines, 'end' the last of them")
        return self._lines[self._next]

    def _line(self) -> tuple[int, str]:
        number_and_line = self._peek()
        self._next += 1
        return number_and_line

    def _need(self, keyword: str) -> tuple[int, str]:
        number, line = self._line()
        word, _, rest = line.partition(" ")
        if word != keyword:
            raise RecordError(number, f"expected a line that starts with {keyword!r}, not {_short(line)}")
        return number, rest.strip()

    def _maybe(self, keyword: str) -> tuple[int, str | None]:
        number, line = self._peek()
        if line.partition(" ")[0] != keyword:
            return number, None
        return self._need(keyword)

    def _seats(self, game: AnyGame) -> tuple[RecordSeat, ...]:
        seats: list[RecordSeat] = []
        while True:
            number, text = self._maybe("seat")
            if text is None:
                break
            index, _, rest = text.partition(" ")
            kind, _, quoted = rest.partition(" ")
            if index != str(len(seats)):
                raise RecordError(number, f"expected seat {len(seats)}, not {index!r}")
            try:
                name = json.loads(quoted)
            except json.JSONDecodeError:
                name = None
            if kind not in ("human", "bot") or not isinstance(name, str):
                raise RecordError(number, 'expected a seat such as: seat 0 human "Ana"')
            seats.append(RecordSeat(name, "human" if kind == "human" else "bot"))
        if len(seats) not in game.sizes:
            raise RecordError(number, f"{game.name} is for {game.sizes[0]} to {game.sizes[-1]} seats, not {len(seats)}")
        return tuple(seats)

    def _shuffle(self) -> ShuffleProof | None:
        number, derivation = self._maybe("shuffle")
        if derivation is None:
            return None
        derivation = _word_of(number, derivation)
        commitment = _hex_of(*self._need("commitment"))
        seed = _hex_of(*self._need("seed"))
        salts: list[str] = []
        while True:
            number, salt = self._maybe("salt")
            if salt is None:
                return ShuffleProof(derivation, seed, commitment, tuple(salts))
            salts.append(_hex_of(number, salt))


def _action(number: int, line: str, game: AnyGame, seats: int) -> RecordAction:
    who, _, rest = line.partition(" ")
    text, marked, by = rest.partition(" by ")
    action = _checked(number, game.parse_action, text)
    if marked and by not in _OTHER_DECIDERS:
        raise RecordError(number, f"expected one of {', '.join(_OTHER_DECIDERS)} after 'by', not {by!r}")
    if who == "-" and not marked:
        return RecordAction(None, action, None)
    if who not in [str(seat) for seat in range(seats)]:
        raise RecordError(number, f"expected a seat from 0 to {seats - 1}, or - for chance, not {who!r}")
    return RecordAction(int(who), action, _OTHER_DECIDERS[by] if marked else "player")


def _checked(number: int, parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except NotationError as error:
        raise RecordError(number, str(error)) from error


def _game(number: int, name: str) -> AnyGame:
    game = GAMES.get(name)
    if game is None:
        raise RecordError(number, f"unknown game {name!r}; expected {' or '.join(GAMES)}")
    return game


def _points(number: int, text: str, seats: int) -> tuple[int, ...]:
    words = text.split()
    if len(words) != seats or not all(_is_number(word) for word in words):
        raise RecordError(number, f"expected the points of {seats} seats as whole numbers, not {_short(text)}")
    return tuple([int(word) for word in words])


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit()


def _numbers(points: tuple[int, ...]) -> str:
    return " ".join([str(value) for value in points])


def _time(number: int, text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        time = datetime.min
    if time.tzinfo is None:
        raise RecordError(number, f"expected a time such as 2026-11-30T19:02:11Z, not {_short(text)}")
    return time.astimezone(UTC)


def _time_text(time: datetime) -> str:
    if time.tzinfo is None:
        raise ValueError("a time in a record needs a time zone")
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _hex(text: str) -> str:
    if not _is_hex(text):
        raise ValueError(f"{text!r} is not hex")
    return text


def _hex_of(number: int, text: str) -> str:
    if not _is_hex(text):
        raise RecordError(number, f"expected lower-case hex digits in pairs, not {_short(text)}")
    return text


def _is_hex(text: str) -> bool:
    return bool(text) and len(text) % 2 == 0 and all(digit in "0123456789abcdef" for digit in text)


def _word_of(number: int, text: str) -> str:
    if text.split() != [text]:
        raise RecordError(number, f"expected one word, not {_short(text)}")
    return text


def _word(text: str) -> str:
    if not text or text.split() != [text]:
        raise ValueError(f"{text!r} is not one word")
    return text


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
