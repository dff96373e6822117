"""What there is to talk about at a table of Rentz.

It reads what everybody sees and the action that is about to be public, never a hand.
"""

from collections.abc import Iterable

from services.bot.chatter import tricks
from services.bot.chatter.occasions import Occasion
from services.bot.chatter.standing import Standing, gained, standing
from shared.gen.levata.table.v1 import rentz_pb2

__all__ = ["Standing", "occasions", "standing"]

_LEAD = 200
_MUCH = 100
"""From so many points on a hand is worth a word."""
_KING = "KH"
_KING_COSTS = (rentz_pb2.RENTZ_SUBGAME_KING_OF_HEARTS, rentz_pb2.RENTZ_SUBGAME_TOTALE)
_QUEENS_COST = (rentz_pb2.RENTZ_SUBGAME_QUEENS, rentz_pb2.RENTZ_SUBGAME_TOTALE)


def occasions(
    table: rentz_pb2.RentzTable, seat: int, action: rentz_pb2.RentzAction, before: Standing | None
) -> list[Occasion]:
    """What `seat` could talk about as it does `action`, the most striking first.

    Args:
        table: What everybody sees before the action.
        seat: The speaker.
        action: What it does.
        before: What it remembers of its decision before; None when it remembers nothing.
    """
    found = list(_outcome(table, seat, before))
    if table.number == 1 and not table.last_trick and not any(run.low for run in table.layout):
        found.append(Occasion.GREETING)
    if table.phase == rentz_pb2.RENTZ_PHASE_CHOOSE:
        found.append(Occasion.CHOOSING)
    elif table.subgame == rentz_pb2.RENTZ_SUBGAME_RENTZ:
        found.extend(_layout(table, seat, action))
    else:
        found.extend(_tricks(table, seat, action))
    found.extend(tricks.score(table, seat, _LEAD))
    found.append(Occasion.WAITING)
    return found


def _outcome(table: rentz_pb2.RentzTable, seat: int, before: Standing | None) -> Iterable[Occasion]:
    """What the hand before brought, if the speaker remembers that very hand."""
    change = gained(table, seat, before)
    if change is None:
        return
    if change >= _MUCH:
        yield Occasion.HAND_WON
    elif change <= -_MUCH:
        yield Occasion.HAND_LOST


def _layout(table: rentz_pb2.RentzTable, seat: int, action: rentz_pb2.RentzAction) -> Iterable[Occasion]:
    """The last card, a seven, an ace; that it could not move before."""
    if table.seats[seat].cards == 1:
        yield Occasion.LAST_CARD
    match action.play[:1]:
        case "7":
            yield Occasion.SEVEN_PLACED
        case "A":
            yield Occasion.ACE_PLACED
    if table.seats[seat].passed:
        yield Occasion.PASSED


def _tricks(table: rentz_pb2.RentzTable, seat: int, action: rentz_pb2.RentzAction) -> Iterable[Occasion]:
    """What the trick before brought the speaker, and what it gives to this one."""
    subgame = table.subgame
    if subgame == rentz_pb2.RENTZ_SUBGAME_TOTALE and not table.last_trick:
        yield Occasion.TOTALE_MINUS
    if subgame in _KING_COSTS and action.play == _KING and table.trick and table.trick[0].card[1] != _KING[1]:
        yield Occasion.KING_GIVEN
    if not table.last_trick or table.last_taker != seat:
        return
    cards = [played.card for played in table.last_trick]
    if subgame in _KING_COSTS and _KING in cards:
        yield Occasion.KING_TAKEN
    if subgame in _QUEENS_COST and any(card[0] == "Q" for card in cards):
        yield Occasion.QUEEN_TAKEN
    if subgame == rentz_pb2.RENTZ_SUBGAME_TRICKS:
        yield Occasion.TRICK_UNWANTED
    elif subgame == rentz_pb2.RENTZ_SUBGAME_WHIST:
        yield Occasion.TRICK_TAKEN
