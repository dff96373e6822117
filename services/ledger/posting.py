"""Posting: a result becomes entries, totals, estimates and points ratings, once and in one transaction.

Postings of one game come one after another (a lock that the transaction holds), so that every estimate is made from the
one before and a recomputation in posting order gives the same. Nothing here is undone or changed later: a mistake is
corrected by entries that take it back (`corrections`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from services.ledger.accounts import ForeignAccounts
from services.ledger.database import Database, upsert
from services.ledger.models import Entry, MatchRow, SeatRow, Standing, StarterRow
from services.ledger.rating_changes import Cause, EstimateChange, PointsChange, estimates_of, record_changes
from services.ledger.results import EndedMatch
from services.ledger.skill import UNKNOWN, rate_match


class Posting(Enum):
    """What became of a result."""

    POSTED = "posted"
    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"
    STOPPED = "stopped"
    """A stopped match that counts for nothing: nothing is kept of it."""


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

    async def post(self, match: EndedMatch) -> Posting:
        """Posts a result once; any repeat changes nothing.

        The persons who hold a seat at the end of a finished match get its points, negative ones too; bots get nothing
        (AZ-48, GAP-A24). A stopped match gives no points and changes no estimate (AZ-53); it is kept only if it is
        rated by points, which stopped matches are too (RZ-19, RZ-21).
        """
        points = match.points_changes()
        if match.stopped and points is None:
            return Posting.STOPPED
        now = self._now()
        async with self._database.writing() as session:
            await self._database.lock(session, game_lock(match.game))
            posting = await self._insert_match(session, match, now)
            if posting is None:
                same = await _posted_seats(session, match.match_id) == _seats(match) and await _posted_starters(
                    session, match.match_id
                ) == _starters(match)
                return Posting.DUPLICATE if same else Posting.CONTRADICTION
            await self._accounts.ensure(session, _names(match), now)
            _add_seats(session, match, posting)
            estimates: dict[str, EstimateChange] = {}
            if not match.stopped:
                people = {seat.player_id: seat for seat in match.people if seat.player_id is not None}
                gains = {player: Totals(seat.points, 1, int(seat.place == 1)) for player, seat in people.items()}
                await enter(self._database, session, match.match_id, match.game, "result", gains, now)
                places = {player: seat.place for player, seat in people.items()}
                known = await estimates_of(session, match.game, list(places))
                after = rate_match(known, places)
                estimates = {player: (known.get(player, UNKNOWN), estimate) for player, estimate in after.items()}
            cause = Cause(match.match_id, posting, match.game, "result")
            await record_changes(self._database, session, cause, estimates, _points_changes(match, points or {}), now)
        return Posting.POSTED

    async def _insert_match(self, session: AsyncSession, match: EndedMatch, now: datetime) -> int | None:
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
                stopped=match.stopped,
                hands_finished=match.hands_finished,
                hands=match.hands,
                posted_at=now,
            )
            .on_conflict_do_nothing(index_elements=["match_id"])
            .returning(col(MatchRow.posting))
        )
        posting: int | None = (await session.execute(statement)).scalar_one_or_none()
        return posting


def _names(match: EndedMatch) -> dict[str, str]:
    """Everybody who began or ended the match, with a name."""
    began = {seat.starter.player_id: seat.starter.name for seat in match.seats if seat.starter is not None}
    ended = {seat.player_id: seat.name for seat in match.people if seat.player_id is not None}
    return {**began, **ended}


def _add_seats(session: AsyncSession, match: EndedMatch, posting: int) -> None:
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
        if seat.starter is not None:
            session.add(
                StarterRow(
                    match_id=match.match_id,
                    seat=seat.seat,
                    player_id=seat.starter.player_id,
                    name=seat.starter.name,
                    gone=seat.starter.gone,
                )
            )


def _points_changes(match: EndedMatch, changes: Mapping[str, int]) -> list[PointsChange]:
    """The changes of points ratings, by seat."""
    return [
        PointsChange(seat.starter.player_id, seat.seat, changes[seat.starter.player_id])
        for seat in match.seats
        if seat.starter is not None and seat.starter.player_id in changes
    ]


def game_lock(game: str) -> str:
    """The name of the lock under which a game's totals and estimates change."""
    return f"posting.{game}"


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


def _seats(match: EndedMatch) -> list[tuple[object, ...]]:
    return [
        (seat.seat, seat.player_id, seat.points, seat.place, match.hands_finished, match.hands) for seat in match.seats
    ]


async def _posted_seats(session: AsyncSession, match_id: str) -> list[tuple[object, ...]]:
    found = await session.execute(
        select(SeatRow, MatchRow)
        .join(MatchRow, col(MatchRow.match_id) == SeatRow.match_id)
        .where(SeatRow.match_id == match_id)
        .order_by(col(SeatRow.seat))
    )
    return [
        (seat.seat, seat.player_id, seat.points, seat.place, match.hands_finished, match.hands) for seat, match in found
    ]


def _starters(match: EndedMatch) -> list[tuple[int, str, bool]]:
    return [(seat.seat, seat.starter.player_id, seat.starter.gone) for seat in match.seats if seat.starter is not None]


async def _posted_starters(session: AsyncSession, match_id: str) -> list[tuple[int, str, bool]]:
    rows = await session.scalars(
        select(StarterRow).where(StarterRow.match_id == match_id).order_by(col(StarterRow.seat))
    )
    return [(row.seat, row.player_id, row.gone) for row in rows]
