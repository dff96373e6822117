"""What can go wrong in the bot service, and what it is to a caller."""

import grpc

from shared.errors import ErrorSpec


class BotError(Exception):
    """The root of this service's errors."""


class UnreadableViewError(BotError, ValueError):
    """What was sent as a player's view contradicts itself or the rules.

    Attributes:
        field: Path of the culprit.
        message: What is wrong, in English.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


class NotYourTurnError(BotError):
    """The view has no legal actions: there is nothing to suggest."""


def _violation(error: UnreadableViewError) -> list[tuple[str, str]]:
    return [(error.field, error.message)]


ERRORS: dict[type[Exception], ErrorSpec] = {
    UnreadableViewError: ErrorSpec(grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", violations=_violation),
    NotYourTurnError: ErrorSpec(grpc.StatusCode.FAILED_PRECONDITION, "NOT_YOUR_TURN"),
}
"""The canonical code and the reason of each."""
