"""Keys and tokens for tests: one issuer with its JWKS file, and tokens good and bad."""

import base64
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


class TokenIssuer:
    """Signs tokens like the ledger does.

    Attributes:
        jwks_file: The public key.
        key_file: The private key, PEM.
    """

    def __init__(self, folder: Path, issuer: str = "levata", audience: str = "levata", key_id: str = "test-1") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.issuer = issuer
        self.audience = audience
        self.key_id = key_id
        self.jwks_file = folder / "jwks.json"
        self.key_file = folder / "signing-key.pem"
        self.renew(key_id)

    def renew(self, key_id: str) -> None:
        """Makes a new key; the JWKS file then holds this one alone."""
        self.key_id = key_id
        self._key = Ed25519PrivateKey.generate()
        raw = self._key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        key = {
            "kty": "OKP",
            "crv": "Ed25519",
            "use": "sig",
            "alg": "EdDSA",
            "kid": key_id,
            "x": base64.urlsafe_b64encode(raw).rstrip(b"=").decode(),
        }
        fresh = self.jwks_file.with_name("jwks.json.new")
        fresh.write_text(json.dumps({"keys": [key]}))
        fresh.replace(self.jwks_file)  # as the ledger does, so that nobody ever reads half a file
        self.key_file.write_bytes(
            self._key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )

    def token(
        self,
        player_id: str,
        name: str = "",
        roles: Sequence[str] = (),
        seconds: float = 3600.0,
        **claims: Any,
    ) -> str:
        """A token for `player_id`; negative `seconds` make it expired, and `claims` replace or (None) remove any."""
        now = time.time()
        payload: dict[str, Any] = {
            "iss": self.issuer,
            "aud": self.audience,
            "sub": player_id,
            "name": name or player_id,
            "roles": roles if isinstance(roles, str) else list(roles),
            "iat": int(now),
            "exp": int(now + seconds),
            **claims,
        }
        payload = {key: value for key, value in payload.items() if value is not None}
        return jwt.encode(payload, self._key, algorithm="EdDSA", headers={"kid": self.key_id})

    def service_token(self, service: str) -> str:
        """A token of one of our services."""
        return self.token(f"service:{service}", service, roles=["service"])

    def service_token_file(self, service: str) -> Path:
        """The same in a file, as settings want it."""
        path = self.folder / f"service-{service}.jwt"
        path.write_text(self.service_token(service))
        return path


def bearer(token: str, language: str = "en") -> tuple[tuple[str, str], ...]:
    """Call metadata with a token and the language of error messages."""
    return (("authorization", f"Bearer {token}"), ("accept-language", language))
