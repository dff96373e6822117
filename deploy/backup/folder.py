"""A folder that is made whole or not at all: beside its place under another name, and moved there when it is done."""

import contextlib
import os
import shutil
from pathlib import Path
from types import TracebackType

from deploy.backup.errors import BackupError


class NewFolder(contextlib.AbstractContextManager[Path]):
    """A context manager: inside it the folder is being made, at its end it is in its place, unless there was an error.

    Args:
        target: Its place, where nothing is yet, or an empty folder.
    """

    def __init__(self, target: Path) -> None:
        self._target = target.absolute()
        self._partial = self._target.with_name(f".{self._target.name}.partial")

    def __enter__(self) -> Path:
        """The folder to fill, for its owner only. Raises `BackupError` when its place is taken, and `OSError`."""
        if self._target.exists() and (not self._target.is_dir() or any(self._target.iterdir())):
            raise BackupError(f"{self._target} is there already, and is not empty")
        shutil.rmtree(self._partial, ignore_errors=True)
        self._partial.mkdir(parents=True, mode=0o700)
        return self._partial

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._partial.replace(self._target)
                flush(self._target.parent)
        finally:
            shutil.rmtree(self._partial, ignore_errors=True)


def flush(path: Path) -> None:
    """Sees to it that a file, or the list of files in a folder, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
