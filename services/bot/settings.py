"""Settings of the bot service."""

from typing import Literal

from pydantic import Field

from shared.settings import ServiceSettings
from shared.streams import CONSUMERS


class BotSettings(ServiceSettings):
    """What the bot service can be told beside what every service can."""

    table_address: str = Field("127.0.0.1:7001", description="Where the table service answers gRPC.")
    concurrency: int = Field(
        CONSUMERS["bots"].concurrency, ge=1, le=10_000, description="Turns at hand at once in this process."
    )
    pace_milliseconds: int = Field(
        700, ge=0, le=10_000, description="About how long a bot takes to act where a person sits at the table."
    )
    pace_alone_milliseconds: int = Field(0, ge=0, le=10_000, description="The same where only bots sit.")
    pace_share: float = Field(
        0.5, ge=0.0, le=0.9, description="Of the time to the deadline at most this share is spent on keeping pace."
    )
    talk_language: Literal["ro", "en"] = Field("ro", description="In which language bots talk.")
    talk_table_gap_seconds: float = Field(8.0, ge=0, description="Least time between two lines at one table.")
    talk_seat_gap_seconds: float = Field(25.0, ge=0, description="Least time between two lines of one bot.")
    answer_seconds: float = Field(2.0, gt=0, description="How long one attempt to submit an action may take.")
