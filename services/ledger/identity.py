"""Accounts: making them, signing in, names and passwords."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import select

from services.ledger.accounts import ForeignAccounts
from services.ledger.attempts import Attempts, Credential
from services.ledger.credentials import Entropy, Passwords, is_sealed, seal
from services.ledger.database import Database
from services.ledger.errors import (
    BadCredentialsError,
    BadNameError,
    NameTakenError,
    PlayerNotFoundError,
    RefreshInvalidError,
    RefreshReusedError,
    RequestIdReusedError,
)
from services.ledger.keys import AccessTokens
from services.ledger.models import Account
from services.ledger.names import name_key, normal_name
from services.ledger.sessions import Issued, Refused, Sessions


@dataclass(frozen=True, slots=True)
class TokenPair:
    """What a signed-in client holds: two tokens and when each ends."""

    access_token: str
    access_expires_at: datetime
    refresh_token: str
    refresh_expires_at: datetime


@dataclass(frozen=True, slots=True)
class SignedIn:
    """An account and the tokens for it."""

    account: Account
    tokens: TokenPair


class Identity:
    """What can be done with accounts.

    Args:
        database: Where they are kept.
        passwords: Hashes and verifies them.
        sessions: Refresh tokens.
        access: Access tokens.
        attempts: The limit on failures.
        foreign: Which accounts are kept by other issuers.
        now: Wall clock.
        entropy: Where ids and salts come from.
    """

    def __init__(
        self,
        database: Database,
        passwords: Passwords,
        sessions: Sessions,
        access: AccessTokens,
        attempts: Attempts,
        foreign: ForeignAccounts,
        now: Callable[[], datetime],
        entropy: Entropy,
    ) -> None:
        self._database = database
        self._passwords = passwords
        self._sessions = sessions
        self._access = access
        self._attempts = attempts
        self._foreign = foreign
        self._now = now
        self._entropy = entropy

    async def create_guest(self, request_id: str, given_name: str, device_secret: bytes) -> SignedIn:
        """Makes a guest account and signs it in; a repeat signs in to the account that the request made.

        Raises:
            BadNameError: The name breaks the rules.
            NameTakenError: Somebody has it.
            RequestIdReusedError: The request id was used with another body.
        """
        name = normal_name(given_name)
        body = given_name.encode() + b"\n" + device_secret
        now = self._now()
        account = Account(
            player_id=base64.b32encode(self._entropy(16)).decode().rstrip("=").lower(),
            name=name,
            name_key=name_key(name),
            device_hash=seal(device_secret, self._entropy),
            created_at=now,
            request_id=request_id,
            request_hash=seal(body, self._entropy),
        )
        try:
            async with self._database.writing() as session:
                made_before = await self._made_by(session, request_id, body)
                if made_before is not None:
                    account = made_before
                else:
                    session.add(account)
                    await session.flush()
                return self._signed_in(account, await self._sessions.begin(session, account.player_id, now))
        except IntegrityError as conflict:  # somebody else was faster: with the request, or with the name
            async with self._database.writing() as session:
                made_before = await self._made_by(session, request_id, body)
                if made_before is None:
                    raise NameTakenError(name) from conflict
                return self._signed_in(made_before, await self._sessions.begin(session, made_before.player_id, now))

    async def _made_by(self, session: AsyncSession, request_id: str, body: bytes) -> Account | None:
        """The account that this request made. Raises `RequestIdReusedError`."""
        found = (await session.execute(select(Account).where(Account.request_id == request_id))).scalar_one_or_none()
        if found is not None and not is_sealed(body, found.request_hash):
            raise RequestIdReusedError
        return found

    async def sign_in_with_device(self, given_name: str, device_secret: bytes) -> SignedIn:
        """Signs in by the device's secret. Raises `BadCredentialsError`, `TooManyAttemptsError`."""
        key = _key_of(given_name)
        await self._attempts.count("device", key, self._now())
        account = await self._named(key)
        if not is_sealed(device_secret, account.device_hash if account else None) or account is None:
            raise BadCredentialsError
        return await self._let_in(account, "device", key)

    async def sign_in_with_password(self, given_name: str, password: str) -> SignedIn:
        """Signs in by password. Raises `BadCredentialsError`, `TooManyAttemptsError`."""
        key = _key_of(given_name)
        await self._attempts.count("password", key, self._now())
        account = await self._named(key)
        if not await self._passwords.verify(password, account.password_hash if account else None) or account is None:
            raise BadCredentialsError
        return await self._let_in(account, "password", key)

    async def _named(self, key: str) -> Account | None:
        async with self._database.reading() as session:
            return (await session.execute(select(Account).where(Account.name_key == key))).scalar_one_or_none()

    async def _let_in(self, account: Account, credential: Credential, key: str) -> SignedIn:
        async with self._database.writing() as session:
            await self._attempts.clear(session, credential, key)
            return self._signed_in(account, await self._sessions.begin(session, account.player_id, self._now()))

    async def refresh(self, request_id: str, refresh_token: str) -> TokenPair:
        """Exchanges a refresh token. Raises `RefreshInvalidError`, `RefreshReusedError`."""
        async with self._database.writing() as session:
            outcome = await self._sessions.exchange(session, refresh_token, request_id, self._now())
            account = await session.get(Account, outcome.player_id) if isinstance(outcome, Issued) else None
        # Only here is a revocation kept; an exception inside the block would have undone it.
        if isinstance(outcome, Refused):
            raise RefreshReusedError if outcome.reused else RefreshInvalidError
        assert account is not None, "refresh tokens refer to accounts"
        return self._signed_in(account, outcome).tokens

    async def sign_out(self, refresh_token: str) -> None:
        """Revokes the token and all that came from the same sign-in. An unknown token changes nothing."""
        async with self._database.writing() as session:
            await self._sessions.end(session, refresh_token, self._now())

    async def set_password(self, player_id: str, password: str, present_password: str) -> Account:
        """Sets or changes the password; setting the one that is set already changes nothing.

        Sessions and the device's secret stay good.

        Raises:
            BadCredentialsError: There is a password and the present one given is wrong.
            TooManyAttemptsError: Too many wrong ones.
            PlayerNotFoundError: No such account.
        """
        account = await self.account(player_id)
        if account.password_hash is not None:
            await self._attempts.count("password", account.name_key, self._now())
            right = await self._passwords.verify(present_password, account.password_hash)
            if not right and not await self._passwords.verify(password, account.password_hash):
                raise BadCredentialsError
            if not right:  # a repeat
                return account
        hashed = await self._passwords.hash(password)
        async with self._database.writing() as session:
            changed = await session.get(Account, player_id, with_for_update=True)
            if changed is None:
                raise PlayerNotFoundError(player_id)
            if changed.password_hash != account.password_hash:  # changed meanwhile, so what was verified is not so now
                raise BadCredentialsError
            changed.password_hash = hashed
            await self._attempts.clear(session, "password", changed.name_key)
            return changed

    async def rename(self, player_id: str, given_name: str) -> Account:
        """Gives an account another name. Raises `BadNameError`, `NameTakenError`, `PlayerNotFoundError`."""
        name = normal_name(given_name)
        await self.account(player_id)
        try:
            async with self._database.writing() as session:
                account = await session.get(Account, player_id, with_for_update=True)
                if account is None:
                    raise PlayerNotFoundError(player_id)
                account.name, account.name_key = name, name_key(name)
                await session.flush()
                return account
        except IntegrityError as conflict:
            raise NameTakenError(name) from conflict

    async def account(self, player_id: str, name: str = "") -> Account:
        """The account. One of a foreign issuer is made on sight, under `name`. Raises `PlayerNotFoundError`."""
        async with self._database.reading() as session:
            account = await session.get(Account, player_id)
        if account is not None:
            return account
        if not self._foreign.is_foreign(player_id):
            raise PlayerNotFoundError(player_id)
        async with self._database.writing() as session:
            await self._foreign.ensure(session, {player_id: name}, self._now())
            made = await session.get(Account, player_id)
        assert made is not None, "it has just been made"
        return made

    def _signed_in(self, account: Account, refresh: Issued) -> SignedIn:
        access_token, access_expires_at = self._access.for_player(account.player_id, account.name, self._now())
        return SignedIn(account, TokenPair(access_token, access_expires_at, refresh.token, refresh.expires_at))


def _key_of(given_name: str) -> str:
    """What to look a name up by; a name that nobody can have is nobody's. Raises `BadCredentialsError`."""
    try:
        return name_key(normal_name(given_name))
    except BadNameError as error:
        raise BadCredentialsError from error
