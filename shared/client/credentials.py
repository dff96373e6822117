"""Who the player of this device is, kept on its disk."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import msgspec


class CredentialsDamagedError(Exception):
    """The file of credentials cannot be read. It is left as it is: the only key to an account may be in it."""


class AnotherPlayerKeptError(Exception):
    """The device keeps another player by now than this process knew of, and that one is not written over.

    Attributes:
        name: Name of the player who is kept.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is kept on this device by now")
        self.name = name


class Credentials(msgspec.Struct, frozen=True, kw_only=True):
    """All that a device knows of its player.

    Attributes:
        name: The player's name.
        device_secret: Signs the device in again; empty for a player who signs in by password only.
        player_id: The account; empty before the club has confirmed it.
        access_token: For `authorization: Bearer`.
        access_expires_at: When it ends, in seconds since 1970.
        refresh_token: For new tokens; used up by each use.
        refresh_expires_at: When it ends, in seconds since 1970.
    """

    name: str
    device_secret: bytes = b""
    player_id: str = ""
    access_token: str = ""
    access_expires_at: float = 0.0
    refresh_token: str = ""
    refresh_expires_at: float = 0.0

    def __repr__(self) -> str:
        return f"Credentials(name={self.name!r}, player_id={self.player_id!r}, secrets hidden)"


class CredentialStore(Protocol):
    """Keeps the credentials of one player."""

    def load(self) -> Credentials | None:
        """What was kept; None when nothing was."""

    def claim(self, credentials: Credentials) -> bool:
        """Keeps `credentials` if nothing is kept; whether it did. Of several who claim at once, one gets it."""

    def save(self, credentials: Credentials) -> None:
        """Keeps `credentials` in place of what was kept before."""

    def forget(self) -> None:
        """Keeps nothing any more."""


class MemoryStore:
    """Keeps credentials for as long as the process lives."""

    def __init__(self, credentials: Credentials | None = None) -> None:
        self._credentials = credentials

    def load(self) -> Credentials | None:
        """See `CredentialStore`."""
        return self._credentials

    def claim(self, credentials: Credentials) -> bool:
        """See `CredentialStore`."""
        if self._credentials is not None:
            return False
        self._credentials = credentials
        return True

    def save(self, credentials: Credentials) -> None:
        """See `CredentialStore`."""
        self._credentials = credentials

    def forget(self) -> None:
        """See `CredentialStore`."""
        self._credentials = None


class FileStore:
    """Keeps credentials in a file that only its owner may read. Writing is all or nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> Credentials | None:
        """See `CredentialStore`.

        Raises:
            CredentialsDamagedError: There is a file, and it is not one of credentials.
        """
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            return msgspec.json.decode(content, type=Credentials)
        except msgspec.DecodeError as error:
            raise CredentialsDamagedError(f"{self._path} does not hold credentials: {error}") from error

    def claim(self, credentials: Credentials) -> bool:
        """See `CredentialStore`."""
        with self._written(credentials) as fresh:
            try:
                os.link(fresh, self._path)
            except FileExistsError:
                return False
        return True

    def save(self, credentials: Credentials) -> None:
        """See `CredentialStore`."""
        with self._written(credentials) as fresh:
            fresh.replace(self._path)

    @contextmanager
    def _written(self, credentials: Credentials) -> Iterator[Path]:
        """The credentials in a file of their own beside the kept one, which is gone afterwards."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = self._path.with_name(f".{self._path.name}.{secrets.token_hex(4)}")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode(credentials))
                file.flush()
                os.fsync(file.fileno())
            yield fresh
        finally:
            fresh.unlink(missing_ok=True)

    def forget(self) -> None:
        """See `CredentialStore`."""
        self._path.unlink(missing_ok=True)
