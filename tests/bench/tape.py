"""A match as seen from outside: the sizes and messages that the floor repeats without playing anything.

A tape is recorded from the real table service at the beginning of a run. It holds, for each action of one match, how
many bytes were appended to the log and which updates each of the watchers was sent. The floor plays it in a circle.
"""

from pathlib import Path

import msgspec


class Step(msgspec.Struct, frozen=True):
    """What one accepted action brought about.

    Attributes:
        records: Sizes in bytes of the records appended to the log, oldest first.
        updates: For each watcher, the serialised `Update` messages it was sent, in order.
    """

    records: tuple[int, ...]
    updates: tuple[tuple[bytes, ...], ...]


class Tape(msgspec.Struct, frozen=True):
    """A recorded match.

    Attributes:
        snapshots: For each watcher, the serialised snapshot before the first step.
        steps: One for each action.
    """

    snapshots: tuple[bytes, ...]
    steps: tuple[Step, ...]

    def save(self, path: Path) -> None:
        """Writes the tape to a file."""
        path.write_bytes(msgspec.msgpack.encode(self))

    @classmethod
    def load(cls, path: Path) -> "Tape":
        """Reads a tape that `save` wrote."""
        return msgspec.msgpack.decode(path.read_bytes(), type=cls)

    def figures(self) -> dict[str, float]:
        """Means that tell what has to be carried for an action."""
        records = [size for step in self.steps for size in step.records]
        updates = [len(update) for step in self.steps for watcher in step.updates for update in watcher]
        watchers = len(self.snapshots)
        return {
            "actions": len(self.steps),
            "records_per_action": len(records) / len(self.steps),
            "bytes_per_record": sum(records) / len(records),
            "updates_per_action_and_watcher": len(updates) / len(self.steps) / watchers,
            "bytes_per_update": sum(updates) / len(updates),
        }
