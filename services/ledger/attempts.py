"""How often somebody may try to sign in under a name before having to wait.

Every attempt is counted before the secret is looked at, so that many at once get no more tries than one after
another; an attempt that succeeds clears the count. Names that do not exist are counted too, or the difference would
tell. Device secrets and passwords are counted apart: whoever guesses passwords does not lock out the owner's device.
"""

from datetime import datetime
from typing import Literal

from sqlalchemy import case, delete
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from services.ledger.attempt_limit import AttemptLimit
from services.ledger.database import Database
from services.ledger.errors import TooManyAttemptsError
from services.ledger.models import SignInAttempts

Credential = Literal["device", "password"]


class Attempts:
    """Counts attempts in the database, for all processes together."""

    def __init__(self, database: Database, limit: AttemptLimit) -> None:
        self._database = database
        self._limit = limit

    async def count(self, credential: Credential, key: str, now: datetime) -> None:
        """Counts one attempt. Raises `TooManyAttemptsError` if it is one too many."""
        insert = (sqlite.insert if self._database.is_sqlite else postgresql.insert)(SignInAttempts)
        over = col(SignInAttempts.window_ends_at) <= now
        ends = now + self._limit.window
        statement = (
            insert.values(attempt_key=_key(credential, key), attempts=1, window_ends_at=ends)
            .on_conflict_do_update(
                index_elements=["attempt_key"],
                set_={
                    "attempts": case((over, 1), else_=col(SignInAttempts.attempts) + 1),
                    "window_ends_at": case((over, ends), else_=col(SignInAttempts.window_ends_at)),
                },
            )
            .returning(col(SignInAttempts.attempts), col(SignInAttempts.window_ends_at))
        )
        async with self._database.writing() as session:
            attempts, window_ends_at = (await session.execute(statement)).one()
        if attempts > self._limit.attempts:
            raise TooManyAttemptsError(max(1.0, (window_ends_at - now).total_seconds()))

    async def clear(self, session: AsyncSession, credential: Credential, key: str) -> None:
        """Forgets the attempts: one succeeded."""
        await session.execute(delete(SignInAttempts).where(col(SignInAttempts.attempt_key) == _key(credential, key)))

    async def forget(self, session: AsyncSession, now: datetime) -> None:
        """Deletes windows that are over."""
        await session.execute(delete(SignInAttempts).where(col(SignInAttempts.window_ends_at) <= now))


def _key(credential: Credential, key: str) -> str:
    return f"{credential}:{key}"
