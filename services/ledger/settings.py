"""What the ledger service can be told, beside what every service can: environment variables `LEVATA_…`."""

from datetime import timedelta
from pathlib import Path

from pydantic import Field, SecretStr, field_validator

from services.ledger.attempt_limit import AttemptLimit
from services.ledger.database_kind import database_kind
from shared.settings import ServiceSettings
from shared.streams import CONSUMERS


class LedgerSettings(ServiceSettings):
    """Settings of the ledger service."""

    listen: str = Field("127.0.0.1:7004", description="Address for gRPC, host:port; port 0 for any free one.")
    metrics_listen: str = Field("127.0.0.1:7104", description="Address for /metrics, /livez and /readyz over HTTP.")
    database_url: SecretStr = Field(
        SecretStr("sqlite:///.state/ledger.db"),
        description="sqlite:///relative/path.db, sqlite:////absolute/path.db or postgresql://user:secret@host/name.",
    )
    database_pool_size: int = Field(5, ge=1, le=100, description="Connections to the database at most.")
    migrate_at_start: bool | None = Field(
        None, description="Bring the database up to date at start; left open, only SQLite is."
    )
    signing_key_file: Path = Field(
        Path("signing-key.pem"), description="The Ed25519 key that tokens are signed with, PEM."
    )
    access_token_seconds: int = Field(900, ge=30, le=86_400, description="How long an access token is good.")
    refresh_token_seconds: int = Field(
        30 * 86_400, ge=60, le=366 * 86_400, description="How long a refresh token is good."
    )
    sign_in_attempts: int = Field(10, ge=1, description="Failures to sign in under one name before one has to wait.")
    sign_in_window_seconds: int = Field(900, ge=1, description="How long failures are remembered.")
    password_threads: int = Field(2, ge=1, le=64, description="Passwords hashed at once; each takes 64 MiB meanwhile.")
    results_concurrency: int = Field(
        CONSUMERS["ledger"].concurrency, ge=1, le=64, description="Results posted at once."
    )
    outbox_look_seconds: float = Field(
        15.0, gt=0, description="How often the outbox is looked into without being woken: for what a dead process left."
    )
    outbox_keep_days: int = Field(7, ge=1, description="How long told facts stay in the outbox.")

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: SecretStr) -> SecretStr:
        database_kind(value.get_secret_value())
        return value

    @property
    def migrates_at_start(self) -> bool:
        """Whether the database is brought up to date at start."""
        if self.migrate_at_start is not None:
            return self.migrate_at_start
        return database_kind(self.database_url.get_secret_value()) == "sqlite"

    @property
    def attempt_limit(self) -> AttemptLimit:
        """The limit on failures to sign in."""
        return AttemptLimit(self.sign_in_attempts, timedelta(seconds=self.sign_in_window_seconds))
