"""The access token of the player, always fresh."""

import asyncio
import logging
import time
import uuid
from collections.abc import Callable
from typing import Protocol

import grpc

from shared.client.credentials import AnotherPlayerKeptError, Credentials, CredentialStore
from shared.client.errors import ClubError, connection_lost
from shared.gen.levata.ledger.v1 import identity_pb2, identity_pb2_grpc

log = logging.getLogger(__name__)

MARGIN_SECONDS = 60.0
"""A token is renewed so long before it ends."""
AT_MOST_EVERY_SECONDS = 20.0
"""A token that looks old right after it was made (a device whose clock is wrong) is renewed no more often than this."""


def new_request_id() -> str:
    """A request id that no other request has."""
    return uuid.uuid4().hex


class TokenSource(Protocol):
    """Where calls get their token."""

    async def token(self) -> str | None:
        """The token to call with; None when nobody is signed in."""

    async def replacement(self, rejected: str) -> str | None:
        """Another token than `rejected`, which a service refused; None when there is none."""


class FixedToken:
    """A token that somebody else looks after."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    async def token(self) -> str | None:
        """See `TokenSource`."""
        return self._token

    async def replacement(self, rejected: str) -> str | None:
        """See `TokenSource`."""
        return None


class TokenKeeper:
    """Signs a player in, keeps the tokens on the device and renews them before they end.

    All tokens are kept before they are used, so that a process that dies leaves nothing behind but a player who can
    sign in again. Several processes may share one store.
    """

    def __init__(
        self,
        identity: "identity_pb2_grpc.IdentityServiceAsyncStub",
        store: CredentialStore,
        *,
        now: Callable[[], float] = time.time,
        request_id: Callable[[], str] = new_request_id,
    ) -> None:
        self._identity = identity
        self._store = store
        self._now = now
        self._request_id = request_id
        self._credentials = store.load()
        self._asked: Credentials | None = None
        self._signed_in = False
        self._renewing = asyncio.Lock()
        self._renewed_at: float | None = None
        self._unanswered: tuple[str, str] | None = None

    @property
    def credentials(self) -> Credentials | None:
        """Whose tokens these are; None before anybody has signed in on this device."""
        return self._credentials

    async def token(self) -> str | None:
        """See `TokenSource`."""
        if self._credentials is None or not self._signed_in:
            return None
        if self._is_fresh():
            return self._credentials.access_token
        async with self._renewing:
            if not self._is_fresh():
                try:
                    await self._renew()
                except ClubError as error:
                    if error.code is not grpc.StatusCode.UNAVAILABLE or not self._is_valid():
                        raise
                    log.warning("the token could not be renewed yet: %s", error)
            return self._credentials.access_token

    async def replacement(self, rejected: str) -> str | None:
        """See `TokenSource`."""
        if self._credentials is None or not self._signed_in:
            return None
        async with self._renewing:
            if self._credentials.access_token == rejected:
                await self._renew()
            return self._credentials.access_token

    async def create(self, name: str, device_secret: bytes) -> Credentials:
        """Makes a guest account and signs it in; the secret is kept before the account exists.

        It takes the place of a player whom this process knew of, never of one whom another process has kept since.

        Raises:
            AnotherPlayerKeptError: Another process has kept another player on this device.
            ClubError: ALREADY_EXISTS (NAME_TAKEN), INVALID_ARGUMENT (BAD_NAME), or no connection.
        """
        before = self._store.load()
        fresh = Credentials(name=name, device_secret=device_secret)
        if before is None:
            if not self._store.claim(fresh):
                kept = self._store.load()
                raise AnotherPlayerKeptError(kept.name if kept is not None else "")
        elif before.device_secret != device_secret and not self._knows(before):
            raise AnotherPlayerKeptError(before.name)
        else:
            self._store.save(fresh)
        self._asked = fresh
        try:
            response = await self._identity.CreateGuest(
                identity_pb2.CreateGuestRequest(request_id=self._request_id(), name=name, device_secret=device_secret)
            )
        except ClubError as error:
            if error.answered:
                self._store.forget() if before is None else self._store.save(before)
            raise
        return self._accept(response.account, response.tokens, device_secret)

    async def sign_in(self, name: str, *, device_secret: bytes = b"", password: str = "") -> Credentials:
        """Signs in with the device's secret or with a password.

        Raises:
            ClubError: UNAUTHENTICATED (BAD_CREDENTIALS), or no connection.
        """
        request = identity_pb2.SignInRequest(name=name)
        if password:
            request.password = password
        else:
            request.device_secret = device_secret
        response = await self._identity.SignIn(request)
        return self._accept(response.account, response.tokens, device_secret)

    async def resume(self) -> Credentials | None:
        """Signs in with what the device keeps; None when it keeps nothing.

        Raises:
            ClubError: The club does not know the account (any more), or no connection.
        """
        kept = self._store.load()
        if kept is None:
            return None
        self._credentials = kept
        if kept.access_token and self._is_fresh():
            self._signed_in = True
            return kept
        async with self._renewing:
            await self._renew()
        self._signed_in = True
        return self._credentials

    async def sign_out(self) -> None:
        """Revokes the tokens. The device's secret stays, so that the player can sign in again."""
        kept = self._credentials
        self._signed_in = False
        if kept is None:
            return
        if kept.refresh_token:
            await self._identity.SignOut(identity_pb2.SignOutRequest(refresh_token=kept.refresh_token))
        self._keep(Credentials(name=kept.name, device_secret=kept.device_secret, player_id=kept.player_id))

    def renamed(self, name: str) -> Credentials:
        """Keeps the new name of the account; somebody has to be signed in."""
        assert self._credentials is not None
        return self._keep(_with(self._credentials, name=name))

    async def _renew(self) -> None:
        """Renews the tokens. A ledger that answers too late is away, like one that cannot be reached."""
        try:
            await self._renew_once()
        except ClubError as error:
            if error.code is grpc.StatusCode.DEADLINE_EXCEEDED:
                raise connection_lost(f"no new token in time: {error.message}") from error
            raise

    async def _renew_once(self) -> None:
        kept = self._store.load()
        mine = self._credentials
        if kept is not None and mine is not None and kept.player_id == mine.player_id:
            another = kept.access_token != mine.access_token
            self._credentials = mine = kept
            if another and self._is_fresh():
                return
        assert mine is not None
        if mine.refresh_token and mine.refresh_expires_at > self._now():
            if self._unanswered is None or self._unanswered[0] != mine.refresh_token:
                self._unanswered = (mine.refresh_token, self._request_id())
            try:
                response = await self._identity.RefreshTokens(
                    identity_pb2.RefreshTokensRequest(request_id=self._unanswered[1], refresh_token=mine.refresh_token)
                )
                self._keep(_with_tokens(mine, response.tokens))
                self._unanswered = None
                self._renewed_at = self._now()
                return
            except ClubError as error:
                if error.code is not grpc.StatusCode.UNAUTHENTICATED or not mine.device_secret:
                    raise
                log.info("the refresh token is not taken any more (%s); signing in again", error.reason)
        await self.sign_in(mine.name, device_secret=mine.device_secret)

    def _knows(self, kept: Credentials) -> bool:
        """Whether this process knew that the device keeps this player."""
        return any(
            (mine.device_secret and mine.device_secret == kept.device_secret)
            or (mine.player_id and mine.player_id == kept.player_id)
            for mine in (self._credentials, self._asked)
            if mine is not None
        )

    def _accept(self, account: identity_pb2.Account, tokens: identity_pb2.Tokens, device_secret: bytes) -> Credentials:
        fresh = Credentials(name=account.name, device_secret=device_secret, player_id=account.player_id)
        self._renewed_at = self._now()
        self._signed_in = True
        return self._keep(_with_tokens(fresh, tokens))

    def _keep(self, credentials: Credentials) -> Credentials:
        self._store.save(credentials)
        self._credentials = credentials
        return credentials

    def _is_valid(self) -> bool:
        return self._credentials is not None and self._credentials.access_expires_at > self._now()

    def _is_fresh(self) -> bool:
        assert self._credentials is not None
        now = self._now()
        if self._renewed_at is not None and 0 <= now - self._renewed_at < AT_MOST_EVERY_SECONDS:
            return True
        return self._credentials.access_expires_at - MARGIN_SECONDS > now


def _with(credentials: Credentials, **changes: str | float) -> Credentials:
    fields = {name: getattr(credentials, name) for name in Credentials.__struct_fields__}
    return Credentials(**{**fields, **changes})


def _with_tokens(credentials: Credentials, tokens: identity_pb2.Tokens) -> Credentials:
    return _with(
        credentials,
        access_token=tokens.access_token,
        access_expires_at=tokens.access_expires_at.ToNanoseconds() / 1e9,
        refresh_token=tokens.refresh_token,
        refresh_expires_at=tokens.refresh_expires_at.ToNanoseconds() / 1e9,
    )
