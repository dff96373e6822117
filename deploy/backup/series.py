"""A series of backups in one folder, each called after the moment at which it was begun; the newest are kept."""

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from deploy.backup.errors import BackupError
from deploy.backup.manifest import MANIFEST

_NAME: Final = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z")


def next_of(series: Path, now: datetime) -> Path:
    """Where the next backup of a series goes."""
    return series / now.astimezone(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")


def backups(series: Path) -> list[Path]:
    """The backups of a series, oldest first; what was interrupted is none."""
    if not series.is_dir():
        return []
    return sorted(path for path in series.iterdir() if _NAME.fullmatch(path.name) and (path / MANIFEST).is_file())


def newest(series: Path) -> Path:
    """The newest backup of a series. Raises `BackupError` when there is none."""
    found = backups(series)
    if not found:
        raise BackupError(f"there is no backup in {series}")
    return found[-1]


def require_one(folder: Path) -> None:
    """Raises `BackupError` when a folder is a series where a single backup is wanted."""
    if not (folder / MANIFEST).exists() and (found := backups(folder)):
        raise BackupError(
            f"{folder} is a series of {len(found)} backups: name one of them, such as {found[-1]}; `levata restore "
            f"--newest {folder}` takes the newest"
        )


def prune(series: Path, keep: int) -> list[Path]:
    """Removes all but the newest `keep` backups of a series, and returns what was removed."""
    old = backups(series)[:-keep]
    for path in old:
        # Without its manifest it is a backup no more, however far the removal comes.
        (path / MANIFEST).unlink()
        shutil.rmtree(path)
    return old
