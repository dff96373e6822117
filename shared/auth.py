"""Who calls: tokens are JWTs signed with EdDSA, verified with public keys from JWKS documents.

The server's interceptor verifies the token once and puts the `Caller` where `caller()` finds it.
"""

import contextlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
import jwt
import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from shared.errors import LevataError
from shared.settings import ServiceSettings

ALGORITHM: Final = "EdDSA"
SERVICE_ROLE: Final = "service"
LEEWAY_SECONDS: Final = 5
MAX_TOKEN_LENGTH: Final = 4096
MAX_PLAYER_ID_LENGTH: Final = 64
MAX_NAME_LENGTH: Final = 64

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes the call that this task serves.

    Attributes:
        player_id: Account, or `service:<name>`.
        name: Name of the account when the token was made.
        roles: What the caller may do beyond a player.
    """

    player_id: str
    name: str
    roles: frozenset[str] = frozenset()

    @property
    def is_service(self) -> bool:
        """One of our own services."""
        return SERVICE_ROLE in self.roles


_caller: ContextVar[Caller | None] = ContextVar("levata_caller", default=None)


def caller() -> Caller:
    """Who calls. Raises UNAUTHENTICATED (TOKEN_MISSING) in a method that wants no token."""
    found = _caller.get()
    if found is None:
        raise LevataError(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_MISSING")
    return found


def require_service() -> Caller:
    """The calling service. Raises PERMISSION_DENIED (SERVICE_ONLY) if a player calls."""
    found = caller()
    if not found.is_service:
        raise LevataError(grpc.StatusCode.PERMISSION_DENIED, "SERVICE_ONLY")
    return found


def set_caller(who: Caller | None) -> None:
    """Makes `who` the caller for the rest of this task and those it starts."""
    _caller.set(who)


@contextlib.contextmanager
def acting_as(who: Caller) -> Iterator[None]:
    """Makes `who` the caller inside a `with` block."""
    token = _caller.set(who)
    try:
        yield
    finally:
        _caller.reset(token)


@dataclass(frozen=True, slots=True)
class Issuer:
    """Somebody whose tokens are believed.

    Attributes:
        name: The tokens' `iss`.
        audience: The tokens' `aud`.
        jwks_file: The public keys.
        subject_prefix: Put before the tokens' `sub`; empty for our own issuer only, which alone may give roles.
    """

    name: str
    audience: str
    jwks_file: Path
    subject_prefix: str = ""

    @property
    def own(self) -> bool:
        """Our own issuer."""
        return not self.subject_prefix


class _Keys:
    """The public keys of one issuer by their id; the file is read again when an unknown id appears."""

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self._path = path
        self._clock = clock
        self._keys: dict[str, Ed25519PublicKey] = {}
        self._read_at = -1e9

    def get(self, key_id: str) -> Ed25519PublicKey | None:
        """The key, or None. Strangers cannot make us read the file more than once a second."""
        if key_id not in self._keys and self._clock() - self._read_at >= 1.0:
            self._read_at = self._clock()
            self._keys = self._read()
        return self._keys.get(key_id)

    def _read(self) -> dict[str, Ed25519PublicKey]:
        try:
            document = json.loads(self._path.read_bytes())
            return public_keys(document)
        except (OSError, ValueError) as error:
            _log.error("public keys cannot be read", jwks_file=str(self._path), error=str(error))
            return self._keys


def public_keys(document: Any) -> dict[str, Ed25519PublicKey]:
    """The Ed25519 keys of a JWKS document by their id; other keys are passed over. Raises `ValueError`."""
    if not isinstance(document, dict) or not isinstance(document.get("keys"), list):
        raise ValueError("a JWKS document has a list of keys")
    found: dict[str, Ed25519PublicKey] = {}
    for entry in document["keys"]:
        if not isinstance(entry, dict) or entry.get("kty") != "OKP" or entry.get("crv") != "Ed25519":
            continue
        try:
            key = jwt.PyJWK(entry, ALGORITHM).key
        except jwt.PyJWTError as error:
            raise ValueError(f"bad key: {error}") from error
        if isinstance(key, Ed25519PublicKey):
            found[str(entry.get("kid", ""))] = key
    return found


class Verifier:
    """Verifies tokens, and remembers those it has verified until they expire.

    Args:
        issuers: Who is believed; names differ.
        remember: At most so many tokens.
        now: Wall clock, in seconds since 1970.
        clock: Monotonic clock, in seconds.
    """

    def __init__(
        self,
        issuers: Sequence[Issuer],
        remember: int = 20_000,
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._issuers = {issuer.name: issuer for issuer in issuers}
        self._keys = {issuer.name: _Keys(issuer.jwks_file, clock) for issuer in issuers}
        self._remember = remember
        self._now = now
        self._known: OrderedDict[str, tuple[float, Caller]] = OrderedDict()

    @classmethod
    def of(cls, settings: ServiceSettings) -> "Verifier":
        """The verifier that the settings describe."""
        own = Issuer(settings.issuer, settings.audience, settings.jwks_file)
        foreign = [
            Issuer(one.issuer, one.audience, one.jwks_file, one.subject_prefix) for one in settings.foreign_issuers
        ]
        return cls([own, *foreign])

    def verify(self, token: str) -> Caller:
        """Who bears `token`. Raises UNAUTHENTICATED: TOKEN_MISSING, TOKEN_EXPIRED or TOKEN_INVALID."""
        if not token:
            raise LevataError(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_MISSING")
        known = self._known.get(token)
        if known is not None:
            expires, who = known
            if self._now() < expires + LEEWAY_SECONDS:
                self._known.move_to_end(token)
                return who
            del self._known[token]
            raise LevataError(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED")
        expires, who = self._check(token)
        self._known[token] = (expires, who)
        if len(self._known) > self._remember:
            self._known.popitem(last=False)
        return who

    def _check(self, token: str) -> tuple[float, Caller]:
        invalid = LevataError(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID")
        if len(token) > MAX_TOKEN_LENGTH:
            raise invalid
        try:
            unverified = jwt.decode_complete(token, options={"verify_signature": False})
            issuer = self._issuers.get(str(unverified["payload"].get("iss")))
            if issuer is None or unverified["header"].get("alg") != ALGORITHM:
                raise invalid
            key = self._keys[issuer.name].get(str(unverified["header"].get("kid", "")))
            if key is None:
                raise invalid
            claims = jwt.decode(
                token,
                key,
                algorithms=[ALGORITHM],
                issuer=issuer.name,
                audience=issuer.audience,
                options={
                    "require": ["exp", "iat", "sub", "iss", "aud"],
                    # Times are compared with our own clock, below.
                    "verify_exp": False,
                    "verify_iat": False,
                    "verify_nbf": False,
                },
            )
        except (jwt.PyJWTError, ValueError, TypeError, AttributeError) as error:
            raise invalid from error
        return self._caller(issuer, claims, invalid)

    def _caller(self, issuer: Issuer, claims: dict[str, Any], invalid: LevataError) -> tuple[float, Caller]:
        expires, begins = claims["exp"], claims.get("nbf", 0)
        subject, name, roles = claims["sub"], claims.get("name", ""), claims.get("roles", [])
        if not all(isinstance(moment, (int, float)) for moment in (expires, begins)):
            raise invalid
        if not isinstance(subject, str) or not isinstance(name, str) or not isinstance(roles, list):
            raise invalid
        player_id = f"{issuer.subject_prefix}-{subject}" if issuer.subject_prefix else subject
        if not subject or len(player_id) > MAX_PLAYER_ID_LENGTH or begins > self._now() + LEEWAY_SECONDS:
            raise invalid
        if self._now() >= expires + LEEWAY_SECONDS:
            raise LevataError(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED")
        granted = frozenset(role for role in roles if isinstance(role, str)) if issuer.own else frozenset[str]()
        return float(expires), Caller(player_id, name[:MAX_NAME_LENGTH] or player_id, granted)
