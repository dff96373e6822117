"""The Hall of Fame: who has won most.

It adds up the final points of finished matches (AZ-48) by account, whatever its name is or was; negative totals count
like any other (GAP-A24).
"""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import and_, col, or_, select

from services.ledger.models import Account, PointsRatingRow, Standing
from services.ledger.pages import Page, integer_token, read_integer_token
from services.ledger.points_rating import RULES
from services.ledger.ranks import count, ranks


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
        points_rating: Present points rating; None in a game that has none.
    """

    rank: int
    player_id: str
    name: str
    points: int
    matches: int
    wins: int
    points_rating: int | None = None


async def hall_of_fame(session: AsyncSession, game: str, size: int, page_token: str) -> Page[Famous]:
    """A page of the Hall of Fame of a game, most points first, equal points by account. Raises `BadPageTokenError`."""
    scope = f"hall_of_fame/{game}"
    statement = (
        select(Standing, Account.name, PointsRatingRow.rating)
        .join(Account, col(Account.player_id) == Standing.player_id)
        .outerjoin(
            PointsRatingRow,
            and_(col(PointsRatingRow.game) == Standing.game, col(PointsRatingRow.player_id) == Standing.player_id),
        )
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
    better = await _with_more_points(session, game, rows[0][0].points) if rows else 0
    before = await _given_before(session, game, rows[0][0]) if rows else 0
    places = ranks([standing.points for standing, _, _ in rows], better, before)
    famous = [
        _famous(rank, standing, name, rating) for rank, (standing, name, rating) in zip(places, rows, strict=True)
    ]
    more = famous[size - 1] if len(famous) > size else None
    return Page(famous[:size], integer_token(scope, more.points, more.player_id) if more else "")


async def standing_of(session: AsyncSession, account: Account, game: str) -> Famous | None:
    """A person's standing in a game; None without a match that counts."""
    standing = await session.get(Standing, (game, account.player_id))
    if standing is None or standing.matches <= 0:
        return None
    rank = 1 + await _with_more_points(session, game, standing.points)
    rating = await session.get(PointsRatingRow, (game, account.player_id))
    return _famous(rank, standing, account.name, rating.rating if rating is not None else None)


def _famous(rank: int, standing: Standing, name: str, points_rating: int | None) -> Famous:
    """A row; in a game that has a points rating everybody has one."""
    rule = RULES.get(standing.game)
    if rule is not None and points_rating is None:
        points_rating = rule.initial
    return Famous(rank, standing.player_id, name, standing.points, standing.matches, standing.wins, points_rating)


async def _with_more_points(session: AsyncSession, game: str, points: int) -> int:
    return await count(session, Standing.game == game, Standing.matches > 0, Standing.points > points)


async def _given_before(session: AsyncSession, game: str, first: Standing) -> int:
    return await count(
        session,
        Standing.game == game,
        Standing.matches > 0,
        or_(
            Standing.points > first.points,
            and_(Standing.points == first.points, Standing.player_id < first.player_id),
        ),
    )
