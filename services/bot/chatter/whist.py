"""What there is to talk about at a table of whist.

It reads what everybody sees and the action that is about to be public, never a hand.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from services.bot.chatter.occasions import Occasion
from shared.gen.levata.table.v1 import whist_pb2

_LEAD = 10


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
    found.extend(_bidding(table, seat, action) if table.phase == whist_pb2.WHIST_PHASE_BID else _playing(table, seat))
    mine = table.seats[seat].score
    others = [other.score for index, other in enumerate(table.seats) if index != seat]
    if mine >= max(others) + _LEAD:
        found.append(Occasion.WINNING)
    elif mine <= min(others) - _LEAD:
        found.append(Occasion.LOSING)
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


def _bidding(table: whist_pb2.WhistTable, seat: int, action: whist_pb2.WhistAction) -> Iterable[Occasion]:
    bid = action.bid
    if bid == table.cards_each > 1:
        yield Occasion.BID_EVERYTHING
    elif bid >= 3 and 2 * bid >= table.cards_each:
        yield Occasion.BID_BIG
    if table.number == 1:
        yield Occasion.GREETING
    others_have_bid = all(other.HasField("bid") for index, other in enumerate(table.seats) if index != seat)
    if others_have_bid and table.bid_sum <= table.cards_each:
        yield Occasion.BID_LAST
    if bid == 0:
        yield Occasion.BID_NOTHING


def _playing(table: whist_pb2.WhistTable, seat: int) -> Iterable[Occasion]:
    if not table.last_trick:
        if table.bidding == whist_pb2.WHIST_BIDDING_OVERBID:
            yield Occasion.OVERBID
        elif table.bidding == whist_pb2.WHIST_BIDDING_UNDERBID:
            yield Occasion.UNDERBID
    elif table.last_taker == seat:
        over = table.seats[seat].tricks - table.seats[seat].bid
        if over == 1:
            yield Occasion.TRICK_UNWANTED
        elif over <= 0:
            yield Occasion.TRICK_TAKEN
