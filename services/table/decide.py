"""What a table answers to a command: the facts of a change, or a refusal.

`decide` is a function of its arguments: the state, the command, and the circumstances (time, secrets, limits). It
changes nothing. Whoever calls it writes the facts to the log; only then have they happened.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from services.table import commands as c
from services.table import errors, shuffle
from services.table import facts as f
from services.table.clocks import Deadline, Limits, deadlines, unattended
from services.table.engine.game import Deal
from services.table.engine.games import GAMES
from services.table.options import check_options
from services.table.standstill import running
from services.table.state import TIMEOUTS_TO_AWAY, Played, Seat, TableState, evolve, play

CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Invitation codes have no letters that are taken for another."""
CODE_LENGTH = 8

CHAT_BURST = 5
CHAT_WINDOW = 10_000
"""A person may say so many lines in so many milliseconds."""
BOT_CHAT_PAUSE = 6_000
"""Milliseconds between two lines of one bot."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a decision depends on beside the state.

    Attributes:
        now: Milliseconds since the epoch.
        entropy: So many random bytes.
        limits: How long a table waits for what.
        bot_names: Names to give to bots, at least as many as a table has seats.
    """

    now: int
    entropy: Callable[[int], bytes]
    limits: Limits
    bot_names: Sequence[str]


@dataclass(slots=True)
class Change:
    """A change in the making: facts, each with the events of the game it brought, and the state after them."""

    state: TableState
    circumstances: Circumstances
    facts: list[tuple[f.AnyFact, tuple[Any, ...]]] = field(default_factory=list)

    def tell(self, fact: f.AnyFact, played: Played | None = None) -> None:
        """Adds a fact."""
        now = self.circumstances.now
        self.state, events = evolve(self.state, fact, now, self.state.revision + 1, played)
        self.facts.append((fact, events))

    def act(self, seat: int, action: Any, by: f.DecidedBy) -> None:
        """Adds an action of a seat and all that follows by itself. Raises `IllegalAction`."""
        text = GAMES[self.state.options.game].action_text(action)
        self.tell(f.ActionTaken(seat, text, by), play(self.state, seat, action))
        self.move_on()

    def move_on(self) -> None:
        """Deals if a deal is due, and finishes the match when it is over."""
        state = self.state
        game = state.position()
        while game.needs_deal():
            number = state.deals + 1
            action = Deal(shuffle.shuffled(game.pack(), bytes.fromhex(state.seed), state.match, number))
            self.tell(f.Dealt(GAMES[state.options.game].action_text(action)), play(state, None, action))
            state = self.state
            game = state.position()
        if game.is_over():
            self.tell(f.MatchFinished(tuple(game.scores())))

    def seat_bot(self, seat: int) -> None:
        """A bot sits down, under a name that nobody at the table has."""
        taken = {one.name for one in self.state.seats}
        names = [name for name in self.circumstances.bot_names if name not in taken]
        start = int.from_bytes(self.circumstances.entropy(4), "big") % len(names)
        self.tell(f.BotSeated(seat, names[start]))

    def pass_host_on(self, seat: int) -> None:
        """The next person to the right of `seat` is host; if there is none, the table is stopped (GAP-A30)."""
        state = self.state
        for step in range(1, len(state.seats) + 1):
            other = state.seats[(seat + step) % len(state.seats)]
            if other.kind == "human":
                if other.player != state.host:
                    self.tell(f.HostChanged(other.player))
                return
        if state.host:
            self.tell(f.HostChanged(""))
        self.tell(f.TableStopped("empty"))


def decide(state: TableState, command: c.Command, circumstances: Circumstances) -> Change:
    """The change that `command` makes; without facts when there is nothing to change.

    Raises:
        errors.TableError: The table refuses.
        IllegalAction: The rules of the game refuse.
    """
    change = Change(state, circumstances)
    if unattended(state, circumstances.limits, circumstances.now):
        change.tell(f.StoodStill(state.at))
    _DECISIONS[type(command)](change, command)
    if state.frozen is not None and change.facts and type(command) not in _WHILE_FROZEN:
        raise errors.FrozenByOperatorError
    return change


