"""What can go wrong in the ledger, one class for each thing that a caller would branch on."""


class LedgerError(Exception):
    """Root of all of them."""


class BadNameError(LedgerError):
    """A name that breaks the rules of names; `problem` says how."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class NameTakenError(LedgerError):
    """Another account has the name, or one that compares equal."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the name {name!r} is taken")
        self.name = name


class RequestIdReusedError(LedgerError):
    """The request id was used before with another body."""


class BadCredentialsError(LedgerError):
    """No such account, or not its secret; the caller is not told which."""


class TooManyAttemptsError(LedgerError):
    """Too many failures to sign in under this name; `retry_after` is in seconds."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"too many attempts to sign in; again in {retry_after:.0f} s")
        self.retry_after = retry_after


class RefreshInvalidError(LedgerError):
    """A refresh token that is unknown, ran out, or was revoked."""


class RefreshReusedError(LedgerError):
    """A refresh token that was used before; all that came from it has been revoked."""


class PlayerNotFoundError(LedgerError):
    """No such account."""

    def __init__(self, player_id: str) -> None:
        super().__init__(f"no player {player_id!r}")
        self.player_id = player_id


class MatchNotFoundError(LedgerError):
    """No such match, or one of a private table that the caller did not play at."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"no match {match_id!r}")
        self.match_id = match_id


class BadPageTokenError(LedgerError):
    """A page token that this list did not give."""


class AlreadyReversedError(LedgerError):
    """The match has been taken back before."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"match {match_id!r} has been taken back before")
        self.match_id = match_id


class MalformedResultError(LedgerError):
    """A match result that contradicts itself; `problem` says how."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class DatabaseDownError(LedgerError):
    """The database does not answer."""


class DatabaseDamagedError(DatabaseDownError):
    """The file of the database cannot be read as one; it stays as it is."""
