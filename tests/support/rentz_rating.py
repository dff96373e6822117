"""The points rating of Rentz once more, slowly and from its rules: everybody gets a place, then what it is worth."""

from collections.abc import Collection, Sequence
from fractions import Fraction


def by_hand(points: Sequence[int], left: Collection[int], finished: int) -> list[int | None]:
    """What a match adds to the rating of each seat; None where it does not count.

    Args:
        points: Of each seat at the end.
        left: Seats whose first player was not there at the end.
        finished: Hands finished, of 32.
    """
    stayed = [seat for seat in range(4) if seat not in left]
    order = sorted({points[seat] for seat in stayed}, reverse=True)
    found: list[int | None] = []
    for seat in range(4):
        if seat in left:
            found.append(-20)
            continue
        if finished < 16:
            found.append(None)
            continue
        place = order.index(points[seat])
        whole = Fraction(16 * (2 * points[seat] - max(points) - min(points)), (max(points) - min(points)) or 1)
        if place == 0:
            whole = Fraction(20)
        elif place == len(order) - 1 and not left:
            whole = Fraction(-20)
        part = whole * finished / 32
        below = part.numerator // part.denominator
        rest = part - below
        up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and part > 0)
        found.append(below + up)
    return found
