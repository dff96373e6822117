"""What there is to talk about at a table of Remi.

It reads what everybody sees and the action that is about to be public, never a hand.
"""

from collections.abc import Iterable, Sequence

from services.bot.chatter.occasions import Occasion
from services.bot.chatter.standing import Standing, gained, standing
from shared.gen.levata.table.v1 import remi_pb2

__all__ = ["Standing", "occasions", "standing"]

_LEAD = 60
_ROUND_WON = 100
_CAUGHT = -60
_FEW_TILES = 3
_LATE_PILE = 12
_JOKER = "*"

Step = remi_pb2.RemiAction | remi_pb2.RemiStep


def occasions(
    table: remi_pb2.RemiTable, seat: int, action: remi_pb2.RemiAction, before: Standing | None
) -> list[Occasion]:
    """What `seat` could talk about as it does `action`, the most striking first.

    Args:
        table: What everybody sees before the action.
        seat: The speaker.
        action: What it does.
        before: What it remembers of its decision before; None when it remembers nothing.
    """
    steps: Sequence[Step] = action.turn.steps if action.HasField("turn") else [action]
    found = list(_outcome(table, seat, before))
    found.extend(_closing(table, seat, steps))
    found.extend(_doing(table, seat, steps))
    if table.number == 1 and not table.melds and len(table.row) < len(table.seats):
        found.append(Occasion.REMI_GREETING)
    found.extend(_round(table, seat))
    found.extend(_score(table, seat))
    found.append(Occasion.REMI_WAITING)
    return found


def _outcome(table: remi_pb2.RemiTable, seat: int, before: Standing | None) -> Iterable[Occasion]:
    """What the round before brought, if the speaker remembers that very round."""
    change = gained(table, seat, before)
    if change is None:
        return
    if change >= _ROUND_WON:
        yield Occasion.ROUND_WON
    elif change <= _CAUGHT:
        yield Occasion.CAUGHT


def _closing(table: remi_pb2.RemiTable, seat: int, steps: Sequence[Step]) -> Iterable[Occasion]:
    """That the action gets rid of the last tiles (RM-28), and with which (RM-29)."""
    last = ""
    given = 0
    for step in steps:
        kind = _kind(step)
        if kind == "close_with_atu":
            yield Occasion.CLOSES
            return
        if kind == "take":
            given -= len(table.row) - step.take
        elif kind == "lay":
            given += sum(len(meld.tiles) for meld in step.lay.melds)
            last = ""
        elif kind == "swap_joker":
            given += len(step.swap_joker.new_meld.tiles)
            last = ""
        elif kind == "add":
            given, last = given + 1, step.add.tile
        elif kind == "discard":
            given, last = given + 1, step.discard
    if given == table.seats[seat].tiles > 0:
        yield Occasion.CLOSES_WITH_JOKER if last == _JOKER else Occasion.CLOSES


def _doing(table: remi_pb2.RemiTable, seat: int, steps: Sequence[Step]) -> Iterable[Occasion]:
    """What is done, whatever comes of it."""
    kinds = {_kind(step) for step in steps}
    if "swap_joker" in kinds:
        yield Occasion.SWAPS_JOKER
    if "lay" in kinds and not table.seats[seat].melded:
        yield Occasion.OPENS
    for step in steps:
        if _kind(step) == "announce":
            atu = step.announce == remi_pb2.REMI_ANNOUNCEMENT_ATU
            yield Occasion.ANNOUNCES_ATU if atu else Occasion.ANNOUNCES_TWO_TILES
        elif _kind(step) == "take" and step.take < len(table.row) - 1:
            yield Occasion.BREAKS_ROW
    if "add" in kinds:
        yield Occasion.LAYS_OFF


def _round(table: remi_pb2.RemiTable, seat: int) -> Iterable[Occasion]:
    """How the round stands: somebody is nearly done, or the speaker has still not laid anything."""
    if any(other.tiles <= _FEW_TILES for index, other in enumerate(table.seats) if index != seat):
        yield Occasion.FEW_TILES_THERE
    if not table.seats[seat].melded and table.pile <= _LATE_PILE:
        yield Occasion.STUCK


def _score(table: remi_pb2.RemiTable, seat: int) -> Iterable[Occasion]:
    mine = table.seats[seat].score
    others = [other.score for index, other in enumerate(table.seats) if index != seat]
    if mine >= max(others) + _LEAD:
        yield Occasion.REMI_WINNING
    elif mine <= min(others) - _LEAD:
        yield Occasion.REMI_LOSING


def _kind(step: Step) -> str:
    """Which action it is, as the contract calls it."""
    if isinstance(step, remi_pb2.RemiStep):
        return step.WhichOneof("step") or ""
    return step.WhichOneof("action") or ""
