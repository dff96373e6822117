"""A table that stands still, because an operator has frozen it or since no server looked after it: nothing of its time
runs until it goes on, and then no time is missing.

What began before the freeze is moved on by the time that the table stood still; what began meanwhile, such as a
person's absence, begins when the table goes on. A bot is given its whole time again, for it is asked anew.
"""

from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from services.table.state import TableState


def running(state: "TableState", at: int) -> int:
    """The latest moment until which the table's time has run at `at`, in ms: while it is frozen, when that began."""
    return at if state.frozen is None else min(at, state.frozen)


def freeze(state: "TableState", at: int, note: str) -> "TableState":
    """The state, standing still since `at`; `note` is told to everybody."""
    return replace(state, frozen=at, freeze_note=note)


def resume(state: "TableState", at: int, revision: int) -> "TableState":
    """The state, going on at `at`; `revision` is that of the change. Raises `ValueError` when it was not frozen."""
    frozen = state.frozen
    if frozen is None:
        raise ValueError(f"table {state.table} is not frozen at revision {state.revision}")

    def moved(moment: int) -> int:
        return at - max(0, frozen - moment)

    seats = tuple(seat if seat.lost is None else replace(seat, lost=moved(seat.lost)) for seat in state.seats)
    return replace(
        state,
        frozen=None,
        freeze_note="",
        resumed=revision,
        seats=seats,
        decision_since=moved(state.decision_since),
        delegated=at,
        people_gone=None if state.people_gone is None else moved(state.people_gone),
    )


def made_up(state: "TableState", since: int, at: int, revision: int) -> "TableState":
    """The state at `at`, in ms, if it has stood still from `since` on; `revision` is that of the change."""
    return resume(freeze(state, since, ""), at, revision)
