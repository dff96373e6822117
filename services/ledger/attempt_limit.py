"""How many attempts there are in how long."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class AttemptLimit:
    """So many attempts in a window of time that begins with the first.

    Attributes:
        attempts: For example 10: enough for a person who mistypes, hopeless for one who guesses.
        window: For example 15 minutes.
    """

    attempts: int
    window: timedelta
