"""Where a local club keeps its state and which ports it uses."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from deploy.edge.render import LOCAL_ORIGINS

BETWEEN_COPIES = 10
"""The second table process listens ten ports above the first, and so on."""


class LocalSettings(BaseSettings):
    """Settings of a local club, each from the environment variable `LEVATA_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="LEVATA_", extra="ignore", frozen=True)

    state: Path = Path(".state")
    """Directory of everything that is kept: streams, database, keys, logs."""
    host: str = "127.0.0.1"
    """Address to listen on; 0.0.0.0 lets other machines in."""
    table_port: int = Field(7001, ge=1, le=65535)
    matchmaking_port: int = Field(7002, ge=1, le=65535)
    bot_port: int = Field(7003, ge=1, le=65535)
    ledger_port: int = Field(7004, ge=1, le=65535)
    table_metrics_port: int = Field(7101, ge=1, le=65535)
    matchmaking_metrics_port: int = Field(7102, ge=1, le=65535)
    bot_metrics_port: int = Field(7103, ge=1, le=65535)
    ledger_metrics_port: int = Field(7104, ge=1, le=65535)
    nats_port: int = Field(7222, ge=1, le=65535)
    nats_monitor_port: int = Field(7122, ge=1, le=65535)
    nats_server: str = "nats-server"
    """The NATS server's binary: a path, or a name looked for beside Python and in PATH."""
    nats_sync_interval: str = "always"
    """When NATS flushes to disk: `always` before it acknowledges, or an interval such as `2m`."""
    tables: int = Field(1, ge=1, le=9)
    """Processes of the table service."""
    bots: int = Field(1, ge=1, le=9)
    """Processes of the bot service."""
    edge: bool = False
    """Run Envoy before the services, as in a cluster: gRPC, gRPC-Web for browsers, tokens and limits at the door."""
    edge_port: int = Field(7080, ge=1, le=65535)
    edge_metrics_port: int = Field(7180, ge=1, le=65535)
    edge_origins: str = LOCAL_ORIGINS
    """Regular expression for the origins of pages that may call the edge."""
    envoy: str = "envoy"
    """Envoy's binary: a path, or a name looked for beside Python and in PATH."""
    drain_seconds: float = Field(10.0, ge=0.0, le=600.0)
    """How long a service may take to end what it has begun when it is stopped."""

    def copies(self, service: str) -> int:
        """How many processes of a service run."""
        return {"table": self.tables, "bot": self.bots}.get(service, 1)

    def port(self, service: str, copy: int = 0) -> int:
        """Port of the gRPC server of a service's process; copies count from 0."""
        first: int = getattr(self, f"{service}_port")
        return first + BETWEEN_COPIES * copy

    def metrics_port(self, service: str, copy: int = 0) -> int:
        """Port of the metrics of a service's process."""
        return self.port(f"{service}_metrics", copy)

    def ports(self) -> Iterator[tuple[int, str, str]]:
        """Every port in use: its number, what for, and the variable that chooses another."""
        yield self.nats_port, "NATS", "LEVATA_NATS_PORT"
        yield self.nats_monitor_port, "the monitoring of NATS", "LEVATA_NATS_MONITOR_PORT"
        if self.edge:
            yield self.edge_port, "the edge", "LEVATA_EDGE_PORT"
            yield self.edge_metrics_port, "the metrics of the edge", "LEVATA_EDGE_METRICS_PORT"
        for service in ("table", "matchmaking", "bot", "ledger"):
            for copy in range(self.copies(service)):
                which = service if copy == 0 else f"{service} {copy + 1}"
                yield self.port(service, copy), f"the {which} service", f"LEVATA_{service.upper()}_PORT"
                yield (
                    self.metrics_port(service, copy),
                    f"the metrics of the {which} service",
                    f"LEVATA_{service.upper()}_METRICS_PORT",
                )
