"""JetStream's own snapshots: a stream as the server keeps it, with sequences, times, headers and durable consumers.

`$JS.API.STREAM.SNAPSHOT` makes the server send the stream's files in chunks, each of which has to be acknowledged or
it sends no further; the chunks end with an empty one. `$JS.API.STREAM.RESTORE` takes the same chunks, acknowledges
each, and makes the stream of them. The connection is one that does not come back by itself: a chunk that went missing
with it would not be noticed otherwise.
"""

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import msgspec
import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg

from deploy.backup.errors import BackupError
from deploy.backup.manifest import StreamTaken
from shared.bus import as_user
from shared.settings import ServiceSettings

CHUNK_BYTES: Final = 128 * 1024
RESTORED_BYTES: Final = 16 * 1024
"""So much is handed to the server at once when a stream is restored."""
CONNECT_SECONDS: Final = 5.0
ANSWER_SECONDS: Final = 60.0
"""The server checks a whole stream before it answers."""
CHUNK_SECONDS: Final = 30.0
"""Longer than this no chunk, and no acknowledgement of one, is waited for."""
STREAM_EXISTS: Final = frozenset({10058, 10130})
_CHUNKS_WAITING: Final = 256 * 1024 * 1024


class _Fault(msgspec.Struct):
    description: str = ""
    err_code: int = 0


class _State(msgspec.Struct):
    messages: int = 0
    first_seq: int = 0
    last_seq: int = 0


class _Snapshot(msgspec.Struct):
    config: dict[str, Any] = {}
    state: _State = msgspec.field(default_factory=_State)
    error: _Fault | None = None


class _Restore(msgspec.Struct):
    deliver_subject: str = ""
    state: _State = msgspec.field(default_factory=_State)
    error: _Fault | None = None


class StreamExistsError(BackupError):
    """A stream is there already: a restore makes streams and changes none."""


@contextlib.asynccontextmanager
async def connected(settings: ServiceSettings) -> AsyncIterator[Client]:
    """A connection that ends for good when it is lost.

    Raises:
        BackupError: No server answers, or it does not let this user in.
    """
    client = Client()
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            await client.connect(
                servers=[url.strip() for url in settings.nats_url.split(",")],
                name=settings.instance,
                allow_reconnect=False,
                error_cb=_quietly,
                **as_user(settings),
            )
    except (TimeoutError, OSError, nats.errors.Error) as error:
        with contextlib.suppress(Exception):
            await client.close()
        raise BackupError(f"there is no connection to NATS at {settings.nats_url}: {error!r}") from error
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):
            async with asyncio.timeout(CONNECT_SECONDS):
                await client.close()


async def _quietly(error: Exception) -> None:
    """What is wrong shows in what was asked for."""


class _Chunks:
    """Chunks as they arrive, written down in order."""

    def __init__(self, client: Client, path: Path) -> None:
        self._client = client
        self._path = path
        self._arrived: asyncio.Queue[Msg] = asyncio.Queue()

    async def on_chunk(self, chunk: Msg) -> None:
        """Takes a chunk in; nothing is acknowledged before it is written."""
        self._arrived.put_nowait(chunk)

    async def write(self, stream: str) -> None:
        """Writes all of them, to the empty one that ends them.

        Raises:
            BackupError: One is missing, or the server has broken off.
        """
        count = 0
        with self._path.open("wb") as file:
            while True:
                chunk = await self._next(stream)
                if not chunk.data:
                    break
                count += 1
                # The last ones may bear no number; those that do bear it in the subject of their acknowledgement.
                if chunk.reply:
                    if int(chunk.reply.rpartition(".")[2]) != count:
                        raise BackupError(f"{stream}: chunk {count} of the snapshot went missing")
                    file.write(chunk.data)
                    await self._client.publish(chunk.reply)
                else:
                    file.write(chunk.data)
            status = (chunk.headers or {}).get("Status", "")
            if status and not status.startswith("2"):
                described = (chunk.headers or {}).get("Description", "")
                raise BackupError(f"{stream}: the server broke off the snapshot: {status} {described}".rstrip())
            file.flush()
            os.fsync(file.fileno())

    async def _next(self, stream: str) -> Msg:
        deadline = time.monotonic() + CHUNK_SECONDS
        while True:
            try:
                async with asyncio.timeout(min(1.0, max(0.0, deadline - time.monotonic()))):
                    return await self._arrived.get()
            except TimeoutError:
                if self._client.is_closed or time.monotonic() > deadline:
                    raise BackupError(f"{stream}: the server sends no more of the snapshot") from None


