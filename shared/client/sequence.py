"""Puts the updates of a table in order: none twice, none left out."""

import logging

from shared.client.errors import ContractBrokenError
from shared.gen.levata.table.v1 import table_pb2

log = logging.getLogger(__name__)

GAPS_ALLOWED = 3
"""Gaps in a row, without an update between them, that resuming is tried for."""


class GapError(Exception):
    """The stream has left something out: it has to be resumed after the last revision that was taken."""


class RevisionSequence:
    """Knows the last revision that was taken, and lets each one pass once.

    Attributes:
        last: The last revision taken, or what to resume after; None before the first.
    """

    def __init__(self, after_revision: int | None = None) -> None:
        self.last = after_revision
        self._incomplete = False
        self._gaps = 0

    def take(self, update: table_pb2.Update) -> bool:
        """Whether `update` is to be shown; False when it was seen before.

        Raises:
            GapError: A revision between the last one and this one is missing; nothing was taken.
            ContractBrokenError: Resuming does not help, or a snapshot is older than what was seen.
        """
        if update.snapshot:
            if self.last is not None and update.revision < self.last:
                raise ContractBrokenError(f"a snapshot of revision {update.revision} came after revision {self.last}")
            seen = self.last == update.revision and not self._incomplete
        else:
            seen = self.last is not None and update.revision <= self.last
            if not seen and (self.last is None or update.revision != self.last + 1):
                self._missing(f"revision {update.revision} came after revision {self.last}")
        if seen:
            log.warning("revision %d came twice and was dropped", update.revision)
            return False
        self.last = update.revision
        self._incomplete = not update.HasField("table")
        self._gaps = 0
        return True

    def heard(self, heartbeat: table_pb2.Heartbeat) -> None:
        """Compares a heartbeat with what was taken.

        Raises:
            GapError: The table has revisions that should have come before the heartbeat.
            ContractBrokenError: Resuming does not help.
        """
        if self.last is None or heartbeat.revision > self.last:
            self._missing(f"a heartbeat of revision {heartbeat.revision} came after revision {self.last}")

    def _missing(self, what: str) -> None:
        self._gaps += 1
        if self._gaps > GAPS_ALLOWED:
            raise ContractBrokenError(f"{what}, {self._gaps} times in a row")
        log.warning("%s; resuming", what)
        raise GapError(what)
