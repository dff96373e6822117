"""Posting: a result becomes entries, totals and estimates, once and in one transaction.

Postings of one game come one after another (a lock that the transaction holds), so that every estimate is made from the
one before and a recomputation in posting order gives the same. Nothing here is undone or changed later: a mistake is
corrected by entries that take it back (`corrections`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from services.ledger.accounts import ForeignAccounts
from services.ledger.database import Database
from services.ledger.models import Entry, MatchRow, RatingChange, RatingRow, SeatRow, Standing
from services.ledger.outbox import tell
from services.ledger.results import FinishedMatch
from services.ledger.skill import UNKNOWN, Estimate, rate_match
from shared.gen.levata.ledger.v1 import ledger_pb2

RATINGS_AT_ONCE = 500
"""At most so many estimates in one message."""


class Posting(Enum):
    """What became of a result."""

    POSTED = "posted"
    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True)
class Totals:
    """What is added to a person's standing."""

    points: int
    matches: int
    wins: int


class Ledger:
    """Posts results.

    Args:
        database: Where.
        accounts: Makes accounts that nobody here knows.
        now: Wall clock.
    """

    def __init__(self, database: Database, accounts: ForeignAccounts, now: Callable[[], datetime]) -> None:
        self._database = database
        self._accounts = accounts
        self._now = now

    async def post(self, match: FinishedMatch) -> Posting:
        """Posts a result once; any repeat changes nothing.

        The persons who hold a seat at the end get its points, negative ones too; bots get nothing (AZ-48, GAP-A24).
        """
        now = self._now()
        async with self._database.writing() as session:
            await self._database.lock(session, game_lock(match.game))
            posting = await self._insert_match(session, match, now)
            if posting is None:
                same = await _posted_seats(session, match.match_id) == _seats(match)
                return Posting.DUPLICATE if same else Posting.CONTRADICTION
            people = {seat.player_id: seat for seat in match.people if seat.player_id is not None}
            await self._accounts.ensure(session, {player: seat.name for player, seat in people.items()}, now)
            for seat in match.seats:
                session.add(
                    SeatRow(
                        match_id=match.match_id,
                        seat=seat.seat,
                        player_id=seat.player_id,
                        posting=posting,
                        name=seat.name,
                        points=seat.points,
                        place=seat.place,
                        decisions_by_bot=seat.decisions_by_bot,
                    )
                )
            gains = {player: Totals(seat.points, 1, int(seat.place == 1)) for player, seat in people.items()}
            await enter(self._database, session, match.match_id, match.game, "result", gains, now)
            await self._rate(session, match, {player: seat.place for player, seat in people.items()}, now)
        return Posting.POSTED

    async def _insert_match(self, session: AsyncSession, match: FinishedMatch, now: datetime) -> int | None:
        """The number of the posting, or None if the match is posted already."""
        statement = (
            upsert(self._database, MatchRow)
            .values(
                match_id=match.match_id,
                table_id=match.table_id,
                game=match.game,
                options=match.options,
                started_at=match.started_at,
                ended_at=match.ended_at,
                record=match.record,
                private=match.private,
                all_human=match.all_human,
                posted_at=now,
            )
            .on_conflict_do_nothing(index_elements=["match_id"])
            .returning(col(MatchRow.posting))
        )
        posting: int | None = (await session.execute(statement)).scalar_one_or_none()
        return posting

    async def _rate(
        self, session: AsyncSession, match: FinishedMatch, places: Mapping[str, int], now: datetime
    ) -> None:
        known = await estimates_of(session, match.game, list(places))
        after = rate_match(known, places)
        changes = {player: (known.get(player, UNKNOWN), estimate) for player, estimate in after.items()}
        await record_changes(self._database, session, match.match_id, match.game, "result", changes, now)


def game_lock(game: str) -> str:
    """The name of the lock under which a game's totals and estimates change."""
    return f"posting.{game}"


