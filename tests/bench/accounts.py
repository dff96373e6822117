"""Accounts that need no ledger: a key pair of the bench's own, and tokens signed with it."""

import json
import time
from pathlib import Path

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_ID = "bench"
DAY_SECONDS = 86_400

Metadata = tuple[tuple[str, str], ...]


class Accounts:
    """Signs tokens with the key in a folder that `create` made."""

    def __init__(self, folder: Path) -> None:
        self.jwks_file = folder / "jwks.json"
        self._key = (folder / "signing.pem").read_bytes()

    @classmethod
    def create(cls, folder: Path) -> "Accounts":
        """Makes a key pair: `signing.pem` and the JWKS document that services verify with."""
        folder.mkdir(parents=True, exist_ok=True)
        key = Ed25519PrivateKey.generate()
        (folder / "signing.pem").write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        public = json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(key.public_key()))
        jwks = {"keys": [{**public, "kid": KEY_ID, "use": "sig", "alg": "EdDSA"}]}
        (folder / "jwks.json").write_text(json.dumps(jwks))
        return cls(folder)

    def player_metadata(self, player: str) -> Metadata:
        """What a person's calls carry."""
        return self._metadata(player, [])

    def service_metadata(self) -> Metadata:
        """What the matchmaking service's calls carry."""
        return self._metadata("service:matchmaking", ["service"])

    def _metadata(self, subject: str, roles: list[str]) -> Metadata:
        now = int(time.time())
        claims = {
            "iss": "levata", "aud": "levata", "sub": subject, "name": subject, "roles": roles,
            "iat": now, "exp": now + DAY_SECONDS,
        }  # fmt: skip
        token = jwt.encode(claims, self._key, algorithm="EdDSA", headers={"kid": KEY_ID})
        return (("authorization", f"Bearer {token}"),)
