"""Corrections: taking a match back.

What was posted stays. New entries with all signs changed bring the totals and the points ratings to what they would be
without the match, and the estimates of the game are made again without it: everybody who played after it may be rated
differently.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from services.ledger.database import Database, upsert
from services.ledger.errors import AlreadyReversedError, MatchNotFoundError
from services.ledger.models import Entry, MatchRow, PointsRatingChange, RatingRow, Reversal, SeatRow
from services.ledger.posting import Totals, enter, game_lock
from services.ledger.rating_changes import Cause, PointsChange, record_changes
from services.ledger.skill import UNKNOWN, Estimate, rate_match


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What a reversal changed.

    Attributes:
        game: Name of the game.
        people: How many people's totals changed.
        estimates: How many people's estimates changed.
        points_ratings: How many people's points ratings changed.
    """

    game: str
    people: int
    estimates: int
    points_ratings: int


async def reverse(database: Database, match_id: str, reason: str, now: Callable[[], datetime]) -> TakenBack:
    """Takes a match back.

    Args:
        database: Where.
        match_id: The match.
        reason: Why; people will read it.
        now: Wall clock.

    Raises:
        MatchNotFoundError: No such match.
        AlreadyReversedError: It has been taken back before.
    """
    moment = now()
    async with database.writing() as session:
        match = (await session.scalars(select(MatchRow).where(MatchRow.match_id == match_id))).one_or_none()
        if match is None:
            raise MatchNotFoundError(match_id)
        await database.lock(session, game_lock(match.game))
        inserted = await session.execute(
            upsert(database, Reversal)
            .values(match_id=match_id, reason=reason, reversed_at=moment)
            .on_conflict_do_nothing(index_elements=["match_id"])
            .returning(col(Reversal.match_id))
        )
        if inserted.scalar_one_or_none() is None:
            raise AlreadyReversedError(match_id)
        entries = await session.scalars(select(Entry).where(Entry.match_id == match_id, Entry.kind == "result"))
        back = {entry.player_id: Totals(-entry.points, -entry.matches, -entry.wins) for entry in entries}
        await enter(database, session, match_id, match.game, "reversal", back, moment)
        present = await present_estimates(session, match.game)
        right = await estimates_from_matches(session, match.game)
        changes = {
            player: (estimate, right.get(player, UNKNOWN))
            for player, estimate in present.items()
            if right.get(player, UNKNOWN) != estimate
        }
        points = await session.scalars(
            select(PointsRatingChange)
            .where(PointsRatingChange.match_id == match_id, PointsRatingChange.kind == "result")
            .order_by(col(PointsRatingChange.seat))
        )
        opposite = [PointsChange(one.player_id, one.seat, -one.change) for one in points]
        assert match.posting is not None, "it has been posted"
        cause = Cause(match_id, match.posting, match.game, "reversal")
        await record_changes(database, session, cause, changes, opposite, moment)
    return TakenBack(match.game, len(back), len(changes), len(opposite))


async def present_estimates(session: AsyncSession, game: str) -> dict[str, Estimate]:
    """Everybody's present estimate in a game."""
    rows = await session.scalars(select(RatingRow).where(RatingRow.game == game))
    return {row.player_id: Estimate(row.mean, row.deviation, row.matches) for row in rows}


async def estimates_from_matches(session: AsyncSession, game: str) -> dict[str, Estimate]:
    """Everybody's estimate, made again from all matches of a game that count, in posting order."""
    estimates: dict[str, Estimate] = {}
    async for places in _places_of_matches(session, game):
        estimates.update(rate_match(estimates, places))
    return estimates


async def _places_of_matches(session: AsyncSession, game: str) -> AsyncIterator[Mapping[str, int]]:
    """The places of the people in each finished match that counts, one match after another."""
    statement = (
        select(SeatRow.posting, SeatRow.player_id, SeatRow.place)
        .join(MatchRow, col(MatchRow.match_id) == SeatRow.match_id)
        .outerjoin(Reversal, col(Reversal.match_id) == SeatRow.match_id)
        .where(
            MatchRow.game == game,
            col(MatchRow.stopped).is_(False),
            col(SeatRow.player_id).is_not(None),
            col(Reversal.match_id).is_(None),
        )
        .order_by(col(SeatRow.posting), col(SeatRow.seat))
    )
    places: dict[str, int] = {}
    current: int | None = None
    rows = await session.stream(statement)
    async for posting, player_id, place in rows:
        if posting != current and places:
            yield places
            places = {}
        current = posting
        places[player_id] = place
    if places:
        yield places
