"""What an operator works with: the connection to the club, opened when a command wants it, and the audit."""

import contextlib
import time
from collections.abc import AsyncIterator
from typing import Final

from deploy.admin.errors import AdminError
from deploy.club_settings import ClubSettings
from services.table.log import TableLog
from services.table.operating import Operator
from services.table.timers import Timers
from shared import audit
from shared.bus import Bus, BusRefused, BusUnavailable
from shared.dead_letters import DeadLetters
from shared.metrics import Metrics
from shared.roll_call import RollCall

NAME: Final = "operator"


class Desk:
    """The place of one operator.

    Attributes:
        by: The operator's name, for logs.
        bus: The connection to NATS.
        log: The log of tables.
        operator: What can be done at tables.
        letters: Dead letters.
        roll_call: The servers.
    """

    def __init__(self, by: str, bus: Bus) -> None:
        self.by = by
        self.bus = bus
        self.log = TableLog(bus)
        self.operator = Operator(self.log, Timers(bus), self.now)
        self.letters = DeadLetters(bus)
        self.roll_call = RollCall(bus)

    @staticmethod
    def now() -> int:
        """Milliseconds since the epoch."""
        return time.time_ns() // 1_000_000

    async def note(self, did: str, to: str, why: str) -> None:
        """Writes into the audit what is about to be done. Raises `AdminError`: then it must not be done."""
        try:
            await audit.note(self.bus, audit.Act(self.by, did, to, why))
        except (BusUnavailable, BusRefused) as error:
            raise AdminError(f"nothing was done, because it could not be entered in the audit: {error}") from error


@contextlib.asynccontextmanager
async def seated(settings: ClubSettings, by: str) -> AsyncIterator[Desk]:
    """A desk with an open connection. Raises `AdminError` when NATS does not let the operator in."""
    try:
        bus = await Bus.connect(settings, Metrics(NAME), f"{NAME} {by}")
    except BusUnavailable as error:
        raise AdminError(
            f"no club seems to be up at {settings.nats_url}: NATS there does not answer, or not to this user ({error})"
        ) from error
    try:
        yield Desk(by, bus)
    finally:
        await bus.close()
