"""A table after the club was restored from a backup: the first record of a new future.

A restore goes back to the moment of the backup. Whoever was present then is not any more, by no fault of theirs; and as
the table stood still from then on, no time is missing. What came after the backup is lost, but people have seen it: so
the numbers of revisions leave room for all that may have been there, and whatever was decided on one of those is stale.

The club may be started long after it was restored. Until then the table is dormant: the first server that opens it
tells it that it stood still, and from then on its time runs.
"""

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from services.table import facts as f
from services.table import standstill

if TYPE_CHECKING:
    from services.table.state import TableState

REVISIONS_SKIPPED: Final = 100_000
"""More than a table can have had since any backup that its match outlived."""
MILLISECONDS_A_REVISION: Final = 10
"""No table makes revisions faster than this. So many more are left out as it may have made since the backup: what comes
after another restore of the same backup has numbers of its own.
"""


def restored(state: "TableState", since: int, at: int, revision: int) -> "TableState":
    """The table at the restore, until a server has it.

    Args:
        state: As it was in the backup.
        since: When the backup was taken, in ms.
        at: When it is restored, in ms.
        revision: Revision of the record that tells of it.
    """
    present = any(seat.connections for seat in state.seats)
    seats = tuple(
        replace(seat, connections=frozenset(), lost=since, lost_by_server=True) if seat.connections else seat
        for seat in state.seats
    )
    state = replace(state, seats=seats, people_gone=since if present else state.people_gone)
    if state.frozen is None:  # what an operator has frozen stands still anyway
        state = replace(standstill.made_up(state, since, at, revision), dormant=True)
    # What was decided on any revision that was left out is stale; a bot is asked anew when the table goes on.
    return replace(state, game_revision=revision, restored=since)


def record(state: "TableState", since: int, at: int, wake: int, *, known: bool) -> f.Record:
    """The record that tells a table of the restore.

    Args:
        state: As it was in the backup; not over.
        since: When the backup was taken, in ms.
        at: When it is restored, in ms.
        wake: When the table's timer fires, in ms.
        known: The ledger has the result of this match already, from a future that is lost: it is not played again.
    """
    skipped = REVISIONS_SKIPPED + max(0, at - since) // MILLISECONDS_A_REVISION
    facts: list[f.AnyFact] = [f.Restored(max(since, state.at), skipped)]
    if known:
        why = "the ledger has the result of this match already"
        facts += [f.TableStopped("operator", "restore", why), f.ResultPosted()]
    number = state.revision + 1 + skipped
    return f.Record(number, state.link, max(at, state.at), tuple(facts), wake=wake)
