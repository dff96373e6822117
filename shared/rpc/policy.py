"""How channels to the club behave, those of services and those of clients: which calls are tried again, over which
servers they are spread, and how soon a server that comes and goes is noticed.

Every change carries a request id and every other call only reads, so that any unary call may be made again. What was
answered may not: only these codes say that another server, or the same one later, may give an answer.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

import grpc

RETRIABLE: Final = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
"""A server is away, drains, or misses something that it needs; or it stopped in the very moment in which the call
arrived, which gRPC ends with CANCELLED. What the caller itself cancels is not tried again."""

FIRST_BACKOFF_SECONDS: Final = 0.1
"""The wait before the second try, when the server names none. Each further wait is longer."""
BACKOFF_FACTOR: Final = 2.0

RESUMED: Final[Sequence[tuple[str, str]]] = (
    ("levata.table.v1.TableService", "WatchTable"),
    ("levata.table.v1.TableService", "PlayTable"),
    ("levata.matchmaking.v1.MatchmakingService", "WatchTicket"),
)
"""The streams, service and method: they are opened again by their owners, who know what they have seen, and by nobody
on the way."""

RECONNECTING: Final[Sequence[tuple[str, Any]]] = (
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # While servers are replaced one after another, what a name stands for changes every few seconds; the default of
    # half a minute would leave callers with none but those that are gone.
    ("grpc.dns_min_time_between_resolutions_ms", 1_000),
    # A peer that went without a word is noticed, also where nothing is to be said for long.
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
)
"""Options of every channel."""


def service_config(*, attempts: int = 1, longest_backoff_seconds: float = 2.0, by_health: bool = False) -> str:
    """The service config of gRPC: calls go to all servers of a name in turn.

    Args:
        attempts: So often gRPC itself makes a unary call, the first time included; 1 where somebody else repeats it.
        longest_backoff_seconds: The longest wait between two of them.
        by_health: Servers are asked for their health, and one that does not serve is left at once. Only where nothing
            stands between that does not know the health service.
    """
    config: dict[str, Any] = {"loadBalancingConfig": [{"round_robin": {}}]}
    if by_health:
        config["healthCheckConfig"] = {"serviceName": ""}
    if attempts > 1:
        policy = {
            "maxAttempts": attempts,
            "initialBackoff": f"{FIRST_BACKOFF_SECONDS}s",
            "maxBackoff": f"{longest_backoff_seconds}s",
            "backoffMultiplier": BACKOFF_FACTOR,
            "retryableStatusCodes": [code.name for code in RETRIABLE],
        }
        streams = [{"service": service, "method": method} for service, method in RESUMED]
        config["methodConfig"] = [{"name": [{}], "retryPolicy": policy}, {"name": streams}]
    return json.dumps(config)
