"""A bad line: it breaks again and again, and swallows the last answers before it does, so that nobody knows what came
of what was asked.
"""

import asyncio
import contextlib
import itertools
import random
from collections.abc import AsyncIterator, Sequence

CHUNK_BYTES = 65536
DEAF_SECONDS = 0.5
"""The longest that it swallows answers without a new question."""
ANSWER_SECONDS = 0.05
"""What was asked last has so long to be done before the line breaks."""


class BadLine:
    """A TCP relay. Connections go to its targets in turn, so that a repeated question comes to another process.

    Attributes:
        address: Where it listens.
        breaks: How often it has broken.
    """

    def __init__(self, targets: Sequence[str], seed: int, chunks: tuple[int, int] = (10, 40)) -> None:
        """Breaks each connection after so many (from, to) chunks from the client."""
        self.address = ""
        self.breaks = 0
        self._targets = itertools.cycle(targets)
        self._chance = random.Random(seed)
        self._chunks = chunks
        self._tasks: set[asyncio.Task[None]] = set()

    async def relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one connection until it breaks."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        host, _, port = next(self._targets).rpartition(":")
        try:
            upstream, up = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.close()
            return
        deaf, asked = asyncio.Event(), asyncio.Event()
        downward = asyncio.ensure_future(_copy(upstream, writer, deaf))
        try:
            for _ in range(self._chance.randint(*self._chunks)):
                if not await _pass(reader, up):
                    return
            deaf.set()
            upward = asyncio.ensure_future(_pass(reader, up, asked))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asked.wait(), DEAF_SECONDS)
                await asyncio.sleep(ANSWER_SECONDS)
            upward.cancel()
            self.breaks += 1
        except (OSError, asyncio.CancelledError):
            return  # closing, or one of the ends was faster
        finally:
            downward.cancel()
            for end in (writer, up):
                end.transport.abort()
            self._tasks.discard(task)

    async def close(self) -> None:
        """Breaks everything that is open."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _pass(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, passed: asyncio.Event | None = None
) -> bool:
    """Passes a chunk on; False at the end."""
    data = await reader.read(CHUNK_BYTES)
    if not data:
        return False
    writer.write(data)
    await writer.drain()
    if passed is not None:
        passed.set()
    return True


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, deaf: asyncio.Event) -> None:
    """Passes everything on, until deaf: then it swallows everything."""
    with contextlib.suppress(OSError):
        while data := await reader.read(CHUNK_BYTES):
            if not deaf.is_set():
                writer.write(data)
                await writer.drain()
        if not deaf.is_set():
            writer.close()


@contextlib.asynccontextmanager
async def bad_line(*targets: str, seed: int) -> AsyncIterator[BadLine]:
    """A bad line to these addresses."""
    line = BadLine(targets, seed)
    server = await asyncio.start_server(line.relay, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    line.address = f"{host}:{port}"
    try:
        yield line
    finally:
        server.close()
        await line.close()
        await server.wait_closed()
