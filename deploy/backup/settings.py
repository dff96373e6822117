"""What a backup and a restore are told by their environment where they do not run beside a local club."""

from pathlib import Path

from pydantic import Field, SecretStr, field_validator

from services.ledger.database import database_url
from shared.settings import ServiceSettings


class BackupSettings(ServiceSettings):
    """Settings of `levata backup` and `levata restore`.

    With a user of NATS (`LEVATA_NATS_USER`) they are for the club that the environment names, as in a cluster; without
    one for the local club of a state directory.
    """

    backup_directory: Path | None = Field(
        None, description="Where backups are; for a command that is not told, it is a series."
    )
    backup_keep: int = Field(42, ge=1, description="So many backups of a series are kept: the newest.")
    backup_name: str = Field("", description="The backup of a series to restore; empty: the newest.")
    restore_database: bool = Field(True, description="Restore the database too; else it has been by other means.")
    database_url: SecretStr = Field(
        SecretStr(""), description="The ledger's database: sqlite:////path.db or postgresql://user:secret@host/name."
    )

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value():
            database_url(value.get_secret_value())
        return value
