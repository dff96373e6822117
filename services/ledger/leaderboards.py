"""Leaderboards: the people of a game by skill estimate, or by points rating where it has one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped
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
    sorting = _SORTINGS[order]
    row, other, value = sorting.row, sorting.other, sorting.value
    scope = f"leaderboard/{game}/{order}"
    counts = and_(col(row.game) == game, col(row.matches) > 0)
    same_person = and_(col(other.game) == col(row.game), col(other.player_id) == col(row.player_id))
    statement = (
        select(row, other, Account.name)
        .join(Account, col(Account.player_id) == col(row.player_id))
        .outerjoin(other, and_(same_person, col(other.matches) > 0))
        .where(counts)
        .order_by(value.desc(), col(row.player_id))
        .limit(size + 1)
    )
    if page_token:
        key, player_id = sorting.read_token(scope, page_token)
        statement = statement.where(or_(value < key, and_(value == key, col(row.player_id) > player_id)))
    found: Sequence[Any] = (await session.execute(statement)).all()
    keys = [sorting.key(own) for own, _, _ in found]
    places: list[int] = []
    if found:
        earlier = and_(value == keys[0], col(row.player_id) < found[0][0].player_id)
        places = await _places(session, keys, counts, value > keys[0], earlier)
    leaders = [sorting.leader(rank, name, own, beside) for rank, (own, beside, name) in zip(places, found, strict=True)]
    more = sorting.token(scope, keys[size - 1], found[size - 1][0].player_id) if len(found) > size else ""
    return Page(leaders[:size], more)


@dataclass(frozen=True, slots=True)
class _Sorting:
    """What a leaderboard is sorted by.

    Attributes:
        row: The rows that are listed.
        other: Those of the same people that stand beside them.
        value: What the rows are sorted by.
        key: The same of a row that was read.
        leader: A line of the list: rank, name, row and what stands beside it.
        read_token: What a page token says.
        token: The page token of a row.
    """

    row: type[RatingRow] | type[PointsRatingRow]
    other: type[RatingRow] | type[PointsRatingRow]
    value: Mapped[Any]
    key: Callable[[Any], Any]
    leader: Callable[[int, str, Any, Any], Leader]
    read_token: Callable[[str, str], tuple[Any, str]]
    token: Callable[[str, Any, str], str]


_SORTINGS: Mapping[Order, _Sorting] = {
    "skill": _Sorting(
        RatingRow,
        PointsRatingRow,
        col(RatingRow.ordinal),
        attrgetter("ordinal"),
        lambda rank, name, rating, points: Leader(rank, rating.player_id, name, rating, points),
        read_float_token,
        float_token,
    ),
    "points": _Sorting(
        PointsRatingRow,
        RatingRow,
        col(PointsRatingRow.rating),
        attrgetter("rating"),
        lambda rank, name, points, rating: Leader(rank, points.player_id, name, rating, points),
        read_integer_token,
        integer_token,
    ),
}


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
