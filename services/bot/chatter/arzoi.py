"""What there is to talk about at a table of Arzoi.

It reads what everybody sees and the action that is about to be public, never a hand: nothing that a bot says may tell
what it holds.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from services.bot.chatter import tricks
from services.bot.chatter.occasions import Occasion
from shared.gen.levata.table.v1 import arzoi_pb2

_KING = "KH"
_MUCH_POINTS = 10
_LEAD = 10
_BIDDINGS = (arzoi_pb2.ARZOI_BIDDING_OVERBID, arzoi_pb2.ARZOI_BIDDING_UNDERBID)


@dataclass(frozen=True, slots=True)
class Standing:
    """What a speaker remembers of the decision before, to tell what came of it.

    Attributes:
        part: What was played.
        orbit: Orbit of the match.
        round: Round of the part.
        attempt: Attempt at the round.
        multiplier: What the points of that attempt were multiplied by.
        score: The speaker's points at that time.
    """

    part: int
    orbit: int
    round: int
    attempt: int
    multiplier: int
    score: int


def standing(table: arzoi_pb2.ArzoiTable, seat: int) -> Standing:
    """What `seat` will remember of this moment."""
    return Standing(
        table.part, table.orbit, table.round, table.attempt, max(table.multiplier, 1), table.seats[seat].score
    )


def occasions(
    table: arzoi_pb2.ArzoiTable, seat: int, action: arzoi_pb2.ArzoiAction, before: Standing | None
) -> list[Occasion]:
    """What `seat` could talk about as it does `action`, the most striking first.

    Args:
        table: What everybody sees before the action.
        seat: The speaker.
        action: What it does.
        before: What it remembers of its decision before; None when it remembers nothing.
    """
    found = list(_outcome(table, seat, before))
    if table.phase == arzoi_pb2.ARZOI_PHASE_CHOOSE:
        found.append(Occasion.CHOOSING)
    elif table.phase == arzoi_pb2.ARZOI_PHASE_BID:
        everything = action.bid == table.cards_each
        begins = _match_begins(table)
        found.extend(tricks.bidding(table, seat, action.bid, everything=everything, begins=begins))
    elif table.part == arzoi_pb2.ARZOI_PART_WHIST:
        overbid, underbid = (table.bidding == bidding for bidding in _BIDDINGS)
        found.extend(tricks.playing(table, seat, overbid=overbid, underbid=underbid))
    elif table.part == arzoi_pb2.ARZOI_PART_SEPTICA:
        found.extend(_septica(table, seat, action))
    else:
        found.extend(_totale(table, seat, action))
    found.extend(tricks.score(table, seat, _LEAD))
    found.append(Occasion.WAITING)
    return found


def _outcome(table: arzoi_pb2.ArzoiTable, seat: int, before: Standing | None) -> Iterable[Occasion]:
    """What the round before brought, if the speaker remembers that very round."""
    if before is None or before.part != arzoi_pb2.ARZOI_PART_WHIST:
        return
    now = standing(table, seat)
    if (now.part, now.orbit, now.round, now.attempt) == (before.part, before.orbit, before.round, before.attempt):
        return
    same_round = (now.part, now.orbit, now.round) == (before.part, before.orbit, before.round)
    if same_round:
        if now.attempt == before.attempt + 1:
            yield Occasion.ALL_BURNED
        return
    next_round = (now.part, now.orbit, now.round) == (before.part, before.orbit, before.round + 1)
    after_orbit = now.orbit != before.orbit or now.part != before.part
    if not (next_round or after_orbit):
        return
    change = now.score - before.score
    if change < 0:
        yield Occasion.BURNED
    elif after_orbit and change >= 25:
        yield Occasion.PERFECT_ORBIT
    elif change >= 17 * before.multiplier:
        yield Occasion.ALL_IN_MADE
    elif change > 0:
        yield Occasion.MADE_IT


def _match_begins(table: arzoi_pb2.ArzoiTable) -> bool:
    """Whether no trick of the match has been taken yet."""
    return (table.orbit, table.round, table.attempt) == (1, 1, 1) and not table.last_trick


def _totale(table: arzoi_pb2.ArzoiTable, seat: int, action: arzoi_pb2.ArzoiAction) -> Iterable[Occasion]:
    minus = table.part == arzoi_pb2.ARZOI_PART_TOTALE_MINUS
    if not table.last_trick:
        yield Occasion.TOTALE_MINUS if minus else Occasion.TOTALE_PLUS
    if minus and table.last_taker == seat and any(played.card == _KING for played in table.last_trick):
        yield Occasion.KING_TAKEN
    if minus and action.play == _KING and table.trick and table.trick[0].card[1] != _KING[1]:
        yield Occasion.KING_GIVEN
    mine = table.seats[seat].points
    if mine >= _MUCH_POINTS and mine == sum(other.points for other in table.seats):
        yield Occasion.TAKING_ALL


def _septica(table: arzoi_pb2.ArzoiTable, seat: int, action: arzoi_pb2.ArzoiAction) -> Iterable[Occasion]:
    teams = max(table.teams, 1)
    if _match_begins(table) and len(table.trick) < len(table.seats):
        yield Occasion.GREETING
    if table.phase == arzoi_pb2.ARZOI_PHASE_CONTINUE:
        yield Occasion.SEPTICA_LEAVE if action.WhichOneof("action") == "leave" else Occasion.SEPTICA_GO_ON
        return
    cutters, points = ("7", "AT") if len(table.seats) == 4 else ("78", "AKT")
    if table.trick and table.HasField("holder") and table.holder % teams != seat % teams:
        led, mine = table.trick[0].card[0], action.play[:1]
        if mine and mine in cutters and mine != led:
            yield Occasion.SEPTICA_CUT
    if len(table.trick) >= len(table.seats):
        return
    taken = [sum(other.tricks for other in table.seats[team::teams]) for team in range(teams)]
    if table.last_trick and table.last_taker % teams == seat % teams:
        if sum(played.card[0] in points for played in table.last_trick) >= 2:
            yield Occasion.SEPTICA_POINTS
        if taken[seat % teams] >= 3 and sum(taken) == taken[seat % teams]:
            yield Occasion.PIELE