def _create(change: Change, command: c.CreateTable) -> None:
    check_options(command.options)
    if len(command.players) > command.options.seats:
        raise errors.BadOptionsError(field="players", problem="more players than seats")
    if len({person.player for person in command.players}) < len(command.players):
        raise errors.BadOptionsError(field="players", problem="the same player twice")
    letters = change.circumstances.entropy(CODE_LENGTH)
    code = "".join(CODE_LETTERS[byte % len(CODE_LETTERS)] for byte in letters)
    change.tell(f.TableCreated(command.table, command.options, code, command.maker))
    people = (command.host,) if command.host is not None else command.players
    for seat, person in enumerate(people):
        change.tell(f.SeatTaken(seat, person))
    if people:
        change.tell(f.HostChanged(people[0].player))
    if command.maker:
        _begin(change)


def _take_seat(change: Change, command: c.TakeSeat) -> None:
    state = change.state
    known = state.options.visibility == "public" or state.seat_of(command.person.player) is not None
    if not known and command.code.upper() != state.code:
        raise errors.TableNotFoundError
    if command.person.player in state.removed:
        raise errors.RemovedError
    if state.seat_of(command.person.player) is not None:
        raise errors.AlreadySeatedError
    if state.over:
        raise errors.NotPlayingError
    if state.status != "waiting":
        raise errors.AlreadyStartedError
    free = [index for index, seat in enumerate(state.seats) if seat.kind == "free"]
    if not free:
        raise errors.TableFullError
    seat = free[0] if command.seat is None else command.seat
    if seat not in free:
        raise errors.SeatTakenError(seat=seat)
    change.tell(f.SeatTaken(seat, command.person))


def _leave(change: Change, command: c.LeaveTable) -> None:
    if not change.state.may_watch(command.player):
        raise errors.TableNotFoundError
    seat = change.state.seat_of(command.player)
    if seat is not None and not change.state.over:
        _vacate(change, seat, removed=False)


def _vacate(change: Change, seat: int, *, removed: bool) -> None:
    """A person gets up: a bot takes the seat, or it is free before the start; host rights pass on."""
    player = change.state.seats[seat].player
    playing = change.state.status == "playing"
    change.tell(f.SeatLeft(seat, player, removed))
    people_left = any(one.kind == "human" for one in change.state.seats)
    if playing and people_left:
        change.seat_bot(seat)
    if player == change.state.host or not people_left:
        change.pass_host_on(seat)


def _host_only(change: Change, player: str) -> TableState:
    state = change.state
    if not state.may_watch(player):
        raise errors.TableNotFoundError
    if not player or player != state.host:
        raise errors.NotHostError
    return state


def _start(change: Change, command: c.StartMatch) -> None:
    state = _host_only(change, command.player)
    if state.status != "waiting":
        raise errors.AlreadyStartedError
    _begin(change)


def _begin(change: Change) -> None:
    """Bots take the free seats and the match starts."""
    for index, seat in enumerate(change.state.seats):
        if seat.kind == "free":
            change.seat_bot(index)
    seed = shuffle.new_seed(change.circumstances.entropy)
    change.tell(f.MatchStarted(change.state.table, seed.hex()))
    change.move_on()


def _stop(change: Change, command: c.StopTable) -> None:
    state = _host_only(change, command.player)
    if state.over:
        raise errors.NotPlayingError
    change.tell(f.TableStopped("host"))


def _freeze(change: Change, command: c.FreezeTable) -> None:
    if change.state.over:
        raise errors.NotPlayingError
    if change.state.frozen is not None:
        raise errors.FrozenByOperatorError
    change.tell(f.TableFrozen(command.by, command.why, command.note))


def _resume(change: Change, command: c.ResumeTable) -> None:
    if change.state.frozen is None:
        raise errors.NotFrozenError
    change.tell(f.TableResumed(command.by, command.why))


def _end(change: Change, command: c.EndTable) -> None:
    if change.state.over:
        raise errors.NotPlayingError
    change.tell(f.TableStopped("operator", command.by, command.why, command.note))


def _update(change: Change, command: c.UpdateTable) -> None:
    state = _host_only(change, command.player)
    if state.over:
        raise errors.NotPlayingError
    options = state.options
    if command.rules is not None:
        if command.game != options.game:
            raise errors.BadOptionsError(field="game", problem=f"the game of this table is {options.game}")
        if state.status != "waiting" and command.rules != options.rules:
            raise errors.AlreadyStartedError
        options = _with(options, rules=command.rules)
    if command.bot_talk is not None:
        options = _with(options, bot_talk=command.bot_talk)
    if command.visibility is not None:
        options = _with(options, visibility=command.visibility)
    if options != state.options:
        check_options(options)
        change.tell(f.OptionsChanged(options))


