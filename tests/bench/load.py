"""Actions per CPU second and the time until every watcher knows, for the table service and for the floor, side by side.

Both servers run on one broker at the same time and are measured in turns, a few seconds each, so that whatever else the
machine does hits both. A figure is the median over the turns.
"""

import asyncio
import os
import signal
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.processes import Process, cpu_seconds
from tests.bench.report import Row, Section
from tests.bench.service import Service, record_tape, start_floor
from tests.bench.tape import Tape
from tests.support.nats import NatsServer

WARM_SECONDS = 1.0
PACED_SHARE = 0.5
STAY = 8


@dataclass(frozen=True)
class Level:
    """So many live tables, of which so many are played at at a time."""

    tables: int
    playing: int

    @property
    def name(self) -> str:
        """For people."""
        if self.tables == self.playing:
            return f"{self.tables:,} table{'s' if self.tables > 1 else ''}"
        return f"{self.tables:,} tables, {self.playing} playing in rotation"


LEVELS = (Level(1, 1), Level(100, 100), Level(2000, 100))


@dataclass
class Turn:
    """What one turn of one side brought."""

    actions_per_second: float
    actions_per_cpu_second: float
    p50: float
    p99: float
    server_cpu: float
    clients_cpu: float
    broker_cpu: float


@dataclass
class Side:
    """A server, the client processes that play at it, the broker's process id, and what was refused."""

    name: str
    servers: Sequence[Process]
    clients: Sequence[Process]
    broker: int
    opened: int = 0
    refused: dict[str, int] = field(default_factory=dict)

    async def open(self, tables: int) -> None:
        """Makes tables until there are so many."""
        shares = _shares(tables, len(self.clients))
        before = _shares(self.opened, len(self.clients))
        await asyncio.gather(
            *(
                client.ask(seconds=600, do="open", tables=share - had)
                for client, share, had in zip(self.clients, shares, before, strict=True)
            )
        )
        self.opened = tables

    async def turn(self, level: Level, seconds: float, rate: float | None = None, profile: bool = False) -> Turn:
        """Plays for so long and measures; with a rate, so many actions a second over all."""
        shares = _shares(level.playing, len(self.clients))
        clients = [(client, share) for client, share in zip(self.clients, shares, strict=True) if share]
        stay = STAY if level.playing < level.tables else None
        for client, share in clients:
            part = rate * share / level.playing if rate else None
            await client.ask(do="start", playing=share, stay=stay, rate=part)
        await asyncio.sleep(WARM_SECONDS)
        await asyncio.gather(*(client.ask(do="reset") for client, _ in clients))
        self._profile(profile)
        began, cpu = time.perf_counter(), self._cpu()
        await asyncio.sleep(seconds)
        elapsed, used = time.perf_counter() - began, [now - then for now, then in zip(self._cpu(), cpu, strict=True)]
        self._profile(profile)
        reports = await asyncio.gather(*(client.ask(do="report") for client, _ in clients))
        await asyncio.gather(*(client.ask(do="stop") for client, _ in clients))
        for report in reports:
            for reason, count in [*report["refused"].items(), *report["cut"].items()]:
                self.refused[reason] = self.refused.get(reason, 0) + count
        latencies = sorted(latency for report in reports for latency in report["latencies"])
        if not latencies:
            raise RuntimeError(f"{self.name}: no action was accepted; {self.refused}")
        server, players, broker = used
        return Turn(
            actions_per_second=len(latencies) / elapsed,
            actions_per_cpu_second=len(latencies) / server,
            p50=1000 * latencies[len(latencies) // 2],
            p99=1000 * latencies[int(len(latencies) * 0.99)],
            server_cpu=server / elapsed,
            clients_cpu=players / elapsed,
            broker_cpu=broker / elapsed,
        )

    def _cpu(self) -> tuple[float, float, float]:
        return (
            sum(process.cpu_seconds() for process in self.servers),
            sum(process.cpu_seconds() for process in self.clients),
            cpu_seconds(self.broker),
        )

    def _profile(self, wanted: bool) -> None:
        if wanted:
            for process in self.servers:
                os.kill(process.pid, signal.SIGUSR1)


def _shares(whole: int, parts: int) -> list[int]:
    return [whole // parts + (part < whole % parts) for part in range(parts)]


async def measure(
    folder: Path, nats: NatsServer, levels: Sequence[Level], turns: int, seconds: float, clients: int,
    pods: int, profile: str | None, tell: Callable[[Section], None],
) -> None:  # fmt: skip
    """Measures both sides at every level.

    Args:
        folder: For logs and what the processes keep.
        nats: The broker.
        levels: Where to measure.
        turns: How often each side has its turn.
        seconds: How long a turn is.
        clients: Client processes for each side.
        pods: Processes of the table service.
        profile: `sample` or `calls` to profile the table service while it is measured.
        tell: Is told what was found, level by level.
    """
    services = [await Service.start(folder, nats.url, f"table-{pod}", profile) for pod in range(pods)]
    table = Side("table service", [service.process for service in services], [], nats.pid)
    floor = Side("floor", [], [], nats.pid)
    try:
        table.clients = [await services[0].client(f"c{n}", [s.address for s in services]) for n in range(clients)]
        tape = await record_tape(table.clients[0], nats.url, folder)
        floor_process, floor_address = await start_floor(folder, nats.url)
        floor.servers = [floor_process]
        floor.clients = [await services[0].client(f"f{n}", [floor_address]) for n in range(clients)]
        tell(_tape_section(tape))
        for level in levels:
            await table.open(level.tables)
            await floor.open(level.tables)
            tell(await _compare(table, floor, level, turns, seconds, profile is not None))
    finally:
        for process in [*table.clients, *floor.clients, *floor.servers]:
            await process.stop()
        for service in services:
            await service.process.stop()


async def _compare(table: Side, floor: Side, level: Level, turns: int, seconds: float, profile: bool) -> Section:
    full: dict[str, list[Turn]] = {"table": [], "floor": []}
    paced: dict[str, list[Turn]] = {"table": [], "floor": []}
    table.refused, floor.refused = {}, {}
    for _ in range(turns):
        full["floor"].append(await floor.turn(level, seconds))
        full["table"].append(await table.turn(level, seconds, profile=profile))
    rate = PACED_SHARE * min(statistics.median(turn.actions_per_second for turn in side) for side in full.values())
    for _ in range(turns):
        paced["floor"].append(await floor.turn(level, seconds, rate))
        paced["table"].append(await table.turn(level, seconds, rate))

    def row(name: str, runs: dict[str, list[Turn]], figure: str, unit: str, aim: str = "") -> Row:
        ours, theirs = (statistics.median(getattr(turn, figure) for turn in runs[side]) for side in ("table", "floor"))
        return Row(name, ours, theirs, unit, aim)

    return Section(
        f"load: {level.name}",
        [
            row("accepted actions per CPU second of the server", full, "actions_per_cpu_second", "/s", "at least 0.6"),
            row("accepted actions per second, everything on this machine", full, "actions_per_second", "/s"),
            row("action to every watcher, closed loop at full speed, p50", full, "p50", "ms"),
            row("action to every watcher, closed loop at full speed, p99", full, "p99", "ms", "at most 2"),
            row(f"action to every watcher, {rate:.0f} actions/s, p50", paced, "p50", "ms"),
            row(f"action to every watcher, {rate:.0f} actions/s, p99", paced, "p99", "ms", "at most 2"),
            row("cores used by the server at full speed", full, "server_cpu", ""),
            row("cores used by the clients at full speed", full, "clients_cpu", ""),
            row("cores used by the broker at full speed", full, "broker_cpu", ""),
        ],
        [f"{side.name}: refused or cut off: {side.refused}" for side in (table, floor) if side.refused],
    )


def _tape_section(tape: Tape) -> Section:
    figures = tape.figures()
    note = (
        f"the floor repeats a recorded match of {figures['actions']:.0f} actions: for each "
        f"{figures['records_per_action']:.2f} records of {figures['bytes_per_record']:.0f} bytes and "
        f"{figures['updates_per_action_and_watcher']:.2f} updates of {figures['bytes_per_update']:.0f} bytes "
        "to each of 4 watchers"
    )
    return Section("load: what is carried", [], [note], figures)
