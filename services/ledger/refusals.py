"""What the domain's errors are to a caller: one table from class to canonical code and reason."""

from collections.abc import Mapping
from typing import Final

from grpc import StatusCode

from services.ledger import errors
from shared.errors import ErrorSpec

REFUSALS: Final[Mapping[type[Exception], ErrorSpec]] = {
    errors.BadNameError: ErrorSpec(
        StatusCode.INVALID_ARGUMENT, "BAD_NAME", violations=lambda error: [("name", error.problem)]
    ),
    errors.NameTakenError: ErrorSpec(
        StatusCode.ALREADY_EXISTS, "NAME_TAKEN", metadata=lambda error: {"name": error.name}
    ),
    errors.RequestIdReusedError: ErrorSpec(StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED"),
    errors.BadCredentialsError: ErrorSpec(StatusCode.UNAUTHENTICATED, "BAD_CREDENTIALS"),
    errors.TooManyAttemptsError: ErrorSpec(
        StatusCode.RESOURCE_EXHAUSTED, "TOO_FAST", retry_after=lambda error: error.retry_after
    ),
    errors.RefreshInvalidError: ErrorSpec(StatusCode.UNAUTHENTICATED, "REFRESH_INVALID"),
    errors.RefreshReusedError: ErrorSpec(StatusCode.UNAUTHENTICATED, "REFRESH_REUSED"),
    errors.PlayerNotFoundError: ErrorSpec(
        StatusCode.NOT_FOUND, "PLAYER_NOT_FOUND", metadata=lambda error: {"player_id": error.player_id}
    ),
    errors.MatchNotFoundError: ErrorSpec(
        StatusCode.NOT_FOUND, "MATCH_NOT_FOUND", metadata=lambda error: {"match_id": error.match_id}
    ),
    errors.BadPageTokenError: ErrorSpec(StatusCode.INVALID_ARGUMENT, "BAD_PAGE_TOKEN"),
    errors.DatabaseDownError: ErrorSpec(StatusCode.UNAVAILABLE, "DEPENDENCY_DOWN", retry_after=1.0),
}


def reason_of(error: errors.LedgerError) -> str:
    """The stable reason of an error."""
    reason = REFUSALS[type(error)].reason
    return reason if isinstance(reason, str) else reason(error)
