"""Accounts that need no ledger: tokens signed with the bench's own key, in any process that knows its folder."""

import time
from pathlib import Path

import jwt

from tests.support.tokens import TokenIssuer

KEY_ID = "bench"
DAY_SECONDS = 86_400

Metadata = tuple[tuple[str, str], ...]


class Accounts:
    """Signs tokens with the key in a folder that `create` made.

    Attributes:
        jwks_file: What the services verify them with.
    """

    def __init__(self, folder: Path) -> None:
        self.jwks_file = folder / "jwks.json"
        self._key = (folder / "signing-key.pem").read_bytes()

    @classmethod
    def create(cls, folder: Path) -> "Accounts":
        """Makes a key pair in a folder."""
        TokenIssuer(folder, key_id=KEY_ID)
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
