"""Changes of skill estimates and points ratings: written, made the present ones, and put in the outbox.

All of it happens in the transaction of a posting or a reversal, which holds the game's lock. Whoever has lost what it
was told, as everybody has when the club is restored from a backup, is told all ratings again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from services.ledger.database import Database, upsert
from services.ledger.models import PointsRatingChange, PointsRatingRow, RatingChange, RatingRow, RatingsTold
from services.ledger.outbox import tell
from services.ledger.points_rating import RULES
from services.ledger.skill import Estimate
from shared.gen.levata.ledger.v1 import ledger_pb2

RATINGS_AT_ONCE = 500
"""At most so many estimates in one message."""
NUMBERS_SKIPPED = 100_000
"""More than messages of a game can have been told since any backup: what is told after a restore has higher numbers."""

EstimateChange = tuple[Estimate, Estimate]
"""An estimate before and after."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why ratings change.

    Attributes:
        match_id: The match that was posted, or taken back.
        posting: Its number.
        game: Name of the game.
        kind: Posted, or taken back.
    """

    match_id: str
    posting: int
    game: str
    kind: Literal["result", "reversal"]


@dataclass(frozen=True, slots=True)
class PointsChange:
    """What is added to a person's points rating.

    Attributes:
        player_id: The person.
        seat: The seat that the person held at the start of the match.
        change: What is added; in a reversal the opposite of what was.
    """

    player_id: str
    seat: int
    change: int


async def estimates_of(session: AsyncSession, game: str, players: Sequence[str]) -> dict[str, Estimate]:
    """The present estimates of these people in a game; those without one are left out."""
    rows = await session.scalars(select(RatingRow).where(RatingRow.game == game, col(RatingRow.player_id).in_(players)))
    return {row.player_id: Estimate(row.mean, row.deviation, row.matches) for row in rows}


async def record_changes(
    database: Database,
    session: AsyncSession,
    cause: Cause,
    estimates: Mapping[str, EstimateChange],
    points: Sequence[PointsChange],
    now: datetime,
) -> None:
    """Writes what changes, makes it what is, and puts it in the outbox; without changes nothing is told."""
    if not estimates and not points:
        return
    written = _estimate_rows(cause, estimates)
    await put_estimates(database, session, cause.game, {player: after for player, (_, after) in estimates.items()})
    session.add_all(written)
    ratings = [await _add_points(database, session, cause, one, now) for one in points]
    await session.flush()
    for first in range(0, max(len(written), 1), RATINGS_AT_ONCE):
        message = ledger_pb2.RatingsChanged(
            match_id=cause.match_id,
            game=cause.game,
            ratings=[_rating(row) for row in written[first : first + RATINGS_AT_ONCE]],
            number=await _next_number(database, session, cause.game),
            points_ratings=ratings if first == 0 else [],
        )
        tell(
            session,
            subject=f"ledger.ratings.{cause.game}",
            message_id=f"ratings-{cause.match_id}-{cause.kind}-{first}",
            payload=message.SerializeToString(),
            now=now,
        )


async def tell_all(database: Database, session: AsyncSession, now: datetime) -> int:
    """Puts all present ratings in the outbox, under numbers that nobody can have seen; how many messages that makes."""
    estimates = (await session.scalars(select(RatingRow).order_by(col(RatingRow.player_id)))).all()
    points = (await session.scalars(select(PointsRatingRow).order_by(col(PointsRatingRow.player_id)))).all()
    told = 0
    for game in sorted({row.game for row in estimates} | {row.game for row in points}):
        ratings = [_present(row) for row in estimates if row.game == game]
        others = [_present_points(row) for row in points if row.game == game]
        for first in range(0, max(len(ratings), len(others)), RATINGS_AT_ONCE):
            some = slice(first, first + RATINGS_AT_ONCE)
            number = await _next_number(database, session, game, by=1 if first else NUMBERS_SKIPPED)
            message = ledger_pb2.RatingsChanged(
                game=game, ratings=ratings[some], number=number, points_ratings=others[some]
            )
            tell(session, f"ledger.ratings.{game}", f"ratings-{game}-{number}", message.SerializeToString(), now)
            told += 1
    return told


async def put_estimates(
    database: Database, session: AsyncSession, game: str, estimates: Mapping[str, Estimate]
) -> None:
    """Makes these estimates the present ones."""
    people = sorted(estimates.items())
    for first in range(0, len(people), RATINGS_AT_ONCE):
        insert = upsert(database, RatingRow).values(
            [
                {
                    "game": game,
                    "player_id": player,
                    "mean": estimate.mean,
                    "deviation": estimate.deviation,
                    "ordinal": estimate.ordinal,
                    "matches": estimate.matches,
                }
                for player, estimate in people[first : first + RATINGS_AT_ONCE]
            ]
        )
        changed = ("mean", "deviation", "ordinal", "matches")
        await session.execute(
            insert.on_conflict_do_update(
                index_elements=["game", "player_id"], set_={name: insert.excluded[name] for name in changed}
            )
        )


def _estimate_rows(cause: Cause, estimates: Mapping[str, EstimateChange]) -> list[RatingChange]:
    return [
        RatingChange(
            match_id=cause.match_id,
            kind=cause.kind,
            game=cause.game,
            player_id=player,
            mean_before=before.mean,
            deviation_before=before.deviation,
            mean=after.mean,
            deviation=after.deviation,
            matches=after.matches,
        )
        for player, (before, after) in sorted(estimates.items())
    ]


async def _add_points(
    database: Database, session: AsyncSession, cause: Cause, one: PointsChange, now: datetime
) -> ledger_pb2.PointsRating:
    """Adds to a person's points rating and writes that down; the rating as it is then."""
    matches = 1 if cause.kind == "result" else -1
    initial = RULES[cause.game].initial
    statement = (
        upsert(database, PointsRatingRow)
        .values(game=cause.game, player_id=one.player_id, rating=initial + one.change, matches=matches)
        .on_conflict_do_update(
            index_elements=["game", "player_id"],
            set_={
                "rating": col(PointsRatingRow.rating) + one.change,
                "matches": col(PointsRatingRow.matches) + matches,
            },
        )
        .returning(col(PointsRatingRow.rating), col(PointsRatingRow.matches))
    )
    rating, counted = (await session.execute(statement)).one()
    session.add(
        PointsRatingChange(
            match_id=cause.match_id,
            posting=cause.posting,
            kind=cause.kind,
            game=cause.game,
            player_id=one.player_id,
            seat=one.seat,
            change=one.change,
            rating=rating,
            changed_at=now,
        )
    )
    return ledger_pb2.PointsRating(player_id=one.player_id, game=cause.game, rating=rating, matches=counted)


async def _next_number(database: Database, session: AsyncSession, game: str, by: int = 1) -> int:
    statement = (
        upsert(database, RatingsTold)
        .values(game=game, number=by)
        .on_conflict_do_update(index_elements=["game"], set_={"number": col(RatingsTold.number) + by})
        .returning(col(RatingsTold.number))
    )
    number: int = (await session.execute(statement)).scalar_one()
    return number


def _rating(change: RatingChange) -> ledger_pb2.Rating:
    return ledger_pb2.Rating(
        player_id=change.player_id,
        game=change.game,
        mean=change.mean,
        deviation=change.deviation,
        ordinal=Estimate(change.mean, change.deviation, change.matches).ordinal,
        matches=change.matches,
    )


def _present(row: RatingRow) -> ledger_pb2.Rating:
    return ledger_pb2.Rating(
        player_id=row.player_id,
        game=row.game,
        mean=row.mean,
        deviation=row.deviation,
        ordinal=row.ordinal,
        matches=row.matches,
    )


def _present_points(row: PointsRatingRow) -> ledger_pb2.PointsRating:
    return ledger_pb2.PointsRating(player_id=row.player_id, game=row.game, rating=row.rating, matches=row.matches)
