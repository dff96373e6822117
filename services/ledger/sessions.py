"""Sessions: refresh tokens, each good for one exchange, in families that fall together.

Every sign-in begins a family. An exchange uses a token up and gives the next one of the family. When a token that was
used up turns up again, somebody has a copy, and nobody can tell who is the owner: the family is revoked.

A repeat of the same request within a minute is no theft but a lost answer. It gets the very same next token, which the
database cannot give away: it keeps a nonce, from which and from the presented token the next one is computed.
"""

import base64
import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import CursorResult, delete, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from services.ledger.credentials import Entropy
from services.ledger.models import RefreshToken, SignInFamily

REPEAT_WINDOW = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Issued:
    """A refresh token given to a client: this is the only moment at which it is known.

    Attributes:
        player_id: Whose.
        token: The token.
        expires_at: When it ends.
    """

    player_id: str
    token: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Refused:
    """An exchange that was refused; `reused` says that it revoked the family."""

    reused: bool


class Sessions:
    """Begins, continues and ends sessions, each in a transaction of the caller.

    Args:
        entropy: Where tokens come from.
        lifetime: How long a refresh token is good.
    """

    def __init__(self, entropy: Entropy, lifetime: timedelta) -> None:
        self._entropy = entropy
        self._lifetime = lifetime

    async def begin(self, session: AsyncSession, player_id: str, now: datetime) -> Issued:
        """Begins a family and gives its first token."""
        family = SignInFamily(family_id=self._entropy(16).hex(), player_id=player_id, started_at=now)
        session.add(family)
        await session.flush()
        return self._issue(session, family, _text(self._entropy(32)), now)

    async def exchange(self, session: AsyncSession, token: str, request_id: str, now: datetime) -> Issued | Refused:
        """Uses a token up and gives the next one.

        A refusal may have revoked the family, so the transaction has to be kept in any case.
        """
        nonce = self._entropy(32)
        used = await session.execute(
            update(RefreshToken)
            .where(
                col(RefreshToken.token_hash) == _hash(token),
                col(RefreshToken.used_at).is_(None),
                col(RefreshToken.expires_at) > now,
            )
            .values(used_at=now, used_by_request=request_id, successor_nonce=nonce)
        )
        found = await session.get(RefreshToken, _hash(token), populate_existing=True)
        if found is None:
            return Refused(reused=False)
        family = await session.get(SignInFamily, found.family_id, populate_existing=True, with_for_update=True)
        if family is None or family.revoked_at is not None:
            return Refused(reused=family is not None and family.revoked_because == "reused")
        if _rows(used) == 1:
            return self._issue(session, family, _successor(nonce, token, request_id), now)
        if found.used_at is None:  # ran out
            return Refused(reused=False)
        again = await self._repeat(session, found, family, token, request_id, now)
        if again is not None:
            return again
        family.revoked_at, family.revoked_because = now, "reused"
        return Refused(reused=True)

    async def _repeat(
        self,
        session: AsyncSession,
        used: RefreshToken,
        family: SignInFamily,
        token: str,
        request_id: str,
        now: datetime,
    ) -> Issued | None:
        """The answer that was given before to the same request, if it is recent and its token still unused."""
        if used.used_at is None or used.used_by_request != request_id or used.successor_nonce is None:
            return None
        if now - used.used_at > REPEAT_WINDOW:
            return None
        successor = _successor(used.successor_nonce, token, request_id)
        row = await session.get(RefreshToken, _hash(successor), populate_existing=True)
        if row is None or row.used_at is not None:
            return None
        return Issued(family.player_id, successor, row.expires_at)

    async def end(self, session: AsyncSession, token: str, now: datetime) -> None:
        """Revokes the family of a token, used up or not; an unknown token changes nothing."""
        family_id = select(RefreshToken.family_id).where(RefreshToken.token_hash == _hash(token)).scalar_subquery()
        await session.execute(
            update(SignInFamily)
            .where(col(SignInFamily.family_id) == family_id, col(SignInFamily.revoked_at).is_(None))
            .values(revoked_at=now, revoked_because="signed_out")
        )

    async def forget(self, session: AsyncSession, ended_before: datetime) -> None:
        """Deletes tokens that ended before, and families without tokens: nothing can be done with them any more."""
        await session.execute(delete(RefreshToken).where(col(RefreshToken.expires_at) < ended_before))
        alive = select(RefreshToken.family_id)
        await session.execute(
            delete(SignInFamily).where(
                col(SignInFamily.started_at) < ended_before, col(SignInFamily.family_id).not_in(alive)
            )
        )

    def _issue(self, session: AsyncSession, family: SignInFamily, token: str, now: datetime) -> Issued:
        expires_at = now.replace(microsecond=0) + self._lifetime
        session.add(
            RefreshToken(token_hash=_hash(token), family_id=family.family_id, issued_at=now, expires_at=expires_at)
        )
        return Issued(family.player_id, token, expires_at)


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _successor(nonce: bytes, token: str, request_id: str) -> str:
    return _text(hmac.digest(nonce, f"{request_id}\n{token}".encode(), "sha256"))


def _rows(result: Any) -> int:
    assert isinstance(result, CursorResult)
    return result.rowcount
