"""Somebody on the wire who delivers again what was delivered, late and out of order."""

import asyncio
import random
from collections import Counter, deque
from collections.abc import Coroutine
from typing import Any

from nats.aio.msg import Msg

from services.table import log, timers
from shared.bus import Bus, BusRefused, BusUnavailable

KEPT = 24
"""It remembers so many messages of a kind, and takes an old one out at random."""


class Gremlin:
    """Hears turns, results and stored records, and sends them again; timers it sends whenever it likes.

    Attributes:
        sent: How many messages of each kind it has sent.
    """

    def __init__(self, bus: Bus, seed: int) -> None:
        self.sent: Counter[str] = Counter()
        self._bus = bus
        self._chance = random.Random(seed)
        self._old: dict[str, deque[Msg]] = {kind: deque(maxlen=KEPT) for kind in ("turn", "record", "result")}
        self._own: set[bytes] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self) -> None:
        """Begins to listen."""
        nc = self._bus.nc
        await nc.subscribe("bot.turns.*", cb=self._turn)
        await nc.subscribe("results.*", cb=self._result)
        await nc.subscribe(f"{log.STORED}.*", cb=self._record)

    async def end(self) -> None:
        """Sends what it still has, the newest first, and is done."""
        for message in reversed(self._old["result"]):
            await self._bus.publish(message.subject, message.data)
        await asyncio.gather(*self._tasks)

    async def _turn(self, message: Msg) -> None:
        if message.data in self._own:
            return
        self._own.add(message.data)
        self._old["turn"].append(message)
        table = message.subject.rpartition(".")[2]
        for old in (message, message, self._chance.choice(self._old["turn"])):
            if self._chance.random() < 0.5:
                self._later(self._publish("turn", old.subject, old.data))
        if self._chance.random() < 0.3:
            self._later(self._publish("timer", f"{timers.DUE}.{table}", b""))

    async def _result(self, message: Msg) -> None:
        if message.data in self._own:
            return
        self._own.add(message.data)
        self._old["result"].append(message)
        for old in (message, *self._old["result"]):
            self._later(self._publish("result", old.subject, old.data))

    async def _record(self, message: Msg) -> None:
        if (message.headers or {}).get("Gremlin"):
            return
        self._old["record"].append(message)
        if self._chance.random() < 0.5:
            old = self._chance.choice(self._old["record"])
            self.sent["record"] += 1
            await self._bus.nc.publish(old.subject, old.data, headers={**(old.headers or {}), "Gremlin": "1"})

    async def _publish(self, kind: str, subject: str, data: bytes) -> None:
        await asyncio.sleep(self._chance.random() * 0.2)
        try:
            await self._bus.publish(subject, data)
        except (BusUnavailable, BusRefused):
            return
        self.sent[kind] += 1

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
