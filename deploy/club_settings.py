"""What commands that look after a club are told by their environment: its NATS, and the database of its ledger."""

from pydantic import Field, SecretStr, field_validator

from services.ledger.database_kind import database_kind
from shared.settings import ServiceSettings


class ClubSettings(ServiceSettings):
    """Where the club is.

    With a user of NATS (`LEVATA_NATS_USER`) it is the club that the environment names, as in a cluster; without one the
    local club of a state directory.
    """

    database_url: SecretStr = Field(
        SecretStr(""), description="The ledger's database: sqlite:////path.db or postgresql://user:secret@host/name."
    )

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value():
            database_kind(value.get_secret_value())
        return value
