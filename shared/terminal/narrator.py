"""Tells what happens at one table, with what is remembered of it: who sat where, and whose connection was lost."""

from collections.abc import Sequence
from datetime import UTC

from rich.text import Text

from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.games.view import GameView
from shared.terminal.happenings import QUIET, sentences
from shared.terminal.texts import Texts


class Narrator:
    """The story of one table for one viewer; updates have to be given to it in order, each once."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._before: table_pb2.Table | None = None
        self._lost: set[int] = set()

    def tell(
        self, update: table_pb2.Update, table: table_pb2.Table, own: int | None, view: GameView | None
    ) -> Sequence[Text]:
        """The events of an update in plain words.

        Args:
            update: The update.
            table: The table after it.
            own: The viewer's seat; None for a spectator.
            view: The game; None for one that this terminal does not know.
        """
        lines = self._restored(update)
        lines += [line for event in update.events for line in self._told(event, table, own, view)]
        if update.snapshot:
            self._lost = {index for index, seat in enumerate(table.seats) if seat.away}
        if update.HasField("table"):
            self._before = update.table
        return lines

    def _restored(self, update: table_pb2.Update) -> list[Text]:
        """That the table went back in time, once. No event tells it: whoever saw the lost time gets a snapshot."""
        table, before = update.table, self._before
        if not table.HasField("restored_to") or (before is not None and before.restored_to == table.restored_to):
            return []
        moment = f"{table.restored_to.ToDatetime(UTC).astimezone():%Y-%m-%d %H:%M}"
        return [Text(self._texts("event.restored", moment=moment), "bold #ffc07f")]

    def _told(
        self, event: table_pb2.Event, table: table_pb2.Table, own: int | None, view: GameView | None
    ) -> Sequence[Text]:
        match event.WhichOneof("event"):
            case "seat_taken":
                self._lost.discard(event.seat_taken.index)
            case "seat_left":
                self._lost.discard(event.seat_left.index)
                return sentences(table, event, view, self._texts, gone=self._name_before(event.seat_left.index))
            case "clock_expired" if event.clock_expired.away:
                self._lost.add(event.clock_expired.seat)
            case "presence_changed" if event.presence_changed.present:
                return self._came(event, table, own, view)
            case "presence_changed":
                self._lost.add(event.presence_changed.seat)
        return sentences(table, event, view, self._texts)

    def _came(
        self, event: table_pb2.Event, table: table_pb2.Table, own: int | None, view: GameView | None
    ) -> Sequence[Text]:
        """Somebody is there: back, if the viewer was told of the loss; else, as far as is known, for the first time."""
        seat = event.presence_changed.seat
        if seat in self._lost:
            self._lost.discard(seat)
            return sentences(table, event, view, self._texts)
        if seat == own or table.status == table_pb2.TABLE_STATUS_WAITING or seat >= len(table.seats):
            return []
        return [Text(self._texts("event.arrived", name=table.seats[seat].name), QUIET)]

    def _name_before(self, seat: int) -> str:
        """Who had the seat until now."""
        return self._before.seats[seat].name if self._before is not None and seat < len(self._before.seats) else ""
