"""Points ratings: how a match changes the ratings that a game has by rules of its own.

Beside the skill estimate that every game has for matchmaking, a game may have a points rating, which its players know
the rules of and can work out by themselves. Everybody begins with the same; each match adds to it or takes from it by
places and points, and what was rated before makes no difference. A game is in `RULES` if it has one.

Rated are the people who held a seat at the start, in matches that began with people on all seats (GAP-Z17). Who of them
was not there at the end has left: somebody else, or a bot, played on, and the points of the seat are still those that
the others are compared with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final


@dataclass(frozen=True, slots=True)
class PointsRule:
    """The numbers of a game's points rating.

    Attributes:
        initial: Everybody's rating before the first match that counts.
        prize: What the first place adds, and what the last place and leaving take.
        spread: What the places between add or take at most.
        least_hands: A match that was stopped counts for those who stayed if so many hands were finished.
    """

    initial: int
    prize: int
    spread: int
    least_hands: int


RULES: Final[Mapping[str, PointsRule]] = {
    "rentz": PointsRule(initial=1000, prize=20, spread=16, least_hands=16),
}
"""The games that have a points rating, by name: Rentz (RZ-19 to RZ-22, GAP-Z17)."""


@dataclass(frozen=True, slots=True)
class RatedSeat:
    """What counts of a seat.

    Attributes:
        points: Its points at the end.
        left: The person who held it at the start was not there at the end.
    """

    points: int
    left: bool = False


def rated_match(
    game: str, starters: Sequence[str | None], seats: Sequence[RatedSeat], finished: int, hands: int
) -> dict[str, int] | None:
    """What a match adds to the ratings of the people who began it.

    Args:
        game: Name of the game.
        starters: The person who held each seat at the start; None for a bot.
        seats: How the seats ended, in the same order.
        finished: Hands finished.
        hands: Hands of a whole match.

    Returns:
        By person what is added, without those for whom it does not count; None if the match is not rated at all: the
        game has no points rating, or a bot held a seat at the start (GAP-Z17).
    """
    rule = RULES.get(game)
    people = [player for player in starters if player is not None]
    if rule is None or len(people) < len(seats):
        return None
    changes = rating_changes(rule, seats, finished, hands)
    return {player: change for player, change in zip(people, changes, strict=True) if change is not None}


def rating_changes(rule: PointsRule, seats: Sequence[RatedSeat], finished: int, hands: int) -> list[int | None]:
    """What a match adds to the rating of each seat; None for whom it does not count.

    Whoever left loses the prize, however little or much was played (RZ-21, GAP-Z16, GAP-Z19). For those who stayed a
    match counts if it was finished, or at least so many hands of it were (RZ-19), in proportion to what was played
    (RZ-21), rounded after that (GAP-Z15).

    Args:
        rule: The game's numbers.
        seats: All seats.
        finished: Hands finished; a hand that was interrupted is none of them.
        hands: Hands of a whole match.
    """
    if not 0 <= finished <= hands or hands < 1:
        raise ValueError(f"{finished} of {hands} hands cannot be finished")
    counts = finished == hands or finished >= rule.least_hands
    played = Fraction(finished, hands)
    changes: list[int | None] = []
    for seat in seats:
        if seat.left:
            changes.append(-rule.prize)
        elif counts:
            changes.append(nearest(played * _by_place(rule, seat, seats)))
        else:
            changes.append(None)
    return changes


def _by_place(rule: PointsRule, seat: RatedSeat, seats: Sequence[RatedSeat]) -> Fraction:
    """What a whole match adds for somebody who stayed (RZ-20).

    The best of those who stayed, alone or jointly, get the prize, and all do who are equal (RZ-22); the last, alone or
    jointly, lose it (GAP-Z14), unless somebody left, who then is last (GAP-Z16, GAP-Z19). Everybody else is rated by
    the distance from the middle between the highest and the lowest points of all seats.
    """
    highest, lowest = max(other.points for other in seats), min(other.points for other in seats)
    if seat.points == max(other.points for other in seats if not other.left):
        return Fraction(rule.prize)
    if seat.points == lowest and not any(other.left for other in seats):
        return Fraction(-rule.prize)
    return Fraction(rule.spread * (2 * seat.points - highest - lowest), highest - lowest)


def nearest(value: Fraction) -> int:
    """The nearest integer; of two that are equally near the one further from zero (GAP-Z15)."""
    size = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    return size if value >= 0 else -size
