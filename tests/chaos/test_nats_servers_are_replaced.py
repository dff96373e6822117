"""The three servers of NATS are replaced one after another, as the StatefulSet does it, while people play."""

import asyncio
import logging
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from services.table import facts as f
from shared.gen.levata.table.v1 import table_pb2
from tests.support.deployments import Manners, deployed_club
from tests.support.guests import Guest
from tests.support.nats_pods import START_SECONDS, NatsPod, nats_pods
from tests.support.proofs import check_accepted, check_match, check_record, posted, read_log, record_of
from tests.support.waiting import until

CLOCK = table_pb2.Clock(bid_seconds=60, play_seconds=60, choose_seconds=60)
PAUSE_SECONDS = 0.1
MORE_ACTIONS = 10
"""So many are accepted between two replacements."""


async def replace(server: NatsPod) -> None:
    """Ends a server in good order, starts it again, and waits until it has caught up."""
    assert await asyncio.to_thread(server.go) == 0
    server.start()
    await until(lambda: asyncio.to_thread(server.ready), START_SECONDS, f"{server.name} is back")


@pytest.mark.soak
@pytest.mark.timeout(400)
async def test_nobody_is_told_that_the_servers_of_nats_are_replaced(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    over = asyncio.Event()

    async def pause() -> None:
        if not over.is_set():
            await asyncio.sleep(PAUSE_SECONDS)

    async def play(guest: Guest, by_calls: bool) -> table_pb2.Table:
        table = await guest.open_table(3, clock=CLOCK)
        await guest.start(table)
        if by_calls:
            return await guest.play_by_calls(table, pause)
        async with guest.club.play(table) as session:
            return await guest.play_on(session, before=pause)

    def accepted() -> int:
        return min(sum(map(len, guest.accepted.values())) for guest in (ana, bogdan))

    (tmp_path / "club").mkdir()
    with caplog.at_level(logging.WARNING, "shared.client"), nats_pods(tmp_path) as cluster:
        async with (
            deployed_club(
                tmp_path / "club", f"sqlite:///{tmp_path / 'ledger.db'}", {"table": 2}, Manners(), ground=cluster
            ) as club,
            AsyncExitStack() as stack,
        ):
            ana, bogdan = [await stack.enter_async_context(club.guest(name, 5)) for name in ("Ana", "Bogdan")]
            async with asyncio.TaskGroup() as tasks:
                plays = [tasks.create_task(play(ana, False)), tasks.create_task(play(bogdan, True))]
                for server in cluster.servers.values():
                    before = accepted()
                    await until(lambda: accepted() >= before + MORE_ACTIONS, 60, "play goes on")  # noqa: B023
                    await replace(server)
                over.set()
            assert [ana.passed_by, bogdan.passed_by] == [0, 0]
            async with club.bus() as bus:
                for guest, end in zip((ana, bogdan), [play.result() for play in plays], strict=True):
                    log = await read_log(bus, end.table_id)
                    check_accepted(log, [guest], end.table_id)
                    assert log.facts(f.ClockExpired) == []
                    match = await posted(guest, end.match_id, seconds=60)
                    check_match(match, end, log)
                    check_record(await record_of(guest, end.match_id), log, end.shuffle_commitment, tmp_path)
    assert [record.getMessage() for record in caplog.records if record.name.startswith("shared.client")] == []