async def snapshot(client: Client, stream: str, path: Path, *, consumers: bool) -> StreamTaken:
    """Writes the snapshot of a stream to `path`, and says what it is; the server has checked every message.

    Args:
        client: A connection that does not come back by itself.
        stream: The stream.
        path: A file that is not there yet.
        consumers: With its durable consumers, and how far each has come.

    Raises:
        BackupError: It could not be taken whole.
    """
    inbox = client.new_inbox()
    chunks = _Chunks(client, path)
    subscription = await client.subscribe(inbox, cb=chunks.on_chunk, pending_bytes_limit=_CHUNKS_WAITING)
    try:
        at = time.time_ns() // 1_000_000
        wish = {"deliver_subject": inbox, "no_consumers": not consumers, "chunk_size": CHUNK_BYTES, "jsck": True}
        answer = await _ask(client, f"$JS.API.STREAM.SNAPSHOT.{stream}", json.dumps(wish).encode(), ANSWER_SECONDS)
        told = msgspec.json.decode(answer.data, type=_Snapshot)
        if told.error is not None:
            raise BackupError(f"{stream} cannot be taken: {told.error.description}")
        await chunks.write(stream)
    except nats.errors.Error as error:
        raise BackupError(f"{stream}: the connection to NATS was lost: {error!r}") from error
    finally:
        with contextlib.suppress(nats.errors.Error):
            await subscription.unsubscribe()
    state = told.state
    return StreamTaken(stream, path.name, at, told.config, state.first_seq, state.last_seq, state.messages)


async def restore_stream(client: Client, taken: StreamTaken, path: Path, replicas: int) -> None:
    """Makes a stream of its snapshot, and sees that it is the same.

    Args:
        client: A connection that does not come back by itself.
        taken: What it has to be.
        path: The snapshot.
        replicas: How many copies of it the servers are to keep.

    Raises:
        StreamExistsError: There is one of this name.
        BackupError: The server does not take it, or made something else of it.
    """
    # What the server notes for itself in `metadata` it has to note again.
    config = {key: value for key, value in taken.config.items() if key != "metadata"} | {"num_replicas": replicas}
    state = {"messages": taken.messages, "first_seq": taken.first, "last_seq": taken.last}
    wish = json.dumps({"config": config, "state": state}).encode()
    answer = await _ask(client, f"$JS.API.STREAM.RESTORE.{taken.name}", wish, ANSWER_SECONDS)
    told = msgspec.json.decode(answer.data, type=_Restore)
    if told.error is not None:
        kind = StreamExistsError if told.error.err_code in STREAM_EXISTS else BackupError
        raise kind(f"{taken.name} cannot be restored: {told.error.description}")
    with path.open("rb") as file:
        while chunk := file.read(RESTORED_BYTES):
            taken_in = await _ask(client, told.deliver_subject, chunk, CHUNK_SECONDS)
            if taken_in.data:
                raise BackupError(_broken_off(taken.name, taken_in.data.decode(errors="replace")))
    answer = await _ask(client, told.deliver_subject, b"", ANSWER_SECONDS)
    made = msgspec.json.decode(answer.data, type=_Restore)
    if made.error is not None:
        raise BackupError(f"{taken.name} cannot be restored: {made.error.description}")
    if made.state.last_seq != taken.last:
        raise BackupError(f"{taken.name} was restored up to {made.state.last_seq}, not {taken.last}")


def _broken_off(stream: str, said: str) -> str:
    """What to do when the server gives a restore up: it does so when it gets no further within five seconds.

    It stores a megabyte of messages before it takes the next chunk, and where it always flushes it flushes each.
    """
    advice = "if NATS was too slow, let it run with LEVATA_NATS_SYNC_INTERVAL=2m until the club is restored"
    return f"{stream} cannot be restored: {said}; {advice}"


async def _ask(client: Client, subject: str, data: bytes, seconds: float) -> Msg:
    try:
        return await client.request(subject, data, timeout=seconds)
    except (nats.errors.Error, OSError, TimeoutError) as error:
        raise BackupError(f"NATS does not answer {subject}: {error!r}") from error
