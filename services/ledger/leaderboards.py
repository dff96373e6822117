"""Leaderboards: the people of a game by skill estimate, or by points rating where it has one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import and_, col, or_, select

from services.ledger.models import Account, PointsRatingRow, RatingRow
from services.ledger.pages import Page, float_token, integer_token, read_float_token, read_integer_token
from services.ledger.points_rating import RULES
from services.ledger.ranks import count, ranks

Order = Literal["skill", "points"]
"""What a leaderboard is sorted by."""


@dataclass(frozen=True, slots=True)
class Leader:
    """A row of a leaderboard.

    Attributes:
        rank: From 1; equals share a rank, and the next rank counts all before it.
        player_id: Account.
        name: Present name.
        rating: Skill estimate; None if the list is sorted by points rating and there is none.
        points_rating: Points rating; None if the list is sorted by skill and there is none.
    """

    rank: int
    player_id: str
    name: str
    rating: RatingRow | None
    points_rating: PointsRatingRow | None


def usual_order(game: str) -> Order:
    """What players of a game expect: its points rating, if it has one."""
    return "points" if game in RULES else "skill"


async def leaderboard(session: AsyncSession, game: str, order: Order, size: int, page_token: str) -> Page[Leader]:
    """A page of a game's people, best first, equals by account. Raises `BadPageTokenError`."""
    if order == "points":
        return await _by_points(session, game, size, page_token)
    return await _by_skill(session, game, size, page_token)


_SAME_PERSON = and_(
    col(PointsRatingRow.game) == col(RatingRow.game), col(PointsRatingRow.player_id) == col(RatingRow.player_id)
)


async def _by_skill(session: AsyncSession, game: str, size: int, page_token: str) -> Page[Leader]:
    scope = f"leaderboard/{game}/skill"
    counts = and_(RatingRow.game == game, RatingRow.matches > 0)
    statement = (
        select(RatingRow, PointsRatingRow, Account.name)
        .join(Account, col(Account.player_id) == RatingRow.player_id)
        .outerjoin(PointsRatingRow, and_(_SAME_PERSON, PointsRatingRow.matches > 0))
        .where(counts)
        .order_by(col(RatingRow.ordinal).desc(), col(RatingRow.player_id))
        .limit(size + 1)
    )
    if page_token:
        ordinal, player_id = read_float_token(scope, page_token)
        statement = statement.where(
            or_(RatingRow.ordinal < ordinal, and_(RatingRow.ordinal == ordinal, RatingRow.player_id > player_id))
        )
    rows = (await session.execute(statement)).all()
    places: list[int] = []
    if rows:
        first = rows[0][0]
        earlier = and_(RatingRow.ordinal == first.ordinal, RatingRow.player_id < first.player_id)
        keys = [rating.ordinal for rating, _, _ in rows]
        places = await _places(session, keys, counts, RatingRow.ordinal > first.ordinal, earlier)
    leaders = [
        Leader(rank, rating.player_id, name, rating, points)
        for rank, (rating, points, name) in zip(places, rows, strict=True)
    ]
    more = rows[size - 1][0] if len(rows) > size else None
    return Page(leaders[:size], float_token(scope, more.ordinal, more.player_id) if more else "")


async def _by_points(session: AsyncSession, game: str, size: int, page_token: str) -> Page[Leader]:
    scope = f"leaderboard/{game}/points"
    counts = and_(PointsRatingRow.game == game, PointsRatingRow.matches > 0)
    statement = (
        select(PointsRatingRow, RatingRow, Account.name)
        .join(Account, col(Account.player_id) == PointsRatingRow.player_id)
        .outerjoin(RatingRow, and_(_SAME_PERSON, RatingRow.matches > 0))
        .where(counts)
        .order_by(col(PointsRatingRow.rating).desc(), col(PointsRatingRow.player_id))
        .limit(size + 1)
    )
    if page_token:
        points, player_id = read_integer_token(scope, page_token)
        equal = and_(PointsRatingRow.rating == points, PointsRatingRow.player_id > player_id)
        statement = statement.where(or_(PointsRatingRow.rating < points, equal))
    rows = (await session.execute(statement)).all()
    places: list[int] = []
    if rows:
        first = rows[0][0]
        earlier = and_(PointsRatingRow.rating == first.rating, PointsRatingRow.player_id < first.player_id)
        keys = [points.rating for points, _, _ in rows]
        places = await _places(session, keys, counts, PointsRatingRow.rating > first.rating, earlier)
    leaders = [
        Leader(rank, points.player_id, name, rating, points)
        for rank, (points, rating, name) in zip(places, rows, strict=True)
    ]
    more = rows[size - 1][0] if len(rows) > size else None
    return Page(leaders[:size], integer_token(scope, more.rating, more.player_id) if more else "")


async def _places(
    session: AsyncSession,
    keys: Sequence[float],
    counts: ColumnElement[bool],
    better: ColumnElement[bool] | bool,
    earlier: ColumnElement[bool],
) -> list[int]:
    """Ranks of the rows of a page.

    Args:
        session: A reading transaction.
        keys: What the rows are sorted by.
        counts: What a row of the list has to meet.
        better: What a row has to meet to be better than the first of the page.
        earlier: What a row has to meet to be its equal, and to stand before it.
    """
    ahead = await count(session, counts, better)
    return ranks(keys, ahead, ahead + await count(session, counts, earlier))
