"""One client process of the load generator: opens live tables and plays at some of them.

It is driven by lines of JSON on its standard input and answers each with one line on its standard output:

- `{"do": "open", "tables": 100}` makes so many tables with four players each and watches them with four streams each;
- `{"do": "start", "playing": 10, "stay": 8, "rate": null}` keeps so many tables playing, each for `stay` actions before
  the next one has its turn (null: to the end), as fast as they go or with `rate` actions a second over all;
- `{"do": "reset"}` forgets what was counted, `{"do": "report"}` says what was counted since;
- `{"do": "stop"}` lets the actions under way end, `{"do": "quit"}` leaves;
- `{"do": "tape", "path": ...}` plays one match to its end and writes down what its players were sent;
- `{"do": "grow", "records": 1000}` plays at one table until its log is so long;
- `{"do": "idle", "tables": 100, "watched": true}` makes tables and leaves them after the first deal.
"""

import argparse
import asyncio
import gc
import itertools
import json
import random
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc

from shared.gen.levata.table.v1 import arzoi_pb2, game_pb2, table_pb2, table_pb2_grpc
from tests.bench.accounts import Accounts
from tests.bench.recorder import record_match
from tests.bench.tables import LiveTable, Pace, Tally

SEATS = 4
CHANNELS = 8
OPENING_AT_ONCE = 16
FOREVER = 1 << 60
OPTIONS = table_pb2.TableOptions(
    game=game_pb2.GameOptions(arzoi=arzoi_pb2.ArzoiOptions()),
    seats=SEATS,
    absence_seconds=300,
    bot_talk=table_pb2.BOT_TALK_SILENT,
    bot_level=table_pb2.BOT_LEVEL_CLUB,
    visibility=table_pb2.VISIBILITY_PUBLIC,
)


