"""The files of a backup: whole or not at all, found out when they are damaged, kept in a series; and the commands."""

import asyncio
import json
import os
import re
import shutil
import sqlite3
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from deploy.backup import __main__ as commands
from deploy.backup import database, manifest, restoring, series, taking
from deploy.backup.errors import BackupError
from deploy.backup.folder import NewFolder
from deploy.backup.manifest import DIGEST, FORMAT, MANIFEST
from deploy.local import secrets
from deploy.nats.provision import provision
from services.ledger.database import Database
from services.ledger.schema import migrate
from services.table.presence import ALIVE
from shared.bus import Bus
from shared.metrics import Metrics
from tests.support.backups import restore, say, settings_of
from tests.support.backups import take as take_backup
from tests.support.local_club import kept_nats, local_settings, nats_settings
from tests.support.nats import NatsServer, nats_server


@pytest.fixture(autouse=True)
def _nobody_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restoring, "LISTEN_SECONDS", 0.01)


async def ledger_in(folder: Path) -> str:
    """The address of a ledger's database without content."""
    url = f"sqlite:///{folder / 'ledger.db'}"
    database = Database(url)
    await migrate(database)
    await database.close()
    return url


@pytest.fixture
async def backup(nats: NatsServer, tmp_path: Path) -> Path:
    """A backup of a club with a little in it."""
    await provision(settings_of(nats))
    bus = await Bus.connect(settings_of(nats), Metrics("test"), "test")
    await bus.publish("results.arzoi", b"a result")
    await bus.close()
    await take_backup(nats, await ledger_in(tmp_path / "club"), tmp_path / "backup")
    return tmp_path / "backup"


async def is_empty(nats: NatsServer) -> bool:
    """Whether there is no stream at all."""
    bus = await Bus.connect(settings_of(nats), Metrics("test"), "test")
    try:
        return not await bus.js.streams_info()
    finally:
        await bus.close()


def test_a_backup_says_what_it_is_and_is_for_its_owner_only(backup: Path) -> None:
    kept = manifest.verify(backup)
    assert {stream.name: stream.messages for stream in kept.streams} == {
        **dict.fromkeys(("DEAD", "AUDIT", "BACKUPS", "TABLES"), 0),
        "RESULTS": 1,
    }
    assert [stream.name for stream in kept.streams][:: len(kept.streams) - 1] == ["RESULTS", "TABLES"]
    assert kept.format == FORMAT
    assert re.fullmatch(r"\d+\.\d+\.\d+", kept.nats)
    assert kept.began <= kept.stream("RESULTS").at <= kept.database.at <= kept.stream("TABLES").at <= kept.ended
    assert {one.name for one in kept.files} == {path.name for path in backup.iterdir()} - {MANIFEST, DIGEST}
    assert kept.size == sum((backup / one.name).stat().st_size for one in kept.files)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in backup.iterdir()} == {0o600}


async def test_whatever_is_damaged_is_found_out_before_anything_is_made_of_it(backup: Path, tmp_path: Path) -> None:
    files = sorted(await asyncio.to_thread(lambda: list(backup.iterdir())))
    async with nats_server(tmp_path / "other") as other:
        for path in files:
            for damage in ("changed", "cut", "gone"):
                copy = tmp_path / "copy"
                shutil.rmtree(copy, ignore_errors=True)
                shutil.copytree(backup, copy)
                whole = path.read_bytes()
                if damage == "gone":
                    (copy / path.name).unlink()
                else:
                    changed = bytes([whole[0] ^ 1]) + whole[1:] if damage == "changed" else whole[:-1]
                    (copy / path.name).write_bytes(changed)
                with pytest.raises(BackupError):
                    manifest.verify(copy)
                with pytest.raises(BackupError):
                    await restore(other, f"sqlite:///{tmp_path / 'new.db'}", copy)
        assert await is_empty(other)
        assert not (tmp_path / "new.db").exists()


async def test_a_backup_of_a_form_that_is_to_come_is_refused_and_not_guessed_at(backup: Path) -> None:
    told = json.loads((backup / MANIFEST).read_text())
    told["format"] = FORMAT + 1
    (backup / MANIFEST).write_text(json.dumps(told))
    (backup / DIGEST).write_text(f"{manifest.digest_of(backup / MANIFEST)}  {MANIFEST}\n")
    with pytest.raises(BackupError, match=rf"form {FORMAT + 1}; this version reads form {FORMAT}"):
        manifest.verify(backup)


