"""A limit on how often somebody may try something on this server."""

from collections import OrderedDict

from services.table.errors import TooFastError

KEPT = 10_000
"""So many people are remembered; the one who has not tried for longest is forgotten first."""


class Rates:
    """A bucket of tries for each person: `burst` of them, filled up again with `per_second`."""

    def __init__(self, burst: float, per_second: float) -> None:
        self._burst = burst
        self._per_second = per_second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def spend(self, player: str, now: float) -> None:
        """Takes one try of `player` at `now` (seconds). Raises `TooFastError` when none is left."""
        left, since = self._left.pop(player, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._per_second)
        self._left[player] = (left if left < 1 else left - 1, now)
        if len(self._left) > KEPT:
            self._left.popitem(last=False)
        if left < 1:
            raise TooFastError(retry_after=(1 - left) / self._per_second)