def _with(options: f.Options, **values: Any) -> f.Options:
    """Options with some values changed."""
    fields = {name: getattr(options, name) for name in options.__struct_fields__}
    return f.Options(**(fields | values))


def _submit(change: Change, command: c.SubmitAction) -> None:
    state = change.state
    seat = state.seat_of(command.player)
    if seat is None:
        if not state.may_watch(command.player):
            raise errors.TableNotFoundError
        raise errors.NotSeatedError
    if state.status != "playing" or state.decision is None:
        raise errors.NotPlayingError
    if command.revision is not None:
        if command.revision > state.revision:
            raise errors.UnknownRevisionError(field="revision", problem=f"is to come: the last one is {state.revision}")
        if command.revision < state.game_revision:
            raise errors.StaleRevisionError(revision=state.revision)
    if state.decision.seat != seat:
        raise errors.NotYourTurnError
    if state.decided_by != "player":
        raise errors.BotDecidesError
    change.act(seat, command.action, "player")


def _return(change: Change, command: c.Return) -> None:
    index = change.state.seat_of(command.player)
    if index is None or change.state.over:
        return
    if change.state.seats[index].away and change.state.seats[index].connections:
        change.tell(f.CameBack(index))


def _answer_turn(change: Change, command: c.AnswerTurn) -> None:
    state = change.state
    if state.status != "playing" or state.decision is None:
        raise errors.NotPlayingError
    if command.revision < state.game_revision:
        raise errors.StaleRevisionError(revision=state.revision)
    if state.decision.seat != command.seat or state.decided_by == "player":
        raise errors.NotYourTurnError
    by = state.decided_by
    text = _clean(command.chat)
    if text and _bot_may_talk(state, state.seats[command.seat], change.circumstances.now):
        change.tell(f.ChatSaid(command.seat, state.seats[command.seat].name, text, bot=True))
    change.act(command.seat, command.action, by)


def _bot_may_talk(state: TableState, seat: Seat, now: int) -> bool:
    """Bots talk in their own seats only, if the table wants it, and not too often."""
    silent = state.options.bot_talk == "silent" or seat.kind != "bot"
    return not silent and (not seat.chat or now - seat.chat[-1] >= BOT_CHAT_PAUSE)


def _clean(text: str) -> str:
    """Text without control and direction characters, and without blanks around it."""
    return _CONTROL.sub(" ", text).strip()


def _say(change: Change, command: c.Say) -> None:
    state = change.state
    index = state.seat_of(command.player)
    if index is None:
        if not state.may_watch(command.player):
            raise errors.TableNotFoundError
        raise errors.NotSeatedError
    seat = state.seats[index]
    if seat.muted:
        raise errors.MutedError
    now = change.circumstances.now
    recent = [at for at in seat.chat if now - at < CHAT_WINDOW]
    if len(recent) >= CHAT_BURST:
        raise errors.TooFastError(retry_after=(recent[-CHAT_BURST] + CHAT_WINDOW - now) / 1000)
    text = _clean(command.text)
    if not text:
        raise errors.BadOptionsError(field="text", problem="has nothing to read")
    change.tell(f.ChatSaid(index, seat.name, text))
    if seat.away and seat.connections:
        change.tell(f.CameBack(index))


def _mute(change: Change, command: c.MutePlayer) -> None:
    state = _host_only(change, command.player)
    seat = _person_at(state, command.seat)
    if seat.player == command.player and command.muted:
        raise errors.CannotMuteSelfError
    if seat.muted != command.muted:
        change.tell(f.PlayerMuted(command.seat, command.muted))


def _person_at(state: TableState, index: int) -> Seat:
    if index >= len(state.seats) or state.seats[index].kind != "human":
        raise errors.SeatNotHumanError(seat=index)
    return state.seats[index]


def _request_seat(change: Change, command: c.RequestSeat) -> None:
    state = change.state
    if state.seat_of(command.person.player) is not None:
        raise errors.AlreadySeatedError
    if state.options.visibility == "private":
        raise errors.TableNotFoundError
    if command.person.player in state.removed:
        raise errors.RemovedError
    if state.status != "playing":
        raise errors.NotPlayingError
    if not any(seat.kind == "bot" for seat in state.seats):
        raise errors.NoBotSeatError
    if all(one.player != command.person.player for one in state.requests):
        change.tell(f.SeatRequested(command.person))


