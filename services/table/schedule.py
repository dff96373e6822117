"""The durable timer of one table, kept so that it fires in time whatever dies.

As long as a table has something to do, a timer is pending that fires no later than that. It is armed before the change
that needs it is written, early enough for both outcomes; each record says when the pending one fires, so that a change
does not arm one again that is early enough already. Whoever armed one and then did not write puts it right.
"""

from services.table.clocks import Limits, next_deadline
from services.table.state import TableState
from services.table.timers import Timers

SKEW = 1_000
"""Clocks of two servers differ by less than so many milliseconds: a timer that fires so soon may have fired already."""
OVERDUE_MILLISECONDS = 1_000
"""What is overdue, because it is being done or could not be done, is looked at again after this."""


class Schedule:
    """The timer of one table, as one server knows it.

    Attributes:
        unsure: A timer was armed for a change of which it is not known that it was written.
    """

    def __init__(self, table: str, timers: Timers) -> None:
        self.unsure = False
        self._table = table
        self._timers = timers
        self._armed: int | None = None

    async def prepare(self, before: TableState, after: TableState, now: int, limits: Limits) -> int:
        """Before a change is written: arms a timer if the pending one is not early enough for it.

        Args:
            before: The table before the change, which it stays if the change is not written.
            after: The table after it.
            now: The present time in ms.
            limits: How long a table waits for what.

        Returns:
            When the pending timer fires, in ms, for the record of the change; 0 for none.

        Raises:
            shared.bus.BusUnavailable: Nobody can say whether one is armed.
        """
        wake = before.wake
        deadline = next_deadline(after, limits)
        if deadline is not None and (self.unsure or wake <= now + SKEW or deadline < wake):
            # In time for what is true if the append fails, too.
            wake = max(now, _earliest(before, now, limits, deadline))
            self.unsure, self._armed = True, None
            self._armed = await self._timers.arm(self._table, wake)
        return wake

    def written(self) -> None:
        """The change was written: the timer is as its record says."""
        self.unsure = False

    async def mend(self, state: TableState, now: int, limits: Limits) -> None:
        """Puts the timer right that was armed here for a change that was not written, unless another one has taken its
        place. Raises `shared.bus.BusUnavailable`.
        """
        deadline = next_deadline(state, limits)
        if deadline is not None:
            wake = max(now, _earliest(state, now, limits, deadline))
            if self._armed is None:
                await self._timers.arm(self._table, wake)
            else:
                await self._timers.arm_over(self._table, wake, self._armed)
        self.unsure = False

    async def renew(self, state: TableState, now: int, limits: Limits) -> None:
        """After the timer fired: sees to it that one is pending while the table has something to do. One that was armed
        meanwhile, for a newer state than is known here, stays as it is. Raises `shared.bus.BusUnavailable`.

        The one that fired may have been an operator's, who wakes a table at any time: what the table's latest record
        promises holds all the same.
        """
        deadline = next_deadline(state, limits)
        wakes = [state.wake] if state.wake > now + SKEW else []
        if deadline is not None:
            wakes.append(deadline if deadline > now else now + OVERDUE_MILLISECONDS)
        if wakes:
            await self._timers.arm_over(self._table, min(wakes), 0)


def _earliest(state: TableState, now: int, limits: Limits, deadline: int) -> int:
    """When to fire so that `deadline` is met, and what the state has to do later, and what its record promises."""
    own = next_deadline(state, limits)
    if own is not None and own > now:
        deadline = min(deadline, own)
    return min(deadline, state.wake) if state.wake > now + SKEW else deadline
