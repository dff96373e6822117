"""The Hall of Fame and the leaderboard: who has won most, and who is believed to be best.

The Hall of Fame adds up the final points of finished matches (AZ-48) by account, whatever its name is or was; negative
totals count like any other (GAP-A24).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import and_, col, func, or_, select

from services.ledger.models import Account, RatingRow, Standing
from services.ledger.pages import Page, float_token, integer_token, read_float_token, read_integer_token


@dataclass(frozen=True, slots=True)
class Famous:
    """A person's standing in a game.

    Attributes:
        rank: From 1; equal points share a rank, and the next rank counts all before it.
        player_id: Account.
        name: Present name.
        points: Sum of final points.
        matches: Finished matches.
        wins: Matches won, alone or jointly.
    """

    rank: int
    player_id: str
    name: str
    points: int
    matches: int
    wins: int


@dataclass(frozen=True, slots=True)
class Leader:
    """A row of a leaderboard; equal ordinals share a rank."""

    rank: int
    name: str
    rating: RatingRow


async def hall_of_fame(session: AsyncSession, game: str, size: int, page_token: str) -> Page[Famous]:
    """A page of the Hall of Fame of a game, most points first, equal points by account. Raises `BadPageTokenError`."""
    scope = f"hall_of_fame/{game}"
    statement = (
        select(Standing, Account.name)
        .join(Account, col(Account.player_id) == Standing.player_id)
        .where(Standing.game == game, Standing.matches > 0)
        .order_by(col(Standing.points).desc(), col(Standing.player_id))
        .limit(size + 1)
    )
    if page_token:
        points, player_id = read_integer_token(scope, page_token)
        statement = statement.where(
            or_(Standing.points < points, and_(Standing.points == points, Standing.player_id > player_id))
        )
    rows = (await session.execute(statement)).all()
    keys = [standing.points for standing, _ in rows]
    better = await _with_more_points(session, game, keys[0]) if rows else 0
    before = await _given_before(session, game, rows[0][0]) if rows else 0
    ranks = _ranks(keys, better, before)
    famous = [
        Famous(rank, standing.player_id, name, standing.points, standing.matches, standing.wins)
        for rank, (standing, name) in zip(ranks, rows, strict=True)
    ]
    more = famous[size - 1] if len(famous) > size else None
    return Page(famous[:size], integer_token(scope, more.points, more.player_id) if more else "")


async def standing_of(session: AsyncSession, account: Account, game: str) -> Famous | None:
    """A person's standing in a game; None without a match that counts."""
    standing = await session.get(Standing, (game, account.player_id))
    if standing is None or standing.matches <= 0:
        return None
    rank = 1 + await _with_more_points(session, game, standing.points)
    return Famous(rank, account.player_id, account.name, standing.points, standing.matches, standing.wins)


async def leaderboard(session: AsyncSession, game: str, size: int, page_token: str) -> Page[Leader]:
    """A page of a game's people by skill estimate, best first. Raises `BadPageTokenError`."""
    scope = f"leaderboard/{game}"
    counts = and_(RatingRow.game == game, RatingRow.matches > 0)
    statement = (
        select(RatingRow, Account.name)
        .join(Account, col(Account.player_id) == RatingRow.player_id)
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
    better = before = 0
    if rows:
        first = rows[0][0]
        better = await _count(session, counts, RatingRow.ordinal > first.ordinal)
        before = better + await _count(
            session, counts, and_(RatingRow.ordinal == first.ordinal, RatingRow.player_id < first.player_id)
        )
    ranks = _ranks([rating.ordinal for rating, _ in rows], better, before)
    leaders = [Leader(rank, name, rating) for rank, (rating, name) in zip(ranks, rows, strict=True)]
    more = leaders[size - 1].rating if len(leaders) > size else None
    return Page(leaders[:size], float_token(scope, more.ordinal, more.player_id) if more else "")


def _ranks(keys: Sequence[float], better: int, before: int) -> list[int]:
    """Ranks of consecutive rows.

    Args:
        keys: What they are sorted by, best first.
        better: How many rows of the whole list are better than the first of these.
        before: How many rows of the whole list stand before the first of these: the better ones and earlier equals.
    """
    ranks: list[int] = []
    for index, key in enumerate(keys):
        if index == 0:
            ranks.append(better + 1)
        elif key == keys[index - 1]:
            ranks.append(ranks[-1])
        else:
            ranks.append(before + index + 1)
    return ranks


async def _with_more_points(session: AsyncSession, game: str, points: int) -> int:
    return await _count(session, Standing.game == game, Standing.matches > 0, Standing.points > points)


async def _given_before(session: AsyncSession, game: str, first: Standing) -> int:
    return await _count(
        session,
        Standing.game == game,
        Standing.matches > 0,
        or_(
            Standing.points > first.points,
            and_(Standing.points == first.points, Standing.player_id < first.player_id),
        ),
    )


async def _count(session: AsyncSession, *conditions: ColumnElement[bool] | bool) -> int:
    return (await session.execute(select(func.count()).where(*conditions))).scalar_one()
