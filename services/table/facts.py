"""What happens at a table, as its log tells it.

A `Record` is one accepted change: one message of the log, one revision of the table. It holds the facts of the change
in order, so that a change is never half told. Records are JSON, so that an operator can read a log as it is, and they
are versioned by their field names: fields are only ever added, with a default that means what their absence meant.

The log tells everything, hidden cards included: only the table service may read it.
"""

import hashlib
from typing import Literal

import msgspec

from services.table.engine.game import DecisionKind

DecidedBy = Literal["player", "bot", "absent", "timeout"]
"""Whose decision it was: the player's, the seat's bot's, or a bot's because the player was away or out of time."""

Visibility = Literal["public", "private"]
BotTalk = Literal["silent", "polite", "uncensored"]
BotLevel = Literal["novice", "club"]
StopReason = Literal["host", "empty", "operator"]


class Clock(msgspec.Struct, frozen=True, omit_defaults=True):
    """Seconds for each kind of decision, and each player's reserve for the match; all 0: no clock."""

    bid: int = 0
    bid_extra: int = 0
    play: int = 0
    choose: int = 0
    bank: int = 0
    turn: int = 0

    def seconds(self, kind: DecisionKind, cards: int) -> int:
        """Seconds for a decision of this kind with so many cards each, or for a turn of them; 0 when not limited."""
        match kind:
            case "bid":
                return self.bid + self.bid_extra * max(0, cards - 4) if self.bid else 0
            case "play":
                return self.play
            case "choose":
                return self.choose
            case "turn":
                return self.turn


class Options(msgspec.Struct, frozen=True, omit_defaults=True):
    """The options of a table. `rules` is the text form of the game's own options."""

    game: str
    seats: int
    rules: str = ""
    clock: Clock = Clock()
    absence: int = 20
    bot_talk: BotTalk = "silent"
    bot_level: BotLevel = "club"
    visibility: Visibility = "public"


class Person(msgspec.Struct, frozen=True):
    """An account and its name at that time."""

    player: str
    name: str


class Fact(msgspec.Struct, frozen=True, tag_field="fact", omit_defaults=True):
    """Something that happened at a table."""


class TableCreated(Fact, frozen=True, tag="created", omit_defaults=True):
    """A table was made. `code` is its invitation code; `maker` is a service's name when a service made it."""

    table: str
    options: Options
    code: str
    maker: str = ""


class SeatTaken(Fact, frozen=True, tag="seat_taken", omit_defaults=True):
    """A person sat down."""

    seat: int
    person: Person


class BotSeated(Fact, frozen=True, tag="bot_seated", omit_defaults=True):
    """A bot sat down on a free seat, or in place of a person."""

    seat: int
    name: str


class SeatLeft(Fact, frozen=True, tag="seat_left", omit_defaults=True):
    """A person got up for good, or was removed by the host."""

    seat: int
    player: str
    removed: bool = False


class Connected(Fact, frozen=True, tag="connected", omit_defaults=True):
    """A person's first watch on the server `at` was opened. `credit` milliseconds go back on the person's clock."""

    seat: int
    at: str
    credit: int = 0


class Disconnected(Fact, frozen=True, tag="disconnected", omit_defaults=True):
    """A person's last watch on the server `at` ended, at `lost` (ms since the epoch), by the server's doing or not."""

    seat: int
    at: str
    lost: int
    by_server: bool = False


class WentAway(Fact, frozen=True, tag="went_away", omit_defaults=True):
    """A person has been gone for too long: a bot plays in the seat until the person is back (AZ-50)."""

    seat: int


class CameBack(Fact, frozen=True, tag="came_back", omit_defaults=True):
    """A person plays again, from the next decision on."""

    seat: int


class HostChanged(Fact, frozen=True, tag="host_changed", omit_defaults=True):
    """Another person is host now; empty when no person is left."""

    player: str


class OptionsChanged(Fact, frozen=True, tag="options_changed", omit_defaults=True):
    """The options are these now."""

    options: Options


class MatchStarted(Fact, frozen=True, tag="match_started", omit_defaults=True):
    """The match started. `seed` is the secret of its shuffles, in hex."""

    match: str
    seed: str


class Dealt(Fact, frozen=True, tag="dealt", omit_defaults=True):
    """Chance acted; `action` is the deal in the game's notation."""

    action: str


class ActionTaken(Fact, frozen=True, tag="action", omit_defaults=True):
    """A seat acted; `action` is in the game's notation."""

    seat: int
    action: str
    by: DecidedBy = "player"


class ClockExpired(Fact, frozen=True, tag="clock_expired", omit_defaults=True):
    """A person's time was out: a bot takes this decision, and with it what is left of the turn. `away`: it was the
    third time in a row.
    """

    seat: int
    away: bool = False


