"""Settings of the matchmaking service."""

from typing import Self

from pydantic import Field, model_validator

from shared.settings import ServiceSettings


class MatchmakingSettings(ServiceSettings):
    """What the matchmaking service can be told beside what every service can."""

    table_address: str = Field("127.0.0.1:7001", description="Where the table service answers gRPC.")
    limit_seconds: float = Field(
        30.0, gt=0, description="When somebody has waited so long, bots take the seats that are free."
    )
    ticket_seconds: float = Field(
        600.0, gt=0, description="A ticket for which no table could be made in so many seconds runs out."
    )
    ticket_keep_seconds: int = Field(
        86_400, ge=60, description="Tickets that are over are remembered for so long after a player's last one."
    )
    lease_seconds: float = Field(
        6.0, ge=1, le=10, description="A matcher that has not been heard of for so long is replaced by another process."
    )
    wave_seconds: float = Field(2.0, gt=0, description="A matcher looks again after so long even if nothing happened.")
    table_seconds: float = Field(5.0, gt=0, description="How long one attempt to make a table may take.")
    groups_per_wave: int = Field(64, ge=1, le=256, description="At most so many tables are made in one wave.")

    @model_validator(mode="after")
    def _limit_comes_first(self) -> Self:
        if self.ticket_seconds <= self.limit_seconds:
            raise ValueError("ticket_seconds must be longer than limit_seconds, or tickets run out before bots come")
        return self
