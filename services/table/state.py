"""What a table is: the fold of its log.

`TableState` is a value: a change makes a new one, so that a change that could not be written has not happened. `evolve`
takes one fact; `fold` takes a whole record. Nothing in here looks at a clock: all times come from the records. Values
are structs of msgspec rather than dataclasses because every action copies them, and structs copy many times as fast.
"""

from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from services.table import facts as f
from services.table import restoration, standstill
from services.table.engine.game import Decision, State
from services.table.engine.games import GAMES

Status = Literal["waiting", "playing", "finished", "stopped"]

TIMEOUTS_TO_AWAY = 3
"""So many decisions out of time in a row, and the player counts as away."""

CHAT_REMEMBERED = 8
"""Times of so many lines are kept for each seat, to limit the rate."""

REQUESTS_KEPT = 16
"""So many people may wait for a seat; the one who asked first is forgotten first, for all viewers are sent the list."""


class FoldError(Exception):
    """A record that cannot follow what came before: the log is damaged."""


class Seat(msgspec.Struct, frozen=True):
    """One seat.

    Attributes:
        kind: Who has it.
        player: Account of the person; empty for others.
        name: Name of the person or bot.
        connections: Servers on which the person has a watch open.
        lost: When the last watch ended (or the seat was taken without one), in ms; None while one is open.
        lost_by_server: That was the server's doing: the person's clock does not run.
        away: A bot plays until the person is back.
        timeouts: Decisions out of time in a row.
        bank: Time bank left, in ms.
        muted: The host muted the person.
        chat: Times of the latest lines, in ms, oldest first.
        by_bot: Decisions that a bot made for the person.
    """

    kind: Literal["free", "human", "bot"] = "free"
    player: str = ""
    name: str = ""
    connections: frozenset[str] = frozenset()
    lost: int | None = None
    lost_by_server: bool = False
    away: bool = False
    timeouts: int = 0
    bank: int = 0
    muted: bool = False
    chat: tuple[int, ...] = ()
    by_bot: int = 0


class TableState(msgspec.Struct, frozen=True):
    """A table at one revision.

    Attributes:
        revision: Number of records so far.
        link: Hash of the latest record.
        table: Id.
        options: Options as they are now.
        code: Invitation code.
        maker: The service that made the table; empty when a person did.
        created: When it was made, in ms.
        status: Where it is in its life.
        seats: In playing order.
        host: Account of the host; empty when there is none.
        requests: Who asked for a seat lately, in order.
        removed: Accounts that the host removed.
        match: Id of the match; empty before the start.
        seed: The secret of the shuffles, in hex.
        deals: Deals so far.
        started: When the match started, in ms.
        ended: When the match ended or the table was stopped, in ms; 0 before.
        starters: The person who held each seat at the start, None for a bot; empty before.
        gone: Of each seat, whether that person was not there at the end (GAP-Z17); empty before it.
        game: The match; None before the start. Never changed in place.
        decision: What the match waits for from a seat.
        decided_by: Whose decision that is.
        decision_since: When its time began, in ms; given-back time moves it on.
        turn_used: What earlier decisions of the same turn took of the player's time, in ms, less what the bank paid.
        delegated: When a bot was given the decision, in ms.
        game_revision: Revision at which the match last changed.
        people_gone: Since when no person is present, in ms; None while one is, or when a service made an exhibition.
        frozen: Since when an operator has it frozen, in ms; None when it is not.
        freeze_note: What everybody is told of that; empty for nothing.
        resumed: Revision at which it last went on after it had stood still; 0 for never.
        restored: The moment to which it last went back, in ms, when the club was restored; None for never.
        dormant: It was restored from a backup, and no server has let it go on yet.
        posted: The result is on its way for certain.
        wake: When the pending timer fires, in ms; 0 for none.
        at: When the latest record was accepted, in ms.
    """

    revision: int = 0
    link: str = f.BEGINNING
    table: str = ""
    options: f.Options = msgspec.field(default_factory=lambda: f.Options(game="", seats=0))
    code: str = ""
    maker: str = ""
    created: int = 0
    status: Status = "waiting"
    seats: tuple[Seat, ...] = ()
    host: str = ""
    requests: tuple[f.Person, ...] = ()
    removed: frozenset[str] = frozenset()
    match: str = ""
    seed: str = ""
    deals: int = 0
    started: int = 0
    ended: int = 0
    starters: tuple[f.Person | None, ...] = ()
    gone: tuple[bool, ...] = ()
    game: State | None = None
    decision: Decision | None = None
    decided_by: f.DecidedBy = "player"
    decision_since: int = 0
    turn_used: int = 0
    delegated: int = 0
    game_revision: int = 0
    people_gone: int | None = None
    frozen: int | None = None
    freeze_note: str = ""
    resumed: int = 0
    restored: int | None = None
    dormant: bool = False
    posted: bool = False
    wake: int = 0
    at: int = 0

    @property
    def over(self) -> bool:
        """The match was played to the end, or the table was stopped."""
        return self.status in ("finished", "stopped")

    @property
    def result_due(self) -> bool:
        """A match is over, finished or stopped, and it is not certain yet that the ledger will hear of it."""
        return self.over and bool(self.match) and not self.posted

    def seat_of(self, player: str) -> int | None:
        """The seat that this person has."""
        if player:
            for index, seat in enumerate(self.seats):
                if seat.player == player:
                    return index
        return None

    def may_watch(self, player: str) -> bool:
        """Whether this person may see the table at all (GAP-A26)."""
        return self.options.visibility == "public" or self.seat_of(player) is not None

    def position(self) -> State:
        """The match. Raises `FoldError` before the start."""
        if self.game is None:
            raise FoldError(f"table {self.table} has no match at revision {self.revision}")
        return self.game


