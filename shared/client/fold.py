"""What a viewer knows of a table: the fold of all updates."""

from typing import Any

from shared.gen.levata.table.v1 import game_pb2, table_pb2

_HISTORY_EVENTS = ("action_taken", "game", "clock_expired")
"""What belongs to the history of a deal; presence, talk and the like do not."""


class TableView:
    """A table as its viewer knows it. What it hands out is to be read, not changed.

    Attributes:
        revision: The last one folded; 0 before the first.
        table: The table as everybody sees it, of the last update that brought one.
        private: What only the viewer sees.
        score_sheet: Every row so far.
        history: Actions and what followed from them since the last deal, which is its first entry; oldest first.
        history_complete: The history goes back to the deal; False after a snapshot in the middle of one.
        at: The server's time of the last revision, in seconds since 1970.
    """

    def __init__(self) -> None:
        self.revision = 0
        self.table = table_pb2.Table()
        self.private = table_pb2.Private()
        self.score_sheet = game_pb2.GameScoreSheet()
        self.history: list[table_pb2.Event] = []
        self.history_complete = False
        self.at = 0.0

    @property
    def seat(self) -> int | None:
        """The viewer's seat; None for a spectator."""
        return self.private.seat if self.private.HasField("seat") else None

    @property
    def my_turn(self) -> bool:
        """The viewer has something to decide."""
        return bool(self.private.legal_actions)

    @property
    def over(self) -> bool:
        """The match was finished or stopped."""
        return self.table.status in (table_pb2.TABLE_STATUS_FINISHED, table_pb2.TABLE_STATUS_STOPPED)

    def apply(self, update: table_pb2.Update) -> None:
        """Folds the next update."""
        self.revision = update.revision
        self.at = update.at.ToNanoseconds() / 1e9
        if update.snapshot:
            self.score_sheet = game_pb2.GameScoreSheet()
            self.score_sheet.CopyFrom(update.score_sheet)
            self.history = []
            self.history_complete = not update.table.HasField("game")
        for event in update.events:
            self._apply_event(event)
        if update.HasField("table"):
            self.table = update.table
            self.private = update.private

    def as_snapshot(self) -> table_pb2.Update:
        """All that is known, as the update that a newcomer would get."""
        update = table_pb2.Update(
            revision=self.revision,
            table=self.table,
            private=self.private,
            score_sheet=self.score_sheet,
            snapshot=True,
        )
        update.at.FromNanoseconds(round(self.at * 1e9))
        return update

    def _apply_event(self, event: table_pb2.Event) -> None:
        kind = event.WhichOneof("event")
        if kind not in _HISTORY_EVENTS:
            return
        if kind == "game":
            self._apply_game_event(event.game)
        self.history.append(event)

    def _apply_game_event(self, event: game_pb2.GameEvent) -> None:
        """A deal begins the history anew, a row joins the score sheet: so it is in every game."""
        game = event.WhichOneof("game")
        if game is None:
            return
        happened: Any = getattr(event, game)
        kind = happened.WhichOneof("event")
        if kind == "dealt":
            self.history = []
            self.history_complete = True
        elif kind == "scored":
            sheet: Any = getattr(self.score_sheet, game)
            sheet.rows.append(happened.scored)