def upsert(database: Database, table: type[Any]) -> Any:
    """An insert that knows ON CONFLICT, in the dialect of the database."""
    return (sqlite.insert if database.is_sqlite else postgresql.insert)(table)


async def enter(
    database: Database,
    session: AsyncSession,
    match_id: str,
    game: str,
    kind: str,
    gains: Mapping[str, Totals],
    now: datetime,
) -> None:
    """Writes an entry for each person and adds it to the standing, in the transaction of the caller."""
    if not gains:
        return
    people = sorted(gains.items())
    session.add_all(
        Entry(
            match_id=match_id,
            player_id=player,
            kind=kind,
            game=game,
            points=gain.points,
            matches=gain.matches,
            wins=gain.wins,
            posted_at=now,
        )
        for player, gain in people
    )
    insert = upsert(database, Standing).values(
        [
            {"game": game, "player_id": player, "points": gain.points, "matches": gain.matches, "wins": gain.wins}
            for player, gain in people
        ]
    )
    await session.execute(
        insert.on_conflict_do_update(
            index_elements=["game", "player_id"],
            set_={
                "points": col(Standing.points) + insert.excluded.points,
                "matches": col(Standing.matches) + insert.excluded.matches,
                "wins": col(Standing.wins) + insert.excluded.wins,
            },
        )
    )


async def estimates_of(session: AsyncSession, game: str, players: Sequence[str]) -> dict[str, Estimate]:
    """The present estimates of these people in a game; those without one are left out."""
    rows = await session.scalars(select(RatingRow).where(RatingRow.game == game, col(RatingRow.player_id).in_(players)))
    return {row.player_id: Estimate(row.mean, row.deviation, row.matches) for row in rows}


async def record_changes(
    database: Database,
    session: AsyncSession,
    match_id: str,
    game: str,
    kind: str,
    changes: Mapping[str, tuple[Estimate, Estimate]],
    now: datetime,
) -> None:
    """Writes changes of estimates (before, after), makes them the present ones, and puts them in the outbox."""
    written: list[RatingChange] = []
    for player, (before, after) in sorted(changes.items()):
        written.append(
            RatingChange(
                match_id=match_id,
                kind=kind,
                game=game,
                player_id=player,
                mean_before=before.mean,
                deviation_before=before.deviation,
                mean=after.mean,
                deviation=after.deviation,
                matches=after.matches,
            )
        )
    await put_estimates(database, session, game, {player: after for player, (_, after) in changes.items()})
    session.add_all(written)
    await session.flush()
    for first in range(0, len(written), RATINGS_AT_ONCE):
        some = written[first : first + RATINGS_AT_ONCE]
        tell(
            session,
            subject=f"ledger.ratings.{game}",
            message_id=f"ratings-{match_id}-{kind}-{first}",
            payload=_message(match_id, game, some).SerializeToString(),
            now=now,
        )


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


def _message(match_id: str, game: str, changes: Sequence[RatingChange]) -> ledger_pb2.RatingsChanged:
    return ledger_pb2.RatingsChanged(
        match_id=match_id,
        game=game,
        ratings=[
            ledger_pb2.Rating(
                player_id=change.player_id,
                game=game,
                mean=change.mean,
                deviation=change.deviation,
                ordinal=Estimate(change.mean, change.deviation, change.matches).ordinal,
                matches=change.matches,
            )
            for change in changes
        ],
        number=max(change.change_id or 0 for change in changes),
    )


def _seats(match: FinishedMatch) -> list[tuple[int, str | None, int, int]]:
    return [(seat.seat, seat.player_id, seat.points, seat.place) for seat in match.seats]


async def _posted_seats(session: AsyncSession, match_id: str) -> list[tuple[int, str | None, int, int]]:
    rows = await session.scalars(select(SeatRow).where(SeatRow.match_id == match_id).order_by(col(SeatRow.seat)))
    return [(row.seat, row.player_id, row.points, row.place) for row in rows]
