"""What a backup is: a folder of files, and a manifest that says of each what it is and what it has to look like.

The manifest is written last and names every file with its size and SHA-256; its own digest stands beside it. So a
backup that was interrupted has none, and one that was damaged afterwards is found out before anything is made of it.
"""

import hashlib
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from deploy.backup.errors import BackupError, DamagedBackupError
from deploy.backup.folder import flush

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
DIGEST: Final = "manifest.sha256"
_CHUNK: Final = 1024 * 1024


class StreamTaken(msgspec.Struct, frozen=True):
    """The snapshot of a stream.

    Attributes:
        name: Name at the server.
        file: Where it is in the backup.
        at: When it was asked for, in ms since the epoch: everything stored before is in it.
        config: The server's configuration of the stream.
        first: The first sequence.
        last: The last sequence.
        messages: How many messages.
    """

    name: str
    file: str
    at: int
    config: dict[str, Any]
    first: int
    last: int
    messages: int


class TableTaken(msgspec.Struct, frozen=True):
    """The rows of one table of the database.

    Attributes:
        name: Name of the table.
        file: Where they are in the backup.
        columns: In the order in which they stand there.
        rows: How many.
    """

    name: str
    file: str
    columns: tuple[str, ...]
    rows: int


class DatabaseTaken(msgspec.Struct, frozen=True):
    """The ledger's database at one moment.

    Attributes:
        kind: An SQLite file, or the rows of a PostgreSQL database.
        revision: Revision of its tables.
        at: When it was asked for, in ms since the epoch.
        file: The file of an SQLite database; empty for PostgreSQL.
        tables: The tables of a PostgreSQL database, in the order in which rows may be put in; none for SQLite.
    """

    kind: Literal["sqlite", "postgresql"]
    revision: str
    at: int
    file: str = ""
    tables: tuple[TableTaken, ...] = ()


class FileTaken(msgspec.Struct, frozen=True):
    """A file of the backup."""

    name: str
    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """A whole backup.

    Attributes:
        format: Which form of a backup this is.
        version: Version of Levata that took it.
        began: When it was begun, in ms since the epoch.
        ended: When everything was taken.
        nats: Version of the NATS server.
        streams: In the order in which they were taken.
        database: The database.
        files: Every file but the manifest and its digest.
    """

    format: int
    version: str
    began: int
    ended: int
    nats: str
    streams: tuple[StreamTaken, ...]
    database: DatabaseTaken
    files: tuple[FileTaken, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(one.size for one in self.files)

    def stream(self, name: str) -> StreamTaken:
        """The snapshot of a stream. Raises `BackupError` when there is none."""
        for one in self.streams:
            if one.name == name:
                return one
        raise BackupError(f"the backup has no stream {name}")


def files_of(folder: Path) -> tuple[FileTaken, ...]:
    """All files that are in a folder now, by name."""
    return tuple(FileTaken(path.name, path.stat().st_size, digest_of(path)) for path in sorted(folder.iterdir()))


def digest_of(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def write(folder: Path, manifest: Manifest) -> None:
    """Writes the manifest and its digest, for the owner only, and sees to it that all of the folder is on the disk."""
    data = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
    (folder / MANIFEST).write_bytes(data)
    (folder / DIGEST).write_text(_digest_line(data))
    for path in folder.iterdir():
        path.chmod(0o600)
        flush(path)
    flush(folder)


def _digest_line(data: bytes) -> str:
    """What stands beside a manifest, as `sha256sum` writes it."""
    return f"{hashlib.sha256(data).hexdigest()}  {MANIFEST}\n"


def verify(folder: Path) -> Manifest:
    """The manifest of a backup in which every byte is as it was written.

    Raises:
        BackupError: There is no backup, or one of a form that this version does not know.
        DamagedBackupError: Something is missing, or is not what it was.
    """
    try:
        data = (folder / MANIFEST).read_bytes()
        digest = (folder / DIGEST).read_bytes()
    except OSError as error:
        raise BackupError(f"{folder} is no backup, or was interrupted: {error.strerror}: {error.filename}") from error
    if digest != _digest_line(data).encode():
        raise DamagedBackupError(f"{folder / MANIFEST} is not what was written")
    try:
        form = msgspec.json.decode(data, type=dict[str, Any]).get("format")
        if form != FORMAT:
            raise BackupError(f"{folder} is a backup of form {form}; this version reads form {FORMAT}")
        manifest = msgspec.json.decode(data, type=Manifest)
    except msgspec.DecodeError as error:
        raise DamagedBackupError(f"{folder / MANIFEST} cannot be read: {error}") from error
    for one in manifest.files:
        path = folder / one.name
        try:
            same = path.stat().st_size == one.size and digest_of(path) == one.sha256
        except OSError as error:
            raise DamagedBackupError(f"{path} cannot be read: {error.strerror}") from error
        if not same:
            raise DamagedBackupError(f"{path} is not what was written")
    return manifest
