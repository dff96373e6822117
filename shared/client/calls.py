"""Channels to the club, and what every call on them gets: a token, a language, a deadline, another try."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import grpc

from shared.client.addresses import Addresses
from shared.client.backoff import Backoff
from shared.client.errors import ClubError
from shared.client.tokens import TokenSource
from shared.rpc import policy

DEADLINE_SECONDS = 15.0
"""For a unary call that names none; all its tries together."""

PUBLIC_METHODS = frozenset(
    f"/levata.ledger.v1.IdentityService/{name}"
    for name in ("CreateGuest", "SignIn", "RefreshTokens", "SignOut", "GetJwks")
)
"""Methods that want no token, and by which tokens come."""

_OPTIONS = (
    # What is tried again, and until when, is for `ClubCalls` to say, which knows the call's deadline.
    ("grpc.service_config", policy.service_config()),
    *policy.RECONNECTING,
    ("grpc.keepalive_time_ms", 20_000),
)


def open_channel(
    target: str, addresses: Addresses, interceptor: grpc.aio.UnaryUnaryClientInterceptor | None = None
) -> grpc.aio.Channel:
    """A channel to `target`, which connects when it is first used."""
    interceptors = [interceptor] if interceptor is not None else []
    if addresses.tls:
        credentials = grpc.ssl_channel_credentials(addresses.root_certificates)
        return grpc.aio.secure_channel(target, credentials, options=_OPTIONS, interceptors=interceptors)
    return grpc.aio.insecure_channel(target, options=_OPTIONS, interceptors=interceptors)


def call_metadata(token: str | None, language: str, table_id: str = "") -> tuple[tuple[str, str], ...]:
    """What a call tells about its caller, and which table it is about: the edge may then ask a server that knows it."""
    told = [("accept-language", language)]
    if token is not None:
        told.append(("authorization", f"Bearer {token}"))
    if table_id:
        told.append(("levata-table", table_id))
    return tuple(told)


class ClubCalls(grpc.aio.UnaryUnaryClientInterceptor):
    """Makes every unary call with the caller's token and language, and tries again where that may help.

    A call that another server may take (`policy.RETRIABLE`) is repeated, not before the delay that the server asks
    for and not beyond the call's deadline. One that fails with UNAUTHENTICATED is repeated once, with another token.
    Every failure is raised as `ClubError`.
    """

    def __init__(
        self,
        tokens: TokenSource,
        language: str,
        *,
        backoff: Backoff | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._tokens = tokens
        self._language = language
        self._backoff = backoff or Backoff()
        self._sleep = sleep

    async def intercept_unary_unary(
        self,
        continuation: Callable[[grpc.aio.ClientCallDetails, Any], Awaitable[Any]],
        client_call_details: grpc.aio.ClientCallDetails,
        request: Any,
    ) -> Any:
        """See the class."""
        now = asyncio.get_running_loop().time
        method = client_call_details.method
        name = method.decode() if isinstance(method, bytes) else method
        deadline = now() + (client_call_details.timeout or DEADLINE_SECONDS)
        wants_token = name not in PUBLIC_METHODS
        table_id = getattr(request, "table_id", "")
        token: str | None = None
        renewed = False
        failures = 0
        while True:
            try:
                if wants_token and token is None:
                    token = await self._tokens.token()
                metadata = grpc.aio.Metadata(
                    *(client_call_details.metadata or ()), *call_metadata(token, self._language, table_id)
                )
                details = grpc.aio.ClientCallDetails(
                    method,
                    max(deadline - now(), 0.001),
                    metadata,
                    client_call_details.credentials,
                    client_call_details.wait_for_ready,
                )
                return await (await continuation(details, request))
            except grpc.aio.AioRpcError as failure:
                error = ClubError.from_rpc(failure)
            except ClubError as failure:
                error = failure  # there is no token to be had yet, or at all
            if error.code is grpc.StatusCode.UNAUTHENTICATED and token is not None and not renewed:
                renewed = True
                another = await self._tokens.replacement(token)
                if another is None or another == token:
                    raise error
                token = another
            elif error.code in policy.RETRIABLE:
                failures += 1
                delay = self._backoff.delay(failures, error.retry_after)
                if now() + delay >= deadline:
                    raise error
                await self._sleep(delay)
            else:
                raise error
