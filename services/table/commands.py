"""What can be asked of a table. Each is decided by `services.table.decide`; nothing in here does anything."""

from dataclasses import dataclass
from typing import Any

from services.table import facts as f


@dataclass(frozen=True, slots=True)
class CreateTable:
    """Make a table: for `host`, or for `players` by the service `maker`, in which case the match starts at once."""

    table: str
    options: f.Options
    host: f.Person | None = None
    players: tuple[f.Person, ...] = ()
    maker: str = ""


@dataclass(frozen=True, slots=True)
class TakeSeat:
    """Sit down before the start; on `seat`, or the first free one. `code` opens a private table."""

    person: f.Person
    seat: int | None = None
    code: str = ""


@dataclass(frozen=True, slots=True)
class LeaveTable:
    """Get up for good."""

    player: str


@dataclass(frozen=True, slots=True)
class StartMatch:
    """Start the match; bots take the free seats (AZ-49)."""

    player: str


@dataclass(frozen=True, slots=True)
class StopTable:
    """Stop the table for good (AZ-53)."""

    player: str


@dataclass(frozen=True, slots=True)
class Intervention:
    """What an operator does at a table.

    Attributes:
        by: The operator's name, for the log.
        why: The reason, for the log.
        note: What everybody at the table is told; empty for no more than that an operator did it.
    """

    by: str
    why: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class FreezeTable(Intervention):
    """Let the table stand still: nothing changes at it but who is connected."""


@dataclass(frozen=True, slots=True)
class ResumeTable(Intervention):
    """Let a frozen table go on."""


@dataclass(frozen=True, slots=True)
class EndTable(Intervention):
    """Stop the table for good, frozen or not."""


@dataclass(frozen=True, slots=True)
class UpdateTable:
    """Change options; None leaves one as it is."""

    player: str
    bot_talk: f.BotTalk | None = None
    visibility: f.Visibility | None = None
    game: str | None = None
    rules: str | None = None


@dataclass(frozen=True, slots=True)
class SubmitAction:
    """Play an action for the player's own seat, made against `revision` if that is given."""

    player: str
    action: Any
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class Return:
    """A person who counts as away is heard of again, and plays from the next decision on."""

    player: str


@dataclass(frozen=True, slots=True)
class AnswerTurn:
    """A bot's action for the decision that it was given, and something to say."""

    seat: int
    revision: int
    action: Any
    chat: str = ""


@dataclass(frozen=True, slots=True)
class Say:
    """Say something at the table."""

    player: str
    text: str


@dataclass(frozen=True, slots=True)
class MutePlayer:
    """Mute a person's chat, or let it be heard."""

    player: str
    seat: int
    muted: bool


@dataclass(frozen=True, slots=True)
class RequestSeat:
    """Ask for a bot's seat (AZ-51)."""

    person: f.Person


@dataclass(frozen=True, slots=True)
class AnswerSeatRequest:
    """Admit somebody who asked in place of a bot, or decline (AZ-51)."""

    player: str
    asking: str
    admit: bool
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class RemovePlayer:
    """Remove a person (AZ-53)."""

    player: str
    seat: int


@dataclass(frozen=True, slots=True)
class Connect:
    """A person's first watch on a server was opened."""

    player: str
    server: str


@dataclass(frozen=True, slots=True)
class Disconnect:
    """A person's last watch on a server ended at `lost`; `by_server`: the server drained or died."""

    player: str
    server: str
    lost: int
    by_server: bool = False


@dataclass(frozen=True, slots=True)
class LoseServer:
    """A server is gone, and with it every watch that it had."""

    server: str
    lost: int


@dataclass(frozen=True, slots=True)
class Tick:
    """Do whatever is due."""


@dataclass(frozen=True, slots=True)
class ConfirmResult:
    """The result was accepted by the stream that the ledger reads."""


Command = (
    CreateTable
    | TakeSeat
    | LeaveTable
    | StartMatch
    | StopTable
    | FreezeTable
    | ResumeTable
    | EndTable
    | UpdateTable
    | SubmitAction
    | Return
    | AnswerTurn
    | Say
    | MutePlayer
    | RequestSeat
    | AnswerSeatRequest
    | RemovePlayer
    | Connect
    | Disconnect
    | LoseServer
    | Tick
    | ConfirmResult
)
