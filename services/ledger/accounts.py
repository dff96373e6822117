"""Accounts that are kept elsewhere and known here by sight.

A person may come with the token of another issuer, or be named in a result while our own account has been lost (a
database restored from an old copy). Neither may make a result impossible to post, so an account is made on sight,
under the name given; it has no secret, so nobody can sign in to it here.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from services.ledger.database import Database, upsert
from services.ledger.models import Account
from services.ledger.names import name_from_elsewhere, name_key


class ForeignAccounts:
    """Makes accounts on sight.

    Args:
        database: Where they are kept.
        prefixes: What the ids of foreign players begin with, before a dash; ids of our own have no dash.
    """

    def __init__(self, database: Database, prefixes: Collection[str] = ()) -> None:
        self._database = database
        self._prefixes = tuple(f"{prefix}-" for prefix in prefixes)

    def is_foreign(self, player_id: str) -> bool:
        """Whether a configured issuer keeps the account."""
        return player_id.startswith(self._prefixes)

    async def ensure(self, session: AsyncSession, names: Mapping[str, str], now: datetime) -> list[str]:
        """Makes those accounts that do not exist, and returns their ids.

        Args:
            session: The transaction.
            names: By account, the name to give it; a lawful one is made of it, and a free one.
            now: The moment.
        """
        known = await session.scalars(select(Account.player_id).where(col(Account.player_id).in_(list(names))))
        made = sorted(
            set(names) - set(known)
        )  # in one order everywhere, so that two transactions cannot block each other
        for player_id in made:
            await self._make(session, player_id, names[player_id], now)
        return made

    async def _make(self, session: AsyncSession, player_id: str, given_name: str, now: datetime) -> None:
        attempt = 0
        while True:
            name = name_from_elsewhere(given_name, player_id, attempt)
            await session.execute(
                upsert(self._database, Account)
                .values(player_id=player_id, name=name, name_key=name_key(name), external=True, created_at=now)
                .on_conflict_do_nothing()
            )
            if await session.get(Account, player_id) is not None:
                return
            attempt += 1  # the name is taken