class Generator:
    """The tables of one client process."""

    def __init__(self, addresses: list[str], accounts: Accounts, name: str) -> None:
        self._accounts = accounts
        self._name = name
        self._rng = random.Random(name)
        self._numbers = itertools.count()
        self._tally = Tally()
        self._idle: deque[LiveTable] = deque()
        self._playing: set[LiveTable] = set()
        self._places: list[asyncio.Task[None]] = []
        self._stopping = False
        options = [("grpc.use_local_subchannel_pool", 1)]
        self._channels = [
            [grpc.aio.insecure_channel(address, options=options) for _ in range(CHANNELS)] for address in addresses
        ]

    async def handle(self, command: dict[str, Any]) -> dict[str, Any]:
        """Does one command and returns the answer."""
        answers: dict[str, Callable[..., Awaitable[dict[str, Any]]]] = {
            "open": self.open, "start": self.start, "reset": self.reset, "report": self.report, "stop": self.stop,
            "tape": self.tape, "grow": self.grow, "idle": self.idle, "quit": self.quit,
        }  # fmt: skip
        return await answers[command.pop("do")](**command)

    async def open(self, tables: int) -> dict[str, Any]:
        """Makes tables and watches them. The collector leaves them alone, lest its pauses be taken for the server's."""
        numbers = iter(range(tables))

        async def some() -> None:
            for _ in numbers:
                self._idle.append(await self._new_table())

        await asyncio.gather(*(some() for _ in range(OPENING_AT_ONCE)))
        gc.collect()
        gc.freeze()
        return {"tables": len(self._idle)}

    async def start(self, playing: int, stay: int | None, rate: float | None) -> dict[str, Any]:
        """Begins to play at `playing` tables at a time."""
        self._stopping = False
        self._tally = self._renewed()
        period = playing / rate if rate else None
        now = asyncio.get_running_loop().time() + 0.05
        for place in range(playing):
            pace = Pace(now + (period or 0.0) * place / playing, period)
            self._places.append(asyncio.create_task(self._keep_playing(stay or FOREVER, pace)))
        return {}

    async def reset(self) -> dict[str, Any]:
        """Forgets what was counted."""
        self._renewed()
        return {}

    async def report(self) -> dict[str, Any]:
        """What was counted since the last reset."""
        tally = self._tally
        return {"latencies": tally.latencies, "refused": tally.refused, "cut": tally.cut}

    async def stop(self) -> dict[str, Any]:
        """Lets the actions under way end."""
        self._stopping = True
        for table in self._playing:
            table.rest()
        _, hanging = await asyncio.wait(self._places, timeout=30)
        self._places.clear()
        if hanging:
            raise RuntimeError(f"{len(hanging)} tables did not answer within 30 s")
        return {}

    async def tape(self, path: str) -> dict[str, Any]:
        """Plays one match to its end and writes down what its watchers were sent; the log's part the caller adds."""
        listened: list[tuple[int, table_pb2.Update]] = []
        table = await self._new_table(lambda number, update: listened.append((number, update)))
        await table.play(FOREVER, Pace(0.0, None))
        await table.close()
        record_match(Path(path), table.sent_at, listened, SEATS)
        return {"table_id": table.table_id, "first": table.sent_at[0]}

    async def grow(self, records: int) -> dict[str, Any]:
        """Plays at a table until it has so many revisions, and leaves it."""
        while True:
            table = await self._new_table()
            while not table.over and table.revision < records:
                await table.play(1, Pace(0.0, None))
            await table.close()
            if table.revision >= records:
                return {"table_id": table.table_id, "player": table.players[0]}

    async def idle(self, tables: int, watched: bool) -> dict[str, Any]:
        """Makes tables in the first round of their match, with the players' streams open or gone again."""
        for _ in range(tables):
            table = await self._new_table()
            await table.play(3, Pace(0.0, None))
            if watched:
                self._idle.append(table)
            else:
                await table.close()
        return {}

    async def quit(self) -> dict[str, Any]:
        """Leaves all tables."""
        await asyncio.gather(*(table.close() for table in self._idle))
        await asyncio.gather(*(channel.close() for channels in self._channels for channel in channels))
        return {}

    def _renewed(self) -> Tally:
        self._tally.latencies.clear()
        self._tally.refused.clear()
        self._tally.cut.clear()
        return self._tally

    async def _keep_playing(self, stay: int, pace: Pace) -> None:
        while not self._stopping:
            table = self._idle.popleft()
            self._playing.add(table)
            await table.play(stay, pace)
            self._playing.discard(table)
            if table.over:
                await table.close()
                table = await self._new_table()
            self._idle.append(table)

    async def _new_table(self, listener: Any = None) -> LiveTable:
        number = next(self._numbers)
        channels = self._channels[number % len(self._channels)]
        channel = channels[number // len(self._channels) % CHANNELS]
        stub: Any = table_pb2_grpc.TableServiceStub(channel)
        players = [f"{self._name}-{number}-{seat}" for seat in range(SEATS)]
        request = table_pb2.CreateTableRequest(
            request_id=f"{self._name}-{number:08}",
            options=OPTIONS,
            players=[table_pb2.PlayerRef(player_id=player, name=player) for player in players],
        )
        made = await stub.CreateTable(request, metadata=self._accounts.service_metadata(), timeout=30)
        table = LiveTable(made.table_id, players, self._rng, self._tally, listener)
        await table.open([stub.PlayTable(metadata=self._accounts.player_metadata(player)) for player in players])
        return table


async def converse(generator: Generator) -> None:
    """Reads commands and writes answers until `quit`."""
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        command = json.loads(line)
        leaving = command["do"] == "quit"
        print(json.dumps(await generator.handle(command)), flush=True)
        if leaving:
            return


def main() -> None:
    """Reads the arguments and does as it is told."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--address", action="append", required=True, help="of a table service; may be repeated")
    parser.add_argument("--accounts", type=Path, required=True, help="folder of the keys that tokens are signed with")
    parser.add_argument("--name", required=True, help="told from other client processes by this")
    arguments = parser.parse_args()

    async def run() -> None:
        await converse(Generator(arguments.address, Accounts(arguments.accounts), arguments.name))

    if sys.platform == "win32":
        asyncio.run(run())
    else:
        import uvloop

        uvloop.run(run())


if __name__ == "__main__":
    main()
