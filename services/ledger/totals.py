"""The proof that totals agree with what happened: they are made again from the entries and compared."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import and_, case, col, func, select

from services.ledger.corrections import estimates_from_matches, present_estimates
from services.ledger.database import Database, upsert
from services.ledger.models import (
    Entry,
    MatchRow,
    PointsRatingChange,
    PointsRatingRow,
    SeatRow,
    Standing,
    StarterRow,
)
from services.ledger.points_rating import RULES, RatedSeat, rated_match
from services.ledger.posting import Totals, game_lock
from services.ledger.rating_changes import put_estimates
from services.ledger.skill import UNKNOWN, Estimate

_NOTHING = Totals(0, 0, 0)
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class PointsRating:
    """A points rating, and how many matches have counted for it."""

    rating: int
    matches: int


Value = TypeVar("Value", Totals, Estimate, PointsRating)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A total that is not what the entries give.

    Attributes:
        game: Name of the game.
        player_id: The person; empty when it is about a match.
        what: `standing`, `estimate`, `points rating`, or what stands in the books of a match.
        kept: What the table says.
        right: What it should say.
        fixable: It is made of entries, and can be made again.
    """

    game: str
    player_id: str
    what: str
    kept: object
    right: object
    fixable: bool = True

    def __str__(self) -> str:
        whom = f" of {self.player_id}" if self.player_id else ""
        return f"{self.game}: {self.what}{whom} is {self.kept}, and should be {self.right}"


@dataclass(frozen=True, slots=True)
class Audit:
    """What was looked at and found.

    Attributes:
        games: Names of the games.
        entries: Entries added up.
        disagreements: What does not agree.
    """

    games: tuple[str, ...]
    entries: int
    disagreements: tuple[Disagreement, ...]


async def recompute(database: Database, fix: bool = False) -> Audit:
    """Compares standings with entries, entries with seats, estimates with matches, and points ratings with changes.

    Args:
        database: Where.
        fix: Put right the standings, estimates and points ratings that disagree. What is append-only is never touched:
            a match whose entries or changes are not what its seats say is reported and left to people.
    """
    opened = database.writing() if fix else database.reading()
    async with opened as session:
        games = sorted(await session.scalars(select(MatchRow.game).distinct()))
        found: list[Disagreement] = []
        for game in games:
            if fix:
                await database.lock(session, game_lock(game))
            found += await _standings(database, session, game, fix)
            found += await _estimates(database, session, game, fix)
            found += await _points_ratings(database, session, game, fix)
            found += await _matches(session, game)
            found += await _points_changes(session, game)
        entries = (await session.execute(select(func.count()).select_from(Entry))).scalar_one()
    return Audit(tuple(games), entries, tuple(found))


async def _standings(database: Database, session: AsyncSession, game: str, fix: bool) -> list[Disagreement]:
    sums = await session.execute(
        select(Entry.player_id, func.sum(Entry.points), func.sum(Entry.matches), func.sum(Entry.wins))
        .where(Entry.game == game)
        .group_by(col(Entry.player_id))
    )
    right = {player: Totals(int(points), int(matches), int(wins)) for player, points, matches, wins in sums}
    rows = await session.scalars(select(Standing).where(Standing.game == game))
    kept = {row.player_id: Totals(row.points, row.matches, row.wins) for row in rows}
    found = []
    for player, is_, should_be in _different(kept, right, _NOTHING):
        found.append(Disagreement(game, player, "standing", is_, should_be))
        if fix:
            values = {"points": should_be.points, "matches": should_be.matches, "wins": should_be.wins}
            await session.execute(
                upsert(database, Standing)
                .values(game=game, player_id=player, **values)
                .on_conflict_do_update(index_elements=["game", "player_id"], set_=values)
            )
    return found


async def _estimates(database: Database, session: AsyncSession, game: str, fix: bool) -> list[Disagreement]:
    right = await estimates_from_matches(session, game)
    kept = await present_estimates(session, game)
    found = []
    for player, is_, should_be in _different(kept, right, UNKNOWN):
        if _close(is_, should_be):
            continue
        found.append(Disagreement(game, player, "estimate", is_, should_be))
        if fix:
            await put_estimates(database, session, game, {player: should_be})
    return found


