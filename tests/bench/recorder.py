"""Makes a tape of a match that was played at a live table."""

import itertools
from collections.abc import Sequence
from pathlib import Path

from shared.gen.levata.table.v1 import table_pb2
from tests.bench.tape import Step, Tape


def record_match(
    path: Path, acted_at: Sequence[int], listened: Sequence[tuple[int, table_pb2.Update]], watchers: int
) -> None:
    """Cuts what the watchers were sent into steps and writes the tape, the sizes of the records still missing.

    Args:
        path: Where to.
        acted_at: For each action the revision it was made at.
        listened: All updates with the number of the watcher, in the order received.
        watchers: Number of watchers.

    A step ends where the next action was made; the last action is left out, because what follows it ends the match. For
    now each step holds one number in place of its records: the revision it ends at.
    """
    sent: list[list[table_pb2.Update]] = [[] for _ in range(watchers)]
    for number, update in listened:
        sent[number].append(update)
    snapshots = tuple(_last_until(updates, acted_at[0]).SerializeToString() for updates in sent)
    steps = tuple(
        Step(
            records=(after,),
            updates=tuple(
                tuple(update.SerializeToString() for update in updates if before < update.revision <= after)
                for updates in sent
            ),
        )
        for before, after in itertools.pairwise(acted_at)
    )
    Tape(snapshots, steps).save(path)


def with_record_sizes(tape: Tape, first: int, sizes: Sequence[int]) -> Tape:
    """Puts the sizes of the log's records into a tape that `record_match` wrote.

    Args:
        tape: The tape.
        first: The revision at which the first action was made.
        sizes: Size of each record of the table's log, one for each revision from 1 on.
    """
    steps = []
    for step in tape.steps:
        (last,) = step.records
        steps.append(Step(records=tuple(sizes[first:last]), updates=step.updates))
        first = last
    return Tape(tape.snapshots, tuple(steps))


def _last_until(updates: Sequence[table_pb2.Update], revision: int) -> table_pb2.Update:
    return [update for update in updates if update.revision <= revision and update.HasField("table")][-1]
