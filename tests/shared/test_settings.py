"""Settings come from the environment, typed."""

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from shared.settings import ServiceSettings


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("LEVATA_")]:
        monkeypatch.delenv(name)


def test_the_environment_is_read_by_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEVATA_LISTEN", "0.0.0.0:7001")
    monkeypatch.setenv("LEVATA_REPLICAS", "3")
    monkeypatch.setenv("LEVATA_NATS_PASSWORD", "s3cret")
    monkeypatch.setenv("LEVATA_SERVICE_TOKEN_FILE", "/keys/service-table.jwt")
    monkeypatch.setenv(
        "LEVATA_FOREIGN_ISSUERS",
        '[{"issuer": "https://id.example", "jwks_file": "/keys/x.json", "audience": "cards", "subject_prefix": "ex"}]',
    )
    monkeypatch.setenv("LEVATA_OF_ANOTHER_SERVICE", "x")
    settings = ServiceSettings()
    assert (settings.listen, settings.replicas) == ("0.0.0.0:7001", 3)
    assert settings.nats_password is not None
    assert settings.nats_password.get_secret_value() == "s3cret"
    assert settings.service_token_file == Path("/keys/service-table.jwt")
    assert settings.foreign_issuers[0].subject_prefix == "ex"


def test_the_defaults_are_those_of_a_laptop() -> None:
    settings = ServiceSettings()
    assert settings.nats_url == "nats://127.0.0.1:7222"
    assert settings.replicas == 1
    assert settings.listen == "127.0.0.1:0"
    assert str(os.getpid()) in settings.instance


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LEVATA_REPLICAS", "0"),
        ("LEVATA_LOG_LEVEL", "loud"),
        ("LEVATA_PUBLISH_SECONDS", "0"),
        # A foreign issuer without a prefix could make tokens for any of our players.
        (
            "LEVATA_FOREIGN_ISSUERS",
            '[{"issuer": "x", "jwks_file": "x", "audience": "x", "subject_prefix": ""}]',
        ),
    ],
)
def test_what_makes_no_sense_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ValidationError):
        ServiceSettings()


def test_every_setting_says_what_it_is() -> None:
    assert [name for name, field in ServiceSettings.model_fields.items() if not field.description] == []
