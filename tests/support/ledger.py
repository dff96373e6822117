"""What tests of the ledger share: a clock that is told the time, randomness that repeats, and results of matches."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from argon2 import PasswordHasher
from sqlmodel import select

from services.ledger.accounts import ForeignAccounts
from services.ledger.attempt_limit import AttemptLimit
from services.ledger.attempts import Attempts
from services.ledger.credentials import Passwords
from services.ledger.database import Database
from services.ledger.identity import Identity
from services.ledger.identity_servicer import timestamp
from services.ledger.keys import AccessTokens, SigningKey
from services.ledger.models import PointsRatingRow, Standing
from services.ledger.posting import Ledger
from services.ledger.results import EndedMatch, ended_match
from services.ledger.sessions import Sessions
from shared.gen.levata.ledger.v1 import ledger_pb2
from shared.gen.levata.table.v1 import game_pb2, table_pb2

EVENING = datetime(2026, 3, 7, 19, 30, tzinfo=UTC)
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""argon2id with the least costs: the same algorithm, fast enough for tests."""


class Clock:
    """A wall clock that moves only when told."""

    def __init__(self, start: datetime = EVENING) -> None:
        self.moment = start

    def __call__(self) -> datetime:
        return self.moment

    def advance(self, **time: float) -> None:
        """Moves it on, such as `advance(minutes=5)`."""
        self.moment += timedelta(**time)


class Entropy:
    """Random bytes that are the same in every run."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)

    def __call__(self, count: int) -> bytes:
        return self._random.randbytes(count)


@dataclass
class World:
    """The domain of the ledger on one database, without any transport.

    Attributes:
        database: Migrated.
        clock: The time.
        entropy: Randomness.
        signing: The key of access tokens.
    """

    database: Database
    clock: Clock
    entropy: Entropy
    signing: SigningKey
    attempts_allowed: int = 3
    foreign: ForeignAccounts = field(init=False)
    identity: Identity = field(init=False)
    ledger: Ledger = field(init=False)
    passwords: Passwords = field(init=False)

    def __post_init__(self) -> None:
        self.foreign = ForeignAccounts(self.database, ["elsewhere"])
        self.passwords = Passwords(CHEAP)
        self.identity = Identity(
            self.database,
            self.passwords,
            Sessions(self.entropy, timedelta(days=30)),
            AccessTokens(self.signing, "levata", "levata", timedelta(minutes=15)),
            Attempts(self.database, AttemptLimit(self.attempts_allowed, timedelta(minutes=15))),
            self.foreign,
            self.clock,
            self.entropy,
        )
        self.ledger = Ledger(self.database, self.foreign, self.clock)

    async def guest(self, name: str) -> str:
        """A new account's id; its device secret is `secret_of(name)`."""
        made = await self.identity.create_guest(f"request-{name}".replace(" ", "_"), name, secret_of(name))
        return made.account.player_id


def secret_of(name: str) -> bytes:
    """A device secret for each name."""
    return name.encode().ljust(16, b".")


def places(points: Sequence[int]) -> list[int]:
    """Places of these points: most first, equal ones shared."""
    return [1 + sum(other > own for other in points) for own in points]


def result(
    match_id: str,
    seats: Sequence[tuple[str | None, int]],
    *,
    private: bool = False,
    no_whist_of_2: bool = False,
    ended: datetime = EVENING,
    game: str = "arzoi",
    record: str = "",
    starters: Sequence[str | None] | None = None,
    away: Sequence[int] = (),
    finished: int = 32,
    hands: int = 32,
) -> ledger_pb2.MatchResult:
    """A result; each seat is a person's account, or None for a bot, and its points.

    Args:
        match_id: Id.
        seats: Who held each seat at the end, and its points.
        private: The table was private.
        no_whist_of_2: An option of Arzoi.
        ended: When it ended.
        game: Name of the game.
        record: The record.
        starters: Who held each seat at the start, if not the same.
        away: Seats whose person was away at the end.
        finished: Hands finished; fewer than `hands` if it was stopped.
        hands: Hands of a whole match.
    """
    points = [one for _, one in seats]
    began = [player for player, _ in seats] if starters is None else list(starters)
    options = game_pb2.GameOptions()
    getattr(options, game).SetInParent()
    if no_whist_of_2:
        options.arzoi.no_whist_of_2 = True
    return ledger_pb2.MatchResult(
        match_id=match_id,
        table_id=f"table-of-{match_id}",
        game=game,
        options=options,
        seats=[
            ledger_pb2.SeatResult(
                seat=seat,
                player_id=player or "",
                name=f"name of {player}" if player else f"Bot {seat}",
                points=own,
                place=place,
                decisions_by_bot=seat,
                starter_player_id=began[seat] or "",
                starter_name=f"name of {began[seat]}" if began[seat] else "",
                starter_left=began[seat] is not None and (began[seat] != player or seat in away),
            )
            for seat, ((player, own), place) in enumerate(zip(seats, places(points), strict=True))
        ],
        started_at=timestamp(ended - timedelta(hours=1)),
        ended_at=timestamp(ended),
        record=record or f"record of {match_id}\n",
        visibility=table_pb2.VISIBILITY_PRIVATE if private else table_pb2.VISIBILITY_PUBLIC,
        stopped=finished < hands,
        hands_finished=finished,
        hands=hands,
    )


def finished(match_id: str, seats: Sequence[tuple[str | None, int]], *, private: bool = False) -> EndedMatch:
    """A finished match as the domain has it."""
    return ended_match(result(match_id, seats, private=private))


def rentz(match_id: str, seats: Sequence[tuple[str | None, int]], **more: Any) -> EndedMatch:
    """The same of a match of Rentz; `more` as for `result`."""
    return ended_match(result(match_id, seats, game="rentz", **more))


async def rows(database: Database, model: type[Any]) -> list[Any]:
    """All rows of a table."""
    async with database.reading() as session:
        return list((await session.scalars(select(model))).all())


async def standings(database: Database) -> dict[str, tuple[int, int, int]]:
    """Points, matches and wins, by person."""
    return {row.player_id: (row.points, row.matches, row.wins) for row in await rows(database, Standing)}


async def points_ratings(database: Database) -> dict[str, tuple[int, int]]:
    """Points rating and matches that counted for it, by person."""
    return {row.player_id: (row.rating, row.matches) for row in await rows(database, PointsRatingRow)}
