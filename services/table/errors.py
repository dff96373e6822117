"""Everything that a table refuses, one class for each thing that a caller does something about."""

from collections.abc import Mapping


class TableError(Exception):
    """Root of all refusals. `metadata` goes to the caller as it is: it never names a hidden card."""

    def __init__(self, **metadata: str | int) -> None:
        self.metadata: Mapping[str, str] = {key: str(value) for key, value in metadata.items()}
        text = ", ".join(f"{key}={value}" for key, value in self.metadata.items())
        super().__init__(text or type(self).__name__)


class TableNotFoundError(TableError):
    """Unknown, closed, or private and not the caller's to know."""


class TableFrozenError(TableError):
    """The log of the table is damaged; nobody plays on over a hole."""


class FrozenByOperatorError(TableError):
    """An operator has frozen the table: nothing changes at it until it goes on."""


class NotFrozenError(TableError):
    """No operator has frozen the table."""


class DrainingError(TableError):
    """This server lets go of the table; another one, or this one a moment later, has it."""


class RequestIdReusedError(TableError):
    """The same request id came before with another body."""


class StaleRevisionError(TableError):
    """The match has moved on since the revision that the action was made against; `revision` is the present one."""


class UnknownRevisionError(TableError):
    """The table has had no such revision yet, so nobody can have decided on it; `field` and `problem` say so."""


class NotSeatedError(TableError):
    """The caller has no seat at the table."""


class NotHostError(TableError):
    """Only the host may do this."""


class RemovedError(TableError):
    """The host removed the caller from this table."""


class MutedError(TableError):
    """The host muted the caller."""


class AlreadyStartedError(TableError):
    """The match has started."""


class NotPlayingError(TableError):
    """No match is on."""


class MatchNotOverError(TableError):
    """The match is not over."""


class NotYourTurnError(TableError):
    """Another seat is to decide, or none."""


class BotDecidesError(TableError):
    """A bot has this decision: the caller's time was out, or the caller was away."""


class TurnTokenInvalidError(TableError):
    """The turn token is not of this decision."""


class AlreadySeatedError(TableError):
    """The caller already has a seat here."""


class TableFullError(TableError):
    """No seat is free."""


class SeatTakenError(TableError):
    """The seat is not free, or there is no such seat."""


class NoBotSeatError(TableError):
    """No bot has a seat that could be given."""


class SeatNotBotError(TableError):
    """No bot has that seat."""


class SeatNotHumanError(TableError):
    """No person has that seat."""


class CannotRemoveSelfError(TableError):
    """The host gets up by leaving."""


class CannotMuteSelfError(TableError):
    """The host is not muted; whoever wants to be silent says nothing."""


class NotRequestedError(TableError):
    """That player has not asked for a seat."""


class TooManyTablesError(TableError):
    """The caller is host of too many open tables."""


class TooFastError(TableError):
    """Too many in too short a time; `retry_after` seconds later it works."""

    def __init__(self, retry_after: float) -> None:
        super().__init__()
        self.retry_after = retry_after


class BadOptionsError(TableError):
    """Options that make no table; `field` and `problem` say which."""


class MalformedActionError(TableError):
    """An action that is none of the table's game; `field` and `problem` say why."""


class BadPageTokenError(TableError):
    """Not a page token of this list."""


class ServiceOnlyError(TableError):
    """Only a service may do this."""


class NotWatchableError(TableError):
    """The table is private now, and the viewer has no seat."""


class SlowConsumerError(TableError):
    """The watcher fell behind and was cut off; it can come back with the last revision it saw."""
