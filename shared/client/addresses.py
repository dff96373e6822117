"""Where the club's services answer."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Addresses:
    """One gRPC target for each service, such as `127.0.0.1:7001`, `dns:///table.example:443` or `ipv4:a:1,b:2`.

    Attributes:
        table: The table service.
        matchmaking: The matchmaking service.
        bot: The bot service.
        ledger: Accounts and results.
        tls: Whether the services are reached over TLS.
        root_certificates: PEM to trust instead of the system's; None for the system's.
    """

    table: str = "127.0.0.1:7001"
    matchmaking: str = "127.0.0.1:7002"
    bot: str = "127.0.0.1:7003"
    ledger: str = "127.0.0.1:7004"
    tls: bool = False
    root_certificates: bytes | None = None

    @classmethod
    def behind(cls, target: str, *, tls: bool = True, root_certificates: bytes | None = None) -> Self:
        """All services behind one door, as a gateway offers them."""
        return cls(target, target, target, target, tls, root_certificates)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """The local defaults, each overruled by its variable, such as `LEVATA_TABLE_ADDRESS`; TLS by `LEVATA_TLS=1`."""
        local = cls()
        return cls(
            table=environment.get("LEVATA_TABLE_ADDRESS") or local.table,
            matchmaking=environment.get("LEVATA_MATCHMAKING_ADDRESS") or local.matchmaking,
            bot=environment.get("LEVATA_BOT_ADDRESS") or local.bot,
            ledger=environment.get("LEVATA_LEDGER_ADDRESS") or local.ledger,
            tls=environment.get("LEVATA_TLS", "") in ("1", "true", "yes"),
        )
