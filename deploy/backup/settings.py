"""What a backup and a restore are told by their environment where they do not run beside a local club."""

from pydantic import Field, SecretStr, field_validator

from services.ledger.database import database_url
from shared.settings import ServiceSettings


class BackupSettings(ServiceSettings):
    """Settings of `levata backup` and `levata restore`.

    With a user of NATS (`LEVATA_NATS_USER`) they are for the club that the environment names, without one for the local
    club of a state directory.
    """

    database_url: SecretStr = Field(
        SecretStr(""), description="The ledger's database: sqlite:////path.db or postgresql://user:secret@host/name."
    )

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value():
            database_url(value.get_secret_value())
        return value
