"""A server that goes hands its tables over a few at a time: whoever takes them has others to serve."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest

from services.table import tables
from services.table.live import LiveTable
from services.table.tables import Tables
from shared.gen.levata.table.v1 import table_pb2 as pb
from shared.harness import Service
from tests.support.services import Club
from tests.support.table_service import WITHIN, Person, fresh, my_turn, reason_of, start_table


class Gate:
    """Lets one batch after another be handed over, as the test opens it.

    Attributes:
        batches: How many tables each batch had.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.batches: list[int] = []
        self._open: asyncio.Queue[None] = asyncio.Queue()
        hand_over = Tables._hand_over

        async def gated(this: Tables, live: Sequence[LiveTable]) -> bool:
            await self._open.get()
            self.batches.append(len(live))
            return await hand_over(this, list(live))

        monkeypatch.setattr(Tables, "_hand_over", gated)
        monkeypatch.setattr(tables, "HANDED_OVER_AT_ONCE", 1)
        monkeypatch.setattr(tables, "PAUSE_SECONDS", 0.0)

    def open(self) -> None:
        self._open.put_nowait(None)


@pytest.fixture
async def server(levata: Club, tmp_path: Path) -> Service:
    return await start_table(levata, tmp_path, drain_seconds=30.0)


async def sit(person: Person, table: str) -> Any:
    """Opens a PlayTable stream of a person whose turn it is; the stream, and the table as it is then."""
    call = person.play()
    await call.write(pb.PlayTableRequest(watch=pb.WatchTableRequest(table_id=table)))
    while True:
        async with asyncio.timeout(WITHIN):
            message = await call.read()
        if message.HasField("update") and my_turn(message.update) and message.update.table.seats[0].present:
            return call, message.update


async def to_its_end(call: Any) -> tuple[list[pb.PlayTableResponse], grpc.aio.AioRpcError]:
    """All that a stream still says, and what ended it."""
    messages = []
    while True:
        try:
            async with asyncio.timeout(WITHIN):
                messages.append(await call.read())
        except grpc.aio.AioRpcError as error:
            return messages, error


async def test_tables_that_wait_to_be_handed_over_are_played_at(
    levata: Club, server: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = Person(levata, await levata.channel(server), "Ana")
    first, second = [await ana.create(clock=pb.Clock(choose_seconds=600)) for _ in range(2)]
    for table in (first, second):
        await ana.start(table)
    (one, _), (other, shown) = await sit(ana, first), await sit(ana, second)
    gate = Gate(monkeypatch)
    stopping = asyncio.ensure_future(server.stop())
    gate.open()
    _, error = await to_its_end(one)
    assert reason_of(error) == ("UNAVAILABLE", "DRAINING")
    # The other table is still here, and its clock runs; what is played at it is accepted.
    submit = pb.SubmitActionRequest(
        request_id=fresh(), table_id=second, action=shown.private.legal_actions[0], revision=shown.revision
    )
    await other.write(pb.PlayTableRequest(submit_action=submit))
    async with asyncio.timeout(WITHIN):
        while not (message := await other.read()).HasField("reply"):
            pass
    assert message.reply.WhichOneof("outcome") == "revision"
    gate.open()
    _, error = await to_its_end(other)
    assert reason_of(error) == ("UNAVAILABLE", "DRAINING")
    await stopping
    assert gate.batches == [1, 1]
    elsewhere = await start_table(levata, tmp_path, "other")
    seen = await Person(levata, await levata.channel(elsewhere), "Ana").table(second)
    assert seen.revision > message.reply.revision
    assert not seen.table.seats[0].present


async def test_of_many_tables_more_go_together(levata: Club, server: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    ana = Person(levata, await levata.channel(server), "Ana")
    for _ in range(6):
        await ana.create()
    gate = Gate(monkeypatch)
    monkeypatch.setattr(tables, "PAUSE_SECONDS", 0.0625)
    monkeypatch.setattr(tables, "HAND_OVER_SECONDS", 0.125)
    for _ in range(2):
        gate.open()
    await server.stop()
    assert gate.batches == [3, 3]
