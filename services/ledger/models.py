"""The tables of the database.

What happened is append-only (the tables of `APPEND_ONLY`: the database itself refuses to change or delete their rows).
What is made of it is kept beside it for reading (`standings`, `ratings`, `points_ratings`) and can be recomputed at any
time. Times are UTC.
"""

from datetime import UTC, datetime

from sqlalchemy import BigInteger, DateTime, Dialect, Index, Integer, LargeBinary, MetaData, Text, UniqueConstraint
from sqlalchemy.orm import registry
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

BIG = BigInteger().with_variant(Integer(), "sqlite")
"""A 64-bit integer; SQLite counts up only a column that is called INTEGER, which has 64 bits there."""


class Instant(TypeDecorator[datetime]):
    """A moment in UTC, also on databases that do not keep time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuses moments without a time zone, which could mean anything."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a moment needs a time zone: {value!r}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Gives the zone back to what SQLite kept without it."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class LedgerTable(SQLModel, registry=registry(metadata=MetaData(naming_convention=_NAMES))):
    """What all tables of the ledger are made on."""


class Account(LedgerTable, table=True):
    """Somebody who plays.

    Attributes:
        player_id: Id, as in tokens.
        name: As shown.
        name_key: As compared; unique.
        external: Known from results only: the account is kept by another issuer, nobody signs in to it here.
        device_hash: Salted hash of the device's secret.
        password_hash: argon2id, in its own text form; None for a guest.
        created_at: When it was made.
        request_id: Of the request that made it; unique, so that a repeat finds it.
        request_hash: Salted hash of that request's body.
    """

    __tablename__ = "accounts"

    player_id: str = Field(primary_key=True, max_length=64)
    name: str = Field(max_length=48)
    name_key: str = Field(max_length=96, unique=True)
    external: bool = False
    device_hash: bytes | None = Field(default=None, sa_type=LargeBinary)
    password_hash: str | None = Field(default=None, max_length=256)
    created_at: datetime = Field(sa_type=Instant)
    request_id: str | None = Field(default=None, max_length=64, unique=True)
    request_hash: bytes | None = Field(default=None, sa_type=LargeBinary)


class SignInFamily(LedgerTable, table=True):
    """One signing in and all refresh tokens that come from it.

    Attributes:
        family_id: Id.
        player_id: Whose.
        started_at: When.
        revoked_at: None while its tokens are good.
        revoked_because: `signed_out` or `reused`.
    """

    __tablename__ = "sign_in_families"

    family_id: str = Field(primary_key=True, max_length=64)
    player_id: str = Field(foreign_key="accounts.player_id", index=True, max_length=64)
    started_at: datetime = Field(sa_type=Instant)
    revoked_at: datetime | None = Field(default=None, sa_type=Instant)
    revoked_because: str | None = Field(default=None, max_length=16)


class RefreshToken(LedgerTable, table=True):
    """A refresh token; only its hash is kept.

    Attributes:
        token_hash: SHA-256 of the token, in hex.
        family_id: What it belongs to.
        issued_at: When.
        expires_at: When it ends.
        used_at: When it was exchanged for the next one.
        used_by_request: The request that did.
        successor_nonce: With the token itself it gives the next one again, for a repeat of that request.
    """

    __tablename__ = "refresh_tokens"

    token_hash: str = Field(primary_key=True, max_length=64)
    family_id: str = Field(foreign_key="sign_in_families.family_id", index=True, max_length=64)
    issued_at: datetime = Field(sa_type=Instant)
    expires_at: datetime = Field(sa_type=Instant, index=True)
    used_at: datetime | None = Field(default=None, sa_type=Instant)
    used_by_request: str | None = Field(default=None, max_length=64)
    successor_nonce: bytes | None = Field(default=None, sa_type=LargeBinary)


class SignInAttempts(LedgerTable, table=True):
    """Attempts to sign in under a name since the last that succeeded.

    Attributes:
        attempt_key: Kind of credential and compared name.
        attempts: How many in the window.
        window_ends_at: When they are forgotten.
    """

    __tablename__ = "sign_in_attempts"

    attempt_key: str = Field(primary_key=True, max_length=128)
    attempts: int
    window_ends_at: datetime = Field(sa_type=Instant, index=True)


class MatchRow(LedgerTable, table=True):
    """A match that was played to the end, or stopped. Append-only.

    Attributes:
        posting: Grows with every match posted; estimates are made in this order.
        match_id: Id; unique, so that a result is posted once.
        table_id: Where it was played.
        game: Name of the game.
        options: Options of the game, as the JSON form of the message.
        started_at: When it started.
        ended_at: When it ended.
        record: The record in text.
        private: The table was private at the end.
        stopped: It was stopped before its end.
        hands_finished: Hands finished.
        hands: Hands of a whole match.
        posted_at: When it was posted.
    """

    __tablename__ = "matches"

    posting: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    match_id: str = Field(max_length=64, unique=True)
    table_id: str = Field(max_length=64)
    game: str = Field(max_length=16)
    options: str = Field(sa_type=Text)
    started_at: datetime = Field(sa_type=Instant)
    ended_at: datetime = Field(sa_type=Instant)
    record: str = Field(sa_type=Text)
    private: bool
    stopped: bool
    hands_finished: int
    hands: int
    posted_at: datetime = Field(sa_type=Instant)


class SeatRow(LedgerTable, table=True):
    """One seat of a match. Append-only.

    Attributes:
        match_id: The match.
        seat: The seat.
        player_id: The person who held it at the end; None for a bot.
        posting: The match's, kept here so that a history reads one index.
        name: Name at that time.
        points: Final points.
        place: Place, from 1; shared on equal points.
        decisions_by_bot: Decisions that a bot made for the person.
    """

    __tablename__ = "match_seats"
    __table_args__ = (Index(None, "player_id", "posting"),)

    match_id: str = Field(primary_key=True, foreign_key="matches.match_id", max_length=64)
    seat: int = Field(primary_key=True)
    player_id: str | None = Field(default=None, foreign_key="accounts.player_id", max_length=64)
    posting: int = Field(sa_type=BIG)
    name: str = Field(max_length=64)
    points: int = Field(sa_type=BIG)
    place: int
    decisions_by_bot: int = Field(sa_type=BIG)


class StarterRow(LedgerTable, table=True):
    """A person who held a seat at the start of a match. Append-only.

    Attributes:
        match_id: The match.
        seat: The seat.
        player_id: The person.
        name: Name at that time.
        gone: The person was not there at the end: had left or been removed, or was away.
    """

    __tablename__ = "match_starters"

    match_id: str = Field(primary_key=True, foreign_key="matches.match_id", max_length=64)
    seat: int = Field(primary_key=True)
    player_id: str = Field(foreign_key="accounts.player_id", max_length=64)
    name: str = Field(max_length=64)
    gone: bool


class Entry(LedgerTable, table=True):
    """What a match brought to a person, or took back. Append-only.

    Attributes:
        entry_id: Grows.
        match_id: The match.
        player_id: The person.
        kind: `result`, or `reversal` for the same with all signs changed.
        game: Name of the game.
        points: Final points.
        matches: 1, or -1.
        wins: 1 for a place of 1, alone or jointly.
        posted_at: When.
    """

    __tablename__ = "entries"
    __table_args__ = (UniqueConstraint("match_id", "player_id", "kind"), Index(None, "game", "player_id"))

    entry_id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    match_id: str = Field(foreign_key="matches.match_id", max_length=64)
    player_id: str = Field(foreign_key="accounts.player_id", max_length=64)
    kind: str = Field(max_length=8)
    game: str = Field(max_length=16)
    points: int = Field(sa_type=BIG)
    matches: int
    wins: int
    posted_at: datetime = Field(sa_type=Instant)


class Reversal(LedgerTable, table=True):
    """A match taken back. Append-only.

    Attributes:
        match_id: The match.
        reason: Why, for people.
        reversed_at: When.
    """

    __tablename__ = "reversals"

    match_id: str = Field(primary_key=True, foreign_key="matches.match_id", max_length=64)
    reason: str = Field(sa_type=Text)
    reversed_at: datetime = Field(sa_type=Instant)


class Standing(LedgerTable, table=True):
    """Totals of a person in a game: the sums of the entries.

    Attributes:
        game: Name of the game.
        player_id: The person.
        points: Sum of final points.
        matches: Finished matches that count.
        wins: Matches won, alone or jointly.
    """

    __tablename__ = "standings"
    __table_args__ = (Index(None, "game", "points", "player_id"),)

    game: str = Field(primary_key=True, max_length=16)
    player_id: str = Field(primary_key=True, foreign_key="accounts.player_id", max_length=64)
    points: int = Field(sa_type=BIG)
    matches: int
    wins: int


class RatingChange(LedgerTable, table=True):
    """A change of a skill estimate. Append-only.

    Attributes:
        change_id: Grows.
        match_id: The match that was posted, or taken back.
        kind: `result` or `reversal`.
        game: Name of the game.
        player_id: The person.
        mean_before: Mean before; the estimator's starting value at first.
        deviation_before: Standard deviation before.
        mean: Mean after.
        deviation: Standard deviation after.
        matches: Matches that the estimate rests on, after.
    """

    __tablename__ = "rating_changes"
    __table_args__ = (UniqueConstraint("match_id", "player_id", "kind"), Index(None, "game", "player_id"))

    change_id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    match_id: str = Field(foreign_key="matches.match_id", max_length=64)
    kind: str = Field(max_length=8)
    game: str = Field(max_length=16)
    player_id: str = Field(foreign_key="accounts.player_id", max_length=64)
    mean_before: float
    deviation_before: float
    mean: float
    deviation: float
    matches: int


class RatingRow(LedgerTable, table=True):
    """The present skill estimate of a person in a game.

    Attributes:
        game: Name of the game.
        player_id: The person.
        mean: Mean.
        deviation: Standard deviation.
        ordinal: Mean less three deviations: what leaderboards sort by.
        matches: Matches that it rests on.
    """

    __tablename__ = "ratings"
    __table_args__ = (Index(None, "game", "ordinal", "player_id"),)

    game: str = Field(primary_key=True, max_length=16)
    player_id: str = Field(primary_key=True, foreign_key="accounts.player_id", max_length=64)
    mean: float
    deviation: float
    ordinal: float
    matches: int


class PointsRatingChange(LedgerTable, table=True):
    """A change of a points rating. Append-only.

    Attributes:
        change_id: Grows.
        match_id: The match that was posted, or taken back.
        posting: The match's, kept here so that a history reads one index.
        kind: `result`, or `reversal` for the opposite change.
        game: Name of the game.
        player_id: The person.
        seat: The seat that the person held at the start.
        change: What was added.
        rating: The rating after.
        changed_at: When.
    """

    __tablename__ = "points_rating_changes"
    __table_args__ = (
        UniqueConstraint("match_id", "player_id", "kind"),
        Index(None, "game", "player_id"),
        Index(None, "player_id", "posting"),
    )

    change_id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    match_id: str = Field(foreign_key="matches.match_id", max_length=64)
    posting: int = Field(sa_type=BIG)
    kind: str = Field(max_length=8)
    game: str = Field(max_length=16)
    player_id: str = Field(foreign_key="accounts.player_id", max_length=64)
    seat: int
    change: int
    rating: int = Field(sa_type=BIG)
    changed_at: datetime = Field(sa_type=Instant)


class PointsRatingRow(LedgerTable, table=True):
    """The present points rating of a person in a game: what everybody begins with, and the sum of the changes.

    Attributes:
        game: Name of the game.
        player_id: The person.
        rating: The rating.
        matches: Matches that have counted for it.
    """

    __tablename__ = "points_ratings"
    __table_args__ = (Index(None, "game", "rating", "player_id"),)

    game: str = Field(primary_key=True, max_length=16)
    player_id: str = Field(primary_key=True, foreign_key="accounts.player_id", max_length=64)
    rating: int = Field(sa_type=BIG)
    matches: int


class RatingsTold(LedgerTable, table=True):
    """How many changes of a game's ratings have been put in the outbox: the number of the last.

    Attributes:
        game: Name of the game.
        number: Grows by one with every message.
    """

    __tablename__ = "ratings_told"

    game: str = Field(primary_key=True, max_length=16)
    number: int = Field(sa_type=BIG)


class OutboxMessage(LedgerTable, table=True):
    """A fact to be told, written in the transaction that made it true.

    Attributes:
        outbox_id: The order of telling.
        subject: Where.
        message_id: Lets the stream drop a second telling.
        payload: What.
        created_at: When it became true.
        sent_at: When the stream acknowledged it.
    """

    __tablename__ = "outbox"
    __table_args__ = (Index(None, "sent_at", "outbox_id"),)

    outbox_id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    subject: str = Field(max_length=128)
    message_id: str = Field(max_length=128, unique=True)
    payload: bytes = Field(sa_type=LargeBinary)
    created_at: datetime = Field(sa_type=Instant)
    sent_at: datetime | None = Field(default=None, sa_type=Instant)


APPEND_ONLY = (
    "matches",
    "match_seats",
    "match_starters",
    "entries",
    "rating_changes",
    "points_rating_changes",
    "reversals",
)
"""Tables whose rows are never changed or deleted."""

METADATA = LedgerTable.metadata