def _answer_request(change: Change, command: c.AnswerSeatRequest) -> None:
    state = _host_only(change, command.player)
    person = next((one for one in state.requests if one.player == command.asking), None)
    if person is None:
        raise errors.NotRequestedError
    if not command.admit:
        change.tell(f.SeatDeclined(command.asking))
        return
    bots = [index for index, seat in enumerate(state.seats) if seat.kind == "bot"]
    if not bots:
        raise errors.NoBotSeatError
    seat = bots[0] if command.seat is None else command.seat
    if seat not in bots:
        raise errors.SeatNotBotError(seat=seat)
    change.tell(f.SeatTaken(seat, person))


def _remove(change: Change, command: c.RemovePlayer) -> None:
    state = _host_only(change, command.player)
    if state.over:
        raise errors.NotPlayingError
    seat = _person_at(state, command.seat)
    if seat.player == command.player:
        raise errors.CannotRemoveSelfError
    _vacate(change, command.seat, removed=True)


def _connect(change: Change, command: c.Connect) -> None:
    state = change.state
    index = state.seat_of(command.player)
    if index is None:
        return
    seat = state.seats[index]
    if command.server not in seat.connections:
        credit = 0
        if seat.lost is not None and seat.lost_by_server:
            credit = max(0, running(state, change.circumstances.now) - max(seat.lost, state.decision_since))
        change.tell(f.Connected(index, command.server, credit))
    if seat.away:
        change.tell(f.CameBack(index))


def _disconnect(change: Change, command: c.Disconnect) -> None:
    index = change.state.seat_of(command.player)
    if index is not None and command.server in change.state.seats[index].connections:
        change.tell(f.Disconnected(index, command.server, command.lost, command.by_server))


def _lose_server(change: Change, command: c.LoseServer) -> None:
    for index, seat in enumerate(change.state.seats):
        if command.server in seat.connections:
            change.tell(f.Disconnected(index, command.server, command.lost, by_server=True))


def _confirm(change: Change, command: c.ConfirmResult) -> None:
    if change.state.result_due:
        change.tell(f.ResultPosted())


def due(state: TableState, circumstances: Circumstances) -> list[Deadline]:
    """What is due now, earliest first."""
    now = circumstances.now
    return sorted((one for one in deadlines(state, circumstances.limits) if one.when <= now), key=lambda one: one.when)


def _tick(change: Change, command: c.Tick) -> None:
    for deadline in due(change.state, change.circumstances):
        seat = deadline.seat
        if change.state.over:
            return
        if deadline.due == "absence" and seat is not None:
            _absent(change, seat)
        elif deadline.due == "turn" and seat is not None and change.state.decided_by == "player":
            away = change.state.seats[seat].timeouts + 1 >= TIMEOUTS_TO_AWAY
            change.tell(f.ClockExpired(seat, away))
        elif deadline.due == "bot" and seat is not None:
            state = change.state
            action = GAMES[state.options.game].rule_of_thumb(state.position())
            change.act(seat, action, state.decided_by)
        elif deadline.due == "abandoned":
            change.tell(f.TableStopped("empty"))


def _absent(change: Change, seat: int) -> None:
    """A person has been gone too long: a bot plays (AZ-50), or before the start the seat is free."""
    if change.state.status == "waiting":
        _vacate(change, seat, removed=False)
    else:
        change.tell(f.WentAway(seat))


_DECISIONS: dict[type, Callable[[Change, Any], None]] = {
    c.CreateTable: _create,
    c.TakeSeat: _take_seat,
    c.LeaveTable: _leave,
    c.StartMatch: _start,
    c.StopTable: _stop,
    c.FreezeTable: _freeze,
    c.ResumeTable: _resume,
    c.EndTable: _end,
    c.UpdateTable: _update,
    c.SubmitAction: _submit,
    c.Return: _return,
    c.AnswerTurn: _answer_turn,
    c.Say: _say,
    c.MutePlayer: _mute,
    c.RequestSeat: _request_seat,
    c.AnswerSeatRequest: _answer_request,
    c.RemovePlayer: _remove,
    c.Connect: _connect,
    c.Disconnect: _disconnect,
    c.LoseServer: _lose_server,
    c.Tick: _tick,
    c.ConfirmResult: _confirm,
}

_WHILE_FROZEN = frozenset({c.FreezeTable, c.ResumeTable, c.EndTable, c.Connect, c.Disconnect, c.LoseServer})
"""What may change a table that an operator has frozen: who is connected has to be known when it goes on."""
