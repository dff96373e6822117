"""The floor: a server that makes the calls, appends and stream writes of the table service and plays no game.

For every action it receives on `PlayTable` it appends as many records of the same sizes to a JetStream stream of the
same configuration, each with the expected last sequence of its subject and awaited before anything is told, answers the
request, and writes to every watcher of the table the updates that the real service wrote at that point of a recorded
match, with the present revision put in. A watcher has a queue and a stream of its own; where nothing happens it gets a
heartbeat every 15 s.

It has none of the rest: no tokens, validation, metrics, logs, rules, views, clocks, idempotency, hash chain or lobby.
"""

import argparse
import asyncio
import itertools
import json
import secrets
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import nats
from nats.js import JetStreamContext
from nats.js.api import RetentionPolicy, StorageType, StreamConfig

from shared.gen.levata.table.v1 import table_pb2
from tests.bench.tape import Tape

Context = grpc.aio.ServicerContext[Any, Any]
HEARTBEAT_SECONDS = 15.0
STREAM = "FLOOR"


class FloorTable:
    """One table: a place on the tape, the last sequence of its subject, and its watchers."""

    def __init__(self, table_id: str) -> None:
        self.subject = f"floor.log.{table_id}"
        self.sequence = 0
        self.revision = 1
        self.step = 0
        self.watchers: list[asyncio.Queue[bytes]] = []
        self.lock = asyncio.Lock()


class Floor:
    """`CreateTable` and `PlayTable`, and nothing behind them. Messages go out as they lie on the tape."""

    def __init__(self, js: JetStreamContext, tape: Tape) -> None:
        self._js = js
        self._snapshots = [_message(update) for update in tape.snapshots]
        self._steps = [
            (step.records, [[_message(update) for update in updates] for updates in step.updates])
            for step in tape.steps
        ]
        self._payload = bytes(1 << 16)
        self._tables: dict[str, FloorTable] = {}
        # No id of an earlier floor on the same stream, whose records are still there.
        begin = f"floor{secrets.token_hex(4)}"
        self._ids = (f"{begin}{number:08d}" for number in itertools.count())

    def handlers(self) -> grpc.GenericRpcHandler:
        """The two methods under the names of the contract."""
        return grpc.method_handlers_generic_handler(
            "levata.table.v1.TableService",
            {
                "CreateTable": grpc.unary_unary_rpc_method_handler(
                    self.create_table,
                    request_deserializer=table_pb2.CreateTableRequest.FromString,
                    response_serializer=table_pb2.CreateTableResponse.SerializeToString,
                ),
                "PlayTable": grpc.stream_stream_rpc_method_handler(
                    self.play_table, request_deserializer=table_pb2.PlayTableRequest.FromString
                ),
            },
        )

    async def create_table(
        self, request: table_pb2.CreateTableRequest, context: Context
    ) -> table_pb2.CreateTableResponse:
        """Makes a table: one append of the size of the request."""
        table = FloorTable(table_id := next(self._ids))
        self._tables[table_id] = table
        await self._append(table, request.ByteSize())
        return table_pb2.CreateTableResponse(table_id=table_id, revision=table.revision)

    async def play_table(self, requests: AsyncIterator[table_pb2.PlayTableRequest], context: Context) -> None:
        """Watches and acts; which of the recorded watchers it is follows from the order in which they come."""
        table = self._tables[(await anext(requests)).watch.table_id]
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        queue.put_nowait(_at(self._snapshots[len(table.watchers) % len(self._snapshots)], table.revision))
        table.watchers.append(queue)
        acting = asyncio.create_task(self._act(table, requests, queue))
        try:
            while True:
                await context.write(await queue.get())
        finally:
            acting.cancel()
            table.watchers.remove(queue)

    async def heartbeats(self) -> None:
        """Every 15 s one to every watcher of a table in which nothing has happened."""
        seen: dict[str, int] = {}
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            for table_id, table in self._tables.items():
                if seen.get(table_id) == table.revision:
                    heartbeat = table_pb2.Heartbeat(revision=table.revision)
                    data = table_pb2.PlayTableResponse(heartbeat=heartbeat).SerializeToString()
                    for watcher in table.watchers:
                        watcher.put_nowait(data)
                seen[table_id] = table.revision

    async def _act(
        self, table: FloorTable, requests: AsyncIterator[table_pb2.PlayTableRequest], queue: asyncio.Queue[bytes]
    ) -> None:
        async for message in requests:
            async with table.lock:
                records, updates = self._steps[table.step % len(self._steps)]
                table.step += 1
                for size in records:
                    await self._append(table, size)
                    table.revision += 1
                reply = table_pb2.Reply(request_id=message.submit_action.request_id, revision=table.revision)
                queue.put_nowait(table_pb2.PlayTableResponse(reply=reply).SerializeToString())
                for watcher, recorded in zip(table.watchers, updates, strict=False):
                    for update in recorded:
                        watcher.put_nowait(_at(update, table.revision))

    async def _append(self, table: FloorTable, size: int) -> None:
        headers = {"Nats-Expected-Last-Subject-Sequence": str(table.sequence)}
        ack = await self._js.publish(table.subject, self._payload[:size], headers=headers)
        table.sequence = ack.seq


def _message(update: bytes) -> table_pb2.PlayTableResponse:
    return table_pb2.PlayTableResponse(update=table_pb2.Update.FromString(update))


def _at(message: table_pb2.PlayTableResponse, revision: int) -> bytes:
    message.update.revision = revision
    return message.SerializeToString()


async def serve(nats_url: str, user: str | None, password: str | None, tape: Tape) -> None:
    """Serves until it is terminated; prints its address as a line of JSON once it does."""
    client = await nats.connect(nats_url, user=user, password=password)
    js = client.jetstream()
    await js.add_stream(
        StreamConfig(
            name=STREAM, subjects=["floor.log.*"], storage=StorageType.FILE, retention=RetentionPolicy.LIMITS,
            allow_direct=False,
        )
    )  # fmt: skip
    server = grpc.aio.server()
    floor = Floor(js, tape)
    server.add_generic_rpc_handlers((floor.handlers(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    heartbeats = asyncio.create_task(floor.heartbeats())
    print(json.dumps({"address": f"127.0.0.1:{port}"}), flush=True)
    await server.wait_for_termination()
    heartbeats.cancel()


def main() -> None:
    """Reads the arguments and serves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nats-url", required=True)
    parser.add_argument("--nats-user")
    parser.add_argument("--nats-password")
    parser.add_argument("--tape", type=Path, required=True)
    arguments = parser.parse_args()
    coroutine = serve(arguments.nats_url, arguments.nats_user, arguments.nats_password, Tape.load(arguments.tape))
    if sys.platform == "win32":
        asyncio.run(coroutine)
    else:
        import uvloop

        uvloop.run(coroutine)


if __name__ == "__main__":
    main()
