"""What every game's score sheet has in common: who the columns are, and how the match stands."""

from collections.abc import Sequence
from typing import Any

from services.table.engine.match import Match


def headings_of(match: Match[Any], names: Sequence[str]) -> list[str]:
    """The players in seat order; without names they are called P1, P2, ..."""
    return list(names) if names else [f"P{seat + 1}" for seat in range(match.seats)]


def outcome(match: Match[Any], headings: Sequence[str]) -> str:
    """The last line: who has won, or that the match goes on."""
    if not match.is_over():
        return "The match is not over."
    best = " and ".join([headings[seat] for seat in match.winners()])
    return f"Won by {best} with {max(match.scores())} points."
