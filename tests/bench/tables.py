"""Live tables as their four players see them: one stream each, playing legal actions as the updates offer them.

A closed loop: a table has one action under way at a time. The next one is sent when the action before has been answered
and every watcher of the table has been told of it, or later, when the pace says so.
"""

import asyncio
import itertools
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc

from shared.gen.levata.table.v1 import game_pb2, table_pb2

Stream = Any
"""A `grpc.aio.StreamStreamCall` of PlayTable."""
Listener = Callable[[int, table_pb2.Update], None]
"""Is told the watcher's number and each update it is sent."""


@dataclass
class Tally:
    """What was counted since the last reset.

    Attributes:
        latencies: Seconds from sending an action until every watcher had its update. On a paced table, from the moment
            it was due, so that waiting for a slow answer counts for the actions behind it as well.
        refused: Answers that were refusals, by reason.
        cut: Streams that ended before their table was left, by status.
    """

    latencies: list[float] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)
    cut: dict[str, int] = field(default_factory=dict)


class Pace:
    """When the actions of one place at the tables are due: every `period` seconds from `first` on; None for at once."""

    def __init__(self, first: float, period: float | None) -> None:
        self._next = first
        self._period = period

    def due(self) -> float:
        """The loop time at which the next action is due."""
        return self._next if self._period else 0.0

    def sent(self) -> None:
        """The action that was due has been sent."""
        if self._period:
            self._next += self._period


class _Watcher:
    """One player's stream."""

    def __init__(self, number: int, stream: Stream) -> None:
        self.number = number
        self.stream = stream
        self.revision = 0
        self.legal: Sequence[game_pb2.GameAction] = ()


class LiveTable:
    """One table and the streams of its players.

    Attributes:
        table_id: Its id.
        players: The accounts at it, in seat order.
        over: It cannot be played at any more: the match ended, or something went wrong, which the tally tells.
        revision: What all watchers have reached.
        sent_at: For each action sent, the revision it was made against.
    """

    def __init__(
        self,
        table_id: str,
        players: Sequence[str],
        rng: random.Random,
        tally: Tally,
        listener: Listener | None = None,
    ) -> None:
        self.table_id = table_id
        self.players = players
        self.over = False
        self.revision = 0
        self.sent_at: list[int] = []
        self._rng = rng
        self._tally = tally
        self._listener = listener
        self._watchers: list[_Watcher] = []
        self._reading: list[asyncio.Task[None]] = []
        self._request_ids = (f"bench-{rng.getrandbits(32):08x}-{number}" for number in itertools.count())
        self._under_way = False
        self._began = 0.0
        self._accepted: int | None = None
        self._left = 0
        self._pace = Pace(0.0, None)
        self._waiting: asyncio.TimerHandle | None = None
        self._rest: asyncio.Future[None] | None = None
        self._opened = asyncio.Event()

    async def open(self, streams: Sequence[Stream]) -> None:
        """Watches on each of the streams; returns when every one has its snapshot and it is somebody's turn."""
        for number, stream in enumerate(streams):
            await stream.write(table_pb2.PlayTableRequest(watch=table_pb2.WatchTableRequest(table_id=self.table_id)))
            self._watchers.append(_Watcher(number, stream))
        self._reading = [asyncio.create_task(self._read(watcher)) for watcher in self._watchers]
        async with asyncio.timeout(60):
            await self._opened.wait()

    async def play(self, actions: int, pace: Pace) -> None:
        """Plays so many actions, fewer if the match ends or `rest` is called."""
        if self.over:
            return
        self._left = actions
        self._pace = pace
        self._rest = asyncio.get_running_loop().create_future()
        await self._proceed()
        await self._rest

    def rest(self) -> None:
        """Sends no more actions; `play` returns when the one under way is done."""
        self._left = 0
        if not self._under_way:
            self._finish()

    async def close(self) -> None:
        """Leaves the table."""
        self.over = True
        for task in self._reading:
            task.cancel()
        for watcher in self._watchers:
            watcher.stream.cancel()
        await asyncio.gather(*self._reading, return_exceptions=True)

    async def _read(self, watcher: _Watcher) -> None:
        try:
            async for message in watcher.stream:
                kind = message.WhichOneof("message")
                if kind == "update":
                    self._update(watcher, message.update)
                elif kind == "reply":
                    self._reply(message.reply)
                await self._proceed()
            status = "OK"
        except grpc.aio.AioRpcError as error:
            status = f"{error.code().name}: {error.details()}"
        if not self.over:
            self._tally.cut[status] = self._tally.cut.get(status, 0) + 1
            self._end()

    def _update(self, watcher: _Watcher, update: table_pb2.Update) -> None:
        watcher.revision = update.revision
        if update.HasField("table"):
            watcher.legal = update.private.legal_actions
            if update.table.status not in (table_pb2.TABLE_STATUS_PLAYING, table_pb2.TABLE_STATUS_UNSPECIFIED):
                self._end()
        if self._listener:
            self._listener(watcher.number, update)

    def _reply(self, reply: table_pb2.Reply) -> None:
        if reply.WhichOneof("outcome") == "revision":
            self._accepted = reply.revision
        else:
            reason = reply.failure.reason
            self._tally.refused[reason] = self._tally.refused.get(reason, 0) + 1
            self._end()

    async def _proceed(self) -> None:
        """Books the action under way if everybody has been told of it, and sends the next one if there is one."""
        slowest = min(watcher.revision for watcher in self._watchers)
        if self._under_way and self._accepted is not None and slowest >= self._accepted:
            self._tally.latencies.append(time.perf_counter() - self._began)
            self.revision = slowest
            self._under_way = False
            if self._left == 0:
                self._finish()
        actor = next((watcher for watcher in self._watchers if watcher.legal), None)
        if actor and slowest and slowest >= actor.revision:
            self._opened.set()
        if not actor or self._under_way or self._left == 0 or self._waiting or slowest < actor.revision:
            return
        loop = asyncio.get_running_loop()
        if (due := self._pace.due()) > loop.time():
            self._waiting = loop.call_at(due, self._wake)
            return
        late = loop.time() - due if due else 0.0
        self._pace.sent()
        self._left -= 1
        self._under_way, self._accepted = True, None
        self.sent_at.append(actor.revision)
        action, actor.legal = self._rng.choice(actor.legal), ()
        request = table_pb2.SubmitActionRequest(
            request_id=next(self._request_ids), table_id=self.table_id, action=action, revision=actor.revision
        )
        self._began = time.perf_counter() - late
        await actor.stream.write(table_pb2.PlayTableRequest(submit_action=request))

    def _wake(self) -> None:
        self._waiting = None
        task = asyncio.get_running_loop().create_task(self._proceed())
        self._reading.append(task)
        task.add_done_callback(self._reading.remove)

    def _end(self) -> None:
        self.over = True
        self._under_way = False
        self._left = 0
        self._opened.set()
        self._finish()

    def _finish(self) -> None:
        if self._waiting:
            self._waiting.cancel()
            self._waiting = None
        if self._rest and not self._rest.done():
            self._rest.set_result(None)
