"""The clock of the decision that is waited for: time left, then the bank, then nothing."""

from collections.abc import Callable

from textual.widgets import Static

from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.texts import Texts


def clock_words(table: table_pb2.Table, now: float, own: int | None, texts: Texts) -> str:
    """The countdown at `now` (Unix seconds by the server's clock); empty without a clock.

    While one's own time runs the bank is named too; when it is out, the bank is counted down.
    """
    if not table.HasField("decision") or not table.decision.HasField("deadline"):
        return ""
    decision = table.decision
    left = decision.deadline.ToNanoseconds() / 1e9 - now
    if left > 0:
        words = texts("clock.left", seconds=int(left) + 1)
        if own == decision.seat and own < len(table.seats):
            bank = table.seats[own].bank_milliseconds
            if bank:
                words += " · " + texts("clock.reserve", seconds=bank // 1000)
        return words
    if decision.HasField("bank_deadline"):
        bank_left = decision.bank_deadline.ToNanoseconds() / 1e9 - now
        return texts("clock.bank", seconds=max(0, int(bank_left) + 1 if bank_left > 0 else 0))
    return texts("clock.left", seconds=0)


class ClockFace(Static):
    """Counts down twice a second."""

    def __init__(self, texts: Texts, now: Callable[[], float], id: str | None = None) -> None:  # noqa: A002
        super().__init__("", id=id)
        self._texts = texts
        self._now = now
        self._table: table_pb2.Table | None = None
        self._own: int | None = None

    def on_mount(self) -> None:
        """Starts ticking."""
        self.set_interval(0.5, self._tick)

    def show(self, table: table_pb2.Table, own: int | None) -> None:
        """Shows the clock of a table."""
        self._table, self._own = table, own
        self._tick()

    def _tick(self) -> None:
        if self._table is not None:
            self.update(clock_words(self._table, self._now(), self._own, self._texts))