@dataclass(frozen=True, slots=True)
class Played:
    """A match after a deal or an action, and what the game says happened: spares the fold from doing it again."""

    game: State
    events: tuple[Any, ...]


def play(state: TableState, seat: int | None, action: Any) -> Played:
    """The match of `state` after `action`. Raises `IllegalAction`; `state` stays as it is."""
    game = state.position().copy()
    events = game.apply(seat, action)
    return Played(game, events)


def evolve(
    state: TableState, fact: f.AnyFact, at: int, revision: int, played: Played | None = None
) -> tuple[TableState, tuple[Any, ...]]:
    """The state after one fact accepted at `at`, and the events of the game that it brought.

    Raises:
        FoldError: The fact cannot follow.
    """
    match fact:
        case f.ActionTaken(seat=index, by=by):
            if played is None:
                played = _replay(state, index, fact.action)
            state = _count_decision(state, index, by, at)
            return _moved(state, played, at, revision), played.events
        case f.Dealt():
            if played is None:
                played = _replay(state, None, fact.action)
            return replace(_moved(state, played, at, revision), deals=state.deals + 1), played.events
        case f.TableCreated():
            seats = tuple(Seat() for _ in range(fact.options.seats))
            created = TableState(
                table=fact.table, options=fact.options, code=fact.code, maker=fact.maker, created=at, seats=seats
            )
            return replace(created, people_gone=None if fact.maker else at), ()
        case f.SeatTaken(seat=index, person=person):
            seat = Seat(kind="human", player=person.player, name=person.name, lost=at, bank=_bank(state))
            requests = tuple(one for one in state.requests if one.player != person.player)
            gone = state.people_gone if _present(state) else at
            if state.decision is not None and state.decision.seat == index:
                state = replace(state, turn_used=0)  # another's; the turn may come to the newcomer half played
            return replace(_seated(state, index, seat), requests=requests, people_gone=gone), ()
        case f.BotSeated(seat=index, name=name):
            return _left_to_bot(_seated(state, index, Seat(kind="bot", name=name)), index, "bot", at), ()
        case f.SeatLeft(seat=index, player=player, removed=removed):
            state = _seated(state, index, Seat())
            if removed:
                state = replace(state, removed=state.removed | {player})
            return _people_counted(state, at), ()
        case f.Connected(seat=index, at=server, credit=credit):
            before = state.seats[index]
            seat = replace(before, connections=before.connections | {server}, lost=None, lost_by_server=False)
            if credit and state.decision is not None and state.decision.seat == index:
                state = replace(state, decision_since=state.decision_since + credit)
            return replace(_seated(state, index, seat), people_gone=None), ()
        case f.Disconnected(seat=index, at=server):
            before = state.seats[index]
            seat = replace(before, connections=before.connections - {server})
            if not seat.connections:
                seat = replace(seat, lost=fact.lost, lost_by_server=fact.by_server)
            return _people_counted(_seated(state, index, seat), fact.lost), ()
        case f.WentAway(seat=index):
            state = _seated(state, index, replace(state.seats[index], away=True))
            return _left_to_bot(state, index, "absent", at), ()
        case f.CameBack(seat=index):
            return _seated(state, index, replace(state.seats[index], away=False, timeouts=0)), ()
        case f.ClockExpired(seat=index, away=away):
            before = state.seats[index]
            seat = replace(before, timeouts=before.timeouts + 1, away=before.away or away, bank=0)
            return _left_to_bot(_seated(state, index, seat), index, "timeout", at), ()
        case f.HostChanged(player=player):
            return replace(state, host=player), ()
        case f.OptionsChanged(options=options):
            return replace(state, options=options), ()
        case f.MatchStarted():
            rules = GAMES[state.options.game]
            game = rules.new(rules.parse_options(state.options.rules), state.options.seats)
            state = replace(state, status="playing", match=fact.match, seed=fact.seed, started=at)
            state = replace(state, starters=tuple(_person(seat) for seat in state.seats))
            return _moved(state, Played(game, ()), at, revision), ()
        case f.ChatSaid(seat=index):
            before = state.seats[index]
            return _seated(state, index, replace(before, chat=(*before.chat, at)[-CHAT_REMEMBERED:])), ()
        case f.SeatRequested(person=person):
            return replace(state, requests=(*state.requests, person)[-REQUESTS_KEPT:]), ()
        case f.SeatDeclined(player=player):
            return replace(state, requests=tuple(one for one in state.requests if one.player != player)), ()
        case f.PlayerMuted(seat=index, muted=muted):
            return _seated(state, index, replace(state.seats[index], muted=muted)), ()
        case f.MatchFinished():
            return _ended(state, "finished", at, deserted=False), ()
        case f.TableStopped(reason=reason):
            return _ended(state, "stopped", at, deserted=reason == "empty"), ()
        case f.TableFrozen(note=note):
            return standstill.freeze(state, at, note), ()
        case f.TableResumed():
            return standstill.resume(state, at, revision), ()
        case f.TableWrittenOff():
            raise FoldError(f"revision {state.revision}: an operator has given up the table")
        case f.Restored(since=since):
            return restoration.restored(state, since, at, revision), ()
        case f.StoodStill(since=since):
            return replace(standstill.made_up(state, since, at, revision), dormant=False), ()
        case f.ResultPosted():
            return replace(state, posted=True), ()


