"""What has been played: a person's matches, one match, its record.

A person has played the matches in which they held a seat at the end, and those that changed their points rating,
whether they stayed or left. A match of a private table is known to those who played it and to nobody else (GAP-A26).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, exists, union
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, or_, select

from services.ledger.errors import MatchNotFoundError, PlayerNotFoundError
from services.ledger.models import (
    Account,
    MatchRow,
    PointsRatingChange,
    PointsRatingRow,
    RatingRow,
    Reversal,
    SeatRow,
    Standing,
    StarterRow,
)
from services.ledger.pages import Page, integer_token, read_integer_token


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match and what came of it.

    Attributes:
        match: The match.
        seats: Its seats, in order.
        starters: Who held a seat at the start, by seat.
        points_changes: What it did to points ratings, by seat.
        reversed: It has been taken back.
    """

    match: MatchRow
    seats: Sequence[SeatRow]
    starters: Mapping[int, StarterRow]
    points_changes: Sequence[PointsRatingChange]
    reversed: bool


async def player(session: AsyncSession, player_id: str) -> Account:
    """An account. Raises `PlayerNotFoundError`."""
    account = await session.get(Account, player_id) if "\0" not in player_id else None
    if account is None:
        raise PlayerNotFoundError(player_id)
    return account


async def games_of(session: AsyncSession, player_id: str) -> list[str]:
    """The games in which a person has a match that counts, be it for the points rating alone."""
    standings = await session.scalars(
        select(Standing.game).where(Standing.player_id == player_id, Standing.matches > 0)
    )
    rated = await session.scalars(
        select(PointsRatingRow.game).where(PointsRatingRow.player_id == player_id, PointsRatingRow.matches > 0)
    )
    return sorted({*standings, *rated})


async def rating_of(session: AsyncSession, player_id: str, game: str) -> RatingRow | None:
    """A person's estimate in a game; None without a match that it rests on."""
    rating = await session.get(RatingRow, (game, player_id))
    return rating if rating is not None and rating.matches > 0 else None


async def points_rating_of(session: AsyncSession, player_id: str, game: str) -> PointsRatingRow | None:
    """A person's points rating in a game; None without a match that counted for it."""
    rating = await session.get(PointsRatingRow, (game, player_id))
    return rating if rating is not None and rating.matches > 0 else None


async def matches_of(
    session: AsyncSession, player_id: str, game: str, viewer_id: str, size: int, page_token: str
) -> Page[PlayedMatch]:
    """A page of a person's matches, newest first, as far as the viewer may know them.

    Args:
        session: A reading transaction.
        player_id: Whose.
        game: Name of the game; empty for all.
        viewer_id: Who asks.
        size: At most so many.
        page_token: From the previous page; empty for the first.

    Raises:
        PlayerNotFoundError: No such account.
        BadPageTokenError: Not a token of this list.
    """
    await player(session, player_id)
    if "\0" in game:
        return Page([], "")
    scope = f"matches/{player_id}/{game}"
    held = select(SeatRow.posting).where(SeatRow.player_id == player_id)
    rated = select(PointsRatingChange.posting).where(PointsRatingChange.player_id == player_id)
    statement = (
        select(MatchRow)
        .where(col(MatchRow.posting).in_(union(held, rated)), _known_to(viewer_id))
        .order_by(col(MatchRow.posting).desc())
        .limit(size + 1)
    )
    if game:
        statement = statement.where(MatchRow.game == game)
    if page_token:
        posting, _ = read_integer_token(scope, page_token)
        statement = statement.where(col(MatchRow.posting) < posting)
    matches = (await session.scalars(statement)).all()
    played = await _played(session, matches[:size])
    more = matches[size - 1].posting if len(matches) > size else None
    return Page(played, integer_token(scope, more, "") if more is not None else "")


async def match_of(session: AsyncSession, match_id: str, viewer_id: str) -> PlayedMatch:
    """One match, if the viewer may know it. Raises `MatchNotFoundError`."""
    found = None
    if "\0" not in match_id:
        found = (
            await session.scalars(select(MatchRow).where(MatchRow.match_id == match_id, _known_to(viewer_id)))
        ).one_or_none()
    if found is None:
        raise MatchNotFoundError(match_id)
    return (await _played(session, [found]))[0]


def _known_to(viewer_id: str) -> ColumnElement[bool]:
    """The match is public, or the viewer has played it."""
    held, rated = (
        exists().where(col(row.match_id) == MatchRow.match_id, col(row.player_id) == viewer_id)
        for row in (SeatRow, PointsRatingChange)
    )
    return or_(col(MatchRow.private).is_(False), held, rated)


async def _played(session: AsyncSession, matches: Sequence[MatchRow]) -> list[PlayedMatch]:
    ids = [match.match_id for match in matches]
    seats: dict[str, list[SeatRow]] = {match_id: [] for match_id in ids}
    starters: dict[str, dict[int, StarterRow]] = {match_id: {} for match_id in ids}
    changes: dict[str, list[PointsRatingChange]] = {match_id: [] for match_id in ids}
    for seat in await session.scalars(
        select(SeatRow).where(col(SeatRow.match_id).in_(ids)).order_by(col(SeatRow.seat))
    ):
        seats[seat.match_id].append(seat)
    for starter in await session.scalars(select(StarterRow).where(col(StarterRow.match_id).in_(ids))):
        starters[starter.match_id][starter.seat] = starter
    for change in await session.scalars(
        select(PointsRatingChange)
        .where(col(PointsRatingChange.match_id).in_(ids), PointsRatingChange.kind == "result")
        .order_by(col(PointsRatingChange.seat))
    ):
        changes[change.match_id].append(change)
    taken_back = set(await session.scalars(select(Reversal.match_id).where(col(Reversal.match_id).in_(ids))))
    return [
        PlayedMatch(
            match,
            seats[match.match_id],
            starters[match.match_id],
            changes[match.match_id],
            match.match_id in taken_back,
        )
        for match in matches
    ]
