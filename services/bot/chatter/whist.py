"""What there is to talk about at a table of whist.

It reads what everybody sees and the action that is about to be public, never a hand.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from services.bot.chatter import tricks
from services.bot.chatter.occasions import Occasion
from shared.gen.levata.table.v1 import whist_pb2

_LEAD = 10
_BIDDINGS = (whist_pb2.WHIST_BIDDING_OVERBID, whist_pb2.WHIST_BIDDING_UNDERBID)


@dataclass(frozen=True, slots=True)
class Standing:
    """What a speaker remembers of the decision before, to tell what came of it.

    Attributes:
        number: Number of the hand.
        score: The speaker's points at that time.
        all_in: It had bid every trick, and there were several.
    """

    number: int
    score: int
    all_in: bool


def standing(table: whist_pb2.WhistTable, seat: int) -> Standing:
    """What `seat` will remember of this moment."""
    mine = table.seats[seat]
    all_in = mine.HasField("bid") and mine.bid == table.cards_each and table.cards_each > 1
    return Standing(table.number, mine.score, all_in)


def occasions(
    table: whist_pb2.WhistTable, seat: int, action: whist_pb2.WhistAction, before: Standing | None
) -> list[Occasion]:
    """What `seat` could talk about as it does `action`, the most striking first.

    Args:
        table: What everybody sees before the action.
        seat: The speaker.
        action: What it does.
        before: What it remembers of its decision before; None when it remembers nothing.
    """
    found = list(_outcome(table, seat, before))
    if table.phase == whist_pb2.WHIST_PHASE_BID:
        everything = action.bid == table.cards_each > 1
        found.extend(tricks.bidding(table, seat, action.bid, everything=everything, begins=table.number == 1))
    else:
        overbid, underbid = (table.bidding == bidding for bidding in _BIDDINGS)
        found.extend(tricks.playing(table, seat, overbid=overbid, underbid=underbid))
    found.extend(tricks.score(table, seat, _LEAD))
    found.append(Occasion.WAITING)
    return found


def _outcome(table: whist_pb2.WhistTable, seat: int, before: Standing | None) -> Iterable[Occasion]:
    """What the hand before brought, if the speaker remembers that very hand."""
    if before is None or table.number != before.number + 1:
        return
    if table.seats[seat].score < before.score:
        yield Occasion.BURNED
    else:
        yield Occasion.ALL_IN_MADE if before.all_in else Occasion.MADE_IT