def _replay(state: TableState, seat: int | None, text: str) -> Played:
    """The match after an action that the log tells."""
    try:
        return play(state, seat, GAMES[state.options.game].parse_action(text))
    except Exception as error:
        raise FoldError(f"revision {state.revision + 1}: {text!r} by {seat} cannot follow: {error}") from error


def _seated(state: TableState, index: int, seat: Seat) -> TableState:
    """The state with another value of one seat."""
    seats = list(state.seats)
    seats[index] = seat
    return replace(state, seats=tuple(seats))


def _person(seat: Seat) -> f.Person | None:
    """The person who has a seat."""
    return f.Person(seat.player, seat.name) if seat.kind == "human" else None


def _ended(state: TableState, status: Status, at: int, *, deserted: bool) -> TableState:
    """The state after the end; whoever comes back later to look at it was not there.

    Args:
        state: Before.
        status: How it ended.
        at: When.
        deserted: Nobody was there any more, and it was stopped for that.
    """
    gone = tuple(_gone(starter, seat, deserted) for starter, seat in zip(state.starters, state.seats, strict=False))
    state = replace(state, frozen=None, freeze_note="", dormant=False)
    return replace(state, status=status, ended=at, decision=None, requests=(), gone=gone)


def _gone(starter: f.Person | None, seat: Seat, deserted: bool) -> bool:
    """Whether the person who began on a seat is not there at the end (GAP-Z17).

    Gone are those who left, or were removed, whoever has the seat now, and those for whom a bot plays at the end. From
    a deserted table all are gone but those whom the club itself lost: it was for the club to have them back.
    """
    if starter is None:
        return False
    if seat.player != starter.player:
        return True
    return not seat.lost_by_server if deserted else seat.away


