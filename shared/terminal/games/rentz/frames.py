"""What is to be seen of an update of the layout game, card by card."""

from collections.abc import Sequence

from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.games.rentz.layout import place
from shared.terminal.games.tricks import PLAYED_BEATS, TRICK_BEATS
from shared.terminal.games.view import Frame


def layout_frames(before: table_pb2.Table, update: table_pb2.Update) -> Sequence[Frame]:
    """The table after the update; the finished layout is shown whole before the hand that follows it.

    Of an update that brings more than the rest of this hand, what follows the hand is in the table after it only.

    Args:
        before: The table before, its layout on it.
        update: What happened, with a table.
    """
    last = table_pb2.Table()
    last.CopyFrom(before)
    last.ClearField("decision")
    layout = last.game.rentz
    beats = 0.0
    for event in update.events:
        kind = event.WhichOneof("event")
        if kind == "action_taken":
            beats = PLAYED_BEATS
        elif kind == "game":
            happened = event.game.rentz
            match happened.WhichOneof("event"):
                case "placed":
                    place(layout.layout, happened.placed.card)
                    layout.seats[happened.placed.seat].placed = happened.placed.card
                    layout.seats[happened.placed.seat].cards -= 1
                case "finished":
                    layout.seats[happened.finished.seat].finished = happened.finished.place
                case "scored":
                    for seat, points in zip(layout.seats, happened.scored.points, strict=True):
                        seat.points = points
                    return [Frame(last, TRICK_BEATS), Frame(update.table, 0.0)]
    return [Frame(update.table, beats)]
