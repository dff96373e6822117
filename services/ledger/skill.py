"""Skill estimates: Plackett-Luce ratings of the OpenSkill family, which know places and ties of any number of players.

An estimate is a normal distribution. Only people are rated, among themselves, and only in matches that at least two
of them played to the end. A leaderboard sorts by the ordinal, mean less three deviations: what somebody has shown for
certain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from openskill.models import PlackettLuce

DEVIATIONS: Final = 3.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is believed of a person's skill in a game.

    Attributes:
        mean: Mean.
        deviation: Standard deviation.
        matches: Matches that it rests on.
    """

    mean: float
    deviation: float
    matches: int

    @property
    def ordinal(self) -> float:
        """Mean less three deviations."""
        return self.mean - DEVIATIONS * self.deviation


_MODEL = PlackettLuce()
UNKNOWN: Final = Estimate(_MODEL.mu, _MODEL.sigma, 0)
"""Of somebody who has not played."""


def rated(estimates: Sequence[Estimate], places: Sequence[int]) -> list[Estimate]:
    """The estimates after a match.

    Args:
        estimates: Before it, one for each person; at least two.
        places: Their places, in the same order; lower is better, equal is a tie.
    """
    if len(estimates) < 2 or len(estimates) != len(places):
        raise ValueError("a rated match has at least two people, each with a place")
    teams = [[_MODEL.create_rating([one.mean, one.deviation])] for one in estimates]
    after = _MODEL.rate(teams, ranks=[float(place) for place in places])
    return [
        Estimate(team[0].mu, team[0].sigma, before.matches + 1) for team, before in zip(after, estimates, strict=True)
    ]


def rate_match(known: Mapping[str, Estimate], places: Mapping[str, int]) -> dict[str, Estimate]:
    """The new estimates of those who played; empty if fewer than two people did.

    Args:
        known: Estimates before, by person.
        places: Places, by person.
    """
    if len(places) < 2:
        return {}
    people = sorted(places)  # the same order everywhere, so that a recomputation rounds alike
    after = rated([known.get(person, UNKNOWN) for person in people], [places[person] for person in people])
    return dict(zip(people, after, strict=True))
