"""Reads the messages of one subject in order, by an ephemeral pull consumer that acknowledges nothing."""

import asyncio
import json
import time
from typing import Final

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import NoRespondersError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

BATCH: Final = 2_000
PULL_SECONDS: Final = 5.0
IDLE_SECONDS: Final = 30.0


class SubjectReader:
    """Reads a part of a subject. One read at a time."""

    def __init__(self, nc: Client, js: JetStreamContext, stream: str, subject: str) -> None:
        self._nc = nc
        self._js = js
        self._stream = stream
        self._subject = subject
        self._found: list[tuple[int, bytes]] = []
        self._consumer_sequence = 0
        self._pulled = 0
        self._last_pending = -1
        self._broken: str | None = None
        self._news = asyncio.Event()

    def salvage(self) -> list[tuple[int, bytes]]:
        """What an interrupted read had found; there are no gaps in it."""
        return self._found

    async def read(self, begin: int, end: int) -> list[tuple[int, bytes]]:
        """Messages from sequence `begin` on until one of sequence `end` or later was seen, or no more are there.

        Raises:
            nats.errors.Error, TimeoutError: The consumer or the connection was lost; see `salvage`.
        """
        self._found = []
        self._consumer_sequence = 0
        self._last_pending = -1
        self._broken = None
        info = await self._js.add_consumer(
            self._stream,
            ConsumerConfig(
                deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
                opt_start_seq=begin,
                filter_subject=self._subject,
                ack_policy=AckPolicy.NONE,
                inactive_threshold=IDLE_SECONDS,
                mem_storage=True,
                num_replicas=1,
                max_deliver=1,
            ),
        )
        if not info.num_pending:
            return []
        inbox = self._nc.new_inbox()
        subscription = await self._nc.subscribe(inbox, cb=self._on_message)
        try:
            await self._pull(info.name, inbox, end)
        finally:
            if not self._nc.is_closed:
                await subscription.unsubscribe()
                # Not waited for: the server forgets an idle consumer by itself, only later.
                await self._nc.publish(f"$JS.API.CONSUMER.DELETE.{self._stream}.{info.name}")
        return self._found

    async def _pull(self, consumer: str, inbox: str, end: int) -> None:
        request = json.dumps({"batch": BATCH, "expires": int(PULL_SECONDS * 1e9)}).encode()
        while not self._complete(end):
            self._pulled = BATCH
            await self._nc.publish(f"$JS.API.CONSUMER.MSG.NEXT.{self._stream}.{consumer}", request, reply=inbox)
            seen, deadline = len(self._found), time.monotonic() + PULL_SECONDS
            while self._pulled > 0 and not self._complete(end):
                if self._broken is not None:
                    raise NoRespondersError
                self._news.clear()
                async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
                    await self._news.wait()
                if len(self._found) > seen:
                    seen, deadline = len(self._found), time.monotonic() + PULL_SECONDS

    def _complete(self, end: int) -> bool:
        """The last message asked for is there, or the consumer knows of no more."""
        return bool(self._found) and (self._found[-1][0] >= end or self._last_pending == 0)

    async def _on_message(self, message: Msg) -> None:
        if self._broken is None:
            if not message.reply:  # A status: the pull has ended, or the consumer is gone.
                self._broken = (message.headers or {}).get("Status", "unknown")
            else:
                metadata = message.metadata
                if metadata.sequence.consumer != self._consumer_sequence + 1:
                    self._broken = "gap"
                else:
                    self._consumer_sequence += 1
                    self._pulled -= 1
                    self._last_pending = metadata.num_pending
                    self._found.append((metadata.sequence.stream, message.data))
        self._news.set()
