"""The commands of those who run the ledger, as processes or in this one."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from services.ledger.__main__ import main
from services.ledger.database import Database
from services.ledger.keys import JWKS_FILE, SIGNING_FILE, SigningKey
from services.ledger.schema import newest_revision
from services.ledger.settings import LedgerSettings
from tests.support.ledger import World, finished

Out = pytest.CaptureFixture[str]


@pytest.fixture
def told_address(address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The database's address, in the environment."""
    monkeypatch.setenv("LEVATA_DATABASE_URL", address)
    return address


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a command of the service as a process."""
    return subprocess.run(
        [sys.executable, "-m", "services.ledger", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_keys_are_made_by_a_process_and_are_for_use(tmp_path: Path) -> None:
    done = command("keys", "--out", str(tmp_path / "keys"))
    assert (done.returncode, done.stdout) == (0, f"keys are in {tmp_path / 'keys'}\n")
    signing = SigningKey.read(tmp_path / "keys" / SIGNING_FILE, tmp_path / "keys" / JWKS_FILE)
    assert signing.key_id in (tmp_path / "keys" / JWKS_FILE).read_text()


def test_a_damaged_key_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / SIGNING_FILE).write_text("garbage")
    done = command("keys", "--out", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {tmp_path / SIGNING_FILE} is damaged")
    assert "Traceback" not in done.stderr
    assert (tmp_path / SIGNING_FILE).read_text() == "garbage"


def test_two_processes_migrate_one_database_at_once(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'new.db'}"
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "services.ledger", "migrate"],
            env={**os.environ, "LEVATA_DATABASE_URL": address},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    told = [process.communicate(timeout=60)[0] for process in processes]
    assert told == [f"the database has revision {newest_revision()}\n"] * 2
    assert [process.returncode for process in processes] == [0, 0]


async def test_recompute_proves_that_totals_agree_and_tells_when_not(
    world: World, told_address: str, capsys: Out
) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    await world.ledger.post(finished("m1", [(ana, 10), (ion, -3)]))
    assert await asyncio.to_thread(main, ["recompute"]) == 0
    assert capsys.readouterr().out == "games: arzoi; entries: 2; disagreements: 0; put right: 0\n"
    async with world.database.connection() as connection:
        await connection.execute(text("UPDATE standings SET points = 11 WHERE points = 10"))
    assert await asyncio.to_thread(main, ["recompute"]) == 1
    told = capsys.readouterr().out
    assert f"arzoi: standing of {ana} is Totals(points=11" in told
    assert "disagreements: 1; put right: 0" in told
    assert await asyncio.to_thread(main, ["recompute", "--fix"]) == 0
    assert "disagreements: 1; put right: 1" in capsys.readouterr().out
    assert await asyncio.to_thread(main, ["recompute"]) == 0


async def test_reverse_takes_a_match_back_once(world: World, told_address: str, capsys: Out) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    await world.ledger.post(finished("m1", [(ana, 10), (ion, -3)]))
    assert await asyncio.to_thread(main, ["reverse", "m1", "--reason", "test"]) == 0
    assert capsys.readouterr().out == "arzoi: totals of 2, estimates of 2 and points ratings of 0 people changed\n"
    for match_id, problem in (("m1", "taken back before"), ("m9", "no match")):
        assert await asyncio.to_thread(main, ["reverse", match_id, "--reason", "test"]) == 1
        assert problem in capsys.readouterr().err


def test_a_database_that_is_away_is_an_error_and_no_traceback() -> None:
    done = command("recompute", LEVATA_DATABASE_URL="postgresql://levata:geheim@127.0.0.1:1/nothing")
    assert done.returncode == 1
    assert done.stderr.startswith("error: the PostgreSQL database at 127.0.0.1:1/nothing cannot be reached: ")
    assert done.stderr.endswith("LEVATA_DATABASE_URL names it\n")
    assert "Traceback" not in done.stderr
    assert "geheim" not in done.stderr + done.stdout


@pytest.mark.parametrize("content", [b"garbage " * 1000, b"SQLite format 3\x00" + b"\xff" * 8176])
def test_a_damaged_database_is_named_and_left_as_it_is(content: bytes, tmp_path: Path) -> None:
    damaged = tmp_path / "ledger.db"
    damaged.write_bytes(content)
    for arguments in (["migrate"], ["recompute"]):
        done = command(*arguments, LEVATA_DATABASE_URL=f"sqlite:///{damaged}")
        assert done.returncode == 1
        assert done.stderr.startswith(f"error: {damaged} is damaged, or is no SQLite database (")
        assert "put a backup in its place" in done.stderr
        assert "Traceback" not in done.stderr
    assert damaged.read_bytes() == content


@pytest.mark.parametrize("arguments", [["keys"], ["reverse"], ["reverse", "m1"], ["nonsense"], ["serve", "now"]])
def test_a_wrong_command_line_is_explained(arguments: list[str], capsys: Out) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_settings_are_printed_without_the_databases_password() -> None:
    settings = LedgerSettings.model_validate({"database_url": "postgresql://levata:geheim@host/levata"})
    assert "geheim" not in str(settings.printable())
    with pytest.raises(ValueError, match="SQLite or PostgreSQL"):
        LedgerSettings.model_validate({"database_url": "mysql://host/levata"})


async def test_a_drafted_migration_is_written_where_migrations_are(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from services.ledger import schema

    copy = tmp_path / "migrations"
    (copy / "versions").mkdir(parents=True)
    for path in schema.SCRIPTS.rglob("*"):
        if path.suffix in (".py", ".mako"):
            (copy / path.relative_to(schema.SCRIPTS)).write_bytes(path.read_bytes())
    monkeypatch.setattr(schema, "SCRIPTS", copy)
    async with database.connection() as connection:
        await connection.execute(text("ALTER TABLE outbox DROP COLUMN subject"))
    await schema.draft_migration(database, "tell where again")
    [drafted] = (copy / "versions").glob("*tell_where_again.py")
    assert "subject" in drafted.read_text()
