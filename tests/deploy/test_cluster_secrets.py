"""The secrets of a cluster: made by one command, once, for their owner only; made anew when that is wished."""

import base64
import json
import shutil
import stat
from pathlib import Path
from typing import Any

import bcrypt
import pytest
import yaml

from deploy.kubernetes.inventory import OUTSIDE, PEER, hash_file, password_file
from deploy.kubernetes.secrets import ROTATED, main, make
from deploy.local.secrets import NATS_USERS


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def manifests(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The manifests, by kind and name."""
    loaded = yaml.safe_load_all((folder / "secrets.yaml").read_text())
    return {(one["kind"], one["metadata"]["name"]): one for one in loaded}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The secrets as the command makes them in an empty folder."""
    folder = tmp_path_factory.mktemp("made") / "secrets"
    assert main(["--out", str(folder)]) == 0
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(made, tmp_path / "secrets"))


def test_all_that_comes_from_outside_is_made_once_and_then_kept(folder: Path) -> None:
    first = contents(folder)
    assert {file for one in OUTSIDE for file in one.files.values()} <= set(first)
    assert main(["--out", str(folder)]) == 0
    assert contents(folder) == first


def test_only_the_owner_can_read_them(made: Path) -> None:
    for path in (made, *made.rglob("*")):
        if path.name != "jwks.json":  # public keys
            assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_manifests_hold_the_files_under_the_names_that_are_expected(folder: Path) -> None:
    make(folder, namespace="elsewhere")
    found = manifests(folder)
    assert set(found) == {(one.kind, one.name) for one in OUTSIDE}
    for one in OUTSIDE:
        manifest = found[one.kind, one.name]
        assert manifest["metadata"]["namespace"] == "elsewhere"
        for key, file in one.files.items():
            value = manifest["data"][key]
            held = base64.b64decode(value) if one.kind == "Secret" else value.encode()
            assert held == (folder / file).read_bytes()


def test_hashes_are_of_the_passwords_and_spelt_as_nats_wants_them(made: Path) -> None:
    passwords = {user: (made / password_file(user)).read_bytes() for user in (*NATS_USERS, PEER)}
    assert len(set(passwords.values())) == len(passwords)
    for user in NATS_USERS:
        hashed = (made / hash_file(user)).read_bytes()
        assert hashed.startswith(b"$2a$")
        assert bcrypt.checkpw(passwords[user], hashed)


@pytest.mark.parametrize(
    ("rotated", "changed"),
    [
        (
            "signing-key",
            {"keys/signing-key.pem", "keys/jwks.json", *(f"keys/service-{one}.jwt" for one in NATS_USERS[:4])},
        ),
        ("turn-key", {"keys/turn.key"}),
        (
            "nats",
            {
                "keys/nats-passwords.json",
                password_file(PEER),
                *(name for user in NATS_USERS for name in (password_file(user), hash_file(user))),
            },
        ),
    ],
)
def test_what_is_rotated_is_made_anew_and_nothing_else(rotated: str, changed: set[str], folder: Path) -> None:
    before = contents(folder)
    make(folder, [rotated])
    after = contents(folder)
    assert {name for name in before if after[name] != before[name]} == {*changed, "secrets.yaml"}
    assert all(name.startswith("keys/retired-") for name in after.keys() - before.keys())
    if rotated == "signing-key":
        # Tokens of the old key stay good until they end.
        (old,) = json.loads(before["keys/jwks.json"])["keys"]
        known = json.loads(manifests(folder)["ConfigMap", "levata-jwks"]["data"]["jwks.json"])["keys"]
        assert len(known) == 2
        assert old in known


@pytest.mark.parametrize("rotated", ROTATED)
def test_where_no_set_is_nothing_is_rotated_and_nothing_made(
    rotated: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = Path(shutil.copytree(made / "keys", tmp_path / "keys"))
    before = contents(elsewhere)
    for folder in (elsewhere, tmp_path / "new"):
        assert main(["--out", str(folder), "--rotate", rotated]) == 1
        assert f"nothing to rotate in {folder}: {ROTATED[rotated]} is missing" in capsys.readouterr().err
    assert contents(elsewhere) == before
    assert not (tmp_path / "new").exists()


def test_what_cannot_be_made_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "keys/signing-key.pem").write_text("damaged")
    assert main(["--out", str(folder)]) == 1
    assert "signing-key.pem is damaged" in capsys.readouterr().err
