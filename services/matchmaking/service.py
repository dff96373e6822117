"""The composition of the matchmaking service."""

import asyncio
import time
from collections.abc import Callable, Sequence

from services.matchmaking.desk import Desk
from services.matchmaking.errors import ERRORS
from services.matchmaking.lease import Lease
from services.matchmaking.making import Tables
from services.matchmaking.matcher import Matcher
from services.matchmaking.measures import Measures
from services.matchmaking.queues import QUEUES, Queue
from services.matchmaking.ratings import Ratings
from services.matchmaking.room import Room
from services.matchmaking.servicer import MatchmakingServicer
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.store import BUCKET, Store
from shared import stream_setup, stream_watch, streams
from shared.gen.levata.matchmaking.v1 import matchmaking_pb2, matchmaking_pb2_grpc
from shared.gen.levata.table.v1 import table_pb2_grpc
from shared.harness import Harness


class Matchers:
    """The matchers of all queues in this process."""

    def __init__(self, matchers: Sequence[Matcher]) -> None:
        self._matchers = matchers
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = False

    async def run(self) -> None:
        """Runs all until one fails or they are stopped."""
        if self._stopping:
            return
        self._tasks = [asyncio.create_task(matcher.run()) for matcher in self._matchers]
        try:
            done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
            if not self._stopping:
                for task in done:
                    task.result()
        finally:
            await self._cancel()

    async def stop(self) -> None:
        """Stops all, and gives their leases back."""
        self._stopping = True
        await self._cancel()
        await asyncio.gather(*(matcher.stop() for matcher in self._matchers))

    async def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def bind(
    harness: Harness,
    settings: MatchmakingSettings,
    now: Callable[[], float] = time.time,
    queues: Sequence[Queue] = QUEUES,
) -> None:
    """Makes the parts of the service and hands them to the harness."""
    bus = harness.bus
    await stream_setup.ensure(bus, streams.of_account(streams.MATCHMAKING), settings.replicas)
    measures = Measures(harness.metrics, [queue.id for queue in queues])
    store = Store(bus, settings.ticket_keep_seconds)
    room = Room(await bus.kv(BUCKET), queues, settings.limit_seconds, measures)
    by_id = {queue.id: queue for queue in queues}
    ratings = Ratings(by_id, store, room, measures)
    desk = Desk(by_id, store, room, ratings, measures, now)
    channel = await harness.channel(settings.table_address)
    tables = Tables(table_pb2_grpc.TableServiceStub(channel), settings.table_seconds)
    matchers = Matchers(
        [
            Matcher(
                queue,
                store,
                room,
                tables,
                Lease(bus, f"matchmaking.{queue.id}", settings.instance, settings.lease_seconds),
                measures,
                settings,
                now,
            )
            for queue in queues
        ]
    )

    async def mirrored() -> bool:
        return room.caught_up.is_set()

    bus.on_reconnect(room.follow_again)
    harness.readiness("tickets", mirrored)
    harness.background("mirror", room.mirror)
    harness.background("lag of the mirror", room.watch_lag)
    harness.background("matchers", matchers.run)
    harness.background("ratings", lambda: bus.consume(streams.CONSUMERS["matchmaking"], ratings.handle))
    harness.background("stream watch", lambda: stream_watch.watch(bus, streams.MATCHMAKING))
    harness.on_drain(desk.drain)
    harness.on_drain(matchers.stop)
    harness.add_errors(ERRORS)
    harness.add_servicer(
        matchmaking_pb2_grpc.add_MatchmakingServiceServicer_to_server,
        MatchmakingServicer(desk, room, queues, settings.limit_seconds),
        matchmaking_pb2.DESCRIPTOR.services_by_name["MatchmakingService"].full_name,
    )
