"""How long to wait before trying again."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from shared.rpc.policy import BACKOFF_FACTOR, FIRST_BACKOFF_SECONDS


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that grow with each failure in a row, and differ between clients so that they do not all come at once.

    Attributes:
        first_seconds: The wait after the first failure, before jitter.
        factor: By how much each wait is longer than the one before.
        limit_seconds: The longest wait.
        jitter: Gives a number from 0 to 1; half of every wait depends on it.
    """

    first_seconds: float = FIRST_BACKOFF_SECONDS
    factor: float = BACKOFF_FACTOR
    limit_seconds: float = 5.0
    jitter: Callable[[], float] = random.random

    def delay(self, failures: int, retry_after: float | None = None) -> float:
        """Seconds to wait after so many failures in a row (from 1).

        Args:
            failures: Failures in a row, the present one included.
            retry_after: Seconds that the server asked for. It is never tried earlier than that.
        """
        doublings = min(max(failures, 1) - 1, 60)
        longest = min(self.limit_seconds, self.first_seconds * self.factor**doublings)
        own = longest * (0.5 + 0.5 * self.jitter())
        return own if retry_after is None else retry_after + own
