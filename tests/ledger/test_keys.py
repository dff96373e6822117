"""Keys, the JWKS document and the services' tokens."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from services.ledger.keys import (
    JWKS_FILE,
    SERVICES,
    SIGNING_FILE,
    AccessTokens,
    SigningKey,
    published_keys,
    write_keys,
)
from shared.auth import Issuer, Verifier
from shared.errors import LevataError
from tests.support.ledger import EVENING, Entropy


def made(folder: Path, seed: int = 1, rotate: bool = False, days: float = 0.0) -> dict[str, bytes]:
    """What is in the folder after the keys were made."""
    write_keys(folder, EVENING + timedelta(days=days), Entropy(seed), "levata", "levata", rotate)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def verifier(folder: Path, days: float = 0.0) -> Verifier:
    """What every service verifies tokens with."""
    moment = (EVENING + timedelta(days=days)).timestamp()
    return Verifier([Issuer("levata", "levata", folder / JWKS_FILE)], now=lambda: moment)


def test_the_command_makes_a_key_a_jwks_document_and_a_token_for_every_service(tmp_path: Path) -> None:
    files = made(tmp_path / "keys")
    assert set(files) == {SIGNING_FILE, JWKS_FILE, *(f"service-{name}.jwt" for name in SERVICES)}
    for name in SERVICES:
        who = verifier(tmp_path / "keys").verify(files[f"service-{name}.jwt"].decode())
        assert (who.player_id, who.name, who.is_service) == (f"service:{name}", name, True)


def test_secret_files_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    made(tmp_path / "keys")
    for path in (tmp_path / "keys").iterdir():
        assert path.stat().st_mode & 0o777 == (0o644 if path.name == JWKS_FILE else 0o600)


def test_making_keys_again_changes_nothing(tmp_path: Path) -> None:
    assert made(tmp_path, seed=1) == made(tmp_path, seed=2, days=300)


def test_what_is_missing_is_made_and_the_rest_stays(tmp_path: Path) -> None:
    before = made(tmp_path)
    (tmp_path / "service-bot.jwt").unlink()
    (tmp_path / JWKS_FILE).unlink()
    after = made(tmp_path, seed=2)
    assert after[SIGNING_FILE] == before[SIGNING_FILE]
    assert json.loads(after[JWKS_FILE]) == json.loads(before[JWKS_FILE])
    assert verifier(tmp_path).verify(after["service-bot.jwt"].decode()).name == "bot"


def test_a_service_token_that_ends_soon_is_made_anew(tmp_path: Path) -> None:
    before = made(tmp_path)
    after = made(tmp_path, days=3650 - 100)
    assert after["service-bot.jwt"] != before["service-bot.jwt"]
    assert verifier(tmp_path, days=3650 + 100).verify(after["service-bot.jwt"].decode()).is_service


def test_two_that_make_keys_at_once_agree(tmp_path: Path) -> None:
    for attempt in range(10):
        folder = tmp_path / str(attempt)
        barrier = threading.Barrier(2)

        def make(seed: int, folder: Path = folder, barrier: threading.Barrier = barrier) -> None:
            barrier.wait(30)
            write_keys(folder, EVENING, Entropy(seed), "levata", "levata")

        with ThreadPoolExecutor(2) as threads:
            list(threads.map(make, (1, 2)))
        signing = SigningKey.read(folder / SIGNING_FILE)
        keys = json.loads((folder / JWKS_FILE).read_text())["keys"]
        assert [key["kid"] for key in keys] == [signing.key_id]
        assert verifier(folder).verify((folder / "service-table.jwt").read_text()).is_service
        assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_after_a_rotation_old_and_new_tokens_are_good_and_new_ones_have_the_new_key(tmp_path: Path) -> None:
    old_token = made(tmp_path)["service-table.jwt"].decode()
    old = SigningKey.read(tmp_path / SIGNING_FILE)
    new_token = made(tmp_path, seed=2, rotate=True)["service-table.jwt"].decode()
    new = SigningKey.read(tmp_path / SIGNING_FILE)
    assert new.key_id != old.key_id
    assert jwt.get_unverified_header(new_token)["kid"] == new.key_id
    both = verifier(tmp_path)
    assert both.verify(old_token).is_service
    assert both.verify(new_token).is_service


def test_the_published_document_always_holds_the_signing_key(tmp_path: Path) -> None:
    made(tmp_path)
    signing = SigningKey.read(tmp_path / SIGNING_FILE)
    for file in (tmp_path / JWKS_FILE, tmp_path / "missing.json"):
        keys = json.loads(published_keys(file, signing))["keys"]
        assert [key["kid"] for key in keys] == [signing.key_id]
        assert all("d" not in key for key in keys)  # the private half


def test_a_key_has_the_id_that_the_jwks_document_gives_it(tmp_path: Path) -> None:
    made(tmp_path)
    document = json.loads((tmp_path / JWKS_FILE).read_text())
    document["keys"][0]["kid"] = "named-elsewhere"
    (tmp_path / JWKS_FILE).write_text(json.dumps(document))
    signing = SigningKey.read(tmp_path / SIGNING_FILE, tmp_path / JWKS_FILE)
    assert signing.key_id == "named-elsewhere"
    token, _ = AccessTokens(signing, "levata", "levata", timedelta(minutes=15)).for_player("p", "Ana", EVENING)
    assert verifier(tmp_path).verify(token).name == "Ana"


def test_an_access_token_ends_when_it_says(tmp_path: Path) -> None:
    made(tmp_path)
    access = AccessTokens(SigningKey.read(tmp_path / SIGNING_FILE), "levata", "levata", timedelta(minutes=15))
    token, expires_at = access.for_player("p", "Ana", EVENING)
    assert expires_at == EVENING + timedelta(minutes=15)
    assert verifier(tmp_path).verify(token).roles == frozenset()
    with pytest.raises(LevataError) as refused:
        verifier(tmp_path, days=1).verify(token)
    assert refused.value.reason == "TOKEN_EXPIRED"


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    pem = generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / SIGNING_FILE).write_bytes(pem)
    with pytest.raises(ValueError, match="Ed25519"):
        SigningKey.read(tmp_path / SIGNING_FILE)