async def _points_ratings(database: Database, session: AsyncSession, game: str, fix: bool) -> list[Disagreement]:
    rule = RULES.get(game)
    initial = rule.initial if rule is not None else 0
    counted = case((col(PointsRatingChange.kind) == "result", 1), else_=-1)
    sums = await session.execute(
        select(PointsRatingChange.player_id, func.sum(PointsRatingChange.change), func.sum(counted))
        .where(PointsRatingChange.game == game)
        .group_by(col(PointsRatingChange.player_id))
    )
    right = {player: PointsRating(initial + int(change), int(matches)) for player, change, matches in sums}
    rows = await session.scalars(select(PointsRatingRow).where(PointsRatingRow.game == game))
    kept = {row.player_id: PointsRating(row.rating, row.matches) for row in rows}
    found = []
    for player, is_, should_be in _different(kept, right, PointsRating(initial, 0)):
        found.append(Disagreement(game, player, "points rating", is_, should_be))
        if fix:
            values = {"rating": should_be.rating, "matches": should_be.matches}
            await session.execute(
                upsert(database, PointsRatingRow)
                .values(game=game, player_id=player, **values)
                .on_conflict_do_update(index_elements=["game", "player_id"], set_=values)
            )
    return found


async def _matches(session: AsyncSession, game: str) -> list[Disagreement]:
    """Matches whose result entries are not those of the people in their seats."""
    seats = await session.execute(
        select(SeatRow.match_id, SeatRow.player_id, SeatRow.points)
        .join(MatchRow, col(MatchRow.match_id) == SeatRow.match_id)
        .where(MatchRow.game == game, col(MatchRow.stopped).is_(False), col(SeatRow.player_id).is_not(None))
    )
    entries = await session.execute(
        select(Entry.match_id, Entry.player_id, Entry.points).where(Entry.game == game, Entry.kind == "result")
    )
    right = {(match, str(player)): points for match, player, points in seats}
    kept = {(match, player): points for match, player, points in entries}
    return _in_the_books(game, "entry", kept, right)


async def _points_changes(session: AsyncSession, game: str) -> list[Disagreement]:
    """Matches whose changes of points ratings are not what their seats, starters and hands give."""
    played = await session.execute(
        select(MatchRow.match_id, MatchRow.hands_finished, MatchRow.hands).where(MatchRow.game == game)
    )
    hands = {match: (finished, whole) for match, finished, whole in played}
    seats = await session.execute(
        select(SeatRow.match_id, SeatRow.points, StarterRow.player_id, StarterRow.gone)
        .join(MatchRow, col(MatchRow.match_id) == SeatRow.match_id)
        .outerjoin(StarterRow, and_(col(StarterRow.match_id) == SeatRow.match_id, col(StarterRow.seat) == SeatRow.seat))
        .where(MatchRow.game == game)
        .order_by(col(SeatRow.match_id), col(SeatRow.seat))
    )
    right: dict[tuple[str, str], int] = {}
    for match, rows in groupby(seats, key=lambda row: str(row[0])):
        ends = [(player, RatedSeat(points, bool(gone))) for _, points, player, gone in rows]
        changes = rated_match(game, [player for player, _ in ends], [seat for _, seat in ends], *hands[match])
        right |= {(match, player): change for player, change in (changes or {}).items()}
    written = await session.scalars(
        select(PointsRatingChange).where(PointsRatingChange.game == game, PointsRatingChange.kind == "result")
    )
    kept = {(row.match_id, row.player_id): row.change for row in written}
    return _in_the_books(game, "change of the points rating", kept, right)


def _in_the_books(
    game: str, what: str, kept: Mapping[tuple[str, str], int], right: Mapping[tuple[str, str], int]
) -> list[Disagreement]:
    """What was written of matches, by match and person, and is not what it should be."""
    return [
        Disagreement(
            game, player, f"the {what} in match {match}", kept.get((match, player)), right.get((match, player)), False
        )
        for match, player in sorted(kept.keys() | right.keys())
        if kept.get((match, player)) != right.get((match, player))
    ]


def _different(kept: Mapping[str, Value], right: Mapping[str, Value], nothing: Value) -> list[tuple[str, Value, Value]]:
    """Where the two differ: whose, what is kept, and what is right."""
    return [
        (player, kept.get(player, nothing), right.get(player, nothing))
        for player in sorted(kept.keys() | right.keys())
        if kept.get(player, nothing) != right.get(player, nothing)
    ]


def _close(one: Estimate, other: Estimate) -> bool:
    """The same but for rounding, which another machine may do differently."""
    return (
        one.matches == other.matches
        and abs(one.mean - other.mean) < _ROUNDING
        and abs(one.deviation - other.deviation) < _ROUNDING
    )
