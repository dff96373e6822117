"""What the table service can be told beyond what every service can."""

from pathlib import Path

from pydantic import Field

from services.table.clocks import Limits
from shared.settings import ServiceSettings


class TableSettings(ServiceSettings):
    """Settings of the table service."""

    turn_key_file: Path = Field(
        Path("turn.key"), description="Secret of at least 32 bytes; the same for all table processes."
    )
    bot_milliseconds: int = Field(5_000, ge=1, description="After this a table plays for a bot that has not answered.")
    waiting_absence_seconds: int = Field(
        120, ge=1, description="A vanished player keeps a seat so long before the start."
    )
    abandoned_seconds: int = Field(600, ge=1, description="A match without any person present is stopped after this.")
    keep_seconds: int = Field(3_600, ge=0, description="A table that is over can be watched so long.")
    post_seconds: int = Field(
        5, ge=1, description="A result that is not certain to be posted is posted again after this."
    )
    tables_per_host: int = Field(10, ge=1, description="A person may be host of so many open tables.")

    def limits(self) -> Limits:
        """How long a table waits for what."""
        return Limits(
            bot=self.bot_milliseconds,
            waiting_absence=self.waiting_absence_seconds * 1000,
            abandoned=self.abandoned_seconds * 1000,
            post=self.post_seconds * 1000,
            keep=self.keep_seconds * 1000,
        )