class ChatSaid(Fact, frozen=True, tag="chat", omit_defaults=True):
    """Somebody at the table said something."""

    seat: int
    name: str
    text: str
    bot: bool = False


class SeatRequested(Fact, frozen=True, tag="seat_requested", omit_defaults=True):
    """A spectator asked for a seat (AZ-51)."""

    person: Person


class SeatDeclined(Fact, frozen=True, tag="seat_declined", omit_defaults=True):
    """The host declined."""

    player: str


class PlayerMuted(Fact, frozen=True, tag="muted", omit_defaults=True):
    """The host muted a person's chat, or let it be heard again."""

    seat: int
    muted: bool


class MatchFinished(Fact, frozen=True, tag="match_finished", omit_defaults=True):
    """The match was played to the end, with these points."""

    points: tuple[int, ...]


class TableStopped(Fact, frozen=True, tag="stopped", omit_defaults=True):
    """The table was stopped before the end. An operator who did it is named in `by`, with the reason in `why`; what
    everybody at the table is told of it is `note`.
    """

    reason: StopReason
    by: str = ""
    why: str = ""
    note: str = ""


class TableFrozen(Fact, frozen=True, tag="frozen", omit_defaults=True):
    """The operator `by` froze the table, for the reason `why`; `note` is what everybody at the table is told."""

    by: str
    why: str
    note: str = ""


class TableResumed(Fact, frozen=True, tag="resumed", omit_defaults=True):
    """The operator `by` lets the table go on, for the reason `why`."""

    by: str
    why: str


class TableWrittenOff(Fact, frozen=True, tag="written_off", omit_defaults=True):
    """The operator `by` gave up a table whose log is damaged, for the reason `why`. It stands in a record of its own,
    which is outside of the chain and has the number 0; the table is closed from then on.
    """

    by: str
    why: str


class Restored(Fact, frozen=True, tag="restored", omit_defaults=True):
    """The club was restored from a backup that was taken at `since` (ms since the epoch). The number of this record
    leaves out `skipped` others: those that a lost future may have had. The table stands still until it is `StoodStill`.
    """

    since: int
    skipped: int


class StoodStill(Fact, frozen=True, tag="stood_still", omit_defaults=True):
    """No server had looked after the table since `since` (ms since the epoch), for the club was down. No time ran."""

    since: int


class ResultPosted(Fact, frozen=True, tag="result_posted", omit_defaults=True):
    """The result of the match, finished or stopped, is on its way to the ledger for certain."""


AnyFact = (
    TableCreated
    | SeatTaken
    | BotSeated
    | SeatLeft
    | Connected
    | Disconnected
    | WentAway
    | CameBack
    | HostChanged
    | OptionsChanged
    | MatchStarted
    | Dealt
    | ActionTaken
    | ClockExpired
    | ChatSaid
    | SeatRequested
    | SeatDeclined
    | PlayerMuted
    | MatchFinished
    | TableStopped
    | TableFrozen
    | TableResumed
    | TableWrittenOff
    | Restored
    | StoodStill
    | ResultPosted
)


class Request(msgspec.Struct, frozen=True, omit_defaults=True):
    """The request that a record answers: who sent it, under which id, and a digest of its body."""

    player: str
    id: str
    digest: str


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """One accepted change.

    Attributes:
        n: Revision that the change made, from 1 and without gaps but those that a `Restored` tells of.
        prev: SHA-256 of the record before, in hex; of nothing for the first.
        at: When it was accepted, in milliseconds since the epoch.
        facts: What happened, in order; never empty.
        request: The request that it answers; None for what the table did itself.
        wake: When the table's pending timer fires, in milliseconds since the epoch; 0 for none.
    """

    n: int
    prev: str
    at: int
    facts: tuple[AnyFact, ...]
    request: Request | None = None
    wake: int = 0

    @property
    def skipped(self) -> int:
        """How many numbers were left out before this one."""
        first = self.facts[0] if self.facts else None
        return first.skipped if isinstance(first, Restored) else 0


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Record)

BEGINNING = hashlib.sha256(b"").hexdigest()
"""What the first record names as the hash before it."""


def encode(record: Record) -> bytes:
    """The record as it stands in the log."""
    return _encoder.encode(record)


def decode(data: bytes) -> Record:
    """The record that `encode` wrote. Raises `msgspec.DecodeError` (or `ValidationError`) when it is none."""
    return _decoder.decode(data)


def writes_off(data: bytes) -> bool:
    """Whether a message of a log is the record by which an operator gave up the table."""
    try:
        record = decode(data)
    except msgspec.DecodeError:
        return False
    return record.n == 0 and any(isinstance(fact, TableWrittenOff) for fact in record.facts)


def link(data: bytes) -> str:
    """What the next record names as the hash before it."""
    return hashlib.sha256(data).hexdigest()