async def test_a_club_that_is_not_empty_is_left_as_it_is(backup: Path, nats: NatsServer, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="not empty: there are messages in the stream"):
        await restore(nats, f"sqlite:///{tmp_path / 'new.db'}", backup)
    assert not (tmp_path / "new.db").exists()


async def test_a_club_that_is_running_is_left_as_it_is(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restoring, "LISTEN_SECONDS", 30.0)
    async with nats_server(tmp_path / "other") as other:
        bus = await Bus.connect(settings_of(other), Metrics("test"), "test")

        async def live() -> None:
            while True:
                await bus.nc.publish(ALIVE, b"table-1")
                await asyncio.sleep(0.02)

        living = asyncio.create_task(live())
        try:
            with pytest.raises(BackupError, match="the club is running"):
                await restore(other, f"sqlite:///{tmp_path / 'new.db'}", backup)
        finally:
            living.cancel()
            await bus.close()
        assert await is_empty(other)


async def test_a_restore_that_fails_leaves_no_stream_behind(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise BackupError("the disk is full")

    monkeypatch.setattr("deploy.backup.restoring.tell_later", fail)
    async with nats_server(tmp_path / "other") as other:
        with pytest.raises(BackupError, match="the disk is full"):
            await restore(other, f"sqlite:///{tmp_path / 'new.db'}", backup)
        assert await is_empty(other)


async def test_a_backup_that_fails_leaves_nothing_behind(
    nats: NatsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await provision(settings_of(nats))
    (tmp_path / "backups").mkdir()
    with pytest.raises(BackupError, match="there is no database"):
        await take_backup(nats, f"sqlite:///{tmp_path / 'none.db'}", tmp_path / "backups" / "one")
    assert list((tmp_path / "backups").iterdir()) == []


def test_a_folder_is_made_whole_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / ".new.partial").mkdir()
    (tmp_path / ".new.partial" / "of the last attempt").touch()
    with NewFolder(tmp_path / "new") as folder:
        (folder / "file").touch()
        assert not (tmp_path / "new").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["file"]
    with pytest.raises(BackupError, match="not empty"), NewFolder(tmp_path / "new"):
        pass
    with pytest.raises(ZeroDivisionError), NewFolder(tmp_path / "another"):
        raise ZeroDivisionError
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_of_a_series_the_newest_are_kept_and_what_is_no_backup_is_left_alone(tmp_path: Path) -> None:
    names = [series.next_of(tmp_path, datetime(2026, 3, day, 4, 23, 5, tzinfo=UTC)).name for day in range(1, 6)]
    assert names[0] == "2026-03-01T04-23-05Z"
    for name in (*names, "of my own"):
        (tmp_path / name).mkdir()
        (tmp_path / name / MANIFEST).touch()
    (tmp_path / names[0] / MANIFEST).unlink()  # interrupted
    assert series.newest(tmp_path).name == names[-1]
    assert [path.name for path in series.prune(tmp_path, 2)] == names[1:3]
    assert sorted(path.name for path in tmp_path.iterdir()) == [names[0], *names[3:], "of my own"]
    with pytest.raises(BackupError, match="no backup in"):
        series.newest(tmp_path / "nowhere")


@pytest.mark.parametrize("words", [["backup", "--verify"], ["restore"]])
def test_a_series_is_not_taken_for_a_backup(words: list[str], tmp_path: Path) -> None:
    newest = tmp_path / "2026-03-02T04-23-05Z"
    for folder in (tmp_path / "2026-03-01T04-23-05Z", newest):
        folder.mkdir()
        (folder / MANIFEST).touch()
    with pytest.raises(SystemExit, match=f"series of 2 backups: name one of them, such as {newest}; .*--newest"):
        commands.main([*words, str(tmp_path)])


async def test_a_disk_without_room_is_told_with_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = await ledger_in(tmp_path / "club")
    (tmp_path / "backups" / ".one.partial").mkdir(parents=True)
    connect = sqlite3.connect

    def small(path: Path, timeout: float = 5.0) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(path, timeout)
        connection.execute("PRAGMA max_page_count = 2")  # SQLite says of it what it says of a full disk
        return connection

    monkeypatch.setattr(sqlite3, "connect", small)
    with pytest.raises(BackupError, match=f"there is no room left in {tmp_path / 'backups'}$"):
        await database.take(url, tmp_path / "backups" / ".one.partial")


@pytest.mark.parametrize("missing", secrets.KEYS)
def test_without_all_keys_nothing_is_restored(missing: str, environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keys, state = tmp_path / "old" / "keys", tmp_path / "state"
    keys.mkdir(parents=True)
    for name in secrets.KEYS:
        (keys / name).touch()
    (keys / missing).unlink()
    for folder, why in (
        (keys, f"there is no {missing} in {keys}"),
        (tmp_path / "old", f"no keys in {tmp_path / 'old'}; did you mean {keys}"),
        (tmp_path / "none", "there are no keys in"),
    ):
        with pytest.raises(SystemExit, match=why):
            commands.main(["restore", str(tmp_path / "backup"), "--state", str(state), "--keys", str(folder)])
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


# Commands, on a server with the permissions of a club


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment that tells nothing of a club."""
    for name in list(os.environ):
        if name.startswith("LEVATA_"):
            monkeypatch.delenv(name)
    return monkeypatch


async def test_the_commands_get_by_with_the_rights_that_their_users_have(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As in a cluster: what the environment says, and users that may do no more than they have to."""
    first, second = local_settings(tmp_path / "first"), local_settings(tmp_path / "second")
    backups = tmp_path / "backups"
    async with kept_nats(first) as (made, _):
        await provision(nats_settings(first, made, "provisioner"))
        table = await Bus.connect(nats_settings(first, made, "table"), Metrics("table"), "table")
        for number in range(3):
            await table.publish("results.arzoi", b"result %d" % number)
        await table.close()
        settings = nats_settings(first, made, "backup")
        kept = await taking.take(
            settings, await ledger_in(tmp_path / "a"), series.next_of(backups, datetime.now(UTC)), say
        )
        provisioner = await Bus.connect(nats_settings(first, made, "provisioner"), Metrics("test"), "provisioner")
        assert (await provisioner.js.stream_info("BACKUPS")).state.messages == 1
        await provisioner.close()
    async with kept_nats(second) as (made, _):
        await provision(nats_settings(second, made, "provisioner"))
        settings = nats_settings(second, made, "restore")
        url = f"sqlite:///{tmp_path / 'b' / 'ledger.db'}"
        await restoring.restore(settings, url, series.newest(backups), say)
        bus = await Bus.connect(settings, Metrics("restore"), "restore")
        info = await bus.js.stream_info("RESULTS")
        assert (info.state.messages, info.state.last_seq) == (3, kept.stream("RESULTS").last)
        assert (await bus.js.consumer_info("RESULTS", "ledger")).num_pending == 3
        await bus.close()


def test_a_club_of_one_machine_is_taken_and_restored_by_two_commands(
    environment: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The club is not up: the commands run its NATS server themselves, and no other process."""
    state, again, backup = tmp_path / "state", tmp_path / "again", tmp_path / "backup"
    made = secrets.prepare(state)

    async def fill() -> None:
        settings = local_settings(state)
        async with kept_nats(settings, made):
            await provision(nats_settings(settings, made, "provisioner"))
            table = await Bus.connect(nats_settings(settings, made, "table"), Metrics("table"), "table")
            await table.publish("results.arzoi", b"a result")
            await table.close()
        await ledger_in(state)

    asyncio.run(fill())
    commands.main(["backup", str(backup), "--state", str(state)])
    assert re.search(
        rf"{backup}: the club at .* UTC, 1 messages and a database, .* MB; it took", capsys.readouterr().out
    )
    commands.main(["backup", str(backup), "--verify"])
    assert "is whole: the club at" in capsys.readouterr().out
    commands.main(["restore", str(backup), "--state", str(again), "--keys", str(state / "keys")])
    assert re.search(r"0 tables go on, 0 were over.\n.* is restored into the state directory", capsys.readouterr().out)
    assert sorted(path.name for path in again.iterdir()) == ["keys", "ledger.db", "nats"]
    assert (again / "keys" / "turn.key").read_bytes() == made.turn_key.read_bytes()
    second = tmp_path / "second"
    commands.main(["backup", str(second), "--state", str(again)])
    one, two = ({stream.name: stream.last for stream in manifest.verify(kept).streams} for kept in (backup, second))
    assert one == two
    with pytest.raises(SystemExit, match="not empty"):
        commands.main(["restore", str(backup), "--state", str(again)])
    with pytest.raises(SystemExit, match="there is no club in"):
        commands.main(["backup", str(tmp_path / "third"), "--state", str(tmp_path / "nowhere")])
