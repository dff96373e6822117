"""Takes a backup of a club, looks whether one is whole, and restores one: `levata backup`, `levata restore`."""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from deploy.backup import manifest, restoring, series, taking
from deploy.backup.errors import BackupError
from deploy.backup.manifest import Manifest
from deploy.backup.restoring import Restored
from deploy.backup.settings import BackupSettings
from deploy.local.errors import LocalError
from shared import logs
from shared.bus import BusUnavailable

if TYPE_CHECKING:
    from deploy.local.settings import LocalSettings

LOCAL = "of the club on this machine; default: LEVATA_STATE, or .state"


def main(given: Sequence[str] | None = None) -> None:
    """Runs one command; ends with its exit code."""
    arguments = _arguments(given)
    logs.configure(level="error", stream=sys.stderr)
    try:
        (_restore if arguments.command == "restore" else _backup)(arguments)
    except (BackupError, LocalError, BusUnavailable, ValidationError) as error:
        sys.exit(f"{arguments.command}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    command, *rest = list(sys.argv[1:] if given is None else given) or ["backup"]
    if command not in ("backup", "restore"):
        sys.exit(f"there is no command {command!r}; there are: backup, restore")
    parser = argparse.ArgumentParser(prog=f"levata {command}")
    parser.set_defaults(command=command)
    parser.add_argument("--state", type=Path, metavar="DIRECTORY", help=f"the state directory {LOCAL}")
    if command == "backup":
        parser.description = "Takes a backup of a club that may be in use, or looks whether one is whole."
        parser.add_argument("directory", nargs="?", type=Path, help="where to; nothing may be there yet")
        parser.add_argument("--series", type=int, metavar="N", help="make it one of those there, and keep the newest N")
        parser.add_argument("--verify", action="store_true", help="only look whether the backup there is whole")
    else:
        parser.description = "Restores a backup into a club that is empty."
        parser.add_argument("directory", nargs="?", type=Path, help="the backup")
        parser.add_argument("--newest", action="store_true", help="the newest of the backups there")
        parser.add_argument("--keys", type=Path, metavar="DIRECTORY", help="take these keys over, and make no new ones")
    asked = parser.parse_args(rest)
    if command == "backup" and asked.series is not None and asked.series < 1:
        parser.error("--series keeps one at least")
    if asked.directory is None and "LEVATA_BACKUP_DIRECTORY" not in os.environ:
        parser.error("which directory?")
    return asked


def _backup(arguments: argparse.Namespace) -> None:
    settings = BackupSettings(instance="backup")
    target, keep = arguments.directory, arguments.series
    if target is None:
        target, keep = settings.backup_directory, keep or settings.backup_keep
    if arguments.verify:
        series.require_one(target)
        print(f"{target} is whole: {_described(manifest.verify(target))}.")
        return
    folder = target if keep is None else series.next_of(target, datetime.now(UTC))
    if settings.nats_user is None:
        from deploy.backup import local

        kept = asyncio.run(local.take(_local(arguments), folder, print))
    else:
        kept = asyncio.run(taking.take(settings, _database(settings), folder, print))
    print(f"{folder}: {_described(kept)}; it took {(kept.ended - kept.began) / 1000:.1f} s.")
    if keep is not None:
        for gone in series.prune(target, keep):
            print(f"{gone} removed.")


def _restore(arguments: argparse.Namespace) -> None:
    settings = BackupSettings(instance="restore")
    folder = arguments.directory
    if folder is None and settings.backup_name:
        folder = (settings.backup_directory or Path()) / settings.backup_name
    elif folder is None or arguments.newest:
        folder = series.newest(folder or settings.backup_directory or Path())
    series.require_one(folder)
    if arguments.keys is not None and settings.nats_user is not None:
        raise BackupError("--keys is for a club on this machine; the environment names another (LEVATA_NATS_USER)")
    began = time.monotonic()
    if settings.nats_user is None:
        from deploy.backup import local

        chosen = _local(arguments)
        done = asyncio.run(local.restore(chosen, folder, arguments.keys, print))
        place = f"the state directory {chosen.state}"
    else:
        url = _database(settings)
        done = asyncio.run(restoring.restore(settings, url, folder, print, with_database=settings.restore_database))
        place = settings.nats_url
    print(_told(done))
    print(f"{folder} is restored into {place}; it took {time.monotonic() - began:.1f} s.")


def _local(arguments: argparse.Namespace) -> "LocalSettings":
    from deploy.local.settings import LocalSettings

    chosen: dict[str, Any] = {} if arguments.state is None else {"state": arguments.state}
    return LocalSettings(**chosen)


def _database(settings: BackupSettings) -> str:
    url = settings.database_url.get_secret_value()
    if not url:
        raise BackupError("LEVATA_DATABASE_URL does not say where the ledger's database is")
    return url


def _described(kept: Manifest) -> str:
    moment = datetime.fromtimestamp(kept.stream("TABLES").at / 1000, UTC)
    messages = sum(stream.messages for stream in kept.streams)
    return f"the club at {moment:%Y-%m-%d %H:%M:%S} UTC, {messages} messages and a database, {kept.size / 1e6:.1f} MB"


def _told(done: Restored) -> str:
    tables = done.resumed
    lines = [f"{tables.resumed} tables go on, {tables.over} were over."]
    if tables.known:
        lines.append(f"{tables.known} tables were stopped: the ledger has the results of their matches already.")
    if done.results:
        lines.append(f"{done.results} results are told to the ledger again.")
    lines += [f"The log of table {table} is damaged: {why}" for table, why in sorted(tables.damaged.items())]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
