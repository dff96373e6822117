"""Secrets of a local club, made once and kept in the state directory, readable by its owner only."""

import os
import secrets
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from deploy.local.errors import LocalError

NATS_USERS = ("table", "matchmaking", "bot", "ledger", "provisioner", "operator", "backup", "restore")
SIGNING_KEY = "signing-key.pem"
JWKS = "jwks.json"
TURN_KEY = "turn.key"
NATS_PASSWORDS = "nats-passwords.json"
KEYS = (SIGNING_KEY, JWKS, TURN_KEY, NATS_PASSWORDS)
"""Files of a folder of keys that cannot be made again from the others."""
TURN_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Secrets:
    """What the processes of a club are given.

    Attributes:
        folder: Directory of the keys and tokens.
        nats_passwords: Password at NATS by user.
    """

    folder: Path
    nats_passwords: Mapping[str, str]

    @property
    def signing_key(self) -> Path:
        """The private key that the ledger signs tokens with."""
        return self.folder / SIGNING_KEY

    @property
    def jwks(self) -> Path:
        """The public keys that everybody verifies tokens with."""
        return self.folder / JWKS

    @property
    def turn_key(self) -> Path:
        """The key that the table service marks turns of bots with."""
        return self.folder / TURN_KEY

    def service_token(self, service: str) -> Path:
        """The token that a service calls others with."""
        return self.folder / f"service-{service}.jwt"


def prepare(state: Path) -> Secrets:
    """Makes what is missing and keeps what is there.

    Raises:
        LocalError: The keys could not be made or read.
    """
    folder = state / "keys"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    found = Secrets(folder, _nats_passwords(folder / NATS_PASSWORDS))
    if not found.turn_key.exists():
        write_secret(found.turn_key, secrets.token_bytes(TURN_KEY_BYTES))
    made = subprocess.run(
        [sys.executable, "-m", "services.ledger", "keys", "--out", str(folder)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        raise LocalError(f"The keys in {folder} could not be made:\n{made.stderr.strip()}")
    return found


def _nats_passwords(path: Path) -> dict[str, str]:
    try:
        known = msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        known = {}
    except msgspec.DecodeError as error:
        raise LocalError(f"{path} is damaged ({error}); remove it, and new passwords are made.") from error
    # The first letter keeps NATS from reading a password as a number when it comes from the environment.
    passwords = {user: known.get(user) or f"p{secrets.token_hex(24)}" for user in NATS_USERS}
    if passwords != known:
        write_secret(path, msgspec.json.encode(passwords))
    return passwords


def write_secret(path: Path, content: bytes) -> None:
    """Writes a file that only its owner can read; it is never there by half."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
