"""What a second statement of the rules of a game waits for; the judges of `*_judge.py` speak in it."""

from collections.abc import Generator
from dataclasses import dataclass


@dataclass
class Waits:
    """What the game waits for: a deal (seat None), or one of `legal` from `seat`. `over` ends it."""

    seat: int | None
    legal: list[str]
    scores: list[int]
    over: bool = False


Course = Generator[Waits, str, None]
"""A match: it yields what it waits for, and is sent the action in text."""
