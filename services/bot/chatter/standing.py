"""What a speaker remembers of a decision, where a table tells the number of the hand or round, and the scores."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Standing:
    """What a speaker remembers of the decision before, to tell what came of it.

    Attributes:
        number: Number of the hand or round.
        score: The speaker's points at that time.
    """

    number: int
    score: int


def gained(table: Any, seat: int, before: Standing | None) -> int | None:
    """What the hand or round before brought `seat`; None unless it remembers that very one."""
    if before is None or table.number != before.number + 1:
        return None
    change: int = table.seats[seat].score - before.score
    return change


def standing(table: Any, seat: int) -> Standing:
    """What `seat` will remember of this moment."""
    return Standing(table.number, table.seats[seat].score)
