"""The club on this machine, as far as a backup and a restore touch it."""

import asyncio
import contextlib
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

from pydantic import SecretStr

from deploy.backup import restoring, taking
from deploy.backup.errors import BackupError
from deploy.backup.folder import NewFolder
from deploy.backup.manifest import Manifest
from deploy.backup.taking import Say
from deploy.local import roster, secrets
from deploy.local.instance import Instance
from deploy.local.output import Log, Terminal
from deploy.local.ports import free_ports
from deploy.local.runner import Runner
from deploy.local.secrets import Secrets
from deploy.local.settings import LocalSettings
from shared.settings import ServiceSettings

START_SECONDS = 60.0
STOP_SECONDS = 30.0


async def take(settings: LocalSettings, target: Path, say: Say) -> Manifest:
    """Takes a backup of the club in a state directory, up or not.

    Raises:
        BackupError: It could not be taken.
        deploy.local.errors.LocalError: NATS could not be started.
    """
    if not (settings.state / "nats").is_dir():
        raise BackupError(f"there is no club in {settings.state}")
    if Instance(settings.state).holder() is not None:
        made = await asyncio.to_thread(secrets.prepare, settings.state)
        return await taking.take(_client(settings, made, "backup"), _database_url(settings, made), target, say)
    with Instance(settings.state) as instance:
        instance.end_leftovers()
        async with _running(settings) as (own, made):
            return await taking.take(_client(own, made, "backup"), _database_url(own, made), target, say)


async def restore(settings: LocalSettings, folder: Path, keys: Path | None, say: Say) -> restoring.Restored:
    """Restores a backup into a new state directory, whole or not at all.

    Args:
        settings: Of the club to be; its state directory must not be there, or be empty.
        folder: The backup.
        keys: Keys to take over, of the state directory that was; None: new ones are made.
        say: Told what is done.

    Raises:
        BackupError: It could not be restored; nothing is left of it.
        deploy.local.errors.LocalError: NATS could not be started.
    """
    if keys is not None:
        _require_keys(keys)
    try:
        with NewFolder(settings.state) as state:
            if keys is not None:
                await asyncio.to_thread(_take_over, keys, state / "keys")
            # Nothing counts before all of it is there: then everything is flushed at once.
            local = settings.model_copy(update={"state": state, "nats_sync_interval": "2m"})
            async with _running(local) as (own, made):
                url = _database_url(own, made)
                done = await restoring.restore(_client(own, made, "restore"), url, folder, say)
            await asyncio.to_thread(_tidy, state)
            await asyncio.to_thread(os.sync)
            return done
    except OSError as error:
        raise BackupError(f"{settings.state} cannot be written: {error.strerror or error}") from error


@contextlib.asynccontextmanager
async def _running(settings: LocalSettings) -> AsyncIterator[tuple[LocalSettings, Secrets]]:
    """The NATS server of a state directory and nothing else, on ports where no other club is."""
    host = "127.0.0.1"
    client, monitor = free_ports(host, 2)
    own = settings.model_copy(update={"host": host, "nats_port": client, "nats_monitor_port": monitor})
    made = await asyncio.to_thread(secrets.prepare, own.state)
    logs = own.state / "logs"
    logs.mkdir(exist_ok=True)
    log = Log(logs / "nats.log", "nats", Terminal())
    runner = Runner(roster.nats(own, made), log, Terminal(), lambda: None)
    try:
        runner.start()
        await runner.ready(START_SECONDS)
        yield own, made
    finally:
        await runner.stop(STOP_SECONDS)
        log.close()


def _client(settings: LocalSettings, made: Secrets, user: str) -> ServiceSettings:
    """What a client of the local NATS server is told."""
    password = SecretStr(made.nats_passwords[user])
    return ServiceSettings(
        nats_url=roster.nats_url(settings), nats_user=user, nats_password=password, replicas=1, instance=user
    )


def _database_url(settings: LocalSettings, made: Secrets) -> str:
    """The ledger's database, as `make up` tells it the ledger."""
    return roster.service(settings, made, "ledger").environment["LEVATA_DATABASE_URL"]


def _require_keys(keys: Path) -> None:
    """Raises `BackupError` when a folder has not all keys of a club, for new ones would be made of what is missing."""
    missing = [name for name in secrets.KEYS if not (keys / name).is_file()]
    if not missing:
        return
    inside = keys / "keys"
    hint = f"; did you mean {inside}?" if inside.is_dir() else ": it is the folder `keys` of a state directory"
    lacks = "are no keys" if len(missing) == len(secrets.KEYS) else f"is no {', no '.join(missing)}"
    raise BackupError(f"there {lacks} in {keys}{hint}. Without --keys new ones are made. Nothing was changed")


def _take_over(keys: Path, own: Path) -> None:
    """Takes keys over; what is readable by their owner only stays so."""
    shutil.copytree(keys, own)
    own.chmod(0o700)


def _tidy(state: Path) -> None:
    """Removes what only the server of the restore had a use for."""
    for name in ("run", "logs"):
        shutil.rmtree(state / name, ignore_errors=True)
