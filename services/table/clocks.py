"""When a table has to do something by itself.

Deadlines are computed from the state and nothing else, so that any server finds the same ones at any time, also after
a restart. All times are in milliseconds since the epoch.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from services.table.state import TableState

Due = Literal["turn", "absence", "bot", "abandoned", "post", "close"]

UNATTENDED_MILLISECONDS: Final = 5_000
"""A table that has had something to do for longer than this had no server that could do it."""
LONG_UNATTENDED_MILLISECONDS: Final = 60_000
"""The same of a table that has only just been given time for such a reason: servers with too much to do are late again
and again, and play has to go on."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a table waits for what, in milliseconds. What players choose is in the table's options instead.

    Attributes:
        bot: A bot's answer; after that the table plays a rule-of-thumb move.
        waiting_absence: A person without a watch at a table that has not started keeps the seat so long.
        abandoned: A match that no person is present at is stopped after this.
        post: A result that is not certain to be posted so long after the end is sent to the ledger again.
        keep: A table that is over can be watched so long; then it is closed.
    """

    bot: int = 5_000
    waiting_absence: int = 120_000
    abandoned: int = 600_000
    post: int = 5_000
    keep: int = 3_600_000


@dataclass(frozen=True, slots=True)
class Deadline:
    """Something that is due at a time; `seat` where it concerns one."""

    when: int
    due: Due
    seat: int | None = None


def turn_deadlines(state: TableState) -> tuple[int, int] | None:
    """When the time of the person to decide is out, without and with the time bank; None when it is not limited, or
    stands still.
    """
    if state.decision is None or state.decided_by != "player" or state.frozen is not None:
        return None
    seconds = state.options.clock.seconds(state.decision.kind, state.decision.cards)
    if not seconds:
        return None
    seat = state.seats[state.decision.seat]
    if seat.lost is not None and seat.lost_by_server:
        return None
    base = state.decision_since + seconds * 1000 - state.turn_used
    return base, base + seat.bank


def deadlines(state: TableState, limits: Limits) -> Iterator[Deadline]:
    """Everything that the table has to do by itself if nothing happens before; nothing while it stands still."""
    if state.frozen is not None or state.dormant:
        return
    if state.over:
        if state.result_due:
            yield Deadline(state.ended + limits.post, "post")
        else:
            yield Deadline(state.ended + limits.keep, "close")
        return
    if state.decision is not None:
        if state.decided_by != "player":
            yield Deadline(state.delegated + limits.bot, "bot", state.decision.seat)
        elif (turn := turn_deadlines(state)) is not None:
            yield Deadline(turn[1], "turn", state.decision.seat)
    waiting = state.status == "waiting"
    for index, seat in enumerate(state.seats):
        if seat.kind == "human" and seat.lost is not None and not seat.away:
            absence = limits.waiting_absence if waiting else state.options.absence * 1000
            yield Deadline(seat.lost + absence, "absence", index)
    if state.people_gone is not None and not waiting:
        yield Deadline(state.people_gone + limits.abandoned, "abandoned")


def unattended(state: TableState, limits: Limits, now: int) -> bool:
    """Whether no server has looked after the table for a while, for the club was down. Nobody pays for that time."""
    if state.dormant:
        return True
    if state.over:
        return False
    deadline = next_deadline(state, limits)
    just_resumed = state.resumed == state.revision
    late = LONG_UNATTENDED_MILLISECONDS if just_resumed else UNATTENDED_MILLISECONDS
    return deadline is not None and now - deadline > late


def next_deadline(state: TableState, limits: Limits) -> int | None:
    """When the table next has to do something by itself; None if never."""
    return min((deadline.when for deadline in deadlines(state, limits)), default=None)
