"""The key that tokens are signed with, the public keys that they are verified with, and the services' own tokens.

All of them are files in one directory: `signing-key.pem` (private), `jwks.json` (public, RFC 7517) and
`service-<name>.jwt`.
"""

import base64
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from services.ledger.credentials import Entropy
from shared.auth import ALGORITHM, SERVICE_ROLE, public_keys

SIGNING_FILE: Final = "signing-key.pem"
JWKS_FILE: Final = "jwks.json"
SERVICES: Final = ("table", "matchmaking", "bot", "ledger")
SERVICE_TOKEN_LIFETIME: Final = timedelta(days=3650)
SERVICE_TOKEN_RENEWED: Final = timedelta(days=365)
"""A service's token that ends sooner than this is made anew by the next `write_keys`."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """An Ed25519 key.

    Attributes:
        private: Signs.
        key_id: Its RFC 7638 thumbprint: the `kid` of tokens.
    """

    private: Ed25519PrivateKey
    key_id: str

    @classmethod
    def of(cls, private: Ed25519PrivateKey) -> "SigningKey":
        """The key with its id."""
        return cls(private, thumbprint(private))

    @classmethod
    def read(cls, path: Path, jwks_file: Path | None = None) -> "SigningKey":
        """Reads a PEM file.

        Args:
            path: The file.
            jwks_file: If the public half stands in this JWKS document, its id there is taken.

        Raises:
            ValueError: The file holds no key or another kind of key, or the JWKS document is none.
            OSError: It cannot be read.
        """
        try:
            private = load_pem_private_key(path.read_bytes(), password=None)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path} is damaged: it does not hold an Ed25519 key as PEM without a password") from error
        if not isinstance(private, Ed25519PrivateKey):
            raise ValueError(f"{path} does not hold an Ed25519 key")
        half = _bare_jwk(private)["x"]
        known = {key.get("x"): key.get("kid") for key in _read_jwks(jwks_file)} if jwks_file else {}
        return cls(private, known.get(half) or thumbprint(private))

    def public_jwk(self) -> dict[str, str]:
        """The public half as a JSON Web Key."""
        return {**_bare_jwk(self.private), "kid": self.key_id, "alg": ALGORITHM, "use": "sig"}


def _bare_jwk(private: Ed25519PrivateKey) -> dict[str, str]:
    raw = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return {"crv": "Ed25519", "kty": "OKP", "x": base64.urlsafe_b64encode(raw).rstrip(b"=").decode()}


def thumbprint(private: Ed25519PrivateKey) -> str:
    """The RFC 7638 thumbprint of the public half."""
    canonical = json.dumps(_bare_jwk(private), sort_keys=True, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(sha256(canonical).digest()).rstrip(b"=").decode()


def jwks_document(keys: Sequence[Mapping[str, str]]) -> str:
    """Public keys as a JWKS document."""
    return json.dumps({"keys": list(keys)}, indent=2, sort_keys=True) + "\n"


def published_keys(jwks_file: Path, signing: SigningKey) -> str:
    """The JWKS document to give to callers: what the file holds, and the signing key in any case."""
    keys = _read_jwks(jwks_file)
    if all(key.get("kid") != signing.key_id for key in keys):
        keys.insert(0, signing.public_jwk())
    return jwks_document(keys)


def _read_jwks(path: Path) -> list[dict[str, str]]:
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        return []
    public_keys(document)  # raises for what is not a JWKS document
    return [dict(key) for key in document["keys"]]


def write_keys(
    directory: Path, now: datetime, entropy: Entropy, issuer: str, audience: str, rotate: bool = False
) -> None:
    """Makes what is missing in `directory`; a second call changes nothing, and two at once agree.

    Args:
        directory: Made if need be, for its owner only.
        now: The moment.
        entropy: Where the key comes from.
        issuer: The tokens' `iss`.
        audience: The tokens' `aud`.
        rotate: Make a new signing key. The old public one stays in the JWKS document, so that tokens already given
            stay good until they end; the services' tokens are made anew.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    signing_file = directory / SIGNING_FILE
    if rotate and signing_file.exists():
        signing_file.replace(directory / f"retired-{now:%Y%m%dT%H%M%S}.pem")
    if not signing_file.exists():
        pem = Ed25519PrivateKey.from_private_bytes(entropy(32)).private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
        _write_once(signing_file, pem)
    signing = SigningKey.read(signing_file, directory / JWKS_FILE)
    known = _read_jwks(directory / JWKS_FILE)
    if all(key.get("kid") != signing.key_id for key in known):
        _write(directory / JWKS_FILE, jwks_document([signing.public_jwk(), *known]).encode(), 0o644)
    for service in SERVICES:
        path = directory / f"service-{service}.jwt"
        if not _still_good(path, signing, now, issuer, audience):
            claims = {"sub": f"service:{service}", "name": service, "roles": [SERVICE_ROLE]}
            token, _ = AccessTokens(signing, issuer, audience, SERVICE_TOKEN_LIFETIME).sign(claims, now)
            _write(path, token.encode(), 0o600)


def _still_good(path: Path, signing: SigningKey, now: datetime, issuer: str, audience: str) -> bool:
    """Whether the file holds a token of this key that lasts."""
    try:
        claims = jwt.decode(
            path.read_text().strip(),
            signing.private.public_key(),
            algorithms=[ALGORITHM],
            issuer=issuer,
            audience=audience,
            options={"verify_exp": False, "verify_iat": False},
        )
    except (OSError, jwt.PyJWTError):
        return False
    return bool(claims["exp"] - now.timestamp() > SERVICE_TOKEN_RENEWED.total_seconds())


def _write_once(path: Path, content: bytes) -> None:
    """Writes a file that others may be writing too: the first one stays."""
    temporary = _temporary(path, content, 0o600)
    with suppress(FileExistsError):
        os.link(temporary, path)
    temporary.unlink()


def _write(path: Path, content: bytes, mode: int) -> None:
    """Replaces a file as a whole: readers see the old one or the new one."""
    _temporary(path, content, mode).replace(path)


def _temporary(path: Path, content: bytes, mode: int) -> Path:
    descriptor, temporary = mkstemp(prefix=f".{path.name}.", dir=path.parent)  # for its owner only
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())
    return Path(temporary)


class AccessTokens:
    """Makes the tokens that callers bear.

    Args:
        signing: The key.
        issuer: The tokens' `iss`.
        audience: The tokens' `aud`.
        lifetime: How long a token is good.
    """

    def __init__(self, signing: SigningKey, issuer: str, audience: str, lifetime: timedelta) -> None:
        self._signing = signing
        self._issuer = issuer
        self._audience = audience
        self._lifetime = lifetime

    def for_player(self, player_id: str, name: str, now: datetime) -> tuple[str, datetime]:
        """A player's token, and when it ends."""
        return self.sign({"sub": player_id, "name": name, "roles": []}, now)

    def sign(self, claims: Mapping[str, Any], now: datetime) -> tuple[str, datetime]:
        """A token with these claims and the usual ones, and when it ends."""
        issued_at = now.replace(microsecond=0)
        expires_at = issued_at + self._lifetime
        token = jwt.encode(
            {
                **claims,
                "iss": self._issuer,
                "aud": self._audience,
                "iat": int(issued_at.timestamp()),
                "exp": int(expires_at.timestamp()),
            },
            self._signing.private,
            algorithm=ALGORITHM,
            headers={"kid": self._signing.key_id},
        )
        return token, expires_at
