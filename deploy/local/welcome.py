"""What a person reads when the club is up."""

import shlex

from deploy.local.settings import LocalSettings


def welcome(settings: LocalSettings) -> str:
    """Addresses, and what to do next."""
    rows = [
        (name if copy == 0 else f"{name} {copy + 1}", settings.port(name, copy), settings.metrics_port(name, copy))
        for name in ("table", "matchmaking", "bot", "ledger")
        for copy in range(settings.copies(name))
    ]
    host = settings.host
    elsewhere = settings.state != LocalSettings.model_fields["state"].default
    here = f"LEVATA_STATE={shlex.quote(str(settings.state))} " if elsewhere else ""
    return "\n".join(
        [
            "",
            "The club is up.",
            "",
            "  service        gRPC                   metrics",
            *(
                f"  {name:<14} {host + ':' + str(port):<22} http://{host}:{metrics}/metrics"
                for name, port, metrics in rows
            ),
            f"  NATS           {host}:{settings.nats_port}",
            *(
                [
                    f"  edge           http://{host}:{settings.edge_port:<14} "
                    f"http://{host}:{settings.edge_metrics_port}/metrics   (gRPC, and gRPC-Web for browsers)"
                ]
                if settings.edge
                else []
            ),
            "",
            f"  Kept in        {settings.state}/  (remove it to begin afresh)",
            f"  Logs in        {settings.state}/logs/",
            "",
            "What next: open a second terminal in this folder, and",
            "",
            f"  {here}make play      sit down at a table against bots",
            f"  {here}make demo      watch four bots play a whole match",
            "",
            "Ctrl-C here stops the club; games that are not over go on after the next `make up`.",
            "",
        ]
    )
