"""Appends that nobody acknowledges: the change is made once, whether they were stored or not, and so is the rest."""

import time
from collections.abc import AsyncIterator
from enum import Enum
from typing import Any

import pytest

from services.table import commands as c
from services.table import facts as f
from services.table import live as live_module
from services.table.clocks import Limits
from services.table.decide import Circumstances
from services.table.live import LiveTable, Means
from services.table.log import Stored, TableLog
from services.table.metrics import TableMetrics
from services.table.state import TableState
from services.table.timers import Timers
from services.table.turns import Turns, TurnTokens
from shared import stream_setup
from shared.bus import Bus, BusUnavailable
from shared.metrics import Metrics
from shared.personas import PERSONA_NAMES
from shared.traces import Trace
from tests.support.tables import ANA
from tests.support.waiting import until

TABLE = "t" * 24
ASKED = f.Request("p-ana", "request-1", "x")


class Fate(Enum):
    """What becomes of an append that is not acknowledged."""

    STORED = "stored"
    LOST = "lost"


class Doubtful(TableLog):
    """A log that does not acknowledge the next appends, and may not answer for a while.

    Attributes:
        fates: What becomes of them.
        unread: So often it cannot be read.
    """

    def __init__(self, bus: Bus) -> None:
        super().__init__(bus)
        self.fates: list[Fate] = []
        self.unread = 0

    async def append(self, table: str, data: bytes, expected: int) -> int:
        if not self.fates:
            return await super().append(table, data, expected)
        if self.fates.pop(0) is Fate.STORED:
            await super().append(table, data, expected)
        raise BusUnavailable("no acknowledgement", maybe_stored=True)

    async def read(self, table: str, after: int = 0) -> list[Stored]:
        if self.unread:
            self.unread -= 1
            raise BusUnavailable("no answer")
        return await super().read(table, after)


class Doubted:
    """A table, its log, and the changes that something followed from.

    Attributes:
        log: The log.
        live: The table.
        followed: Revisions before and after each change.
    """

    def __init__(self, bus: Bus) -> None:
        self.log = Doubtful(bus)
        self.followed: list[tuple[int, int]] = []
        means = Means(
            self.log,
            Timers(bus),
            lambda: Circumstances(time.time_ns() // 1_000_000, lambda size: b"\1" * size, Limits(), PERSONA_NAMES),
            TableMetrics(Metrics("table")),
            self._react,
            lambda live: None,
        )
        self.live = LiveTable(TABLE, means)

    def _react(self, live: LiveTable, before: TableState, after: TableState) -> None:
        self.followed.append((before.revision, after.revision))

    async def said(self) -> int:
        """How often something was said, by the log."""
        records = [f.decode(data) for _, data in await TableLog.read(self.log, TABLE)]
        return sum(isinstance(fact, f.ChatSaid) for record in records for fact in record.facts)


@pytest.fixture
async def table(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Doubted]:
    monkeypatch.setattr(live_module, "RETRY_SECONDS", 0.01)
    await stream_setup.ensure(bus, ["TABLES", "TIMERS"])
    made = Doubted(bus)
    await made.live.open()
    await made.live.execute(c.CreateTable(TABLE, f.Options(game="arzoi", seats=3), host=ANA))
    made.followed.clear()
    yield made
    await made.live.close()


@pytest.mark.parametrize(
    "fates", [[Fate.STORED], [Fate.LOST], [Fate.LOST, Fate.STORED], [Fate.LOST, Fate.LOST]], ids=str
)
async def test_a_change_that_was_not_acknowledged_is_made_once_and_answered(table: Doubted, fates: list[Fate]) -> None:
    table.log.fates = fates
    assert await table.live.execute(c.Say(ANA.player, "noroc"), ASKED) == 2
    assert await table.said() == 1
    assert table.followed == [(1, 2)]
    # A repeat gets the same answer.
    assert await table.live.execute(c.Say(ANA.player, "noroc"), ASKED) == 2
    assert await table.said() == 1


async def test_what_follows_is_done_although_the_caller_was_told_that_nobody_knows(table: Doubted) -> None:
    table.log.fates, table.log.unread = [Fate.STORED], 3
    with pytest.raises(BusUnavailable):
        await table.live.execute(c.Say(ANA.player, "noroc"), ASKED)
    await until(lambda: table.followed == [(1, 2)])
    assert await table.live.execute(c.Say(ANA.player, "noroc"), ASKED) == 2
    assert await table.said() == 1


async def test_a_command_does_not_go_on_for_ever(table: Doubted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "DOUBT_SECONDS", 0.0)
    table.log.fates = [Fate.STORED]
    with pytest.raises(BusUnavailable):
        await table.live.execute(c.Say(ANA.player, "noroc"), ASKED)
    await until(lambda: table.followed == [(1, 2)])


async def test_a_turn_that_was_not_acknowledged_is_offered_again(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    await stream_setup.ensure(bus, ["TABLES", "TIMERS", "BOT_TURNS"])
    live = Doubted(bus).live
    await live.open()
    await live.execute(c.CreateTable(TABLE, f.Options(game="arzoi", seats=3), maker="matchmaking"))
    assert live.state.decision is not None
    metrics, publish, failures = Metrics("turns"), bus.publish, 2

    async def unsteady(subject: str, data: bytes, **more: Any) -> int:
        nonlocal failures
        if failures:
            failures -= 1
            raise BusUnavailable("no acknowledgement", maybe_stored=True)
        return await publish(subject, data, **more)

    monkeypatch.setattr(bus, "publish", unsteady)
    await Turns(bus, TurnTokens(b"t" * 32), TableMetrics(metrics), 20_000).publish(live, Trace())
    assert (await bus.js.stream_info("BOT_TURNS")).state.messages == 1
    assert metrics.value("levata_bot_turns_published_total") == 1
    await live.close()
