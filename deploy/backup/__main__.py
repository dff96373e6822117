"""Takes a backup of a club, looks whether one is whole, and restores one: `levata backup`, `levata restore`."""

import argparse
import asyncio
import logging
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import structlog
from pydantic import ValidationError

from deploy.backup import local, manifest, restoring, series, taking
from deploy.backup.errors import BackupError
from deploy.backup.manifest import Manifest
from deploy.backup.restoring import Restored
from deploy.backup.settings import BackupSettings
from deploy.local.errors import LocalError
from deploy.local.settings import LocalSettings
from shared.bus import BusUnavailable

LOCAL = "of the club on this machine; default: LEVATA_STATE, or .state"


def main(given: Sequence[str] | None = None) -> None:
    """Runs one command; ends with its exit code."""
    arguments = _arguments(given)
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    try:
        if arguments.command == "restore":
            _restore(arguments)
        elif arguments.verify:
            kept = manifest.verify(arguments.directory)
            print(f"{arguments.directory} is whole: {_described(kept)}.")
        else:
            _backup(arguments)
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
        parser.add_argument("directory", type=Path, help="where to; nothing may be there yet")
        parser.add_argument(
            "--series", type=int, metavar="N", help="make it one of a series there, and keep the newest N"
        )
        parser.add_argument("--verify", action="store_true", help="only look whether the backup there is whole")
    else:
        parser.description = "Restores a backup into a club that is empty."
        parser.add_argument("directory", type=Path, help="the backup")
        parser.add_argument("--newest", action="store_true", help="the newest backup of the series there")
        parser.add_argument(
            "--keys", type=Path, metavar="DIRECTORY", help="take the keys there over, not make new ones"
        )
        parser.add_argument(
            "--without-database", action="store_true", help="the database has been restored by other means"
        )
    asked = parser.parse_args(rest)
    if command == "backup" and asked.series is not None and asked.series < 1:
        parser.error("--series keeps one at least")
    return asked


def _backup(arguments: argparse.Namespace) -> None:
    target = arguments.directory
    if arguments.series is not None:
        target = series.next_of(arguments.directory, datetime.now(UTC))
    settings = BackupSettings(instance="backup")
    if settings.nats_user is None:
        kept = asyncio.run(local.take(_local(arguments), target, print))
    else:
        kept = asyncio.run(taking.take(settings, _database(settings), target, print))
    print(f"{target}: {_described(kept)}; it took {(kept.ended - kept.began) / 1000:.1f} s.")
    if arguments.series is not None:
        for gone in series.prune(arguments.directory, arguments.series):
            print(f"{gone} removed.")


def _restore(arguments: argparse.Namespace) -> None:
    folder = series.newest(arguments.directory) if arguments.newest else arguments.directory
    settings = BackupSettings(instance="restore")
    began = time.monotonic()
    if settings.nats_user is None:
        if arguments.without_database:
            raise BackupError("the database of a local club is restored with it")
        chosen = _local(arguments)
        done = asyncio.run(local.restore(chosen, folder, arguments.keys, print))
        place = f"the state directory {chosen.state}"
    else:
        with_database = not arguments.without_database
        done = asyncio.run(restoring.restore(settings, _database(settings), folder, print, with_database=with_database))
        place = settings.nats_url
    print(_told(done))
    print(f"{folder} is restored into {place}; it took {time.monotonic() - began:.1f} s.")


def _local(arguments: argparse.Namespace) -> LocalSettings:
    chosen: dict[str, Any] = {} if arguments.state is None else {"state": arguments.state}
    return LocalSettings(**chosen)


def _database(settings: BackupSettings) -> str:
    url = settings.database_url.get_secret_value()
    if not url:
        raise BackupError("LEVATA_DATABASE_URL does not say where the ledger's database is")
    return url


def _described(kept: Manifest) -> str:
    moment = datetime.fromtimestamp(kept.stream("TABLES").at / 1000, UTC)
    size = sum(one.size for one in kept.files)
    messages = sum(stream.messages for stream in kept.streams)
    return f"the club at {moment:%Y-%m-%d %H:%M:%S} UTC, {messages} messages and a database, {size / 1e6:.1f} MB"


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
