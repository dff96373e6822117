"""A Prometheus for a club that is no cluster: its rules, and where each job shows its figures."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from deploy.local.settings import LocalSettings
from deploy.monitoring.rules import NAMESPACE

SERVICES: Final = ("table", "matchmaking", "bot", "ledger")
Targets = Mapping[str, Sequence[str]]
"""Addresses, host:port, by job."""


def targets(settings: LocalSettings) -> Targets:
    """Where the processes of a local club show their figures."""
    return dict(_targets(settings))


def _targets(settings: LocalSettings) -> Iterator[tuple[str, Sequence[str]]]:
    for job in SERVICES:
        ports = (settings.metrics_port(job, copy) for copy in range(settings.copies(job)))
        yield job, [f"127.0.0.1:{port}" for port in ports]
    if settings.edge:
        yield "edge", [f"127.0.0.1:{settings.edge_metrics_port}"]


def write(folder: Path, rules: Mapping[str, Any], watched: Targets, every_seconds: float = 15.0) -> Path:
    """Writes what Prometheus wants to read into a folder; the file to start it with.

    Args:
        folder: An existing one.
        rules: Groups of rules.
        watched: What is scraped.
        every_seconds: How often it is scraped, and the rules are worked out.
    """
    every = f"{every_seconds * 1000:.0f}ms"
    configuration = {
        "global": {"scrape_interval": every, "scrape_timeout": every, "evaluation_interval": every},
        "rule_files": ["rules.yaml"],
        "scrape_configs": [
            {"job_name": job, "static_configs": [{"targets": list(addresses), "labels": {"namespace": NAMESPACE}}]}
            for job, addresses in watched.items()
        ],
    }
    (folder / "rules.yaml").write_text(yaml.safe_dump(rules, sort_keys=False))
    file = folder / "prometheus.yaml"
    file.write_text(yaml.safe_dump(configuration, sort_keys=False))
    return file