def _present(state: TableState) -> bool:
    """Whether a watch of any person is open."""
    return any(seat.connections for seat in state.seats)


def _people_counted(state: TableState, at: int) -> TableState:
    """The state, with the time since when no person is present."""
    if _present(state):
        return replace(state, people_gone=None)
    return state if state.people_gone is not None else replace(state, people_gone=at)


def _bank(state: TableState) -> int:
    """A fresh time bank, in ms."""
    return state.options.clock.bank * 1000


def _left_to_bot(state: TableState, seat: int, by: f.DecidedBy, at: int) -> TableState:
    """The state, with the open decision given to a bot if it is this seat's and a player's (GAP-A25)."""
    if state.decision is None or state.decision.seat != seat:
        return state
    if state.decided_by != "player":
        return replace(state, decided_by=by) if by == "bot" else state
    # The time that the bot takes is not the player's, to whom the same turn may return.
    used = _time_used(state, state.seats[seat], at)
    return replace(state, decided_by=by, delegated=at, turn_used=used)


def _time_used(state: TableState, seat: Seat, at: int) -> int:
    """What the player to decide has used until `at`, in ms: of the decision's time, or of the whole turn's."""
    # A clock that stands still, because the server lost the player, does not run for a lone call either.
    until = standstill.running(state, seat.lost if seat.lost is not None and seat.lost_by_server else at)
    return state.turn_used + max(0, until - state.decision_since)


def _count_decision(state: TableState, index: int, by: f.DecidedBy, at: int) -> TableState:
    """The state, with the deciding seat's time, bank, time-outs and decisions by bots counted."""
    seat = state.seats[index]
    if by != "player":
        if seat.kind == "human":
            return _seated(state, index, replace(seat, by_bot=seat.by_bot + 1))
        return state
    used, paid = _time_used(state, seat, at), 0
    if state.decision is not None:
        limit = state.options.clock.seconds(state.decision.kind, state.decision.cards) * 1000
        # What the bank pays is used no more, so that the next decision of the turn does not have it paid again.
        paid = min(seat.bank, max(0, used - limit)) if limit else 0
    state = replace(state, turn_used=used - paid)
    if not paid and not seat.timeouts:
        return state
    return _seated(state, index, replace(seat, bank=seat.bank - paid, timeouts=0))


def _moved(state: TableState, played: Played, at: int, revision: int) -> TableState:
    """The state after the match moved on: a new decision is open, or a deal is due, or it is over."""
    decision = played.game.decision()
    by: f.DecidedBy = "player"
    same_turn = False
    if decision is not None:
        seat = state.seats[decision.seat]
        same_turn = decision.continues and state.decision is not None and state.decision.seat == decision.seat
        if seat.kind != "human":
            by = "bot"
        elif same_turn and state.decided_by == "timeout":
            by = "timeout"
        elif seat.away:
            by = "absent"
    return replace(
        state,
        game=played.game,
        decision=decision,
        decided_by=by,
        decision_since=at,
        turn_used=state.turn_used if same_turn else 0,
        delegated=at,
        game_revision=revision,
    )


def fold(state: TableState, record: f.Record, link: str) -> tuple[TableState, list[tuple[f.AnyFact, tuple[Any, ...]]]]:
    """The state after a record, and each of its facts with the events of the game that it brought.

    Args:
        state: The table before.
        record: The record that follows.
        link: Hash of the record as it stands in the log.

    Raises:
        FoldError: The record does not follow: a gap, a broken chain, or a fact that cannot be.
    """
    if record.n != state.revision + 1 + record.skipped:
        raise FoldError(f"record {record.n} follows revision {state.revision}: the log has a gap")
    if record.prev != state.link:
        raise FoldError(
            f"record {record.n} names {record.prev[:12]} before it, not {state.link[:12]}: the chain is broken"
        )
    told = []
    for fact in record.facts:
        state, events = evolve(state, fact, record.at, record.n)
        told.append((fact, events))
    return sealed(state, record, link), told


def sealed(state: TableState, record: f.Record, link: str) -> TableState:
    """The state after all facts of a record, at its revision."""
    return replace(state, revision=record.n, link=link, wake=record.wake, at=record.at)
