"""`levata.ledger.v1.IdentityService`: from messages to the domain and back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Final

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

from services.ledger.errors import LedgerError
from services.ledger.identity import Identity, SignedIn, TokenPair
from services.ledger.measures import Measures, SignInKind
from services.ledger.models import Account
from services.ledger.refusals import reason_of
from shared.auth import caller
from shared.gen.levata.ledger.v1 import identity_pb2, identity_pb2_grpc

Context = grpc.aio.ServicerContext[Any, Any]

PUBLIC_METHODS: Final = frozenset({"CreateGuest", "SignIn", "RefreshTokens", "SignOut", "GetJwks"})
"""They want no token."""


class IdentityServicer(identity_pb2_grpc.IdentityServiceServicer):
    """Answers for accounts and tokens.

    Args:
        identity: The domain.
        measures: What operators see.
        jwks: The JWKS document to give.
    """

    def __init__(self, identity: Identity, measures: Measures, jwks: str) -> None:
        self._identity = identity
        self._measures = measures
        self._jwks = jwks

    async def CreateGuest(
        self, request: identity_pb2.CreateGuestRequest, context: Context
    ) -> identity_pb2.CreateGuestResponse:
        """Makes a guest account and signs it in."""
        async with self._counted("guest"):
            made = await self._identity.create_guest(request.request_id, request.name, request.device_secret)
        return identity_pb2.CreateGuestResponse(account=_account(made.account), tokens=_tokens(made.tokens))

    async def SignIn(self, request: identity_pb2.SignInRequest, context: Context) -> identity_pb2.SignInResponse:
        """Signs in by device secret or password."""
        found: SignedIn
        if request.WhichOneof("credential") == "device_secret":
            async with self._counted("device"):
                found = await self._identity.sign_in_with_device(request.name, request.device_secret)
        else:
            async with self._counted("password"):
                found = await self._identity.sign_in_with_password(request.name, request.password)
        return identity_pb2.SignInResponse(account=_account(found.account), tokens=_tokens(found.tokens))

    async def RefreshTokens(
        self, request: identity_pb2.RefreshTokensRequest, context: Context
    ) -> identity_pb2.RefreshTokensResponse:
        """Exchanges a refresh token."""
        async with self._counted("refresh"):
            tokens = await self._identity.refresh(request.request_id, request.refresh_token)
        return identity_pb2.RefreshTokensResponse(tokens=_tokens(tokens))

    async def SignOut(self, request: identity_pb2.SignOutRequest, context: Context) -> identity_pb2.SignOutResponse:
        """Revokes a refresh token and all that came from the same sign-in."""
        await self._identity.sign_out(request.refresh_token)
        return identity_pb2.SignOutResponse()

    async def SetPassword(
        self, request: identity_pb2.SetPasswordRequest, context: Context
    ) -> identity_pb2.SetPasswordResponse:
        """Sets or changes the caller's password."""
        own = await self._own_account()
        account = await self._identity.set_password(own.player_id, request.password, request.present_password)
        return identity_pb2.SetPasswordResponse(account=_account(account))

    async def RenameAccount(
        self, request: identity_pb2.RenameAccountRequest, context: Context
    ) -> identity_pb2.RenameAccountResponse:
        """Changes the caller's name."""
        own = await self._own_account()
        account = await self._identity.rename(own.player_id, request.name)
        return identity_pb2.RenameAccountResponse(account=_account(account))

    async def GetAccount(
        self, request: identity_pb2.GetAccountRequest, context: Context
    ) -> identity_pb2.GetAccountResponse:
        """Gives the caller's account."""
        return identity_pb2.GetAccountResponse(account=_account(await self._own_account()))

    async def GetJwks(self, request: identity_pb2.GetJwksRequest, context: Context) -> identity_pb2.GetJwksResponse:
        """Gives the public keys."""
        return identity_pb2.GetJwksResponse(jwks=self._jwks)

    async def _own_account(self) -> Account:
        who = caller()
        return await self._identity.account(who.player_id, who.name)

    @asynccontextmanager
    async def _counted(self, kind: SignInKind) -> AsyncIterator[None]:
        """Counts how a sign-in ends."""
        try:
            yield
        except LedgerError as error:
            self._measures.sign_in(kind, reason_of(error))
            raise
        self._measures.sign_in(kind, "ok")


def timestamp(moment: datetime) -> Timestamp:
    """A moment as a message."""
    message = Timestamp()
    message.FromDatetime(moment)
    return message


def _account(account: Account) -> identity_pb2.Account:
    return identity_pb2.Account(
        player_id=account.player_id,
        name=account.name,
        guest=account.password_hash is None and not account.external,
        created_at=timestamp(account.created_at),
    )


def _tokens(tokens: TokenPair) -> identity_pb2.Tokens:
    return identity_pb2.Tokens(
        access_token=tokens.access_token,
        access_expires_at=timestamp(tokens.access_expires_at),
        refresh_token=tokens.refresh_token,
        refresh_expires_at=timestamp(tokens.refresh_expires_at),
    )
