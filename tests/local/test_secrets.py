"""Secrets are made once, kept, and readable by their owner only."""

import stat
from pathlib import Path

import pytest

from deploy.local.errors import LocalError
from deploy.local.secrets import NATS_USERS, prepare


def test_secrets_are_made_once_and_then_kept(tmp_path: Path) -> None:
    first = prepare(tmp_path)
    files = {path.name: path.read_bytes() for path in first.folder.iterdir()}
    assert set(first.nats_passwords) == set(NATS_USERS)
    assert len(set(first.nats_passwords.values())) == len(NATS_USERS)
    assert {first.signing_key.name, first.jwks.name, first.turn_key.name} <= set(files)
    assert all(first.service_token(service).exists() for service in ("table", "matchmaking", "bot", "ledger"))
    second = prepare(tmp_path)
    assert second == first
    assert {path.name: path.read_bytes() for path in second.folder.iterdir()} == files


def test_only_the_owner_can_read_them(tmp_path: Path) -> None:
    made = prepare(tmp_path)
    assert stat.S_IMODE(made.folder.stat().st_mode) == 0o700
    private = [path for path in made.folder.iterdir() if path != made.jwks]
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}


def test_what_is_missing_is_made_and_the_rest_is_kept(tmp_path: Path) -> None:
    first = prepare(tmp_path)
    key = first.signing_key.read_bytes()
    first.turn_key.unlink()
    first.service_token("bot").unlink()
    second = prepare(tmp_path)
    assert second.turn_key.exists()
    assert second.service_token("bot").exists()
    assert second.signing_key.read_bytes() == key


def test_a_damaged_file_of_passwords_is_named_and_not_replaced(tmp_path: Path) -> None:
    made = prepare(tmp_path)
    path = made.folder / "nats-passwords.json"
    path.write_text("{")
    with pytest.raises(LocalError, match=r"nats-passwords\.json is damaged"):
        prepare(tmp_path)
    assert path.read_text() == "{"
