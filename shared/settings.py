"""Settings of the services: environment variables with the prefix `LEVATA_`, typed, and defined here for all of them.

A service adds its own by a subclass of `ServiceSettings` in its own folder.
"""

import os
import socket
import sys
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict


def default_instance() -> str:
    """The name of this process among its likes: host and process id."""
    return f"{socket.gethostname()}-{os.getpid()}"


class IssuerSettings(BaseModel):
    """A foreign issuer whose tokens are accepted beside our own."""

    issuer: str = Field(min_length=1, description="The tokens' `iss`.")
    jwks_file: Path = Field(description="Its public keys: a JWKS document (RFC 7517).")
    audience: str = Field(min_length=1, description="The tokens' `aud`.")
    subject_prefix: str = Field(
        pattern=r"^[a-z0-9]{1,16}$",
        description="Put with a dash before the tokens' `sub`, so that no foreign player can pass for one of ours.",
    )


class ServiceSettings(BaseSettings):
    """What every service can be told."""

    model_config = SettingsConfigDict(env_prefix="LEVATA_", extra="ignore")

    listen: str = Field("127.0.0.1:0", description="Address for gRPC, host:port; port 0 for any free one.")
    metrics_listen: str = Field("127.0.0.1:0", description="Address for /metrics, /livez and /readyz over HTTP.")
    nats_url: str = Field("nats://127.0.0.1:7222", description="NATS servers, separated by commas.")
    nats_user: str | None = Field(None, description="User at NATS; it also names the inboxes: `_INBOX.<user>.>`.")
    nats_password: SecretStr | None = Field(None, description="Password at NATS.")
    replicas: int = Field(1, ge=1, le=5, description="Copies of every JetStream stream.")
    publish_seconds: float = Field(
        5.0, gt=0, description="A publish that is not acknowledged within so many seconds has failed."
    )
    log_format: Literal["console", "json"] = Field("console", description="Log lines for people, or for machines.")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="The least that is logged.")
    jwks_file: Path = Field(Path("jwks.json"), description="Public keys that our tokens are verified with.")
    issuer: str = Field("levata", description="Our tokens' `iss`.")
    audience: str = Field("levata", description="Our tokens' `aud`.")
    foreign_issuers: list[IssuerSettings] = Field(
        default_factory=list, description="Other issuers whose tokens are accepted, as a JSON list."
    )
    service_token_file: Path | None = Field(None, description="The token that this service calls others with.")
    drain_seconds: float = Field(10.0, ge=0, description="Time to finish what is going on after SIGTERM.")
    linger_seconds: float = Field(
        0.0,
        ge=0,
        description="A server that has drained goes on refusing until nobody has called for so long, three times as "
        "long at most: where others look for it by its health or its name, they have noticed by then.",
    )
    readiness_seconds: float = Field(2.0, gt=0, description="How often the readiness checks are made.")
    connection_age_seconds: float = Field(
        0.0,
        ge=0,
        description="Callers are asked to connect anew when a connection is so old, which is how they find servers "
        "that were added; calls and streams on the old one go on to their end. 0: never.",
    )
    otlp_endpoint: str = Field(
        "",
        pattern=r"^(https?://[^/\s]+)?$",
        description="Where traces are sent to by OTLP over gRPC, such as http://collector:4317; empty: there are none.",
    )
    trace_share: float = Field(1.0, ge=0, le=1, description="Of the traces that begin here this share is kept.")
    max_concurrent_rpcs: int = Field(20_000, ge=1, description="More calls and streams at once are refused.")
    instance: str = Field(default_factory=default_instance, description="Name of this process in logs and leases.")

    def printable(self) -> dict[str, Any]:
        """All settings as JSON values, secrets masked."""
        return self.model_dump(mode="json")


S = TypeVar("S", bound=ServiceSettings)


def settings_from_environment(name: str, settings_type: type[S]) -> S:
    """The settings of the service `name`; ends the process, with what is wrong on stderr, when they are not right."""
    try:
        return settings_type()
    except ValidationError as error:
        # Without the values: they may be secrets.
        wrong = "\n".join(f"  {'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        sys.exit(f"{name}: the settings (LEVATA_…) are not right:\n{wrong}")
