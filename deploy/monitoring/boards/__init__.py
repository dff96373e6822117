"""The dashboards: what is on each, and why."""

from collections.abc import Sequence
from typing import Final

from deploy.monitoring.boards.ground import EDGE, LEDGER, NATS
from deploy.monitoring.boards.overview import OVERVIEW
from deploy.monitoring.boards.play import BOTS, QUEUES, TABLES
from deploy.monitoring.boards.services import SERVICES
from deploy.monitoring.panels import Board

BOARDS: Final[Sequence[Board]] = (OVERVIEW, SERVICES, TABLES, BOTS, QUEUES, LEDGER, NATS, EDGE)
"""All of them, the one to look at first in front."""
