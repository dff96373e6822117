"""What can go wrong on the bus. `shared.bus` offers these names too."""

import grpc

from shared.errors import LevataError


class SequenceConflict(Exception):  # noqa: N818 - the domain's own word
    """An append expected another last message on its subject than there is. Nothing was stored.

    After an append with an unknown outcome this also means that the append itself may have been stored: compare the
    subject's last message first.

    Attributes:
        subject: The subject.
        expected: The sequence that was expected.
    """

    def __init__(self, subject: str, expected: int) -> None:
        super().__init__(f"{subject}: {expected} is not the last sequence")
        self.subject = subject
        self.expected = expected


class BusUnavailable(LevataError):  # noqa: N818 - the domain's own word
    """NATS or the stream did not answer in time; to a caller UNAVAILABLE (DEPENDENCY_DOWN).

    Attributes:
        what: What was tried.
        maybe_stored: The publish was sent and never answered: it may or may not have been stored.
    """

    def __init__(self, what: str, maybe_stored: bool = False) -> None:
        super().__init__(grpc.StatusCode.UNAVAILABLE, "DEPENDENCY_DOWN", retry_after=1.0)
        self.what = what
        self.maybe_stored = maybe_stored

    def __str__(self) -> str:
        return f"{self.what}{' (may have been stored)' if self.maybe_stored else ''}"


class BusRefused(Exception):  # noqa: N818 - the domain's own word
    """JetStream refused a publish for good, because of its configuration or limits. Nothing was stored.

    Attributes:
        code: JetStream's error code; 0 when the message did not even reach it.
    """

    def __init__(self, subject: str, code: int, description: str) -> None:
        super().__init__(f"{subject}: {description} ({code})")
        self.code = code
